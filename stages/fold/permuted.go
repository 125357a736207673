package fold

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// PermutedSets is the type of the label permutations of split.
func PermutedSets() dag.Type { return dag.NPY("<i4", "permutation", "participant") }

// Permuted are label permutations of the participants of a study.
type Permuted struct {
	IDs  []string
	At   map[string]int // the place of each
	From [][]int32      // permutation, participant: the place of the one whose label it receives
}

// ReadPermuted reads the label permutations that belong to the folds. Each has to exchange labels within the folds of
// the first repeat: another would change which labels a fold is trained and tested on.
func ReadPermuted(in, folds dag.Input) (*Permuted, error) {
	array, err := in.Array()
	if err != nil {
		return nil, err
	}
	members, err := column.Read[LabeledMember](folds)
	if err != nil {
		return nil, err
	}
	p := &Permuted{At: map[string]int{}}
	var of []int32
	for _, m := range members {
		if m.Repeat == 1 {
			p.At[m.ID] = len(p.IDs)
			p.IDs, of = append(p.IDs, m.ID), append(of, m.Fold)
		}
	}
	n, from := len(p.IDs), []int32(nil)
	if values, ok := array.Values().([]int32); ok {
		from = values
	}
	if len(array.Shape) != 2 || array.Shape[1] != n || array.Shape[0] < 1 || from == nil {
		return nil, fmt.Errorf("%s: shape %v, but %s has %d participants: connect permuted of the stage that made the folds", in.Name, array.Shape, folds.Name, n)
	}
	for b := range array.Shape[0] {
		row, seen := from[b*n:][:n], make([]bool, n)
		for i, j := range row {
			if j < 0 || int(j) >= n || seen[j] || of[i] != of[j] || b == 0 && int(j) != i {
				return nil, fmt.Errorf("%s: permutation %d does not exchange the labels of participants within the folds of %s", in.Name, b, folds.Name)
			}
			seen[j] = true
		}
		p.From = append(p.From, row)
	}
	return p, nil
}

// Exchanged numbers the strata of the permutations: participants between whom any of them, one after another, exchange
// labels. Random permutations within strata join all of a stratum, but for one of two in 2^permutations; a smaller
// stratum is as valid.
func (p *Permuted) Exchanged() []int {
	stratum := lists.UpTo(len(p.IDs))
	first := func(i int) int {
		for stratum[i] != i {
			stratum[i] = stratum[stratum[i]]
			i = stratum[i]
		}
		return i
	}
	for _, from := range p.From {
		for i, j := range from {
			a, b := first(i), first(int(j))
			stratum[max(a, b)] = min(a, b)
		}
	}
	for i := range stratum {
		stratum[i] = first(i)
	}
	return stratum
}

// A PermutedRow is how a model that was retrained on permuted labels predicts one group in one fold.
type PermutedRow struct {
	Permutation int32   `column:"permutation" doc:"0: the true labels"`
	Repeat      int32   `column:"repeat"`
	Fold        int32   `column:"fold"`
	Group       string  `column:"group"`
	Tested      int32   `column:"tested" doc:"participants with this label"`
	Correct     int32   `column:"correct" doc:"of these, how many are predicted to be of the group, by the mean probability over the draws"`
	AUC         float64 `column:"auc,missing" doc:"area under the ROC curve of the group against the rest"`
	Changed     int32   `column:"changed" doc:"participants of the fold with another label than the true one"`
}

// A PermutedNumberRow is how a model that was retrained on a permuted target predicts it in one fold.
type PermutedNumberRow struct {
	Permutation int32   `column:"permutation" doc:"0: the true numbers"`
	Repeat      int32   `column:"repeat"`
	Fold        int32   `column:"fold"`
	Tested      int32   `column:"tested" doc:"participants"`
	R           float64 `column:"r" doc:"Pearson's correlation; 0 for constant predictions, and for a fold without r, whatever the permutation"`
	R2          float64 `column:"r2,missing" doc:"R² about the mean of the test participants"`
	MAE         float64 `column:"mae" doc:"mean absolute error"`
	Changed     int32   `column:"changed" doc:"participants of the fold with another number than the true one"`
}

