package pipelines

import (
	"slices"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// checkJudged notes the networks whose accuracy a page shows while no page gets the history of their training: it could
// not say that a network did not learn.
func (l *loader) checkJudged() {
	judged, shown := map[*stage]bool{}, []*stage(nil)
	page := ""
	for _, s := range l.stages {
		for _, of := range s.behind("training") {
			judged[of] = true
		}
		for _, evaluation := range s.behind("evaluation") {
			shown = append(shown, evaluation.behind("predictions")...)
			page = s.name // the last one, which is the report of most files
		}
	}
	var names, connect []string
	for _, s := range shown {
		if !judged[s] && s.learnsInEpochs() && !slices.Contains(names, s.name) {
			names, connect = append(names, s.name), append(connect, s.name+"[*].history")
		}
	}
	if names != nil {
		l.doubt(column.DoubtTraining, "%s: no page checks whether it learned anything; add %s to training of %s", words.Some(names, 6), words.Some(connect, 6), page)
	}
}

// behind are the stages that are connected to an input.
func (s *stage) behind(port string) (of []*stage) {
	for _, k := range s.links {
		for i := range k.from {
			if p := k.from[i].producer; k.port.Name == port && p != nil && p.of != nil {
				of = append(of, p.of)
			}
		}
	}
	return of
}

// learnsInEpochs reports whether one of the stage's tasks trains a network and gives its history.
func (s *stage) learnsInEpochs() bool {
	return slices.ContainsFunc(s.nodes, func(n dag.Node) bool {
		work, ok := n.Work.(role.Trainer)
		return ok && work.InEpochs()
	})
}
