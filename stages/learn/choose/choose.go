package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

var chooseKind = dag.Kind{
	Name: "choose",
	Doc: "nested cross-validation: in each fold, the best setting on its training participants\n" +
		"Fan split (outer: [1..5]) and train (outer, the parameters to choose, fold) out, connect these to inner, and the trainings of all settings on the outer folds to outer. In each outer fold the setting is chosen by the inner folds only, which contain no test participants of the outer fold. The accuracy of the chosen setting is then that of one classifier, not the best of many. Connect choice to biomarkers and fidelity: regions are then those of the chosen settings.",
	New: func() dag.Stage { return &Choose{By: "loss"} },
}

var (
	_ role.PortUser = (*Choose)(nil)
	_ role.Adviser  = (*Choose)(nil)
	_ role.Gatherer = (*Choose)(nil)
)

// Choose chooses a setting for each outer fold.
type Choose struct {
	By string `param:"by" doc:"selection criterion at participant level, mean over the inner folds: loss (cross-entropy, of models that estimate probabilities), accuracy or auc, which does not depend on a threshold between the classes" choices:"loss|accuracy|auc"`
}

func (*Choose) Ports() dag.Ports {
	predictions := column.Needs[fold.PredictionRow]()
	return dag.Ports{
		In: []dag.Port{
			{Name: "inner", Type: predictions, Gather: true, Doc: "predictions of the inner trainings in each outer fold, with a coordinate outer"},
			{Name: "outer", Type: predictions, Gather: true, Doc: "predictions of the same settings on the outer folds"},
			fold.LeakagePort(),
		},
		Out: []dag.Port{
			{Name: "predictions", Type: predictions, Doc: "predictions of the chosen setting in each outer fold, for evaluate"},
			{Name: "choice", Type: column.Type[choiceRow](), Doc: "inner-fold performance of each setting in each outer fold"},
		},
	}
}

// Advise says what a choice by AUC leaves open.
func (s *Choose) Advise() []string {
	if s.By != "auc" {
		return nil
	}
	return []string{"by: auc does not consider at which probability the classes part: the accuracy of the chosen settings, at 0.5, can be low where their AUC is high; report the AUC, or choose by loss or accuracy"}
}

// RefusesTrainings refuses to compare decision values by their loss.
func (s *Choose) RefusesTrainings(of []role.Training) error {
	settings, odd := map[string]bool{}, ""
	for _, t := range of {
		settings[t.Setting] = true
		if model := strings.Trim(t.Parameters["model"], `"`); model != "" && !fold.Calibrated(model) {
			odd = cmp.Or(odd, column.Classifiers[model], model)
		}
	}
	if s.By != "loss" || len(settings) < 2 || odd == "" {
		return nil
	}
	return fmt.Errorf("by: loss compares probabilities, but %s gives decision values, whose size depends on the setting: choose by auc or accuracy (by: auc)",
		odd)
}

// UsesPorts are the trainings in the outer folds, those that test these, and the checks.
func (*Choose) UsesPorts() []role.PortUse {
	return fold.AfterChecks(role.PortUse{Port: "inner", As: role.InnerFolds},
		role.PortUse{Port: "outer", As: role.OuterFolds})
}

// A choiceRow is a candidate in the table of the choice.
type choiceRow struct {
	Outer   string  `column:"outer" doc:"the outer fold"`
	Repeat  int32   `column:"repeat"`
	Setting string  `column:"setting"`
	Value   float64 `column:"value,missing"`
	SD      float64 `column:"sd,missing" doc:"over the inner folds (n−1)"`
	Chosen  bool    `column:"chosen"`
}

// An idRow names a participant.
type idRow struct {
	ID string `column:"participant_id"`
}

// A candidate is one setting inside one outer fold.
type candidate struct {
	model   string // by its name in files; "" where it is unknown
	outer   string
	setting string
	repeat  int64
	folds   []fold.Tested
	value   float64 // the larger the better
	sd      float64
}

