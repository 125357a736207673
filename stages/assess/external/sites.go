package external

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/learn"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/role"
)

// Participants of a site on whose matrices its shift and scale may be estimated.
const (
	fewestInputs   = 10
	fewestControls = 20
)

// NewSite is how sites are harmonized that the training did not have.
type NewSite struct {
	Harmonize string `param:"harmonize" doc:"for models of harmonized matrices whose files contain the ComBat fit (harmonized): inputs, the shift and scale of each site are estimated on the matrices of its test participants (10 or more); no label is used, but each prediction then depends on the other participants; controls, they are estimated on the matrices of 20 or more controls of each site, who are not tested; none, matrices are not harmonized" choices:"none|inputs|controls"`
	Controls  string `param:"controls" doc:"for harmonize: controls, the column of the participants that has 1, yes or true for controls, and 0, no, false or n/a for test participants"`
}

// Validate checks parameters against each other.
func (s *NewSite) Validate() []error {
	switch {
	case s.Harmonize == "controls" && s.Controls == "":
		return []error{words.Refuse("%s: controls needs a column that marks the controls: set controls: COLUMN, or harmonize: inputs",
			words.Setting{Parameter: "harmonize"})}
	case s.Harmonize != "controls" && s.Controls != "":
		return []error{words.Refuse("%s: only harmonize: controls uses this column, but harmonize is %s: set harmonize: controls, or remove controls",
			words.Setting{Parameter: "controls"}, s.Harmonize)}
	}
	return nil
}

func (s *NewSite) readings() []role.Reading {
	return []role.Reading{{Parameter: "controls", Name: s.Controls, Needed: true}}
}

// refusesInputs requires matrices.
func (s *NewSite) refusesInputs(has func(port string) bool) error {
	if (s.Harmonize == "inputs" || s.Harmonize == "controls") && !has("matrices") {
		return words.Refuse("%s: %s is for models of matrices: connect matrices, or set harmonize: none",
			words.Setting{Parameter: "harmonize"}, s.Harmonize)
	}
	return nil
}

// into has the sites harmonized where p predicts.
func (s *NewSite) into(p *learn.Predict, t *dag.Task, label string) error {
	switch s.Harmonize {
	case "inputs":
		p.Harmonize(fewestInputs, nil)
	case "controls":
		controls, groups, err := s.controls(t, label)
		if err != nil {
			return err
		}
		p.Harmonize(fewestControls, controls, groups...)
	}
	return nil
}

// controls are the participants with matrices on whom sites are estimated: of one group, where groups are predicted.
// groups are how many are of each group, "20 HC", if the table has groups.
func (s *NewSite) controls(t *dag.Task, label string) (of map[string]bool, groups []string, err error) {
	in := t.In("participants")
	table, err := in.Table()
	if err != nil {
		return nil, nil, err
	}
	ids, err1 := table.Strings("participant_id")
	marks, err2 := column.AsCategories(table, s.Controls).Strings(s.Controls)
	if err := errors.Join(err1, err2); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	there := lists.SetOf(t.All("matrices"), func(m dag.Input) string { return m.Coord("subject") })
	of = map[string]bool{}
	var odd []string
	for i, mark := range marks {
		switch strings.ToLower(mark) {
		case "1", "yes", "true":
			if there[ids[i]] {
				of[ids[i]] = true
			}
		case "", "n/a", "0", "no", "false":
		default:
			odd = append(odd, fmt.Sprintf("%q of %s", mark, ids[i]))
		}
	}
	switch {
	case odd != nil:
		return nil, nil, fmt.Errorf("%s: the column %s has %s: write 1 for controls, who are not tested, and 0 for test participants", in.Name, s.Controls, words.Some(odd, 4))
	case len(of) == 0:
		return nil, nil, fmt.Errorf("%s: the column %s has no controls: write 1 for them", in.Name, s.Controls)
	case len(of) == len(there):
		return nil, nil, fmt.Errorf("%s: all participants are controls in the column %s, so no participant is left to test", in.Name, s.Controls)
	}
	if _, known := table.Column("group"); !known && label != "group" {
		return of, nil, nil
	}
	_, group, err := column.ByParticipant(table, "group")
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	count := map[string]int{}
	for id := range of {
		count[group[id]]++
	}
	names := slices.Sorted(maps.Keys(count))
	if len(names) > 1 && label == "group" {
		return nil, nil, fmt.Errorf("%s: the controls in the column %s are from the groups %s: mark participants of one group",
			in.Name, s.Controls, strings.Join(names, ", "))
	}
	return of, lists.Map(names, func(g string) string { return words.CountOf(count[g], g, " ") }), nil
}

// refusesLabel refuses what would bring the label into the matrices that models take: a preserved covariate that is the
// label or stands for it, and sites that do.
func refusesLabel(t *dag.Task, a finding.Applied, label string) error {
	if a.NewSites == nil {
		return nil
	}
	people, err := t.In("participants").Table()
	if err != nil {
		return err
	}
	labels, err1 := fold.Labels(people, nil)
	ids, err2 := people.Strings("participant_id")
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	var all []error
	tied := func(people *encoding.Table, name, text string) error {
		c, err := column.ReadCovariate(people, name)
		if err != nil {
			return err
		}
		if l, how, much := fold.Tied(c, labels, ids); !c.Identifies() && much >= fold.StandsFor {
			all = append(all, fmt.Errorf(text+"; set harmonize: none, with models of matrices that were not harmonized", name, l.Name, how, much, fold.StandsFor))
		}
		return nil
	}
	for _, name := range a.NewSites.Covariates {
		if modelfile.SameVariable(name, column.NameOf(people, label)) {
			all = append(all, fmt.Errorf("in training, ComBat preserved the effects of %s, which is the label here, so the label would leak into the matrices of the participants: validate models whose ComBat fit does not preserve it", name))
			continue
		}
		if err := tied(people, name, "in training, ComBat preserved the effects of %s, which stands for %s here (%s %.3f, refused from %g), so the label would leak into the matrices of the participants"); err != nil {
			return err
		}
	}
	if err := tied(column.AsCategories(people, a.NewSites.Column), a.NewSites.Column,
		"%s stands for %s (%s %.3f, refused from %g), so harmonization would remove what is to be predicted"); err != nil {
		return err
	}
	return errors.Join(all...)
}