// A GivenRow is how a model that was retrained on labels permuted given a covariate predicts one group, or the
// number, in one fold.
type GivenRow struct {
	Covariate   string  `column:"covariate"`
	Permutation int32   `column:"permutation" doc:"0: the true labels"`
	Repeat      int32   `column:"repeat"`
	Fold        int32   `column:"fold"`
	Group       string  `column:"group" doc:"empty for a number"`
	Score       float64 `column:"score,missing" doc:"area under the ROC curve of the group against the rest; of a number r, as in permuted"`
	Changed     int32   `column:"changed" doc:"participants of the fold with another label than the true one"`
}

// ScoreGroups measures the predictions of the participants of one fold, group by group.
func ScoreGroups(people []Case, groups []string) []PermutedRow {
	rows := make([]PermutedRow, len(groups))
	for g, name := range groups {
		rows[g] = PermutedRow{Group: name, AUC: groupAUC(people, g)}
	}
	for _, c := range people {
		rows[c.Label].Tested++
		if c.Predicted == c.Label {
			rows[c.Label].Correct++
		}
	}
	return rows
}

// A Chance is the test of a setting against chance.
type Chance struct {
	// Test says which: "retrained" or "per fold"; "" where there is none.
	Test             string
	P, Balanced, AUC float64 // of the accuracy, the balanced accuracy and the AUC
	R, MAE           float64 // of predicted numbers
	Least            float64 // smallest p that the permutations can give
	Permutations     int
	Exact            int // folds in which each arrangement of the labels was made
}

// NoChance is a setting without a test.
func NoChance() Chance {
	x := math.NaN()
	return Chance{P: x, Balanced: x, AUC: x, R: x, MAE: x, Least: x}
}

// Tests are what settings are tested against chance with.
type Tests struct {
	permuted     [][]dag.Input // of each setting, the tables of its models retrained
	labels       *Permuted     // nil: labels are permuted within folds and sites
	exchanged    []int         // the number of the participants with whom the labels exchange each one's label
	sites        Sites
	families     bool // participants are kept together: only label permutations that keep them are valid
	permutations int
	seed         uint64
}

// ReadTests reads what is connected: permuted, the tables of models retrained on permuted labels; labels, the label
// permutations of split, with its folds; or the sites.
func ReadTests(t *dag.Task, settings [][]Tested, sites Sites, permutations int, seed uint64) (*Tests, error) {
	c := &Tests{sites: sites, permutations: permutations, seed: seed}
	err := RefusesInputs(t.Has)
	if err != nil {
		return nil, err
	}
	if c.permuted, err = matchSettings(t.All("permuted"), settings); err != nil {
		return nil, err
	}
	if t.Has("labels") {
		if c.labels, err = ReadPermuted(t.In("labels"), t.In("folds")); err != nil {
			return nil, err
		}
		c.exchanged = c.labels.Exchanged()
	}
	if t.Has("folds") {
		members, err := column.Read[LabeledMember](t.In("folds"))
		if err != nil {
			return nil, err
		}
		c.families = slices.ContainsFunc(members, func(m LabeledMember) bool {
			return m.Together != "" && m.Together != m.ID
		})
	}
	return c, nil
}

// RefusesInputs is why the inputs that ReadTests reads do not belong together.
func RefusesInputs(has func(port string) bool) error {
	if has("labels") && !has("folds") {
		return errors.New("labels is connected without folds: connect folds of the same stage")
	}
	return nil
}

// matchSettings finds the setting of each table.
func matchSettings(ins []dag.Input, settings [][]Tested) ([][]dag.Input, error) {
	out := make([][]dag.Input, len(settings))
	settingOf := SettingsOf(lists.Map(settings, func(fs []Tested) []dag.Coord { return fs[0].Coords }))
	for _, in := range ins {
		at, err := settingOf(in.Name, in.Coords)
		if err != nil {
			return nil, err
		}
		out[at] = append(out[at], in)
	}
	return out, nil
}

