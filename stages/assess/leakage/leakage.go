package leakage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/fold"
	"prgnn/stages/learn"
	"prgnn/stages/role"
)

var leakageKind = dag.Kind{
	Name: "leakage",
	Doc: "fails if a model was trained on a test participant, or if one scan has two ids\n" +
		"Checks stored results: the assignment to folds, the scans and features of each participant (the same data under two ids), the sides of the predictions, and the training participants recorded in each model and every other fit. A training with known leakage (select: test, standardize: all) fails too. Connect only folds, scans and features to check before training. Stages that train a model wait for all checks that need no model, and stages that compute an accuracy wait for all checks; after a failure none of them runs.",
	New: func() dag.Stage { return &Leakage{Correlation: 0.8, Filtered: 0.65, Unrelated: 0.001} },

	// with scans: docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: column.Memory{Each: 120e3}.For,
}

var (
	_ role.Check     = (*Leakage)(nil)
	_ role.InputUser = (*Leakage)(nil)
)

// Leakage asserts that nothing leaks.
type Leakage struct {
	Admitted    bool    `param:"admitted" doc:"accept trainings with known leakage, as in the authors' program; their predictions keep the warning"`
	Correlation float64 `param:"correlation" doc:"two scans whose mean signals correlate at least this much, with either sign, at any lag, count as one scan, unless unrelated series may do so by chance (probability over all pairs and lags above 0.005: docs/leakage.md); 0 turns the comparison off" min:"0" max:"1"`
	Filtered    float64 `param:"filtered" doc:"two scans with the same regions, whose band-pass filtered signals without the mean over regions correlate at least this much, with either sign, at any lag, count as one scan, whatever temporal filter and global signal regression they had, unless unrelated series may do so by chance, as for correlation; 0 turns the comparison off" min:"0" max:"1"`
	Unrelated   float64 `param:"unrelated" doc:"how many pairs of different people are expected above the threshold of similar connectivity, in the whole cohort; a pair above it is a caution, and counts as one scan if two scans of one person cannot agree as well (docs/leakage.md); 0 turns the comparison off" min:"0" max:"1"`
}

func (*Leakage) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "folds", Type: fold.Folds(), Optional: true, Doc: "the assignment to folds; without it, only scans and features are compared, of all participants"},
			{Name: "predictions", Type: dag.Arrow("participant_id", "draw", "fold", "repeat", "set"),
				Gather: true, Optional: true, Doc: "predictions of every training on these folds"},
			{Name: "model", Type: dag.Format("npz"), Gather: true, Optional: true, Doc: "the trained models, which record their training participants"},
			{Name: "fitted", Type: dag.Format("arrow"), Gather: true, Optional: true, Doc: "tables of anything else fitted in a fold, with the participants in their metadata"},
			{Name: "scans", Gather: true, Optional: true, Doc: "each participant's scans (all runs), and the time series extracted from them: the same volumes, or correlated signals, under two ids are a duplicate scan"},
			{Name: "features", Type: dag.Format("npy"), Gather: true, Optional: true, Doc: "each participant's features, draw first: the same draw 0 under two ids (correlation or rank correlation 0.9999, of either sign, over what both have; a matrix without its diagonal) is a duplicate scan. Features computed within a fold, such as residuals, are not compared, because the fit refuses duplicates before the removal"},
			{Name: "partial", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Optional: true, Doc: "each participant's partial correlations of another program, beside the correlations on features: the same under two ids are a duplicate scan, and those that fit the correlations of another participant better get a caution"},
		},
		Out: []dag.Port{{Name: "checks", Type: column.Type[fold.CheckRow](), Doc: "one row per check, with its comparisons; after a violation there is no table"}},
	}
}

// RefusesInputs requires something to check, and the folds that a fit is compared with.
func (*Leakage) RefusesInputs(has func(port string) bool) error {
	if has("folds") {
		return nil
	}
	for _, port := range []string{"predictions", "model", "fitted"} {
		if has(port) {
			return fmt.Errorf("%s can only be checked against the folds: connect folds, or leave out %[1]s", port)
		}
	}
	if !has("scans") && !has("features") {
		return errors.New("nothing is connected that could be checked: connect folds, scans or features")
	}
	return nil
}

