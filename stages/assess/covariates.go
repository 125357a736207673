package assess

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

var covariatesKind = dag.Kind{
	Name: "covariates",
	Doc: "classification by age, sex, site, motion or scan length alone\n" +
		"A classifier may learn such a covariate instead of a difference between the brains. Each column of the participants table is tested, and with cleaning connected also the number of volumes, the motion and the repetition time of each scan, the number of nuisance regressors, and the number of its regions without a usable series, and which they are (corrected over the regions): the area under the ROC curve of the covariate alone, and its p from permutations of the labels (within sites, if there are sites). Of a number to predict (label: target) it is the correlation with each covariate. Covariates are never used for classification or regression.",
	New: func() dag.Stage { return &Covariates{Label: "group", Within: "site", Permutations: 9999} },
}

var (
	_ role.Reader   = (*Covariates)(nil)
	_ role.PortUser = (*Covariates)(nil)
	_ role.Assumer  = (*Covariates)(nil)
)

// Covariates tries covariates alone.
type Covariates struct {
	Label        string   `param:"label" doc:"what is predicted: group, or target, a number, for a cohort with the parameter target" choices:"group|target"`
	Columns      []string `param:"columns" doc:"columns of the participants table to test; by default all except identifiers"`
	Within       string   `param:"within" doc:"labels are permuted within the values of this column, if it exists"`
	Permutations int      `param:"permutations" doc:"number of label permutations" min:"99" max:"10000000"`
	Seed         uint64   `param:"seed" doc:"of the permutations"`
}

// UsesPorts are the inputs that take one setting of each participant.
func (*Covariates) UsesPorts() []role.PortUse {
	return role.OneSettingOf("cleaning")
}

// AssumesIndependent is for the labels, which are permuted one by one.
func (*Covariates) AssumesIndependent(func(port string) bool) (intervals bool, of []string) {
	return false, []string{"covariates"}
}

func (s *Covariates) Ports() dag.Ports {
	checks := column.Type[column.CovariateRow]()
	if s.Label == column.Target {
		checks = column.Type[column.NumberCovariateRow]()
	}
	return dag.Ports{
		In: []dag.Port{
			{Name: "participants", Type: dag.Arrow("participant_id", s.Label), Doc: "the participants, with their covariates"},
			{Name: "cleaning", Type: dag.Arrow("volumes", "kept", "mean_fd"), Gather: true, Optional: true, Doc: "denoise's quality for each participant: motion and length of the scans, and regions without a usable series"},
			{Name: "checks", Type: column.Type[fold.CheckRow](), Gather: true, Optional: true, Doc: "leakage checks that must have passed"},
		},
		Out: []dag.Port{{Name: "checks", Type: checks, Doc: "one row per covariate"}},
	}
}

// ReadsParticipants are the columns that its parameters name.
func (s *Covariates) ReadsParticipants() []role.Reading {
	read := []role.Reading{{Parameter: "within", Name: s.Within, Categories: true, Permutes: true}}
	for _, name := range s.Columns {
		read = append(read, role.Reading{Parameter: "columns", Name: name, Needed: true})
	}
	return read
}

func (s *Covariates) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	in := t.In("participants")
	people, err := column.ReadPeople(in)
	if err != nil {
		return nil, err
	}
	table, err := in.Table()
	if err != nil {
		return nil, err
	}
	columns, err := s.columns(column.AsCategories(table, "site", s.Within))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	scans, facts, err := scanCovariates(t, people.Ids)
	if err != nil {
		return nil, err
	}
	for _, c := range scans { // what the table says is not said twice
		if !slices.ContainsFunc(columns, func(d column.CovariateColumn) bool { return d.Name == c.Name }) {
			columns = append(columns, c)
		}
	}
	strata, sites := make([]int, len(people.Ids)), []string{""}
	site, err := column.PermutedWithin(table, s.Within)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	if site != nil && s.Within != s.Label {
		strata, sites = column.Numbered(lists.Map(people.Ids, func(id string) string { return site[id] }))
	}
	of := trial{s, people.Ids, columns, facts, strata, sites}
	if s.Label == column.Target {
		return dag.Outputs{"checks": of.ofNumber(people)}, nil
	}
	checks, err := of.ofGroups(t, people)
	return dag.Outputs{"checks": checks}, err
}

// A trial is the covariates of the participants, what their series have before denoising, and within which strata
// labels are permuted, with the names of the strata.
type trial struct {
	*Covariates
	ids     []string
	columns []column.CovariateColumn
	facts   []column.CovariateColumn
	strata  []int
	sites   []string
}

// within are the strata of a covariate: that of the column within whose values labels are permuted has one.
func (s trial) within(c column.CovariateColumn) []int {
	if c.Name == s.Within {
		return s.one()
	}
	return s.strata
}

func (s trial) one() []int { return make([]int, len(s.ids)) }

