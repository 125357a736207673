package finding

import "prgnn/stages/column"

// fewRetested is how many participants the ICC of an edge needs.
const fewRetested = 10

// Reliability are the findings about sessions: too few participants, sites that identify, and motion that differs.
func Reliability(r column.ReliabilityRow, pairs []column.SessionPairRow) (all List) {
	switch {
	case r.Participants < fewRetested:
		all.Study("reliability.few", Limits, values{"N": r.Participants, "Sessions": r.Sessions, "Least": fewRetested})
	case len(r.Left) > 0:
		all.Study("reliability.left-out", Notes, values{"N": len(r.Left), "Participants": r.Left, "Sessions": r.Sessions})
	}
	if r.Within != "" {
		all.Study("reliability.sites", Notes, values{"Within": r.Within})
	}
	for _, p := range pairs {
		if p.MotionFirst > 1.5*p.MotionSecond || p.MotionSecond > 1.5*p.MotionFirst {
			all.Study("reliability.motion", Limits, Values(p))
		}
	}
	return all
}
