package prepare

import (
	"cmp"
	"fmt"

	"prgnn/artifacts/encoding"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/sheet"
)

// LeaksLabel refuses sites that are the label to predict or stand for it, and covariates to preserve that are the
// label, stand for it or are the names of participants; it doubts those that predict the label well. folds may be nil.
func (s *Combat) LeaksLabel(people, folds *encoding.Table) (refused []error, doubts []column.Note) {
	labels, err := fold.Labels(people, folds)
	if err != nil {
		return nil, nil // the task says so
	}
	ids, err := people.Strings("participant_id")
	if err != nil {
		return nil, nil
	}
	if s.Site == targetColumn || s.Site == "group" {
		refused = append(refused, fmt.Errorf("site: %s is the label to predict, which would leak into the matrices of test participants: set site to the column of the scanners", s.Site))
	} else if sites, err := people.Strings(s.Site); err == nil && len(labels) == 1 &&
		determines(sites, ids, labels[0].Group) {
		refused = append(refused, fmt.Errorf("site: every value of %s has participants of one group alone, so ComBat would remove the difference between the groups, and the label would leak into the matrices of test participants: set site to a column whose values have both groups, or leave combat out", s.Site))
	} else {
		// Folds may predict the site itself, to measure what ComBat leaves of it.
		refused, doubts = siteLeaks.of(column.AsCategories(people, s.Site), labels[:1], ids, []string{s.Site})
	}
	more, some := covariateLeaks{
		label: leaksLabel,
		names: func(name string) error {
			return fmt.Errorf("preserve: %s identifies participants or families instead of describing them, so its effect cannot be estimated; remove it from preserve", name)
		},
		standsFor: "preserve: %s stands for %s (%s %.3f, refused from %g), so it would leak into the matrices of test participants: preserve other covariates",
		parameter: "preserve",
	}.of(people, labels, ids, s.Preserve)
	return append(refused, more...), append(doubts, some...)
}

// siteLeaks are the texts on the site, whose effect is removed. Sites of one participant each are reported elsewhere.
var siteLeaks = covariateLeaks{
	standsFor: "site: %s stands for %s (%s %.3f, refused from %g), so ComBat would remove what is to be learned, and the label would leak into the matrices of test participants: leave combat out, or include more participants of the rare groups at each site",
	parameter: "site",
}

// covariateLeaks are the texts on covariates that are the label, identify participants or stand for the label; the last
// takes the covariate, the label, the measure, its value and the limit of a refusal.
type covariateLeaks struct {
	label, names func(covariate string) error
	standsFor    string
	parameter    string // that lists the covariates
	controls     bool   // whether their effects are those in controls
}

// of looks at covariates of participants. Missing columns and unreadable ones are reported elsewhere.
func (leaks covariateLeaks) of(people *encoding.Table, labels []fold.Label, ids, covariates []string) (refused []error,
	doubts []column.Note) {
	for _, name := range covariates {
		if leaks.label != nil && (name == targetColumn || name == "group") {
			refused = append(refused, leaks.label(name))
			continue
		}
		if _, ok := people.Column(name); !ok {
			continue
		}
		c, err := column.ReadCovariate(people, name)
		if err != nil {
			continue
		}
		if c.Identifies() && leaks.names == nil {
			continue
		}
		if c.Identifies() {
			refused = append(refused, cmp.Or(textAmongNumbers(name, c.Text, ids), leaks.names(name)))
			continue
		}
		switch l, how, much := fold.Tied(c, labels, ids); {
		case much >= fold.StandsFor:
			refused = append(refused, fmt.Errorf(leaks.standsFor, name, l.Name, how, much, fold.StandsFor))
		case much >= fold.CloselyTied:
			doubts = append(doubts, column.Doubtful(column.DoubtTied, "noted.tied", column.Values{
				"Parameter": leaks.parameter, "Covariate": name, "Label": l.Name, "Measure": how, "Value": much,
				"Refused": fold.StandsFor, "Controls": leaks.controls}))
		}
	}
	return refused, doubts
}

// determines reports whether every site has participants of one group alone, of several groups in all.
func determines(sites, ids []string, group map[string]string) bool {
	of, groups := map[string]string{}, map[string]bool{}
	for i, site := range sites {
		g := group[ids[i]]
		if site == "" || g == "" {
			continue
		}
		if known, ok := of[site]; ok && known != g {
			return false
		}
		of[site], groups[g] = g, true
	}
	return len(groups) > 1 && len(of) < len(ids)
}

// textAmongNumbers is why a column is text: a few of its values are no numbers; nil where that is not the reason.
func textAmongNumbers(name string, values, ids []string) error {
	var odd []string
	for i, v := range values {
		if numbers, _ := sheet.Numbers([]string{v}); numbers == nil && v != "" {
			odd = append(odd, fmt.Sprintf("%q of %s", v, ids[i]))
		}
	}
	if len(odd) == 0 || 2*len(odd) > len(values) {
		return nil
	}
	return fmt.Errorf("column %s is text, because %d of %d values %s (%s): write them as numbers, or n/a where a value is missing",
		name, len(odd), len(values), words.Verb(len(odd), "is not a number", "are not numbers"), words.Some(odd, 4))
}
