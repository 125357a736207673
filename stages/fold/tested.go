package fold

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/finding"
)

// A Case is a graph or a participant that was tested.
type Case struct {
	Id          string
	Label       int
	Predicted   int
	Probability []float64 // of each group; where a number is predicted, its prediction alone
	Target      float64   // the number to predict
}

// A Tested holds the predictions of one model for its test side.
type Tested struct {
	setting      string // coordinates, for grouping
	Model        string // as the predictions say
	Inputs       string // likewise; "" for correlations or graphs
	Name         string // of the setting, for people
	Coords       []dag.Coord
	Repeat, Fold int64
	Graphs       []Case
	Participants []Case
	trained      []string // participants
	Mean         float64  // of the number to predict over the training participants
}

// Settings are the tested folds of several trainings, by setting.
type Settings struct {
	Settings [][]Tested
	Axes     []string // that tell the settings apart
	Groups   []string
	Found    finding.List // by evaluate
}

// name names the settings.
func (all *Settings) name() {
	var coords [][]dag.Coord
	var models []string
	for _, fs := range all.Settings {
		coords, models = append(coords, fs[0].Coords), append(models, fs[0].Model)
	}
	for i, name := range column.NameClassifiers(coords, models) {
		if in := all.Settings[i][0].Inputs; in != "" {
			name += " on " + in
		}
		for f := range all.Settings[i] {
			all.Settings[i][f].Name = name
		}
	}
}

// ReadTested reads the test side of a prediction table, by repeat and fold.
func ReadTested(t *encoding.Table) ([]Tested, []string, error) {
	rows, err := column.Rows[PredictionRow](t)
	if err != nil {
		return nil, nil, err
	}
	// The groups are named by the columns of their probabilities.
	var groups []string
	var p [][]float64
	for _, c := range t.Columns {
		if g, ok := strings.CutPrefix(c.Name, "p_"); ok {
			v, err := t.Floats(c.Name)
			if err != nil {
				return nil, nil, err
			}
			groups, p = append(groups, g), append(p, v)
		}
	}
	if len(groups) < 2 {
		return nil, nil, fmt.Errorf("probabilities of %d groups, expected a column p_GROUP for each of two or more", len(groups))
	}
	all := make([]graphRow, len(rows))
	for i, r := range rows {
		all[i] = graphRow{place{r.ID, r.Repeat, r.Fold}, r.Draw, r.Set,
			Case{Id: r.ID, Label: int(r.Label), Predicted: int(r.Predicted)}, r.Probability}
		for _, v := range p {
			all[i].Probability = append(all[i].Probability, v[i])
		}
		if r.Set != "test" {
			continue
		}
		if r.Label < 0 || int(r.Label) >= len(groups) || groups[r.Label] != r.Group {
			return nil, nil, fmt.Errorf("row %d: label %d is not group %q", i+1, r.Label, r.Group)
		}
		if r.Predicted < 0 || int(r.Predicted) >= len(groups) {
			return nil, nil, fmt.Errorf("row %d: predicted is %d, but there are %d groups", i+1, r.Predicted, len(groups))
		}
	}
	_, given := t.Column("probability")
	if err := checkProbabilities(all, groups, given); err != nil {
		return nil, nil, err
	}
	folds, err := byFold(all)
	return folds, groups, err
}

// slack is by how much a probability may leave 0 to 1, and a sum of probabilities miss 1: they may come from float32.
const slack = 1e-6

