package folds

import (
	"prgnn/artifacts/encoding"
	"prgnn/dag"
)

// A refuser is a Stage that divides the training participants of its fold once more.
type refuser interface {
	RefusesFolds(planned *encoding.Table) error
}

// Plans are divisions of the cohort's participants, as far as they have been looked at.
type Plans struct {
	Participants *encoding.Table // nil when they are not known
	made         map[*dag.Node]plan
}

type plan struct {
	folds *encoding.Table
	err   error
}

// Fail tells why a task of one stage will fail: there are too few participants for its folds, one is in none, or most
// groups are of one participant. Those of a division that fails itself are not named.
func (p *Plans) Fail(tasks []dag.Node) error {
	for i := range tasks {
		n := &tasks[i]
		switch work := n.Work.(type) {
		case divider:
			if err := notGroups(n, work, p.Participants); err != nil {
				return err
			}
			if err := p.of(n).err; err != nil {
				return err
			}
		case tester:
			r, ok := n.Work.(refuser)
			by := divisionOf(n)
			if repeat, _ := work.TestFold(); !ok || by == nil || repeat != 1 {
				continue
			}
			if planned := p.of(by); planned.folds != nil {
				if err := r.RefusesFolds(planned.folds); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// of is the planned division of a task; none where it is not of the cohort's own participants.
func (p *Plans) of(n *dag.Node) plan {
	if p.Participants == nil || !ofCohort(n) {
		return plan{}
	}
	if made, ok := p.made[n]; ok {
		return made
	}
	if p.made == nil {
		p.made = map[*dag.Node]plan{}
	}
	var made plan
	made.folds, made.err = n.Work.(divider).Plan(p.Participants)
	p.made[n] = made
	return made
}