// SettingsOf finds the settings of tables of models retrained: those with their coordinates, but for fold and repeat. A
// table of one stage does not name it.
func SettingsOf(settings [][]dag.Coord) func(name string, coords []dag.Coord) (int, error) {
	const several = -1
	places := [2]map[string]int{{}, {}} // with the stage, and without
	for i, of := range settings {
		for k, text := range []string{column.CoordText(of), column.CoordText(column.Without(of, "stage"))} {
			if _, twice := places[k][text]; twice {
				places[k][text] = several
			} else {
				places[k][text] = i
			}
		}
	}
	return func(name string, coords []dag.Coord) (int, error) {
		own, k := column.Without(coords, "fold", "repeat"), 0
		if column.ValueOn(own, "stage") == "" {
			k = 1
		}
		switch at, known := places[k][column.CoordText(own)]; {
		case !known:
			return 0, fmt.Errorf("%s belongs to no connected predictions: connect predictions and permuted of the same stage", name)
		case at == several:
			return 0, fmt.Errorf("%s has the coordinates of several settings: connect those of all stages whose predictions are connected, or connect a list, such as [\"STAGE[*].permuted\"], whose members have the coordinate stage", name)
		default:
			return at, nil
		}
	}
}

// FirstRepeat are the folds of the first repeat: those that labels are permuted within.
func FirstRepeat(folds []Tested) []Tested {
	return slices.DeleteFunc(slices.Clone(folds), func(f Tested) bool { return f.Repeat != folds[0].Repeat })
}

// Test tests the setting with a number: by models retrained on permuted labels, where they are connected, or else
// fold by fold with the models as they are.
func (c *Tests) Test(setting int, folds []Tested, groups []string, positive int) (Chance, error) {
	folds = FirstRepeat(folds)
	rows, err := retrained[PermutedRow](c.permuted[setting], folds, func(r PermutedRow) (int, int, int) {
		return int(r.Permutation), int(r.Repeat), int(r.Fold)
	})
	if err != nil {
		return Chance{}, err
	}
	if rows != nil {
		return retrainedGroups(c.permuted[setting][0].Name, rows, folds, positive)
	}
	return c.perFold(folds, func(f Tested, labels *labelings) (p [3]float64, least float64) {
		t := inference.TestedFold{}
		for _, p := range f.Participants {
			score := make([]float64, len(groups))
			for g := range score {
				score[g] = p.Order(g)
			}
			t.Label, t.Predicted = append(t.Label, p.Label), append(t.Predicted, p.Predicted)
			t.Score = append(t.Score, score)
		}
		of := inference.TestFold(t, len(groups), positive, labels.count, func(b int) []int {
			return lists.Map(labels.from(b), func(i int) int { return t.Label[i] })
		})
		return [3]float64{of.P, of.BalancedP, of.AUCP}, of.Least
	}, func(x *Chance, p [3]float64) { x.P, x.Balanced, x.AUC = p[0], p[1], p[2] })
}

// TestNumbers is Test of predicted numbers.
func (c *Tests) TestNumbers(setting int, folds []Tested) (Chance, error) {
	folds = FirstRepeat(folds)
	rows, err := retrained[PermutedNumberRow](c.permuted[setting], folds, func(r PermutedNumberRow) (int, int, int) {
		return int(r.Permutation), int(r.Repeat), int(r.Fold)
	})
	if err != nil {
		return Chance{}, err
	}
	if rows != nil {
		return retrainedNumbers(c.permuted[setting][0].Name, rows, folds)
	}
	return c.perFold(folds, func(f Tested, labels *labelings) (p [3]float64, least float64) {
		of, _ := Numbers([]Tested{f})
		p[0], p[1], least = inference.TestNumberFold(of[0], labels.count, func(b int) []float64 {
			return lists.Map(labels.from(b), func(i int) float64 { return of[0].Target[i] })
		})
		return p, least
	}, func(x *Chance, p [3]float64) { x.R, x.MAE = p[0], p[1] })
}

