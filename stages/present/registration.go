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

// registrationSection tells how voxels got their labels, and names the participants whose
// registration is doubtful.
func registrationSection(t *dag.Task, p *page) error {
	var how, doubts []string
	for _, in := range t.All("registration") {
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
		p.line("  %-13s %s", "labels by", strings.Join(how, ", "))
	}
	if doubts != nil {
		p.caution("labels that may not fit the scan: %s", words.Some(doubts, 6))
	}
	return nil
}
