package finding

import "prgnn/stages/column"

// fewForMotion is how many participants QC-FC needs to mean anything: below, the null's median |r| is above 0.16.
const fewForMotion = 20

// UnreliableMotion reports whether QC-FC is of too few participants.
func UnreliableMotion(r column.MotionRow) bool { return r.Participants < fewForMotion }

// HeadMotion are the findings about head motion that remains in connectivity, by QC-FC.
func HeadMotion(rows []column.MotionRow) (all List) {
	for _, r := range rows {
		if r.ShareFDR > 0 {
			all.study("motion.remains", Limits, values{"Strategy": r.Strategy,
				"Share": r.ShareFDR, "Median": r.Median, "Null": r.Null})
		}
	}
	return all
}