func (s trial) stream(name ...any) *random.Stream {
	return random.New(s.Seed, append([]any{"covariates"}, name...)...)
}

// series are the facts of the series, to be compared with the labels.
func (s trial) series() quality.SeriesTrial {
	return quality.SeriesTrial{Facts: s.facts, Strata: s.strata, Permutations: s.Permutations, Stream: s.stream}
}

// corrected are the false discovery rates of p over the covariates, NaN where p is. Of covariates with the same numbers
// one is counted, and all have its rate.
func (s trial) corrected(p []float64) []float64 {
	twin := map[int]int{}
	p = slices.Clone(p)
	for k, c := range s.columns {
		if first := slices.IndexFunc(s.columns[:k], func(d column.CovariateColumn) bool {
			return sameNumbers(c,
				d)
		}); first >= 0 {
			twin[k], p[k] = first, math.NaN()
		}
	}
	q := inference.FDR(p)
	for k, first := range twin {
		q[k] = q[first]
	}
	return q
}

// sameNumbers reports whether two covariates are numbers, and the same ones: volumes, and those that were kept.
func sameNumbers(c, d column.CovariateColumn) bool {
	return c.Text == nil && d.Text == nil && slices.EqualFunc(c.Number, d.Number, func(x, y float64) bool {
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	})
}

// checked is the table of the rows, with its findings and what else its metadata have.
func (s trial) checked(checks *encoding.Table, found finding.List) *encoding.Table {
	checks.Meta = map[string]string{}
	if slices.ContainsFunc(s.strata, func(n int) bool { return n != s.strata[0] }) { // else over all participants
		checks.Meta["within"] = s.Within
	}
	if found != nil {
		checks.Meta[finding.Meta] = finding.Written(found)
	}
	return checks
}

// apartFrom are the findings, of a code, about covariates that separate the groups or are associated with the number to
// predict and were not tested within sites, and about those that are known in one group only. Of the volumes scanned
// and kept there is one.
func apartFrom(code string, apart []map[string]any, oneGroup map[string][]string) (all finding.List) {
	is := func(name string) int {
		return slices.IndexFunc(apart, func(of map[string]any) bool { return of["Name"] == name })
	}
	if i := is("volumes"); i >= 0 && is("kept") >= 0 {
		apart = slices.Delete(apart, i, i+1)
		apart[is("kept")]["Name"] = "volumes_both"
	}
	for _, of := range apart {
		all.Add(finding.Finding{Code: code, Weight: finding.Overturns, Numbers: of})
	}
	for _, group := range slices.Sorted(maps.Keys(oneGroup)) {
		all.Add(finding.Finding{Code: "covariate.one-group", Weight: finding.Limits,
			Numbers: map[string]any{"Names": oneGroup[group], "Group": group}})
	}
	return all
}

// columns reads the covariates of the participants' table: those that were named,
// or all but identifiers, which tell everybody apart.
func (s *Covariates) columns(t *encoding.Table) ([]column.CovariateColumn, error) {
	var out []column.CovariateColumn
	for _, name := range s.Columns {
		if _, ok := t.Column(name); !ok || name == "participant_id" || name == s.Label {
			_, err := t.Strings(name)
			if err == nil {
				err = fmt.Errorf("columns: %s is not a covariate", name)
			}
			return nil, err
		}
	}
	for _, c := range t.Columns {
		named := slices.Contains(s.Columns, c.Name)
		if c.Name == "participant_id" || c.Name == s.Label || c.Name == "simulated" || len(s.Columns) > 0 && !named {
			continue
		}
		v, err := column.ReadCovariate(t, c.Name)
		if err != nil {
			return nil, err
		}
		if named || !v.Identifies() {
			out = append(out, v)
		}
	}
	return out, nil
}

// covariateOf is a covariate as numbers; a category by its place in the order of their names.
func covariateOf(c column.CovariateColumn) inference.Covariate {
	if c.Text == nil {
		return inference.Covariate{Values: c.Number}
	}
	level, _ := column.Numbered(c.Text)
	of := inference.Covariate{Values: make([]float64, len(level)), Category: true}
	for i, l := range level {
		of.Values[i] = float64(l)
		if c.Text[i] == "" {
			of.Values[i] = math.NaN()
		}
	}
	return of
}

// varies reports whether participants differ in a covariate.
func varies(of inference.Covariate) bool {
	known := slices.DeleteFunc(slices.Clone(of.Values), math.IsNaN)
	return slices.ContainsFunc(known, func(v float64) bool { return v != known[0] })
}

func kindOf(of inference.Covariate) string {
	if of.Category {
		return "category"
	}
	return "number"
}

// known counts the participants with a value, and those without.
func known(of inference.Covariate) (n, missing int32) {
	for _, v := range of.Values {
		if math.IsNaN(v) {
			missing++
		} else {
			n++
		}
	}
	return n, missing
}