// Admits reports whether trainings with known leakage pass.
func (s *Leakage) Admits() bool { return s.Admitted }

// A leakCheck is one thing that was looked at.
type leakCheck struct {
	name   string
	of     int
	found  []string
	passed [][]dag.Coord // violations that are admitted: the coordinates of the training

	together int    // violations that the first text of found lists together, after its first
	byChance string // for the report: what may be chance, and is no violation
	copies   quality.Copies
}

func (c *leakCheck) fail(format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

// A foldPlace is one fold of one repeat.
type foldPlace struct{ repeat, fold int64 }

// A foldBook knows who is tested where.
type foldBook struct {
	label map[string]string          // group, or number to predict
	fold  map[int64]map[string]int64 // repeat → participant → fold
	used  []foldPlace                // in which predictions are tested
	whole []*leakCheck               // of families that the folds keep together
	with  map[string]string          // participant → the first one whom the folds keep together with them

	target map[string]float64 // the number to predict; empty where groups are predicted
}

func (s *Leakage) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	if err := s.RefusesInputs(t.Has); err != nil {
		return nil, err
	}
	var book *foldBook // nil: all take part
	var checks []*leakCheck
	if t.Has("folds") {
		division := &leakCheck{name: "each participant is in one fold of each repeat, and in one group"}
		var err error
		if book, err = readBook(t.In("folds"), division); err != nil {
			return nil, err
		}
		checks = append([]*leakCheck{division}, book.whole...)
	}
	var problems []error
	for _, look := range []func(*dag.Task, *foldBook) ([]*leakCheck, error){s.lookAtPredictions, lookAtModels,
		lookAtFitted, s.lookAtScans} {
		found, err := look(t, book)
		if err != nil { // what the other checks find is said all the same
			problems = append(problems, err)
		}
		checks = append(checks, found...)
	}
	var all []string
	violations := 0
	for _, c := range checks {
		all = append(all, c.found...)
		violations += len(c.found) + c.together
	}
	if all != nil {
		const most = 10
		text := strings.Join(all[:min(most, len(all))], "\n  ")
		if len(all) > most {
			text += fmt.Sprintf("\n  … and %d more", len(all)-most)
		}
		problems = append([]error{fmt.Errorf("leakage: %s; all accuracies that follow would be invalid:\n  %s",
			words.Count(violations, "violation"), text)}, problems...)
	}
	if problems != nil {
		return nil, errors.Join(problems...)
	}
	var rows []fold.CheckRow
	for _, c := range checks {
		if c.name != "" {
			rows = append(rows, fold.CheckRow{Check: c.name, Of: int32(c.of), Found: int32(len(c.found))})
		}
	}
	table := column.Table(rows)
	var copies quality.Copies
	for _, c := range checks {
		if c.copies.Scans > 0 {
			copies = c.copies
		}
	}
	var err error
	if table.Meta, err = similarScans(t, book, copies); err != nil {
		return nil, err
	}
	for _, c := range checks {
		if c.passed != nil {
			table.Meta[column.AdmittedLeaks] = column.JSON(c.passed)
		}
		if c.byChance != "" {
			table.Meta[column.AlikeByChance] = c.byChance
		}
	}
	return dag.Outputs{"checks": table}, nil
}