// retrained are the rows of tables by permutation and fold; nil where the model was not retrained.
func retrained[R any](ins []dag.Input, folds []Tested, of func(R) (permutation, repeat, fold int)) ([][][]R, error) {
	var out [][][]R // permutation, fold
	for _, in := range ins {
		rows, err := column.Read[R](in)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			b, repeat, number := of(r)
			if repeat == 0 {
				continue
			}
			at := slices.IndexFunc(folds, func(f Tested) bool {
				return f.Repeat == int64(repeat) && f.Fold == int64(number)
			})
			if at < 0 {
				return nil, fmt.Errorf("%s: fold %d of repeat %d is not among the connected predictions", in.Name, number, repeat)
			}
			if b < 0 || b > len(out) {
				return nil, fmt.Errorf("%s: permutation %d does not follow the one before", in.Name, b)
			}
			if b == len(out) {
				out = append(out, make([][]R, len(folds)))
			}
			out[b][at] = append(out[b][at], r)
		}
	}
	for b, of := range out {
		for i, rows := range of {
			if rows == nil {
				return nil, fmt.Errorf("permuted: fold %d has no permutation %d: connect permuted of all folds", folds[i].Fold, b)
			}
		}
	}
	if len(out) < 2 { // the true labels alone
		return nil, nil
	}
	return out, nil
}

// A Curve is how a setting performs under each label permutation, its models retrained.
type Curve struct {
	Measures [][3]float64 // accuracy, balanced accuracy and AUC of each permutation; 0 are the true labels
	folds    []Tested     // the participants whose labels are permuted
	changed  [][]int32    // permutation, fold: participants with another label than the true one
}

// Curve is that of a setting; empty where its models were not retrained.
func (c *Tests) Curve(setting int, folds []Tested, positive int) (out Curve, err error) {
	folds = FirstRepeat(folds)
	rows, err := retrained[PermutedRow](c.permuted[setting], folds, func(r PermutedRow) (int, int, int) {
		return int(r.Permutation), int(r.Repeat), int(r.Fold)
	})
	if err != nil || rows == nil {
		return out, err
	}
	if _, err := retrainedGroups(c.permuted[setting][0].Name, rows, folds, positive); err != nil {
		return out, err
	}
	out.folds = folds
	for _, of := range rows {
		out.Measures = append(out.Measures, pooled(of, positive))
		out.changed = append(out.changed, lists.Map(of, func(f []PermutedRow) int32 { return f[0].Changed }))
	}
	return out, nil
}

// First keeps the true labels and so many permutations.
func (c Curve) First(permutations int) Curve {
	return Curve{c.Measures[:permutations+1], c.folds, c.changed[:permutations+1]}
}

// LeastP is the smallest p that the permutations of some curves can give. Where some are the true labels, the results
// that differ are counted, too: how often few permutations draw the true labels is chance.
func LeastP(curves []Curve) float64 {
	n, same := len(curves[0].Measures)-1, 0
	distinct := map[string]bool{}
	for b := range n + 1 {
		changed, key := false, ""
		for _, c := range curves {
			changed = changed || slices.ContainsFunc(c.changed[b], func(n int32) bool { return n > 0 })
			key += fmt.Sprint(c.changed[b], c.Measures[b])
		}
		if distinct[key] = true; b > 0 && !changed {
			same++
		}
	}
	least := inference.PermutationP(same, n)
	if same > 0 && len(distinct) <= inference.LeastPermutations {
		least = max(least, 1/float64(len(distinct)))
	}
	return least
}

// OtherLabels is why two curves of as many permutations are not of the same ones; "" where nothing shows that they are
// not. Where a setting has other participants, its numbers of changed labels differ, and are not compared.
func (c Curve) OtherLabels(other Curve) string {
	in := map[string]int64{}
	for _, f := range other.folds {
		for _, p := range f.Participants {
			in[p.Id] = f.Fold
		}
	}
	same := 0
	for _, f := range c.folds {
		for _, p := range f.Participants {
			of, there := in[p.Id]
			if there && of != f.Fold {
				return p.Id + " is in different folds"
			}
			if there {
				same++
			}
		}
	}
	if same == len(in) && same == len(Distinct(c.folds)) && !slices.EqualFunc(c.changed, other.changed,
		slices.Equal[[]int32]) {
		return "different labels are permuted"
	}
	return ""
}

// far is by how much an accuracy may differ between the ordinary training and that of a permutation test with the true
// labels: the optima are the same within the tolerance of the model.
const far = 0.05

