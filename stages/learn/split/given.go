package split

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference/confound"
	"prgnn/stages/learn/family"
	"prgnn/stages/role"
)

var permuteGivenKind = dag.Kind{
	Name: "permute-given",
	Doc: "label permutations given a covariate, for the full confounder test\n" +
		"Labels are drawn from their distribution given the covariate, by the chains of the conditional permutation test (Berrett et al. 2020; Spisak 2022): a logistic model of groups, a linear one of a number. They are exchanged between the same participants as in split's permutations: within folds, sites and stratify_by, whole families for whole families. Models are retrained on each (given of baseline and regression), and confounds compares them with those of the true labels. A participant without a value keeps its label.",
	New: func() dag.Stage { return &PermuteGiven{Within: "site"} },

	// docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: func(s dag.Sizes) int64 {
		n := int64(s[column.SizeParticipants])
		bytes := 64<<20 + 50e3*n // 2,000 permutations
		if n <= mostGiven {
			bytes += 16 * n * n // log-likelihoods of the label of each at the covariate of each
		}
		return bytes
	},
}

var (
	_ role.PortUser = (*PermuteGiven)(nil)
	_ role.Reader   = (*PermuteGiven)(nil)
)

// mostGiven is the number of graphs above which no model is retrained (MostPaired of gnn/baseline).
const mostGiven = 11585

// PermuteGiven permutes labels given a covariate.
type PermuteGiven struct {
	Covariate  string   `param:"covariate" doc:"a column of the participants, such as age (matrix: {covariate: [age, sex, mean_fd]}): a number linearly, a text as categories. mean_fd comes from cleaning where it is connected and the table has no such column"`
	Categories []string `param:"categories" doc:"covariates whose numbers are categories; site always is one"`
	Within     string   `param:"within" doc:"the column within whose values split permutes labels: the groups may differ in size between its values"`
	Seed       uint64   `param:"seed" doc:"of the permutations"`
}

// UsesPorts are the label permutations.
func (*PermuteGiven) UsesPorts() []role.PortUse {
	return append(role.OneSettingOf("cleaning"), role.PortUse{Port: "permuted", As: role.PermutedLabels})
}

func (*PermuteGiven) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "folds", Type: fold.Folds(), Doc: "the assignment to folds, with the labels"},
			{Name: "permuted", Type: fold.PermutedSets(), Doc: "split's label permutations: how many there are, and which participants exchange labels"},
			{Name: "participants", Type: dag.Arrow("participant_id"), Doc: "their covariates"},
			{Name: "cleaning", Type: dag.Arrow("mean_fd"), Gather: true, Optional: true, Doc: "denoise's quality for the same: mean_fd as a covariate"},
		},
		Out: []dag.Port{{Name: "permuted", Type: fold.PermutedSets(),
			Doc: "as split's permuted, for the port given of baseline and regression; row 0 alone where the covariate determines the label, and for more than 11,585 participants"}},
	}
}

// ReadsParticipants are the names that its parameters have.
func (s *PermuteGiven) ReadsParticipants() []role.Reading {
	return []role.Reading{{Parameter: "covariate", Name: s.Covariate, Needed: s.Covariate != column.MeanFD,
		Motion:     s.Covariate == column.MeanFD,
		Categories: s.Covariate == "site" || slices.Contains(s.Categories, s.Covariate)},
		{Parameter: "within", Name: s.Within, Categories: true, Permutes: true}}
}

// Validate refuses a covariate that is none.
func (s *PermuteGiven) Validate() []error {
	if s.Covariate == column.Target || s.Covariate == "group" || s.Covariate == "participant_id" {
		return []error{fmt.Errorf("covariate: %s is no covariate", s.Covariate)}
	}
	return nil
}

func (s *PermuteGiven) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	if s.Covariate == "" {
		return nil, errors.New("covariate: there is none: list columns of the participants in matrix, such as {covariate: [age, sex, mean_fd]}")
	}
	permuted, err := fold.ReadPermuted(t.In("permuted"), t.In("folds"))
	if err != nil {
		return nil, err
	}
	given, err := s.read(t)
	if err != nil {
		return nil, err
	}
	n := len(permuted.IDs)
	from := make([]int32, 0, len(permuted.From)*n)
	from = append(from, permuted.From[0]...)
	of := []confound.Covariate{given.label, given.covariate}
	if given.site != nil {
		of = append(of, *given.site)
	}
	known := lists.Map(of, func(c confound.Covariate) confound.Covariate { return c.Of(given.who) })
	if len(given.who) < 2 || n > mostGiven || !known[1].Varies() && known[1].Name != s.Within {
		return dag.Outputs{"permuted": encoding.NewArray(from, 1, n)}, nil
	}
	l, err := confound.LogLikelihood(known[0], known[1], known[2:]...)
	if errors.Is(err, confound.ErrDetermined) {
		return dag.Outputs{"permuted": encoding.NewArray(from, 1, n)}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("participants").Name, err)
	}
	chains := confound.Chains{N: len(permuted.From) - 1, Threads: t.Threads, Seed: s.Seed}
	for _, labels := range confound.Labelings(l, len(given.who), given.sets(permuted), chains, s.Covariate)[1:] {
		row := slices.Clone(permuted.From[0])
		for k, p := range labels {
			row[given.who[k]] = int32(given.who[p])
		}
		from = append(from, row...)
	}
	return dag.Outputs{"permuted": encoding.NewArray(from, len(permuted.From), n)}, nil
}