// similarScans are findings of participants whose connectivity is as similar as that of two scans of one person, and of
// what was compared. It is no violation: similar is not proof, and twins exist.
func similarScans(t *dag.Task, b *foldBook, copies quality.Copies) (map[string]string, error) {
	pairs, err := fold.Similar(slices.DeleteFunc(slices.Clone(t.All("features")), func(in dag.Input) bool {
		return !b.takesPart(in.Coord("subject")) || fold.MadeInFold(in)
	}), t.Threads)
	if err != nil {
		return nil, err
	}
	found := copies.Findings()
	taking := func(port string) []dag.Input {
		return slices.DeleteFunc(slices.Clone(t.All(port)), func(in dag.Input) bool {
			return !b.takesPart(in.Coord("subject")) || fold.MadeInFold(in)
		})
	}
	misfit, err := misfits(taking("features"), taking("partial"), t.Threads)
	if err != nil {
		return nil, err
	}
	found.Add(misfit...)
	orders, err := reordered(taking("features"), b)
	if err != nil {
		return nil, err
	}
	found.Add(orders...)
	var names []string
	var of parted
	for _, d := range pairs {
		if !copies.Have(d.First, d.Later) {
			names = append(names, d.First+" and "+d.Later)
			of.add(b, d.First, d.Later)
		}
	}
	if names != nil {
		numbers := of.numbers(b)
		numbers["Pairs"] = names
		found.Add(finding.Finding{Code: "leakage.similar-scans", Weight: of.weight(b), Numbers: numbers})
	}
	var others parted
	for _, p := range copies.With(quality.Caution) {
		others.add(b, p.First, p.Later)
	}
	for i, f := range found {
		if f.Code == "copies.caution" {
			numbers := finding.Values(f.Numbers)
			maps.Copy(numbers, others.numbers(b))
			found[i].Numbers, found[i].Weight = numbers, others.weight(b)
		}
	}
	meta := map[string]string{}
	if n := of.alike + others.alike; n > 0 {
		meta[column.SimilarScans] = strconv.Itoa(n)
	}
	if found != nil {
		meta[finding.Meta] = finding.Written(found)
	}
	return meta, nil
}

// A parted counts pairs of participants who may be one person each: those in different folds, and of these those with
// one group, or similar numbers, which bias the performance upward. Pairs of different groups bias it downward.
type parted struct{ pairs, divided, alike int }

func (p *parted) add(b *foldBook, first, later string) {
	p.pairs++
	if b == nil {
		return
	}
	for _, folds := range b.fold {
		if folds[first] != folds[later] && folds[first] != 0 && folds[later] != 0 {
			p.divided++
			if b.alike(first, later) {
				p.alike++
			}
			return
		}
	}
}

// alike reports whether two participants have one group, or numbers that differ by less than their standard deviation.
func (b *foldBook) alike(first, later string) bool {
	x, number := b.target[first]
	y, other := b.target[later]
	if !number || !other {
		return b.label[first] == b.label[later]
	}
	_, sd := column.MeanSD(slices.Collect(maps.Values(b.target)))
	return math.Abs(x-y) < sd
}

func (p parted) numbers(b *foldBook) map[string]any {
	return map[string]any{"N": p.pairs, "Divided": p.divided, "Alike": p.alike, "Folds": b != nil}
}

// weight is that of a bias upward, or of one that is not known; else p values count a person with two ids twice.
func (p parted) weight(b *foldBook) finding.Weight {
	if b == nil || p.alike > 0 {
		return finding.Overturns
	}
	return finding.Limits
}

func readBook(in dag.Input, c *leakCheck) (*foldBook, error) {
	members, err := column.Read[fold.LabeledMember](in)
	if err != nil {
		return nil, err
	}
	b := &foldBook{label: map[string]string{}, fold: map[int64]map[string]int64{}, with: map[string]string{},
		target: map[string]float64{}}
	c.of = len(members)
	for _, m := range members {
		folds := b.fold[int64(m.Repeat)]
		if folds == nil {
			folds = map[string]int64{}
			b.fold[int64(m.Repeat)] = folds
		}
		if f, twice := folds[m.ID]; twice {
			c.fail("%s is in fold %d and in fold %d of repeat %d", m.ID, f, m.Fold, m.Repeat)
		}
		if l, known := b.label[m.ID]; known && l != m.Label() {
			c.fail("%s has the labels %s and %s", m.ID, l, m.Label())
		}
		folds[m.ID], b.label[m.ID], b.with[m.ID] = int64(m.Fold), m.Label(), m.Together
		if !math.IsNaN(m.Target) {
			b.target[m.ID] = m.Target
		}
	}
	if n, found := fold.Separated(members); n > 0 {
		b.whole = []*leakCheck{{name: fold.KeptTogether, of: n, found: found}}
	}
	return b, nil
}

