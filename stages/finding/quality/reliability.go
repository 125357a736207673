package quality

import (
	"prgnn/stages/column"
	"prgnn/stages/finding"
)

// fewRetested is how many participants the ICC of an edge needs.
const fewRetested = 10

// motionDiffers reports whether the mean framewise displacements of two sessions are too unlike.
func motionDiffers(first, second float64) bool { return first > 1.5*second || second > 1.5*first }

// EdgeMotion are the findings about motion of a test of the change between two sessions, by the mean framewise
// displacement (mm) in each.
func EdgeMotion(r column.EdgeSummaryRow, first, second float64) (all finding.List) {
	if r.Design == "change" && motionDiffers(first, second) {
		all.Study("edges.motion", finding.Limits, values{"First": r.Sessions[0], "Second": r.Sessions[1],
			"MotionFirst": first, "MotionSecond": second})
	}
	return all
}

// Reliability are the findings about sessions: those that are one scan, too few participants, sites that identify, and
// motion that differs.
func Reliability(r column.ReliabilityRow, pairs []column.SessionPairRow, alike []string) (all finding.List) {
	if alike != nil {
		all.Study("reliability.one-scan", finding.Overturns, values{"Listed": alike})
	}
	switch {
	case r.Participants < fewRetested:
		all.Study("reliability.few", finding.Limits, values{"N": r.Participants, "Sessions": r.Sessions,
			"Least": fewRetested})
	case len(r.Left) > 0:
		all.Study("reliability.left-out", finding.Notes, values{"N": len(r.Left), "Participants": r.Left,
			"Sessions": r.Sessions})
	}
	if r.Within != "" {
		all.Study("reliability.sites", finding.Limits,
			values{"Within": r.Within, "Edges": r.Participants >= fewRetested})
	}
	for _, p := range pairs {
		if motionDiffers(p.MotionFirst, p.MotionSecond) {
			all.Study("reliability.motion", finding.Limits, finding.Values(p))
		}
	}
	return all
}
