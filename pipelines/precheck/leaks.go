package precheck

import (
	"fmt"
	"slices"

	"prgnn/dag"
	"prgnn/stages/role"
)

// Leaks names the stages whose settings leak, and the checks that fail for that reason once the stages have run.
func Leaks(g *dag.Graph) (notes []string) {
	for _, s := range g.Stages {
		for _, n := range s.Tasks {
			c, ok := n.Work.(role.Check)
			if !ok || c.Admits() {
				continue
			}
			for _, b := range n.Inputs {
				for _, src := range b.Sources {
					if b.Port != "predictions" || src.Node == nil {
						continue
					}
					work, ok := src.Node.Work.(role.Trainer)
					if !ok || work.Leaks() == "" {
						continue
					}
					note := fmt.Sprintf("%s will fail: %s: %s (admitted: true lets it pass)", s.Name,
						src.Node.Stage.Name, work.Leaks())
					if !slices.Contains(notes, note) {
						notes = append(notes, note)
					}
				}
			}
		}
	}
	return notes
}
