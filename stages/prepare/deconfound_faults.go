package prepare

import (
	"errors"
	"fmt"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference/confound"
)

// LeaksLabel refuses covariates that are the label to predict, stand for it or identify participants, and doubts those
// that predict it well. folds may be nil.
func (s *Deconfound) LeaksLabel(people, folds *encoding.Table) (refused []error, doubts []column.Note) {
	labels, err := fold.Labels(people, folds)
	if err != nil {
		return nil, nil // the task reports it
	}
	ids, err := people.Strings("participant_id")
	if err != nil {
		return nil, nil
	}
	people = column.AsCategories(people, append([]string{"site"}, s.Categories...)...)
	return covariateLeaks{
		label: removesLabel, names: removesNames,
		standsFor: "covariates: %s stands for %s (%s %.3f, refused from %g): removing it would remove what is to be learned, and its value would enter the data of test participants: list other covariates",
		parameter: "covariates", controls: s.Controls != "",
	}.of(people, labels, ids, s.Covariates)
}

// Lacks are the participants without a covariate, and what they lack.
func (s *Deconfound) Lacks(people *encoding.Table) map[string]string {
	if s.Missing != "refuse" {
		return nil
	}
	c, err := s.read(people, nil, true)
	if err != nil {
		return nil
	}
	why := map[string]string{}
	for i, id := range c.ids {
		if names := c.missing(i); names != nil {
			why[id] = "no value of " + names[0]
		}
	}
	return why
}

// Spared are none.
func (*Deconfound) Spared(*encoding.Table, *encoding.Table) (string, []string) { return "", nil }

// Faults are why the fit of its fold fails, or its application to other participants. planned are the folds of the
// first repeat.
func (s *Deconfound) Faults(people, planned *encoding.Table, once func(name string, value func() any) any) (
	faults []column.Fault) {
	if planned == nil || s.Repeat != 1 {
		return nil
	}
	c, _ := once("deconfound", func() any {
		c, err := s.read(people, nil, true)
		if err != nil {
			return (*covariateTable)(nil)
		}
		return c
	}).(*covariateTable)
	members, err := column.Rows[fold.LabeledMember](planned)
	if c == nil || err != nil {
		return nil
	}
	var fit, others []int
	for _, m := range members {
		i, ok := c.at[m.ID]
		switch {
		case !ok || m.Fold == 0:
		case int(m.Fold) != s.Fold && (s.Controls == "" || m.Group == s.Controls):
			fit = append(fit, i)
		default:
			others = append(others, i)
		}
	}
	if s.Missing != "indicator" {
		for k, who := range [][]int{fit, others} {
			for _, v := range c.values {
				f := column.Fault{Column: v.Name, Why: "no value", Tested: k == 1,
					Remedy: ", or set missing: indicator or skip"}
				for _, i := range who {
					if v.Missing(i) {
						f.IDs = append(f.IDs, c.ids[i])
					}
				}
				if f.IDs != nil && s.Missing == "refuse" {
					faults = append(faults, f)
				}
			}
		}
		fit = slices.DeleteFunc(fit, func(i int) bool { return c.missing(i) != nil })
	}
	if faults != nil {
		return faults
	}
	if len(fit) == 0 {
		return []column.Fault{{Why: fmt.Sprintf("covariates: no training participant of fold %d can be used for the fit: check controls and the covariates", s.Fold)}}
	}
	design, _, err := s.designOf(c, fit)
	if err != nil {
		return []column.Fault{{Why: err.Error()}}
	}
	for _, i := range others {
		_, _, err := design.Row(c.values, i)
		var unseen *confound.UnseenError
		if !errors.As(err, &unseen) {
			continue
		}
		at := slices.IndexFunc(faults, func(f column.Fault) bool {
			return f.Column == unseen.Covariate && f.Values[0] == unseen.Level
		})
		if at < 0 {
			at = len(faults)
			faults = append(faults, column.Fault{Column: unseen.Covariate, Values: []string{unseen.Level}, Tested: true,
				Why:    "nobody of the fit in the fold that tests it, so its effect is unknown",
				Remedy: "correct the name if it is misspelled, merge rare categories, or set few: reference in the stage deconfound to use the reference category"})
		}
		faults[at].IDs = append(faults[at].IDs, c.ids[i])
	}
	return faults
}
