package participants

import (
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
)

// RegistrationPort takes parcellate's tables of quality.
func RegistrationPort() dag.Port {
	return dag.Port{Name: "registration", Type: column.Type[column.ParcelRow](), Gather: true, Optional: true, Doc: "parcellate's quality for each participant: how well its labels fit the scan"}
}

// A LabeledScan is a row of parcellate's quality, with its participant (and run).
type LabeledScan struct {
	who string
	column.ParcelRow
}

// labeledScans reads what is connected to the port registration, in its order.
func labeledScans(t *dag.Task) ([]LabeledScan, error) {
	return scansOf(t, "registration", "", func(who string, r column.ParcelRow) LabeledScan {
		return LabeledScan{who, r}
	}, func(string, *encoding.Table) {})
}

// registration says how voxels got their labels, and names the participants whose
// registration is doubtful.
func (a *Cohort) registration() {
	var how, doubts []string
	for _, s := range a.Labeled {
		if !slices.Contains(how, s.Resampling) {
			how = append(how, s.Resampling)
		}
		if s.Caution != "" {
			doubts = append(doubts, s.who+" ("+s.Caution+")")
		}
	}
	how = slices.DeleteFunc(how, func(h string) bool { return strings.HasPrefix(h, "none") })
	if slices.Sort(how); len(how) > 0 {
		a.Say("Labels resampled by %s.", strings.Join(how, ", "))
	}
	if doubts != nil {
		a.Caution("Labels that may not fit the scan: %s", words.Some(doubts, 6))
	}
}

// gray reports whether the regions are of grayordinates.
func (s LabeledScan) gray() bool { return strings.HasPrefix(s.Resampling, "none: grayordinates") }

// Element is what regions consist of: "voxel" or "grayordinate".
func (a *Cohort) Element() string {
	if slices.ContainsFunc(a.Labeled, LabeledScan.gray) {
		return "grayordinate"
	}
	return "voxel"
}