// retrainedGroups compares the performance under the true labels with that under permuted ones.
func retrainedGroups(name string, rows [][][]PermutedRow, folds []Tested, positive int) (Chance, error) {
	seen := pooled(rows[0], positive)
	if of := Accuracy(folds, "participant"); math.Abs(of-seen[0]) > far {
		return Chance{}, fmt.Errorf("%s: accuracy %.3f with the true labels, but the predictions have %.3f: connect predictions and permuted of the same training", name, seen[0], of)
	}
	var as [3]int
	same := 0
	for _, of := range rows[1:] {
		for k, v := range pooled(of, positive) {
			if inference.AsLarge(v, seen[k]) {
				as[k]++
			}
		}
		if !slices.ContainsFunc(of, func(rows []PermutedRow) bool { return rows[0].Changed > 0 }) {
			same++
		}
	}
	n := len(rows) - 1
	c := NoChance()
	c.Test, c.Permutations, c.Least = column.Retrained, n, inference.PermutationP(same, n)
	for k, p := range []*float64{&c.P, &c.Balanced, &c.AUC} {
		if *p = inference.PermutationP(as[k], n); math.IsNaN(seen[k]) {
			*p = math.NaN()
		}
	}
	return c, nil
}

// retrainedNumbers is retrainedGroups of predicted numbers: means over the folds.
func retrainedNumbers(name string, rows [][][]PermutedNumberRow, folds []Tested) (Chance, error) {
	mean := func(of [][]PermutedNumberRow) (r, mae float64) {
		for _, f := range of {
			r, mae = r+f[0].R/float64(len(of)), mae+f[0].MAE/float64(len(of))
		}
		return r, mae
	}
	r, mae := mean(rows[0])
	numbers, _ := Numbers(folds)
	if of := inference.MeanScore(numbers).MAE; math.Abs(of-mae) > far*of {
		return Chance{}, fmt.Errorf("%s: mean absolute error %.4g with the true numbers, but the predictions have %.4g: connect predictions and permuted of the same training", name, mae, of)
	}
	rs, maes, same := 0, 0, 0
	for _, of := range rows[1:] {
		a, b := mean(of)
		if inference.AsLarge(a, r) {
			rs++
		}
		if inference.AsLarge(-b, -mae) {
			maes++
		}
		if !slices.ContainsFunc(of, func(rows []PermutedNumberRow) bool { return rows[0].Changed > 0 }) {
			same++
		}
	}
	n := len(rows) - 1
	c := NoChance()
	c.Test, c.Permutations, c.Least = column.Retrained, n, inference.PermutationP(same, n)
	c.R, c.MAE = inference.PermutationP(rs, n), inference.PermutationP(maes, n)
	return c, nil
}

// A GivenTest is the full confounder test of a setting: the mean over the folds of the AUC, or of r, under the true
// labels, against labels permuted given a covariate, with models retrained on each.
type GivenTest struct {
	Score, High, P, Least float64 // High: 95% quantile over the permutations
	Permutations          int
}

// Given are the tests of the settings by the tables of their models retrained; ok is false for a setting whose
// models were not retrained given the covariate, or predict the same for all. group is the one of two whose AUC is
// tested, "" for a number.
type Given [][]dag.Input

// ReadGiven finds the setting of each table at a port.
func ReadGiven(ins []dag.Input, settings [][]Tested) (Given, error) {
	return matchSettings(ins, settings)
}

// Test tests one setting.
func (g Given) Test(setting int, folds []Tested, covariate, group string) (t GivenTest, ok bool, err error) {
	rows, err := retrained[GivenRow](g[setting], FirstRepeat(folds), func(r GivenRow) (int, int, int) {
		if r.Covariate != covariate || r.Group != group {
			return 0, 0, 0
		}
		return int(r.Permutation), int(r.Repeat), int(r.Fold)
	})
	if err != nil || rows == nil {
		return t, false, err
	}
	as, same := 0, 0
	var null []float64
	for b, of := range rows {
		mean, _ := column.MeanSD(column.Known(lists.Map(of, func(f []GivenRow) float64 { return f[0].Score })))
		if b == 0 {
			t.Score = mean
			continue
		}
		null = append(null, mean)
		if inference.AsLarge(mean, t.Score) {
			as++
		}
		if !slices.ContainsFunc(of, func(f []GivenRow) bool { return f[0].Changed > 0 }) {
			same++
		}
	}
	slices.Sort(null)
	t.Permutations, t.High = len(null), inference.Quantile(null, 0.95)
	t.P, t.Least = inference.PermutationP(as, t.Permutations), inference.PermutationP(same, t.Permutations)
	constant := null[0] == t.Score && null[len(null)-1] == t.Score // as with predictions that are all equal
	return t, !constant && !math.IsNaN(t.Score), nil
}

