package precheck

import (
	"fmt"
	"slices"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/pipelines/design"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// Models are the mistakes in files of models that a stage applies, and in parameters that do not fit these.
func Models(s *dag.StageNode) (mistakes []Mistake) {
	seen := map[string]bool{}
	var files [][]byte
	for n, work := range role.With[role.ModelReader](s) {
		port := role.Port(n.Instance(), role.Models)
		for _, src := range design.Sources(n, port) {
			if src.File == "" || seen[src.File] {
				continue
			}
			seen[src.File] = true
			in, err := fileInput(src)
			if err != nil {
				continue // the task reports it
			}
			b, err := in.Bytes()
			if err != nil {
				continue
			}
			files = append(files, b)
			if err := work.RefusesModel(b, connected(n)); err != nil {
				mistakes = append(mistakes, Mistake{port, fmt.Errorf("%s: %w", src.File, err)})
			}
		}
		if files == nil || mistakes != nil {
			continue
		}
		may := mayState(n)
		for _, err := range work.RefusesParameters(files, connected(n), func(name string) bool { return may[name] }) {
			mistakes = append(mistakes, Mistake{"", err})
		}
	}
	return mistakes
}

// mayState are the parameters that the results before a task may state of what made them: those of the kinds of their
// stages, or of all kinds where a table comes from a file.
func mayState(n *dag.Node) map[string]bool {
	may, seen := map[string]bool{}, map[*dag.Node]bool{}
	add := func(kind string, instance dag.Stage) {
		may[kind+column.FittedSuffix] = true
		for _, p := range param.Values(instance) {
			may[kind+"."+p.Name] = true
		}
	}
	var above func(n *dag.Node)
	above = func(n *dag.Node) {
		seen[n] = true
		fromFile := func(port string) bool {
			return slices.ContainsFunc(design.Sources(n, port), func(src dag.Source) bool { return src.File != "" })
		}
		if slices.ContainsFunc([]string{"quality", "cleaning", "scan"}, fromFile) {
			for _, k := range dag.Kinds() {
				add(k.Name, k.New())
			}
		}
		for src := range n.Upstream() {
			if of := src.Node; !seen[of] {
				add(of.Stage().Kind().Name, of.Instance())
				above(of)
			}
		}
	}
	above(n)
	return may
}
