package pipelines

import (
	"fmt"

	"prgnn/dag"
	"prgnn/internal/words"
)

// A divider is a Stage that divides participants into folds.
type divider interface {
	// Divisions is how many repeats and folds its table will have; 0 folds: the data decide.
	Divisions() (repeats, folds int)
}

// A tester is a Stage with one test fold of one repeat, from a table of folds.
type tester interface {
	TestFold() (repeat, fold int)
}

// checkFolds refuses a test fold that the division will not have: before anything runs.
func (l *loader) checkFolds() {
	for _, s := range l.stages {
		var wrong error
		largest := 0
		for i := range s.nodes {
			t, ok := s.nodes[i].Work.(tester)
			if !ok {
				break
			}
			if over, err := missingFold(&s.nodes[i], t); over > largest {
				largest, wrong = over, err
			}
		}
		if wrong != nil {
			l.bad.add(placeOf(s.pos, s.with)(wrong.Error()), "stage %s: %v", s.name, wrong)
		}
	}
}

// missingFold is the fold or repeat of a task that the stage behind its folds does not make,
// and the mistake; else 0.
func missingFold(n *dag.Node, t tester) (int, error) {
	repeat, fold := t.TestFold()
	for _, b := range n.Inputs {
		for _, src := range b.Sources {
			if src.Node == nil {
				continue
			}
			d, ok := src.Node.Work.(divider)
			if !ok {
				continue
			}
			repeats, folds := d.Divisions()
			for _, c := range []struct {
				axis       string
				want, have int
			}{{"fold", fold, folds}, {"repeat", repeat, repeats}} {
				if folds > 0 && c.want > c.have {
					return c.want, fmt.Errorf("%[1]s: %[2]s uses %[1]s %[3]d, but %[4]s makes %[5]s: write %[1]s: [1..%[6]d] here, or make %[3]d there",
						c.axis, n.ID, c.want, src.Node.ID, words.Count(c.have, c.axis), c.have)
				}
			}
		}
	}
	return 0, nil
}
