package precheck

import (
	"fmt"

	"prgnn/dag"
	"prgnn/pipelines/design"
	"prgnn/stages/role"
)

// Models are the mistakes in files of models that a stage applies.
func Models(s *dag.StageNode) (mistakes []Mistake) {
	seen := map[string]bool{}
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
			if err := work.RefusesModel(b, connected(n)); err != nil {
				mistakes = append(mistakes, Mistake{port, fmt.Errorf("%s: %w", src.File, err)})
			}
		}
	}
	return mistakes
}