// checkProbabilities refuses test rows whose p_GROUP are no probabilities, whose predicted group has not the largest
// of them (ties are free), or whose probability, if it is given, is another one than that of its group.
func checkProbabilities(rows []graphRow, groups []string, given bool) error {
	for _, check := range []struct {
		fault  func(graphRow) string
		remedy string
	}{
		{func(c graphRow) string {
			for k, p := range c.Probability {
				if !(p >= -slack && p <= 1+slack) { // NaN too
					return fmt.Sprintf("p_%s is %.6g", groups[k], p)
				}
			}
			return ""
		}, "a probability lies between 0 and 1: divide percentages by 100, and predict for each test row"},
		{func(c graphRow) string {
			sum := dense.Sum(c.Probability)
			if math.Abs(sum-1) > slack {
				return fmt.Sprintf("p_%s sum to %.9g", strings.Join(groups, " + p_"), sum)
			}
			return ""
		}, "the probabilities of a row sum to 1 (±1e-6): divide each by their sum"},
		{func(c graphRow) string {
			most := slices.Max(c.Probability)
			if own := c.Probability[c.Predicted]; own < most {
				k := slices.Index(c.Probability, most)
				return fmt.Sprintf("predicted is %d (%s), but p_%s = %.6g is larger than p_%s = %.6g", c.Predicted, groups[c.Predicted], groups[k], most, groups[c.Predicted], own)
			}
			return ""
		}, "predicted is the number of the group with the largest probability, from 0 in sorted order: check whether columns p_GROUP are swapped, or write that number"},
		{func(c graphRow) string {
			of := 1
			if len(groups) > 2 {
				of = c.Predicted
			}
			if given && !(math.Abs(c.given-c.Probability[of]) <= slack) {
				return fmt.Sprintf("probability is %.6g, but p_%s is %.6g", c.given, groups[of], c.Probability[of])
			}
			return ""
		}, "probability is that of group 1 of two groups, else that of the predicted group: correct it, or leave the column out"},
	} {
		first, faulty, tested := "", 0, 0
		for i, r := range rows {
			if r.set != "test" {
				continue
			}
			tested++
			if fault := check.fault(r); fault != "" {
				if faulty++; faulty == 1 {
					first = fmt.Sprintf("row %d (%s): %s", i+1, r.Id, fault)
				}
			}
		}
		if faulty > 0 {
			return fmt.Errorf("%s; so in %d of %s: %s", first, faulty, words.Count(tested, "test row"), check.remedy)
		}
	}
	return nil
}

// readNumbers reads the test side of a table of predicted numbers, by repeat and fold. There are no groups.
func readNumbers(t *encoding.Table) ([]Tested, []string, error) {
	rows, err := column.Rows[NumberRow](t)
	if err != nil {
		return nil, nil, err
	}
	all := make([]graphRow, len(rows))
	for i, r := range rows {
		if math.IsNaN(r.Target) || math.IsNaN(r.Predicted) || math.IsInf(r.Target, 0) || math.IsInf(r.Predicted, 0) {
			return nil, nil, fmt.Errorf("row %d: the target of %s is %v, and its prediction %v: not finite", i+1, r.ID, r.Target, r.Predicted)
		}
		all[i] = graphRow{place{r.ID, r.Repeat, r.Fold}, r.Draw, r.Set,
			Case{Id: r.ID, Target: r.Target, Probability: []float64{r.Predicted}}, r.Predicted}
	}
	folds, err := byFold(all)
	return folds, nil, err
}

// A graphRow is a row of predictions, of either kind.
type graphRow struct {
	place
	draw int32
	set  string
	Case
	given float64 // the column probability
}

// byFold gathers the test side by repeat and fold, and who was trained on.
func byFold(rows []graphRow) ([]Tested, error) {
	if err := errors.Join(oneSide(rows), oneRow(rows)); err != nil {
		return nil, err
	}
	var folds []Tested
	trained, sum := map[place][]string{}, map[place]float64{}
	for _, r := range rows {
		if r.set != "test" {
			p := place{"", r.repeat, r.fold}
			// the draws of a participant follow each other
			if ids := trained[p]; len(ids) == 0 || ids[len(ids)-1] != r.id {
				trained[p], sum[p] = append(ids, r.id), sum[p]+r.Target
			}
			continue
		}
		at := slices.IndexFunc(folds, func(f Tested) bool {
			return f.Repeat == int64(r.repeat) &&
				f.Fold == int64(r.fold)
		})
		if at < 0 {
			at = len(folds)
			folds = append(folds, Tested{Repeat: int64(r.repeat), Fold: int64(r.fold)})
		}
		folds[at].Graphs = append(folds[at].Graphs, r.Case)
	}
	for i := range folds {
		p := place{"", int32(folds[i].Repeat), int32(folds[i].Fold)}
		folds[i].Participants, folds[i].trained = OverDraws(folds[i].Graphs), trained[p]
		folds[i].Mean = sum[p] / float64(len(trained[p]))
	}
	return folds, nil
}

