package precheck

import (
	"fmt"
	"slices"

	"prgnn/dag"
)

// A timed Stage takes a repetition time from one of several sources: TimeFrom is parameter, sidecar or header,
// where the ports that has names are connected; "" where the stage takes that of the stage before it.
type timed interface {
	TimeFrom(has func(port string) bool) string
}

// Times says which repetition time each stage uses.
func Times(g *dag.Graph) (used []string) {
	names := map[string]string{"parameter": "parameter tr", "sidecar": "sidecar", "header": "header"}
	from := sourcesOfTime(g)
	for _, s := range g.Stages {
		if from[s] != "" {
			used = append(used, fmt.Sprintf("%s uses that of the %s", s.Name, names[from[s]]))
		}
	}
	return used
}

// sourcesOfTime is where the stages that take a repetition time take it from: the sidecar, where some scan has one.
func sourcesOfTime(g *dag.Graph) map[*dag.StageNode]string {
	sources := map[*dag.StageNode]string{}
	for _, s := range g.Stages {
		for _, n := range s.Tasks {
			if from := sourceOfTime(n); sources[s] == "" || from == "sidecar" {
				sources[s] = from
			}
			if _, ok := n.Work.(timed); !ok || sources[s] == "sidecar" {
				break
			}
		}
		if sources[s] == "" {
			delete(sources, s)
		}
	}
	return sources
}

// sourceOfTime is where a task takes the repetition time from; "" where its stage takes none.
func sourceOfTime(n *dag.Node) string {
	work, ok := n.Work.(timed)
	if !ok {
		return ""
	}
	return work.TimeFrom(func(port string) bool {
		return slices.ContainsFunc(n.Inputs, func(b dag.Binding) bool { return b.Port == port && len(b.Sources) > 0 })
	})
}

// givenTime is the parameter tr of the stage that reads the scan of a task, s: what counts where the files of the scan
// give no repetition time; 0 for none.
func givenTime(n *dag.Node) float64 {
	for _, b := range n.Inputs {
		for _, src := range b.Sources {
			if b.Port != "scan" || src.Node == nil {
				continue
			}
			if work, ok := src.Node.Work.(interface{ GivenTime() float64 }); ok {
				return work.GivenTime()
			}
		}
	}
	return 0
}

// A scaled Stage scales frequencies or events by the repetition time of the scan; NeedsTime says what it does.
type scaled interface{ NeedsTime() string }

// Contradicted is why a stage cannot use the repetition time of scans whose header and sidecar differ; "" where it does
// not use it, or where chosen (sidecar or header) is what the stages use.
func Contradicted(g *dag.Graph, s *dag.StageNode, chosen string) string {
	if len(s.Tasks) == 0 {
		return ""
	}
	work, ok := s.Tasks[0].Work.(scaled)
	if !ok || work.NeedsTime() == "" {
		return ""
	}
	sources := sourcesOfTime(g)
	for _, other := range g.Stages {
		if from := sources[other]; from != "" && from != "parameter" && from != chosen {
			return fmt.Sprintf("stage %s %s by the repetition time of the %s, and that is not known to be right: look at "+
				"the scanner's protocol and set repetition_time: sidecar or repetition_time: header in the cohort, or exclude "+
				"these participants", s.Name, work.NeedsTime(), from)
		}
	}
	return ""
}