func (s *Choose) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	candidates, seen, err := s.candidates(t.All("inner"))
	if err != nil {
		return nil, err
	}
	best := map[string]*candidate{} // outer fold and repeat; the first among equals
	for _, c := range candidates {
		key := fmt.Sprintf("%s\x00%d", c.outer, c.repeat)
		if b := best[key]; b == nil || c.value > b.value && !inference.AsLarge(b.value, c.value) {
			best[key] = c
		}
	}
	var chosen []*encoding.Table
	used := map[string]bool{}
	for _, in := range t.All("outer") {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		tested, _, err := fold.ReadTested(table)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		if len(tested) != 1 {
			return nil, fmt.Errorf("%s tests %d folds, expected one", in.Name, len(tested))
		}
		outer := fmt.Sprint(tested[0].Fold)
		key := fmt.Sprintf("%s\x00%d", outer, tested[0].Repeat)
		for _, p := range tested[0].Participants {
			if seen[key][p.Id] {
				return nil, fmt.Errorf("%s tests %s, whose data were used to choose its setting (inner, outer=%s): use the same folds, seed and repeats for split and its inner folds", in.Name, p.Id, outer)
			}
		}
		b := best[key]
		if b == nil {
			return nil, fmt.Errorf("%s: no setting was evaluated inside fold %s of repeat %d", in.Name, outer, tested[0].Repeat)
		}
		if b.setting == triedSetting(in.Coords) {
			if used[key] {
				return nil, fmt.Errorf("%s: fold %s is tested twice with %s", in.Name, outer, b.setting)
			}
			used[key] = true
			chosen = append(chosen, table)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(best)) {
		if b := best[key]; !used[key] {
			return nil, fmt.Errorf("inside fold %s, %s is best, but it is not among the trainings on the outer folds", b.outer, b.setting)
		}
	}
	predictions, err := encoding.Concat(chosen...)
	if err != nil {
		return nil, err
	}
	if err := describe(predictions, chosen); err != nil {
		return nil, err
	}
	return dag.Outputs{"predictions": predictions, "choice": s.table(candidates, best)}, nil
}

// describe names every model among the chosen, and repeats the leaks of each.
func describe(all *encoding.Table, chosen []*encoding.Table) error {
	var models []string
	var leaks []column.Leak
	if all.Meta == nil {
		all.Meta = map[string]string{}
	}
	for _, t := range chosen {
		if m := t.Meta["model"]; m != "" && !slices.Contains(models, m) {
			models = append(models, m)
		}
		if left := t.Meta[column.LeftOutMeta]; left != "" {
			all.Meta[column.LeftOutMeta] = left
		}
		own, err := column.LeaksOf(t.Meta)
		if err != nil {
			return err
		}
		for _, l := range own {
			leaks = lists.Add(leaks, l)
		}
	}
	if len(models) > 1 {
		for i, m := range models {
			models[i] = cmp.Or(column.Classifiers[m], m)
		}
		slices.Sort(models)
		all.Meta["model"] = strings.Join(models, " or ")
	}
	if leaks != nil {
		all.Meta[column.LeaksMeta] = column.JSON(leaks)
	}
	return nil
}

// triedSetting names a setting by its coordinates other than folds.
func triedSetting(coords []dag.Coord) string { return column.CoordText(triedCoords(coords)) }

func triedCoords(coords []dag.Coord) []dag.Coord {
	own := slices.DeleteFunc(slices.Clone(coords), func(c dag.Coord) bool {
		return slices.Contains([]string{"fold", "repeat", "outer", "stage"}, c.Axis)
	})
	slices.SortFunc(own, func(a, b dag.Coord) int { return cmp.Compare(a.Axis, b.Axis) })
	return own
}

// Port takes a choice; Chosen then leaves out all other settings.
func Port(of string) dag.Port {
	return dag.Port{Name: "choice", Type: column.Type[choiceRow](), Optional: true,
		Doc: "choose's choice: of each fold, only " + of + " of the setting that was chosen inside it"}
}

// Chosen are the inputs of a port that belong to the settings of a choice, if it is connected: of each fold those of
// its own setting, by the coordinates fold and repeat. text says in how many folds each was chosen.
func Chosen(t *dag.Task, port string) (ins []dag.Input, text string, err error) {
	if !t.Has("choice") {
		return t.All(port), "", nil
	}
	rows, err := column.Read[choiceRow](t.In("choice"))
	if err != nil {
		return nil, "", err
	}
	var names []string
	folds, all := map[string]int{}, 0
	for _, r := range rows {
		if !r.Chosen {
			continue
		}
		at := slices.IndexFunc(t.All(port), func(in dag.Input) bool {
			return in.Coord("fold") == r.Outer && cmp.Or(in.Coord("repeat"), "1") == fmt.Sprint(r.Repeat) &&
				triedSetting(in.Coords) == r.Setting
		})
		if at < 0 {
			return nil, "", fmt.Errorf("%s: %s was chosen inside fold %s of repeat %d, and no input %s is of it: connect all trainings on the outer folds",
				t.In("choice").Name, r.Setting, r.Outer, r.Repeat, port)
		}
		in := t.All(port)[at]
		name := column.ShownSetting(triedCoords(in.Coords))
		in.Coords = slices.DeleteFunc(slices.Clone(in.Coords),
			func(c dag.Coord) bool { return c.Axis != "fold" && c.Axis != "repeat" })
		ins = append(ins, in)
		if folds[name] == 0 {
			names = append(names, name)
		}
		folds[name]++
		all++
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s in %d of %s", name, folds[name], words.Count(all, "fold"))
	}
	return ins, strings.Join(names, "; "), nil
}