// perFold tests each fold by itself, and combines the p. Folds in which no permutation changes a label are left out:
// the labels alone decide which these are. Where random permutations give a smaller p than all permutations can, by
// chance, p is the smallest possible one; a larger p is as valid.
func (c *Tests) perFold(folds []Tested, test func(Tested, *labelings) ([3]float64, float64),
	set func(*Chance, [3]float64)) (Chance, error) {
	out := NoChance()
	if c.families && c.labels == nil {
		return out, nil
	}
	out.Permutations = c.permutations
	var p [3][]float64
	var least []float64
	for _, f := range folds {
		labels, err := c.labelings(f)
		if err != nil || labels == nil {
			return NoChance(), err
		}
		of, smallest := test(f, labels)
		if labels.exact {
			out.Exact++
		}
		if c.families {
			out.Permutations = labels.count
		} else if smallest < 1 {
			smallest = labels.least
		}
		if smallest == 1 {
			continue
		}
		least = append(least, smallest)
		for k, v := range of {
			p[k] = append(p[k], v)
		}
	}
	var all [3]float64
	out.Test, out.Least = column.PerFold, inference.MajorityP(least)
	for k := range all {
		if all[k] = max(out.Least, inference.MajorityP(p[k])); least == nil {
			out.Least, all[k] = 1, 1
		}
	}
	set(&out, all)
	return out, nil
}

// labelings permute the labels of the test participants of one fold.
type labelings struct {
	count int
	from  func(b int) []int // whose label each receives, by place among them; called with b = 1, 2 …
	least float64           // smallest p that they can give; 0: not known beforehand
	exact bool              // each arrangement is made once, the true one apart
}

// labelings are those of a fold, within its strata: each arrangement of the labels once, if these are not more than the
// permutations, otherwise random ones. Those who are kept together are exchanged as split exchanges them. There are
// none where the predictions are of other folds than the labels, or of a part of them.
func (c *Tests) labelings(f Tested) (*labelings, error) {
	stratum, place, err := c.strata(f)
	if err != nil || stratum == nil {
		return nil, err
	}
	if c.families {
		return c.ofFamilies(place), nil
	}
	level, _ := column.Numbered(lists.Map(f.Participants, func(c Case) string { return fmt.Sprint(c.Label, c.Target) }))
	all := float64(c.permutations + 1)
	ways := inference.Arrangements(level, stratum, all)
	if ways <= all {
		next := inference.Rearranged(level, stratum)
		return &labelings{int(ways) - 1, func(int) []int { return next() }, 1 / ways, true}, nil
	}
	from := lists.UpTo(len(level))
	strata, stream := inference.ByStratum(stratum), random.New(c.seed, "evaluate", "repeat", f.Repeat, "fold", f.Fold)
	return &labelings{c.permutations, func(int) []int {
		inference.Permute(from, strata, stream)
		return from
	}, 1 / all, false}, nil
}

// strata are those of the test participants of a fold within which labels are exchangeable: as split exchanges them, or
// their sites. place is where each of split's participants is among them; strata are nil where the labels of others are
// exchanged with theirs.
func (c *Tests) strata(f Tested) (stratum []int, place map[int]int, err error) {
	stratum = make([]int, len(f.Participants))
	if c.labels == nil {
		for i, p := range f.Participants {
			if stratum[i], err = c.sites.Stratum(0, p.Id); err != nil {
				return nil, nil, err
			}
		}
		return stratum, nil, nil
	}
	place = map[int]int{}
	for i, p := range f.Participants {
		own, known := c.labels.At[p.Id]
		if !known {
			return nil, nil, fmt.Errorf("labels: no label permutation of %s: connect folds and labels of the stage that made the folds", p.Id)
		}
		place[own], stratum[i] = i, c.exchanged[own]
	}
	for own, in := range c.exchanged {
		if _, tested := place[own]; !tested && slices.Contains(stratum, in) {
			return nil, nil, nil
		}
	}
	return stratum, place, nil
}

