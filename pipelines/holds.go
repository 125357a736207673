package pipelines

import (
	"fmt"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// holdings are what outputs hold, by the stages that made them (role.Measurer). Tasks share lists of sources: each list
// is joined once.
type holdings struct {
	outputs map[output]column.Data
	lists   map[list]column.Data
}

type output struct {
	of   *dag.Node
	port string
}

type list struct {
	first *dag.Source
	n     int
}

// of is what an output of a task holds; the zero value is unknown.
func (h *holdings) of(n *dag.Node, port string) column.Data {
	at := output{n, port}
	if d, known := h.outputs[at]; known {
		return d
	}
	h.outputs[at] = column.Data{} // in a cycle, which is refused elsewhere
	if m, ok := n.Instance().(role.Measurer); ok {
		h.outputs[at] = m.Measures(port, func(input string) column.Data { return h.at(n, input) })
	}
	return h.outputs[at]
}

// at is what a task has at an input.
func (h *holdings) at(n *dag.Node, input string) (d column.Data) {
	for _, b := range n.Inputs() {
		if b.Port == input {
			return h.joined(b.Sources)
		}
	}
	return d
}

func (h *holdings) joined(of []dag.Source) column.Data {
	if len(of) == 0 {
		return column.Data{}
	}
	at := list{&of[0], len(of)}
	if d, known := h.lists[at]; known {
		return d
	}
	var all []column.Data
	for _, src := range of {
		if src.Node == nil {
			all = append(all, column.Data{})
		} else {
			all = append(all, h.of(src.Node, src.Output))
		}
	}
	h.lists[at] = column.Join(all...)
	return h.lists[at]
}

// inform gives every task that describes its inputs what they hold.
func (l *loader) inform() {
	l.holds = &holdings{map[output]column.Data{}, map[list]column.Data{}}
	for _, s := range l.stages {
		for _, n := range s.nodes {
			user, ok := n.Instance().(role.DataUser)
			if !ok {
				break
			}
			of := map[string]column.Data{}
			for _, b := range n.Inputs() {
				of[b.Port] = l.holds.joined(b.Sources)
			}
			user.Inform(of)
		}
	}
}

// refuseFisher refuses Fisher's z of what is known to be no correlations: it is defined for |r| ≤ 1, and small
// covariances pass as correlations.
func (l *loader) refuseFisher() {
	for _, s := range l.stages {
		said := map[string]bool{}
		for _, n := range s.nodes {
			if !appliesFisher(n.Instance()) {
				continue
			}
			for _, port := range []string{"pearson", "matrices"} {
				d := l.holds.at(n, port)
				if d.Measure == "" || d.Measure == column.Mixed || d.Correlations() {
					continue
				}
				l.once(said, placeOf(s.pos, s.with)("transform"), s.name, fmt.Errorf("the transform is Fisher's z, which is "+
					"for correlations, but the input %s holds %s: set transform: none", port, d.Text()))
			}
		}
	}
}

// appliesFisher reports whether the parameters of a stage ask for Fisher's z of its matrices: by the model's own
// transform, too.
func appliesFisher(stage any) bool {
	value := map[string]any{}
	for _, p := range param.Of(stage) {
		value[p.Name] = p.Default
	}
	own := value["transform"] == "own" && (value["model"] == "ridge" || value["model"] == "logistic")
	return own || value["transform"] == "fisher"
}

// made is what an output of a stage holds over its tasks, as a text.
func (l *loader) made(s *stage, port string) string {
	if l.holds == nil {
		return ""
	}
	all := lists.Map(s.nodes, func(n *dag.Node) column.Data { return l.holds.of(n, port) })
	return column.Join(all...).String()
}