// candidates measures every setting inside every outer fold. seen tells who took part in that.
func (s *Choose) candidates(ins []dag.Input) ([]*candidate, map[string]map[string]bool, error) {
	var all []*candidate
	seen := map[string]map[string]bool{}
	for _, in := range ins {
		outer := in.Coord("outer")
		if outer == "" {
			return nil, nil, fmt.Errorf("%s has no coordinate outer: fan split and train out over it (matrix: { outer: [1..5] })", in.Name)
		}
		table, err := in.Table()
		if err != nil {
			return nil, nil, err
		}
		tested, _, err := fold.ReadTested(table)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		members, err := column.Rows[idRow](table)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		for _, f := range tested {
			key := fmt.Sprintf("%s\x00%d", outer, f.Repeat)
			if seen[key] == nil {
				seen[key] = map[string]bool{}
			}
			for _, m := range members { // of both sides
				seen[key][m.ID] = true
			}
			setting := triedSetting(in.Coords)
			i := slices.IndexFunc(all, func(c *candidate) bool {
				return c.outer == outer && c.setting == setting &&
					c.repeat == f.Repeat
			})
			if i < 0 {
				i = len(all)
				all = append(all, &candidate{outer: outer, setting: setting, repeat: f.Repeat,
					model: column.ClassifierOf(in.Coords, table.Meta["model"])})
			}
			all[i].folds = append(all[i].folds, f)
		}
	}
	if all == nil {
		return nil, nil, errors.New("inner: no setting was evaluated")
	}
	settings := lists.SetOf(all, func(c *candidate) string { return c.setting })
	for _, c := range all {
		if err := fold.OnlyOnce(c.folds); err != nil {
			return nil, nil, fmt.Errorf("inside fold %s, %s: %w", c.outer, c.setting, err)
		}
		if s.By == "loss" && len(settings) > 1 && !fold.Calibrated(c.model) {
			return nil, nil, fmt.Errorf("by: loss compares probabilities, but %s (%s) gives decision values, whose size depends on the setting: choose by auc or accuracy",
				c.setting, cmp.Or(column.Classifiers[c.model], c.model))
		}
		v := lists.Map(c.folds, s.measure)
		c.value, c.sd = column.MeanSD(v)
	}
	return all, seen, nil
}

// measure is how good the predictions of one inner fold are: the larger the better.
func (s *Choose) measure(f fold.Tested) float64 {
	switch s.By {
	case "accuracy":
		return fold.Score(f.Participants, -1).Accuracy
	case "auc":
		return fold.Score(f.Participants, -1).Auc
	}
	sum := 0.0
	for _, p := range f.Participants {
		sum += exact.Log(max(p.Probability[p.Label], 1e-12))
	}
	return sum / float64(len(f.Participants))
}

func (s *Choose) table(all []*candidate, best map[string]*candidate) *encoding.Table {
	slices.SortStableFunc(all, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(a.repeat, b.repeat), cmp.Compare(len(a.outer), len(b.outer)),
			cmp.Compare(a.outer, b.outer))
	})
	rows := make([]choiceRow, len(all))
	for i, c := range all {
		rows[i] = choiceRow{c.outer, int32(c.repeat), c.setting, c.value, c.sd,
			best[fmt.Sprintf("%s\x00%d", c.outer, c.repeat)] == c}
		if s.By == "loss" {
			rows[i].Value = math.Abs(c.value)
		}
	}
	table := column.Table(rows)
	value, _ := table.Column("value") // its description, which depends on the parameter
	value.Doc = s.By + " over participants, mean over the inner folds"
	return table
}