// ofFamilies are the permutations of split.
func (c *Tests) ofFamilies(place map[int]int) *labelings {
	from := make([]int, len(place))
	return &labelings{len(c.labels.From) - 1, func(b int) []int {
		for own, i := range place {
			from[i] = place[int(c.labels.From[b][own])]
		}
		return from
	}, 0, false}
}

// pooled measures some folds by their rows, of each a row a group: the accuracy pooled over them, and the means of
// balanced accuracy and AUC over those that have them.
func pooled(folds [][]PermutedRow, positive int) [3]float64 {
	var tested, correct int32
	var balanced, auc []float64
	for _, rows := range folds {
		var shares, areas []float64
		for _, r := range rows {
			tested, correct = tested+r.Tested, correct+r.Correct
			areas = append(areas, r.AUC)
			if r.Tested > 0 {
				shares = append(shares, float64(r.Correct)/float64(r.Tested))
			}
		}
		share, _ := column.MeanSD(shares)
		area, _ := column.MeanSD(column.Known(areas))
		if len(rows) == 2 || positive >= 0 {
			area = rows[max(positive, 0)].AUC
		}
		balanced, auc = append(balanced, share), append(auc, area)
	}
	meanBalanced, _ := column.MeanSD(column.Known(balanced))
	meanAUC, _ := column.MeanSD(column.Known(auc))
	return [3]float64{float64(correct) / float64(tested), meanBalanced, meanAUC}
}

// A PatternRow is what a linear model of one fold makes of a region.
type PatternRow struct {
	Index   int32   `column:"index"`
	Pattern float64 `column:"pattern,missing"`
}

// AmongTop counts in how many settings each region is among the top.
func AmongTop(ins []dag.Input, settings [][]dag.Coord, top int) ([]column.UniverseRegionRow, error) {
	index, of, err := patterns(ins, settings)
	if err != nil || len(of) < 2 {
		return nil, err
	}
	top = min(top, len(index))
	share, rank := inference.AmongTop(of, top)
	rows := make([]column.UniverseRegionRow, len(index))
	for i := range index {
		rows[i] = column.UniverseRegionRow{Index: index[i], Share: share[i], Chance: float64(top) / float64(len(index)),
			Rank: rank[i], Top: int32(top), Universes: int32(len(of))}
	}
	slices.SortStableFunc(rows, func(a, b column.UniverseRegionRow) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Rank, b.Rank))
	})
	return rows, nil
}

// patterns are the sums over the folds of the patterns of the regions index, for those settings that have some; none
// where settings have different regions. A region that is excluded for all participants has no pattern.
func patterns(ins []dag.Input, settings [][]dag.Coord) (index []int32, of [][]float64, err error) {
	sums := make([]map[int32]float64, len(settings))
	for _, in := range ins {
		at := slices.IndexFunc(settings, func(coords []dag.Coord) bool {
			return !slices.ContainsFunc(coords, func(c dag.Coord) bool {
				return column.ValueOn(in.Coords, c.Axis) != c.Value
			})
		})
		if at < 0 {
			continue
		}
		rows, err := column.Read[PatternRow](in)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range rows {
			if sums[at] == nil {
				sums[at] = map[int32]float64{}
			}
			if !math.IsNaN(r.Pattern) {
				sums[at][r.Index] += r.Pattern
			}
		}
	}
	for _, sum := range sums {
		own := slices.Sorted(maps.Keys(sum))
		switch {
		case len(own) == 0:
			continue
		case index == nil:
			index = own
		case !slices.Equal(own, index):
			return nil, nil, nil
		}
		of = append(of, lists.Map(own, func(i int32) float64 { return sum[i] }))
	}
	return index, of, nil
}
