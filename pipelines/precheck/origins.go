package precheck

import (
	"fmt"
	"slices"

	"prgnn/dag"
	"prgnn/pipelines/design"
	"prgnn/stages/role"
)

// Origins are the mistakes of a stage whose input quality (role.Origin) does not state how the matrices at its other
// inputs were made, and the first for all tasks: a model would record another origin, and take matrices that differ
// from
// those of its training.
func Origins(s *dag.StageNode) []Mistake {
	for _, n := range s.Tasks() {
		port, of := role.OriginOf(n.Instance())
		if port == "" {
			return nil
		}
		stated := design.Sources(n, port)
		for _, input := range of {
			from := design.Sources(n, input)
			if slices.EqualFunc(from, stated, func(a, b dag.Source) bool { return a.Node != nil && a.Node == b.Node }) {
				continue
			}
			if err := otherOrigin(n, port, input, from, stated); err != nil {
				return []Mistake{{port, err}}
			}
		}
	}
	return nil
}

// otherOrigin is why what a task takes at a port does not state the origin of what it takes at another.
func otherOrigin(n *dag.Node, port, input string, from, stated []dag.Source) error {
	known := map[*dag.Node]bool{}
	for _, q := range stated {
		if q.Node == nil { // a file of the user's
			return nil
		}
		describe(q.Node, known)
	}
	_, of := role.OriginOf(n.Instance())
	for _, src := range from {
		if src.Node == nil || known[src.Node] {
			continue
		}
		if stated != nil && role.PassesOrigin(stated[0].Node.Instance()) && takes(n, of, stated[0].Node) &&
			!role.PassesOrigin(src.Node.Instance()) {
			// graph: no quality describes both, and this one refuses unchanged ones
			continue
		}
		made := src.Node.Stage().Name()
		remedy := fmt.Sprintf("connect its quality, as %s: %q", port, reference(n, port, src.Node))
		states := slices.ContainsFunc(src.Node.Instance().Ports().Out,
			func(out dag.Port) bool { return out.Name == port })
		if !states {
			remedy = fmt.Sprintf("no output of %s states how they were made: set %s: null", made, port)
		} else if apart(n, of, src.Node) {
			remedy = fmt.Sprintf("no quality describes matrices of two stages: take them of one stage, or set %s: null", port)
		}
		if stated != nil {
			return fmt.Errorf("input %s is that of stage %s, which did not make the matrices at input %s (stage %s), so models would accept matrices that differ from those of their training; %s",
				port, stated[0].Node.Stage().Name(), input, made, remedy)
		}
		if role.PassesOrigin(src.Node.Instance()) || states && role.PassesOrigin(n.Instance()) {
			return fmt.Errorf("without input %s, models would accept other matrices than those at input %s (stage %s); %s",
				port, input, made, remedy)
		}
	}
	for _, q := range stated {
		if by := changedBy(q.Node, from); by != nil && !takes(n, of, q.Node) {
			return fmt.Errorf("input %s is that of matrices that stage %s changed, but input %s has them unchanged, so models would accept matrices that differ from those of their training; connect %s: %q",
				port, by.Stage().Name(), input, port, reference(n, port, from[0].Node))
		}
	}
	return nil
}

// reference is how a file refers to the output of a task's stage.
func reference(user *dag.Node, output string, made *dag.Node) string {
	for _, p := range user.Instance().Ports().In {
		if p.Name == output && p.Gather {
			return made.Stage().Name() + "[*]." + output
		}
	}
	return made.Stage().Name() + "." + output
}

// describe adds the tasks whose outputs the quality of a task describes: its own, and those of its own input quality.
func describe(q *dag.Node, known map[*dag.Node]bool) {
	if q == nil || known[q] {
		return
	}
	known[q] = true
	port, _ := role.OriginOf(q.Instance())
	for _, src := range design.Sources(q, port) {
		describe(src.Node, known)
	}
}

// changedBy is the task on the way of a quality that changed the very outputs that another one takes; nil for none.
func changedBy(q *dag.Node, taken []dag.Source) *dag.Node {
	for q != nil {
		port, of := role.OriginOf(q.Instance())
		for _, input := range of {
			for _, src := range design.Sources(q, input) {
				if src.Node != nil && slices.ContainsFunc(taken, func(t dag.Source) bool {
					return t.Node == src.Node && t.Output == src.Output
				}) {
					return q
				}
			}
		}
		next := design.Sources(q, port)
		if port == "" || len(next) == 0 {
			return nil
		}
		q = next[0].Node
	}
	return nil
}

// apart reports whether a task takes matrices of another stage, too, and neither states the origin of the other.
func apart(n *dag.Node, inputs []string, made *dag.Node) bool {
	for _, input := range inputs {
		for _, src := range design.Sources(n, input) {
			if src.Node != nil && src.Node.Stage() != made.Stage() {
				return !role.PassesOrigin(src.Node.Instance()) && !role.PassesOrigin(made.Instance())
			}
		}
	}
	return false
}

// takes reports whether a task takes matrices of another at one of the inputs.
func takes(n *dag.Node, inputs []string, made *dag.Node) bool {
	for _, input := range inputs {
		for _, src := range design.Sources(n, input) {
			if src.Node == made {
				return true
			}
		}
	}
	return false
}
