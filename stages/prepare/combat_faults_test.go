package prepare

import (
	"fmt"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

// TestFaultsReadPeopleOnce: the folds have the table of participants in common, and each its own faults.
func TestFaultsReadPeopleOnce(t *testing.T) {
	var ids, site []string
	var folds []fold.Member
	for i := range 12 {
		ids, site = append(ids, fmt.Sprintf("sub-%02d", i)), append(site, "AB"[i%2:i%2+1])
		folds = append(folds, fold.Member{ID: ids[i], Group: "HC", Repeat: 1, Fold: int32(i/4 + 1)})
	}
	site[0] = "C" // in fold 1; nobody else is of that site
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "site", Values: site})
	read, known := 0, map[string]any{}
	once := func(name string, value func() any) any {
		if _, there := known[name]; !there {
			read++
			known[name] = value()
		}
		return known[name]
	}
	alone := func(_ string, value func() any) any { return value() }
	for f := 1; f <= 3; f++ {
		s := combatKind.New().(*Combat)
		s.Fold, s.Repeat, s.Minimum = f, 1, 3
		got, want := s.Faults(people, column.Table(folds), once), s.Faults(people, column.Table(folds), alone)
		need.Equal(t, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want), fmt.Sprint("fold ", f))
		need.Equal(t, len(got) > 0, true, "the site of one participant is a fault")
	}
	need.Equal(t, read, 1, "how often the table was read")
}
