package quality

import (
	"math"

	"prgnn/stages/column"
	"prgnn/stages/finding"
)

// fewForMotion is how many participants QC-FC needs to mean anything: below, the null's median |r| is above 0.16.
const fewForMotion = 20

// remainingMotion is the share of edges after correction from which head motion is called a part of connectivity. Fewer
// edges are listed as a count.
const remainingMotion = 0.01

// UnreliableMotion reports whether QC-FC is of too few participants.
func UnreliableMotion(r column.MotionRow) bool { return r.Participants < fewForMotion }

// HeadMotion are the findings about head motion that remains in connectivity, by QC-FC.
func HeadMotion(rows []column.MotionRow) (all finding.List) {
	for _, r := range rows {
		of := values{"Strategy": r.Strategy, "N": int(math.Round(float64(r.Edges) * r.ShareFDR)),
			"Of": int(r.Edges), "Share": r.ShareFDR, "Median": r.Median, "Null": r.Null}
		switch {
		case r.ShareFDR >= remainingMotion:
			all.Study("motion.remains", finding.Limits, of)
		case r.ShareFDR > 0:
			all.Study("motion.few-edges", finding.Notes, of)
		}
	}
	return all
}
