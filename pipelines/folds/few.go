package folds

import (
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/role"
)

// Plans are divisions of the cohort's participants, as far as they have been looked at.
type Plans struct {
	Participants *encoding.Table // nil when they are not known
	// Line is where a participant stands in the table of the cohort, "" where that is not known; nil without a table.
	Line func(id string) string
	// Skips is set where the cohort may leave out participants who lack something (incomplete: skip).
	Skips bool
	made  map[*dag.Node]plan
	drawn map[*dag.StageNode][]string // its inputs that have an axis of draws
	draws map[*dag.Node]int           // of its arrays; 0: not known
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
		case role.Divider:
			if err := notGroups(n, work, p.Participants); err != nil {
				return err
			}
			if err := p.of(n).err; err != nil {
				return err
			}
		case role.Tester:
			graphs, err := p.GraphsOf(n)
			if err != nil {
				return err
			}
			r, ok := n.Work.(role.Trainer)
			by := divisionOf(n)
			if repeat, _ := work.TestFold(); !ok || by == nil || repeat != 1 {
				continue
			}
			if planned := p.of(by); planned.folds != nil {
				if err := r.RefusesFolds(planned.folds, graphs); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// of is the planned division of a task; none where it is not of the cohort's own participants.
func (p *Plans) of(n *dag.Node) plan {
	if p.Participants == nil || !OfCohort(n) {
		return plan{}
	}
	if made, ok := p.made[n]; ok {
		return made
	}
	if p.made == nil {
		p.made = map[*dag.Node]plan{}
	}
	var made plan
	made.folds, made.err = n.Work.(role.Divider).Plan(p.Participants)
	p.made[n] = made
	return made
}

// IsTraining reports whether a task trains on graphs.
func IsTraining(n *dag.Node) bool {
	_, ok := n.Work.(role.Trainer)
	return ok
}

// GraphsOf is how many graphs of each participant a training uses, 1 of what is no training.
func (p *Plans) GraphsOf(n *dag.Node) (int, error) {
	c, ok := n.Work.(role.Trainer)
	if !ok {
		return 1, nil
	}
	return c.Graphs(p.drawsBefore(n))
}

// drawsBefore is how many draws the arrays have that a task takes, 0 where that is not known, and what they are called.
func (p *Plans) drawsBefore(n *dag.Node) (draws int, from string) {
	for _, b := range n.Inputs {
		src := b.Sources[0]
		if src.Node == nil {
			continue
		}
		d, ok := src.Node.Work.(role.Drawer)
		if !ok || !p.hasDraws(n, b.Port) {
			continue
		}
		draws, known := p.draws[src.Node]
		if !known {
			before, _ := p.drawsBefore(src.Node)
			draws = d.DrawsOf(before)
			p.draws[src.Node] = draws
		}
		return draws, src.Node.ID + "." + src.Output
	}
	return 0, ""
}

// hasDraws reports whether the arrays of a port have an axis of draws.
func (p *Plans) hasDraws(n *dag.Node, port string) bool {
	ports, known := p.drawn[n.Stage]
	if !known {
		for _, in := range n.Work.Ports().In {
			if len(in.Type.Axes) > 0 && in.Type.Axes[0] == "draw" {
				ports = append(ports, in.Name)
			}
		}
		if p.drawn == nil {
			p.drawn, p.draws = map[*dag.StageNode][]string{}, map[*dag.Node]int{}
		}
		p.drawn[n.Stage] = ports
	}
	return slices.Contains(ports, port)
}