// OverDraws averages the probabilities, or the predicted numbers, of each participant's graphs or models; the class
// is that of the highest mean, the first among equals.
func OverDraws(graphs []Case) []Case {
	return lists.Map(lists.By(graphs, func(g Case) string { return g.Id }), func(of lists.Group[string, Case]) Case {
		first := of.All[0]
		out := Case{Id: first.Id, Label: first.Label, Target: first.Target,
			Probability: make([]float64, len(first.Probability))}
		for k := range out.Probability {
			out.Probability[k] = exact.Mean(lists.Map(of.All, func(g Case) float64 { return g.Probability[k] }))
			if out.Probability[k] > out.Probability[out.Predicted] {
				out.Predicted = k
			}
		}
		return out
	})
}

// bySetting gathers the folds of each setting, in the order of the inputs, and
// sorts them by repeat and fold.
func bySetting(folds []Tested) [][]Tested {
	settings := lists.By(folds, func(f Tested) string { return f.setting })
	return lists.Map(settings, func(of lists.Group[string, Tested]) []Tested {
		slices.SortFunc(of.All, func(a, b Tested) int {
			return cmp.Or(cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.Fold, b.Fold))
		})
		return of.All
	})
}

// OnlyOnce checks that no participant is tested twice in one repeat of a setting.
func OnlyOnce(folds []Tested) error {
	type key struct {
		repeat int64
		id     string
	}
	seen := map[key]int64{}
	for _, f := range folds {
		for _, p := range f.Participants {
			k := key{f.Repeat, p.Id}
			if other, twice := seen[k]; twice {
				return fmt.Errorf("participant %s is tested in fold %d and in fold %d of repeat %d: the gathered trainings differ in an axis that is not one of their coordinates", p.Id, other, f.Fold, f.Repeat)
			}
			seen[k] = f.Fold
		}
	}
	return nil
}

// Cases are the predictions that count at a level (see Levels).
func (f *Tested) Cases(level string) []Case {
	if level == "graph" {
		return f.Graphs
	}
	return f.Participants
}

// SameAs is, for each setting, the first one of the same model with the same predictions: settings that differ in what
// the model does not read are one classifier. −1 for none before it.
func (all *Settings) SameAs() []int {
	same := make([]int, len(all.Settings))
	for i, b := range all.Settings {
		same[i] = slices.IndexFunc(all.Settings[:i], func(a []Tested) bool {
			return a[0].Model == b[0].Model && SamePredictions(a, b) &&
				column.ValueOn(a[0].Coords, "model") == column.ValueOn(b[0].Coords, "model")
		})
	}
	return same
}

// SameSettings are the settings of SameAs by their coordinates, each with the first one (column.SamePredictions);
// "" for none.
func (all *Settings) SameSettings() string {
	of := map[string]string{}
	for i, first := range all.SameAs() {
		if first >= 0 {
			of[column.CoordText(all.Settings[i][0].Coords)] = column.CoordText(all.Settings[first][0].Coords)
		}
	}
	if len(of) == 0 {
		return ""
	}
	return column.JSON(of)
}

// likePredictions is how far predictions may differ for the same result: copies of one computation in another order
// differ by its rounding.
const likePredictions = 1e-6

// SamePredictions reports whether two settings predict the same for everybody, of the same numbers.
func SamePredictions(a, b []Tested) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Repeat != b[i].Repeat || a[i].Fold != b[i].Fold || len(a[i].Participants) != len(b[i].Participants) {
			return false
		}
		for k, c := range a[i].Participants {
			d := b[i].Participants[k]
			if c.Id != d.Id || c.Target != d.Target || slices.ContainsFunc(c.Probability, math.IsNaN) {
				return false
			}
			for g, p := range c.Probability {
				if math.Abs(p-d.Probability[g]) > likePredictions*max(1, math.Abs(p)) {
					return false
				}
			}
		}
	}
	return true
}
