package precheck

import (
	"fmt"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines/design"
	"prgnn/stages/role"
)

// Times says which repetition time each stage uses.
func Times(g *dag.Graph) (used []string) {
	from := sourcesOfTime(g)
	for _, s := range g.Stages() {
		names := map[string]string{"parameter": "that of the parameter tr", "sidecar": "that of the sidecar",
			"header": "that of the header"}
		if n := from[s]["header"]; n > 0 && from[s]["sidecar"] > 0 {
			names["sidecar"] += fmt.Sprintf(" (of the header in %s without a sidecar)", words.Count(n, "scan"))
		}
		for _, source := range []string{"parameter", "sidecar", "header"} {
			if from[s][source] > 0 {
				used = append(used, fmt.Sprintf("%s uses %s", s.Name(), names[source]))
				break
			}
		}
	}
	return used
}

// sourcesOfTime counts the tasks of the stages that take a repetition time by where they take it from.
func sourcesOfTime(g *dag.Graph) map[*dag.StageNode]map[string]int {
	sources := map[*dag.StageNode]map[string]int{}
	for n := range role.With[role.Timed](g.Stages()...) {
		if from := sourceOfTime(n); from != "" {
			if sources[n.Stage()] == nil {
				sources[n.Stage()] = map[string]int{}
			}
			sources[n.Stage()][from]++
		}
	}
	return sources
}

// sourceOfTime is where a task takes the repetition time from; "" where its stage takes none.
func sourceOfTime(n *dag.Node) string {
	work, ok := n.Instance().(role.Timed)
	if !ok {
		return ""
	}
	return work.TimeFrom(connected(n))
}

// connected reports which ports of a task have an input.
func connected(n *dag.Node) func(port string) bool {
	return func(port string) bool { return len(design.Sources(n, port)) > 0 }
}

// givenTime is the parameter tr of the stage that reads the scan of a task, s: what counts where the files of the scan
// give no repetition time; 0 for none.
func givenTime(n *dag.Node) float64 {
	for _, src := range design.Sources(n, "scan") {
		if src.Node != nil {
			if work, ok := src.Node.Instance().(role.Timed); ok {
				return work.GivenTime()
			}
		}
	}
	return 0
}

// Contradicted is why a stage cannot use the repetition time of scans whose files contradict each other; ""
// where it does not use it, or where chosen (sidecar or header; "" for a cohort without such a choice) is what the
// stages use.
func Contradicted(g *dag.Graph, s *dag.StageNode, chosen string) string {
	if len(s.Tasks()) == 0 {
		return ""
	}
	work, ok := s.Tasks()[0].Instance().(role.Cleaner)
	if !ok || work.NeedsTime() == "" {
		return ""
	}
	sources := sourcesOfTime(g)
	for _, other := range g.Stages() {
		from := "header"
		if sources[other]["sidecar"] > 0 { // scans without one do not contradict it
			from = "sidecar"
		}
		if sources[other][from] > 0 && from != chosen {
			remedy := "set repetition_time: sidecar or repetition_time: header in the cohort"
			if chosen == "" { // a cohort without that parameter
				remedy = "correct the JSON file"
			}
			return fmt.Sprintf("stage %s: %s uses the repetition time of the %s, and that is not known to be right: look at "+
				"the scanner's protocol and %s, or exclude these participants", s.Name(), work.NeedsTime(), from, remedy)
		}
	}
	return ""
}
