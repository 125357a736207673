package present

import (
	"cmp"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
)

// registrationPort takes parcellate's tables of quality.
func registrationPort() dag.Port {
	return dag.Port{Name: "registration", Type: dag.Arrow(column.Names[column.ParcelRow]()...), Gather: true, Optional: true, Doc: "parcellate's quality for each participant: how well its labels fit the scan"}
}

// registration says how voxels got their labels, and names the participants whose
// registration is doubtful.
func (a *author) registration() error {
	var how, doubts []string
	for _, in := range a.t.All("registration") {
		rows, err := column.Read[column.ParcelRow](in)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if !slices.Contains(how, r.Resampling) {
				how = append(how, r.Resampling)
			}
			if r.Caution != "" {
				doubts = append(doubts, cmp.Or(in.Coord("subject"), memberText(in.Coords))+" ("+r.Caution+")")
			}
		}
	}
	how = slices.DeleteFunc(how, func(h string) bool { return strings.HasPrefix(h, "none") })
	if slices.Sort(how); len(how) > 0 {
		a.say("Labels resampled by %s.", strings.Join(how, ", "))
	}
	if doubts != nil {
		a.caution("Labels that may not fit the scan: %s", words.Some(doubts, 6))
	}
	return nil
}