// A givenStudy is the participants of the folds with what their labels are permuted by.
type givenStudy struct {
	label, covariate confound.Covariate
	site             *confound.Covariate
	who              []int // those with a covariate, by place among all
	units            [][]int
}

func (s *PermuteGiven) read(t *dag.Task) (*givenStudy, error) {
	members, err := column.Read[fold.LabeledMember](t.In("folds"))
	if err != nil {
		return nil, err
	}
	people, err := t.In("participants").Table()
	if err != nil {
		return nil, err
	}
	motion, err := column.MotionOf(t, "cleaning")
	if err != nil {
		return nil, err
	}
	names := []string{s.Covariate}
	if _, there := people.Column(s.Within); there && s.Within != s.Covariate {
		names = append(names, s.Within)
	}
	read, err := column.Covariates(people, names, append([]string{s.Within}, s.Categories...), motion)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("participants").Name, err)
	}
	ids, err := people.Strings("participant_id")
	if err != nil {
		return nil, err
	}
	place := lists.Places(ids)
	of := &givenStudy{label: confound.Covariate{Name: "label"}}
	var at []int
	unit := map[string]int{}
	for _, m := range members {
		if m.Repeat != 1 {
			continue
		}
		i, known := place[m.ID]
		if !known {
			return nil, fmt.Errorf("%s: %s of %s is not among them", t.In("participants").Name, m.ID, t.In("folds").Name)
		}
		if at = append(at, i); m.Group != "" {
			of.label.Text = append(of.label.Text, m.Group)
		} else {
			of.label.Number = append(of.label.Number, m.Target)
		}
		u, there := unit[m.Together]
		if m.Together == "" || !there {
			u = len(of.units)
			of.units = append(of.units, nil)
			unit[m.Together] = u
		}
		of.units[u] = append(of.units[u], len(at)-1)
	}
	all := lists.Map(read, func(c column.CovariateColumn) confound.Covariate {
		return confound.Covariate{Name: c.Name, Number: c.Number, Text: c.Text}.Of(at)
	})
	if of.covariate = all[0]; len(all) > 1 {
		of.site = &all[1]
		for i, v := range of.site.Text { // without a site, a label stays
			if cell.Missing(v) {
				of.site.Text[i] = ""
			}
		}
	}
	for i := range at {
		if !of.covariate.Missing(i) && (of.site == nil || !of.site.Missing(i)) {
			of.who = append(of.who, i)
		}
	}
	return of, nil
}

// connecting is how many permutations are enough to connect all who exchange labels: two participants of one block
// are apart in all of them with a probability of at most 2⁻⁶⁴.
const connecting = 64

// sets are the units that exchange labels, by place among those with a covariate, as the given permutations exchange
// them: whole units of alike participants, and relatives within a unit.
func (g *givenStudy) sets(permuted *fold.Permuted) (sets [][][]int) {
	n := len(permuted.IDs)
	var cycles [][]string
	for _, from := range permuted.From[1:min(len(permuted.From), connecting+1)] {
		cycle := make([]string, n)
		for i := range from {
			for j := i; cycle[j] == ""; j = int(from[j]) {
				cycle[j] = fmt.Sprint(i)
			}
		}
		cycles = append(cycles, cycle)
	}
	connected := family.Connected(n, cycles)
	block := func(i int) string { return fmt.Sprint(connected[i]) }
	place := lists.Places(g.who)
	var whole [][]int
	for _, unit := range g.units {
		within := map[string][][]int{}
		for _, i := range unit {
			if k, known := place[i]; known {
				within[block(i)] = append(within[block(i)], []int{k})
			}
		}
		for _, at := range slices.Sorted(maps.Keys(within)) {
			if len(within[at]) > 1 {
				sets = append(sets, within[at])
			}
		}
		if !slices.ContainsFunc(unit, func(i int) bool { _, known := place[i]; return !known }) {
			whole = append(whole, unit)
		}
	}
	alike := family.Alike(whole, block)
	for _, where := range slices.Sorted(maps.Keys(alike)) {
		if units := alike[where]; len(units) > 1 {
			sets = append(sets, lists.Map(units, func(unit []int) []int {
				return lists.Map(unit, func(i int) int { return place[i] })
			}))
		}
	}
	return sets
}
