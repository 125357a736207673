package precheck

import (
	"fmt"

	"prgnn/dag"
)

// A timed Stage takes a repetition time from one of several sources: TimeFrom is parameter, sidecar or header,
// where the ports that has names are connected; "" where the stage takes that of the stage before it.
type timed interface {
	TimeFrom(has func(port string) bool) string
}

// Times says which repetition time each stage uses.
func Times(g *dag.Graph) (used []string) {
	for _, s := range g.Stages {
		if len(s.Tasks) == 0 {
			continue
		}
		n := s.Tasks[0]
		work, ok := n.Work.(timed)
		if !ok {
			continue
		}
		from := work.TimeFrom(func(port string) bool {
			for _, b := range n.Inputs {
				if b.Port == port && len(b.Sources) > 0 {
					return true
				}
			}
			return false
		})
		if from != "" {
			used = append(used, fmt.Sprintf("%s uses that of the %s", s.Name,
				map[string]string{"parameter": "parameter tr", "sidecar": "sidecar", "header": "header"}[from]))
		}
	}
	return used
}