// tested reports whether somebody is tested in a fold, and whether they take part.
func (b *foldBook) tested(at foldPlace, id string) (tested, known bool) {
	f, ok := b.fold[at.repeat][id]
	return f == at.fold, ok && f != 0
}

// takesPart reports whether a participant is in a fold of some repeat; fold 0 is none. Without folds, all take part.
func (b *foldBook) takesPart(id string) bool {
	if b == nil {
		return true
	}
	for _, folds := range b.fold {
		if folds[id] != 0 {
			return true
		}
	}
	return false
}

// lookAtPredictions checks who is on which side.
func (s *Leakage) lookAtPredictions(t *dag.Task, b *foldBook) ([]*leakCheck, error) {
	if !t.Has("predictions") {
		return nil, nil
	}
	sides := &leakCheck{name: fold.PredictionsCompared}
	once := &leakCheck{name: "each participant is tested once in each repeat of each setting"}
	admitted := &leakCheck{name: "no training with known leakage"}
	handed := &leakCheck{}
	testedIn := map[[2]string]int64{} // setting and repeat, and participant → fold
	for _, in := range t.All("predictions") {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		var text [3][]string
		for i, name := range []string{"participant_id", column.LabelOf(table), "set"} {
			if text[i], err = table.Strings(name); err != nil {
				return nil, fmt.Errorf("%s: %w", in.Name, err)
			}
		}
		var ints [3][]int64
		for i, name := range []string{"repeat", "fold", "draw"} {
			if ints[i], err = table.Ints(name); err != nil {
				return nil, fmt.Errorf("%s: %w", in.Name, err)
			}
		}
		admitted.of++
		leaks, err := column.LeaksOf(table.Meta)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		if table.Meta[column.HandedMeta] != "" {
			got, err := column.MetaOf[column.Handed](table.Meta, column.HandedMeta)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", in.Name, err)
			}
			if handed.name, handed.of = fold.HandedOver, handed.of+got.Rows; got.Labels+got.IDs > 0 {
				handed.fail("%s: the process of the model had %d labels and %d ids of test participants", in.Name, got.Labels, got.IDs)
			}
		}
		switch {
		case leaks == nil:
		case s.Admitted:
			admitted.passed = append(admitted.passed, in.Coords)
		default:
			admitted.fail("%s: %s (admitted: true lets it pass)", in.Name, column.LeakText(leaks))
		}
		setting := column.CoordText(column.Without(in.Coords, "fold", "repeat"))
		told, rows := map[string]bool{}, fold.TestRows{}
		for i, id := range text[0] {
			sides.of++
			at := foldPlace{ints[0][i], ints[1][i]}
			tested, known := b.tested(at, id)
			side := text[2][i]
			wrong := ""
			switch {
			case !known:
				wrong = "is not in the assignment to folds"
			case (side == "test") != tested:
				wrong = fmt.Sprintf("is on the %s side of fold %d, repeat %d, and tested in fold %d", side, at.fold, at.repeat, b.fold[at.repeat][id])
			case text[1][i] != b.label[id]:
				wrong = fmt.Sprintf("has the label %s, but %s in the assignment to folds", text[1][i], b.label[id])
			}
			if wrong != "" && !told[id] {
				told[id] = true
				sides.fail("%s: %s %s", in.Name, id, wrong)
			}
			if side != "test" {
				continue
			}
			b.used = lists.Add(b.used, at)
			again := rows.Again(id, at.repeat, at.fold, ints[2][i], i+1)
			who := [2]string{fmt.Sprintf("%s\x00%d", setting, at.repeat), id}
			if other := testedIn[who]; other != 0 && other != at.fold {
				again = fmt.Sprintf("%s is tested in fold %d and in fold %d", id, other, at.fold)
			}
			if testedIn[who] = at.fold; again != "" && !told[id] {
				told[id] = true
				once.fail("%s: %s", in.Name, again)
			}
		}
	}
	once.of = len(testedIn)
	return []*leakCheck{sides, once, admitted, handed}, nil
}

