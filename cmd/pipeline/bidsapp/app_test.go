package bidsapp

import (
	"math"
	"testing"

	"prgnn/internal/need"
	"prgnn/pipelines"
	_ "prgnn/stages" // the kinds
	"prgnn/stages/cohort"
)

func TestCheck(t *testing.T) {
	for _, gb := range []float64{0, 0.5, 64} {
		need.Equal(t, (&App{Level: "group", Memory: gb}).Check(), nil, "--mem-gb", gb)
	}
	for _, gb := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1), 1e30, 1e-9, 0.001} {
		if (&App{Level: "group", Memory: gb}).Check() == nil {
			t.Errorf("--mem-gb %v is accepted", gb)
		}
	}
	if (&App{Level: "group", Workers: -1}).Check() == nil {
		t.Error("--n-cpus -1 is accepted")
	}
}

// A participant whose name a spreadsheet changed is proposed, and not taken.
func TestChosenProposes(t *testing.T) {
	p := &pipelines.Pipeline{Roster: &cohort.Roster{Subjects: []cohort.Subject{{ID: "sub-001"}, {ID: "sub-10"}}}}
	_, err := (&App{participants: []string{"1.0", "07"}}).Chosen(p)
	need.Error(t, err, "no such participants: 1.0 (did you mean sub-001 or sub-10?), 07; nothing was run")
}
