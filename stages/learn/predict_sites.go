package learn

import (
	"errors"
	"fmt"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/learn/modelfile"
)

// newSites are the sites of new participants, estimated for each model on the matrices of some of them.
type newSites struct {
	least    int             // participants of a site
	controls map[string]bool // on whom they are estimated, and who are not tested; nil: on all
	groups   []string        // of the controls: "20 HC"
	of       map[*applier]*modelfile.Sites
}

// Harmonize has the sites harmonized by the ComBat fit in the model files, estimated without labels on so many controls
// or more of each, who are not tested, or with nil on all participants; groups are how many controls each has: "20 HC".
func (s *Predict) Harmonize(least int, controls map[string]bool, groups ...string) {
	s.sites = &newSites{least: least, controls: controls, groups: groups, of: map[*applier]*modelfile.Sites{}}
}

// held is how many participants are not tested.
func (s *newSites) held() int {
	if s == nil {
		return 0
	}
	return len(s.controls)
}

func (s *newSites) isControl(id string) bool { return s != nil && s.controls[id] }

// estimate estimates the sites for each model.
func (s *Predict) estimate(t *dag.Task, models []*applier) error {
	if s.sites == nil {
		return nil
	}
	for _, m := range models {
		if m.matrices == nil || m.matrices.Harmonized == nil {
			return fmt.Errorf("%s: the model file has no ComBat fit, so a new site cannot be harmonized: train the model on matrices of the stage harmonize with combat's fitted at the input harmonized (baseline, regression, network or estimator), and export it again; a model of matrices that were not harmonized needs no harmonization",
				m.name)
		}
	}
	var ids []string
	var people []modelfile.Person
	for i := range gathered(t) {
		n, err := s.newcomer(t, i)
		if err != nil {
			return err
		}
		if modelfile.Harmonizes(n.made) {
			return fmt.Errorf("%s: these matrices are already harmonized: connect the matrices before the stage harmonize; the fit in the model files harmonizes them", n.in.Name)
		}
		if s.sites.controls == nil || s.sites.controls[n.id] {
			ids, people = append(ids, n.id), append(people, n.matrices.First())
		}
	}
	for _, m := range models {
		of, err := m.matrices.EstimateSites(t.In("participants"), ids, people, s.sites.least, t.Threads)
		if errors.Is(err, modelfile.ErrRegions) {
			continue // each participant is refused for this
		}
		if err != nil {
			return err
		}
		s.sites.of[m] = of
	}
	return nil
}

// harmonize puts the matrices of a participant without the effect of its site in place of those that each model takes.
func (s *newSites) harmonize(n *newcomer) error {
	if s == nil {
		return nil
	}
	n.without, n.asTrained = map[*applier]modelfile.Person{}, map[*applier][]modelfile.Data{}
	for m, of := range s.of {
		p, err := of.Harmonized(n.matrices, n.id)
		if err != nil {
			return err
		}
		n.without[m], n.asTrained[m] = p, of.AsTrained(n.matrices, n.id)
	}
	return nil
}

// describe states what was estimated, the same sites for all models.
func (s *newSites) describe(models []*applier) (of *column.NewSites) {
	if s == nil {
		return nil
	}
	of = &column.NewSites{Controls: s.controls != nil, Groups: s.groups}
	for _, m := range models {
		for _, name := range m.matrices.Harmonized.Covariates() {
			of.Covariates = lists.Add(of.Covariates, name)
		}
	}
	if first := s.of[models[0]]; first != nil {
		of.Column = first.Column()
		for _, size := range first.Sizes() {
			of.Sites, of.Sizes = append(of.Sites, size.Site), append(of.Sizes, int32(size.N))
		}
	}
	return of
}