// placeOf finds the fold that something was fitted for, by its coordinates.
func placeOf(in dag.Input) (foldPlace, error) {
	p := foldPlace{1, 0}
	for axis, to := range map[string]*int64{"fold": &p.fold, "repeat": &p.repeat} {
		if v := in.Coord(axis); v != "" {
			if _, err := fmt.Sscan(v, to); err != nil {
				return p, fmt.Errorf("%s: %q is not the number of a %s", in.Name, v, axis)
			}
		}
	}
	if p.fold == 0 {
		return p, fmt.Errorf("%s has no coordinate fold", in.Name)
	}
	return p, nil
}

// ids are those of all who are in the table of the folds.
func (b *foldBook) ids() []string { return slices.Sorted(maps.Keys(b.label)) }

// seen checks that a fit used no test participant of its fold, and only participants of the folds.
func (b *foldBook) seen(c *leakCheck, in dag.Input, ids []string) error {
	at, err := placeOf(in)
	if err != nil {
		return err
	}
	c.of++
	for _, id := range ids {
		switch tested, known := b.tested(at, id); {
		case tested:
			c.fail("%s was fitted on %s, a test participant of fold %d of repeat %d", in.Name, id, at.fold, at.repeat)
		case !known:
			c.fail("%s was fitted on %s, who is in no fold", in.Name, id)
		}
	}
	if len(ids) == 0 {
		c.fail("%s does not list its training participants", in.Name)
	}
	return nil
}

func lookAtModels(t *dag.Task, b *foldBook) ([]*leakCheck, error) {
	if !t.Has("model") {
		return nil, nil
	}
	c := &leakCheck{name: "no model was trained on a participant that it tests"}
	models, err := learn.ReadModels(t.All("model"))
	if err != nil {
		return nil, err
	}
	for i, in := range t.All("model") {
		of := models[i].Training
		ids, others := of.Among(b.ids())
		if err := b.seen(c, in, ids); err != nil {
			return nil, err
		}
		if others > 0 {
			c.fail("%s was trained on %s in no fold", in.Name, words.Count(others, "participant"))
		}
	}
	return []*leakCheck{c}, nil
}

func lookAtFitted(t *dag.Task, b *foldBook) ([]*leakCheck, error) {
	if !t.Has("fitted") {
		return nil, nil
	}
	c := &leakCheck{name: "nothing was fitted on a participant that its fold tests"}
	every := &leakCheck{name: "each fold has its own fits"} // that predictions test
	places := map[string]map[foldPlace]bool{}               // of each stage
	example := map[string]string{}                          // of each stage: a fit
	for _, in := range t.All("fitted") {
		at, err := placeOf(in)
		if err != nil {
			return nil, err
		}
		if places[in.Coord("stage")] == nil {
			places[in.Coord("stage")], example[in.Coord("stage")] = map[foldPlace]bool{}, in.Name
		}
		places[in.Coord("stage")][at] = true
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		var ids []string
		if text := table.Meta["participants"]; text != "" {
			if err := json.Unmarshal([]byte(text), &ids); err != nil {
				return nil, fmt.Errorf("%s: its metadata name no readable participants: %w", in.Name, err)
			}
		}
		if err := b.seen(c, in, ids); err != nil {
			return nil, err
		}
	}
	// A fit of one fold that serves all folds has seen the test participants of the others.
	for _, stage := range slices.Sorted(maps.Keys(places)) {
		for _, at := range b.used {
			every.of++
			if !places[stage][at] {
				every.fail("%s was not fitted for fold %d of repeat %d, which is tested: the predictions depend on a fit that includes test participants", example[stage], at.fold, at.repeat)
			}
		}
	}
	if len(b.used) == 0 {
		return []*leakCheck{c}, nil
	}
	return []*leakCheck{c, every}, nil
}
