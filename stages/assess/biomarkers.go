package assess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/internal/lists"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/learn/choose"
	"prgnn/stages/role"
)

var biomarkersKind = dag.Kind{
	Name: "biomarkers",
	Doc: "ranks regions by their scores in trained models\n" +
		"Averages the scores of each region (from the first pooling layer; in networks without pooling, attention or gradient × input) over the test graphs of a participant, then over participants, and ranks the regions (\"Pooling Regularized Graph Neural Network for fMRI Biomarker Analysis\", section 4.5: node importance scores of the first pooling layer). The reliability of the ranking is reported with it: bootstrap intervals over participants, the ranks in single models, and the agreement between models, draws and participants, compared with chance. Regions with equal scores have no order: at the border of the top regions, each counts by its chance to be among them.\n" +
		"The score measures how much a model uses a region, in all participants. The contrast measures whether the groups differ there: the largest absolute difference between two groups' mean scores in a model's test participants, divided by the within-group SD, averaged over models. Its p comes from permutations of the test participants' labels in each fold, within sites if there are any, without retraining the models; folds share training participants, so of K folds K/k times the k-th smallest p is taken, k being a majority (Rüger 1978). This is conservative; models retrained on permuted labels (permuted) find smaller differences.\n" +
		"A ranking depends on training only if it outperforms reference rankings without training: the same models at their initial weights, Welch's t-test of node strength and of the features (of more than two groups, the two with the largest |t|), and the pattern and the occlusion of a ridge regression. The output recovery compares all of them: by the planted regions found (simulated participants), and by the group difference in held-out participants (connect features).",
	New: func() dag.Stage {
		return &Biomarkers{Reading: "score", Layer: 1, Top: 10, Within: "site", Resamples: 2000}
	},

	// between 24 and 84 regions: docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: column.Memory{Each: 300e3}.For,
}

var (
	_ role.Reader   = (*Biomarkers)(nil)
	_ role.PortUser = (*Biomarkers)(nil)
	_ role.Assumer  = (*Biomarkers)(nil)
)

// Biomarkers ranks regions.
type Biomarkers struct {
	Reading   string `param:"reading" doc:"ranking criterion: score, the mean score (as in the paper); contrast, the difference in scores between the groups" choices:"score|contrast"`
	Layer     int    `param:"layer" doc:"the pooling layer whose scores are used" min:"1" max:"100"`
	Top       int    `param:"top" doc:"number of top regions that count as found" min:"1" max:"20000"`
	Within    string `param:"within" doc:"test labels are permuted within the values of this column of the participants, if it exists, for the p of the contrasts: participants of different sites are not exchangeable"`
	Resamples int    `param:"resamples" doc:"number of bootstrap samples of the participants, of label permutations, and of random rankings for the chance level of agreement" min:"100" max:"1000000"`
	Seed      uint64 `param:"seed" doc:"of bootstraps and permutations"`
}

// ReadsParticipants are the columns that its parameters name.
func (b *Biomarkers) ReadsParticipants() []role.Reading {
	return []role.Reading{{Parameter: "within", Name: b.Within, Categories: true, Permutes: true}}
}

// AssumesIndependent is for intervals, and for labels that are permuted fold by fold.
func (*Biomarkers) AssumesIndependent(has func(port string) bool) (intervals bool, of []string) {
	if has("permuted") {
		return true, nil
	}
	return true, []string{"regions"}
}

func (*Biomarkers) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "scores", Type: column.Needs[column.ScoreRow[float64]](),
				Gather: true, Doc: "scores of every fold and setting; those of test graphs are used"},
			{Name: "nodes", Type: dag.Arrow("index", "id", "name", "abbreviation"), Doc: "the node list"},
			{Name: "participants", Type: dag.Arrow("participant_id", "group"), Doc: "who they are"},
			{Name: "permuted", Type: dag.Arrow("participant_id", "group", "draw", "set", "layer", "index", "score",
				"kept"), Gather: true, Optional: true,
				Doc: "the same for models trained on permuted labels with the same parameters (split's axis permutation; 0 is ignored)"},
			{Name: "features", Type: dag.NPY("<f8", "draw", "roi", "feature"), Gather: true, Optional: true, Doc: "the node features used in training: for the reference rankings without a graph network, and for the held-out effect of every ranking"},
			choose.Port("the scores"),
			{Name: "truth", Type: dag.Arrow("source", "target", "difference"), Optional: true, Doc: "the planted group difference of simulated participants"},
		},
		Out: []dag.Port{
			{Name: "ranking", Type: column.Type[column.RankingRow](),
				Doc: "all regions in every setting, most salient first"},
			{Name: "consistency", Type: column.Type[column.ConsistencyRow](),
				Doc: "agreement of the rankings by single models, repeats, seeds, draws and participants, compared with chance"},
			{Name: "null", Type: column.Type[column.NullRow](),
				Doc: "every region compared with models trained on permuted labels; no rows without such models"},
			{Name: "individual", Type: column.Type[column.IndividualRow](), Doc: "mean score of every participant"},
			{Name: "recovery", Type: column.Type[column.RecoveryRow](),
				Doc: "each ranking compared with reference rankings without training: planted regions found (simulated participants), agreement between models, shared regions, and the group difference in held-out participants"},
		},
	}
}

// A settingScores collects what the models of one setting gave to the regions:
// those whose coordinates agree but for fold, repeat and seed.
type settingScores struct {
	coords  []dag.Coord
	models  []*ModelScores
	regions []int // the analyzed ones, from 0: those that a model scored in some graph and layer
}

// A ModelScores holds the scores that one model gave to its test participants.
type ModelScores struct {
	fold, repeat, seed string // its coordinates
	deepest            int    // layer that has scores

	Tallies map[string][]Tally // participant → node
	graphs  map[string]int     // participant → test graphs
	rated   []bool             // of each region: it has a row
	draws   map[int64]map[string][]Tally
	Group   map[string]string // of the participants, as the model was told

	Taught map[string][]Tally // of the participants on whom it was trained; empty where only the test side is kept
	// the same model at its starting weights: tallies and taught; nil where that is not known
	untrained *ModelScores
}

// NewModelScores is a model by the coordinates of its table of scores, of which nothing is read yet.
func NewModelScores(in dag.Input) *ModelScores {
	return &ModelScores{fold: in.Coord("fold"), repeat: in.Coord("repeat"), seed: in.Coord("seed"),
		Tallies: map[string][]Tally{}, graphs: map[string]int{},
		draws: map[int64]map[string][]Tally{}, Group: map[string]string{}, Taught: map[string][]Tally{}}
}

// settingOf finds the setting of a member of a fan-out, or begins it.
func settingOf(settings []*settingScores, coords []dag.Coord) (*settingScores, []*settingScores) {
	own := column.SettingCoords(coords)
	for _, s := range settings {
		if slices.Equal(s.coords, own) {
			return s, settings
		}
	}
	s := &settingScores{coords: own}
	return s, append(settings, s)
}

// A Tally sums the scores of one region over the graphs of one participant.
type Tally struct {
	score  exact.Sum
	scored int32 // graphs in which the region reached the layer
	kept   int32
}

// A saliency is one region's row of a ranking.
type saliency struct {
	node                 int     // 0 … N−1
	score, sd, frequency float64 // over participants
	participants         int
	inference.Spread
	best, worst int // rank by a single model
	mean        float64
	contrast    inference.Contrast
	q           float64
}

// UsesPorts are the features; the scores: features fitted for other folds than those of their models are refused;
// and those of models trained on permuted labels.
func (*Biomarkers) UsesPorts() []role.PortUse {
	return append(role.OneSettingOf("features"), role.PortUse{Port: "scores", As: role.OwnFolds},
		role.PortUse{Port: "permuted", As: role.PermutedLabels})
}

func (b *Biomarkers) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	in, err := b.inputs(t)
	if err != nil {
		return nil, err
	}
	steps := 0
	begin := func(step string) {
		t.Progress(steps, 4*len(in.settings), step)
		steps++
	}
	var rows biomarkerRows
	for i := range in.settings {
		if err := b.setting(in, i, &rows, begin); err != nil {
			return nil, err
		}
	}
	return rows.tables(b, in), nil
}

// A biomarkerInputs holds what Run reads.
type biomarkerInputs struct {
	nodes    []namedNode
	people   *column.People
	planted  []bool // of each node; nil where it is not known
	features *nodeFeatures
	settings []*settingScores
	sites    fold.Sites
	chosen   string // the settings that were chosen inside the folds, in words; "" without a choice
	// retrained are the models trained on permuted groups, by setting and permutation; a setting without them has nil.
	retrained [][][]*ModelScores
}

// contrastsRetrained reports whether the null of contrasts is of retrained models, in the whole table.
func (in *biomarkerInputs) contrastsRetrained() bool {
	return !slices.ContainsFunc(in.retrained, func(lists [][]*ModelScores) bool { return lists == nil })
}

func (b *Biomarkers) inputs(t *dag.Task) (*biomarkerInputs, error) {
	var in biomarkerInputs
	var err error
	if in.nodes, err = column.Read[namedNode](t.In("nodes")); err != nil {
		return nil, err
	}
	for i := range in.nodes {
		in.nodes[i].index = int32(i + 1)
	}
	if in.people, err = column.ReadPeople(t.In("participants")); err != nil {
		return nil, err
	}
	if in.sites, err = fold.ReadSites(t.In("participants"), b.Within); err != nil {
		return nil, err
	}
	n := len(in.nodes)
	if in.planted, err = plantedNodes(t, n); err != nil {
		return nil, err
	}
	scores, chosen, err := choose.Chosen(t, "scores")
	if err != nil {
		return nil, err
	}
	in.chosen = chosen
	if in.settings, err = b.readAll(scores, n, in.people); err != nil {
		return nil, err
	}
	for _, of := range in.settings {
		deepest := 0
		for _, m := range of.models {
			deepest = max(deepest, m.deepest)
		}
		if b.Layer > deepest {
			return nil, fmt.Errorf("layer: there are no scores of layer %d; the deepest with scores is %d", b.Layer, deepest)
		}
	}
	if len(in.settings) == 0 {
		return nil, errors.New("no scores to rank: connect them to a train stage")
	}
	for _, of := range in.settings { // the trainings without permutation, out of those with
		of.coords = slices.DeleteFunc(of.coords,
			func(c dag.Coord) bool { return c == dag.Coord{Axis: "permutation", Value: "0"} })
	}
	permuted, err := b.readAll(t.All("permuted"), n, in.people)
	if err != nil {
		return nil, err
	}
	in.retrained = make([][][]*ModelScores, len(in.settings))
	for i, of := range in.settings {
		if in.retrained[i], err = shuffled(of, permuted); err != nil {
			return nil, err
		}
	}
	in.features, err = ReadNodeFeatures(t.All("features"), n, t.Threads)
	return &in, err
}

// A biomarkerRows collects the rows of the output tables.
type biomarkerRows struct {
	ranking     []column.RankingRow
	individual  []column.IndividualRow
	consistency []column.ConsistencyRow
	null        []column.NullRow
	recovery    []column.RecoveryRow
}

func (r *biomarkerRows) tables(b *Biomarkers, in *biomarkerInputs) dag.Outputs {
	axes := lists.Map(in.settings[0].coords, func(c dag.Coord) string { return c.Axis })
	layer, null := strconv.Itoa(b.Layer), "test participants' groups permuted, models not retrained"
	if by := in.sites.By; by != "" {
		null = fmt.Sprintf("test participants' groups permuted within %ss, models not retrained", by)
	}
	if in.contrastsRetrained() {
		null = "models retrained on permuted labels"
	}
	ranking, individual := column.Table(r.ranking, axes...), column.Table(r.individual, axes...)
	ranking.Meta = map[string]string{"reading": b.Reading, "layer": layer, "contrast_null": null}
	individual.Meta = map[string]string{"layer": layer}
	if in.sites.By != "" {
		ranking.Meta["within"] = in.sites.By
	}
	if in.chosen != "" {
		ranking.Meta["chosen"] = in.chosen
	}
	return dag.Outputs{
		"ranking": ranking, "null": column.Table(r.null, axes...), "consistency": column.Table(r.consistency, axes...),
		"individual": individual, "recovery": column.Table(r.recovery, axes...),
	}
}

// setting adds the rows of one setting to all tables. begin reports a step.
func (b *Biomarkers) setting(in *biomarkerInputs, i int, out *biomarkerRows, begin func(step string)) error {
	of, ids := in.settings[i], in.people.Ids
	in = in.only(of.regions)
	begin("group contrasts")
	all := merged(of.models)
	if len(all.Tallies) == 0 {
		return fmt.Errorf("the scores%s have no test graphs: nothing to rank", column.SettingText(of.coords))
	}
	rows, err := b.ranked(in, i, all)
	if err != nil {
		return err
	}
	out.ranking = append(out.ranking, rankingRows(of.coords, rows, in.nodes, in.planted)...)
	begin("agreement between folds")
	agreements, err := b.agreements(ids, of, all)
	if err != nil {
		return err
	}
	out.consistency = append(out.consistency, agreements...)
	begin("null distribution")
	null, err := b.compareWithNull(ids, rows, of, in.retrained[i])
	if err != nil {
		return err
	}
	begin("reference rankings")
	rankings, err := b.rankings(ids, of, in.features, len(in.nodes))
	if err != nil {
		return err
	}
	if null != nil {
		out.null = append(out.null, nullRows(of.coords, null, in.nodes, in.planted)...)
		excess := lists.Map(null, func(r nullRow) float64 { return r.excess })
		rankings = slices.Insert(rankings, 2, rankedBy{method: column.TrainedModels, by: "null", all: excess})
	}
	out.recovery = append(out.recovery, b.recoveries(of.coords, rankings, in.planted,
		testShare(of.models), testedLeast(of.models))...)
	for _, id := range ids {
		if ts, ok := all.Tallies[id]; ok {
			out.individual = append(out.individual,
				individualRows(of.coords, id, in.people.Group[id], ts, all.graphs[id], in.nodes)...)
		}
	}
	return nil
}

// ranked ranks the regions of one setting by the reading. all joins its models.
func (b *Biomarkers) ranked(in *biomarkerInputs, i int, all *ModelScores) ([]saliency, error) {
	of, ids := in.settings[i], in.people.Ids
	rows := b.rank(ids, all, len(in.nodes))
	contrasts, err := b.contrasts(in, of.models)
	if err != nil {
		return nil, err
	}
	var high []float64
	if in.contrastsRetrained() {
		if high, err = b.retrainedContrasts(ids, len(in.nodes), in.retrained[i]); err != nil {
			return nil, err
		}
	}
	for i := range rows {
		r := &rows[i]
		r.mean, r.contrast, r.q = r.score, contrasts[r.node].Contrast, contrasts[r.node].q
		if high != nil {
			r.contrast.High = high[r.node]
		}
	}
	if b.Reading == "contrast" {
		rows = ordered(rows, func(r saliency) float64 { return r.contrast.Value })
	}
	return rows, b.spread(rows, in.people, of, all)
}

func (b *Biomarkers) readAll(ins []dag.Input, n int, people *column.People) ([]*settingScores, error) {
	var settings []*settingScores
	for _, in := range ins {
		var of *settingScores
		of, settings = settingOf(settings, in.Coords)
		m, err := b.read(in, n, people)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		of.models = append(of.models, m)
	}
	for _, of := range settings {
		for r := range n {
			if slices.ContainsFunc(of.models, func(m *ModelScores) bool { return m.rated[r] }) {
				of.regions = append(of.regions, r)
			}
		}
		if len(of.regions) < n {
			for _, m := range of.models {
				m.only(of.regions)
			}
		}
	}
	return settings, nil
}

// only keeps the tallies of some regions.
func (m *ModelScores) only(regions []int) {
	all := append(slices.Collect(maps.Values(m.draws)), m.Tallies, m.Taught)
	if m.untrained != nil {
		all = append(all, m.untrained.Tallies, m.untrained.Taught)
	}
	for _, of := range all {
		for id, ts := range of {
			of[id] = lists.Map(regions, func(r int) Tally { return ts[r] })
		}
	}
}

// only are the inputs of the regions that a setting analyzes.
func (in *biomarkerInputs) only(regions []int) *biomarkerInputs {
	if len(regions) == len(in.nodes) {
		return in
	}
	one := *in
	one.nodes = lists.Map(regions, func(r int) namedNode { return in.nodes[r] })
	if in.planted != nil {
		one.planted = lists.Map(regions, func(r int) bool { return in.planted[r] })
	}
	one.features = in.features.only(regions)
	return &one
}

// ordered sorts the regions by a value: the highest first, of equal ones the lower
// index, and what has none last. It is their score then.
func ordered(rows []saliency, value func(saliency) float64) []saliency {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].score = value(rows[i])
	}
	slices.SortFunc(rows, func(a, b saliency) int { return cmp.Or(cmp.Compare(b.score, a.score), a.node-b.node) })
	return rows
}

// read sums one table of scores, of one model.
func (b *Biomarkers) read(in dag.Input, n int, people *column.People) (*ModelScores, error) {
	table, err := in.Table()
	if err != nil {
		return nil, err
	}
	m := NewModelScores(in)
	m.rated = make([]bool, n)
	// its scores are NaN, or the column is not there, of models that were not compared with themselves before training
	if _, known := table.Column("untrained"); known && b.Layer == 1 {
		m.untrained = NewModelScores(in)
		m.untrained.Group, m.untrained.graphs = m.Group, m.graphs
	}
	at := 0
	for rows, err := range column.Blocks[column.ScoreRow[float64]](table) {
		if err != nil {
			return nil, err
		}
		column.Keep(rows) // not the text of the whole table
		for _, r := range rows {
			at++
			if err := b.count(m, r, n, people); err != nil {
				return nil, fmt.Errorf("row %d %w", at, err)
			}
		}
	}
	return m, nil
}

// count adds one row of a table of scores.
func (b *Biomarkers) count(m *ModelScores, r column.ScoreRow[float64], n int, people *column.People) error {
	m.deepest = max(m.deepest, int(r.Layer))
	id, draw := r.ID, int64(r.Draw)
	if _, ok := people.Group[id]; !ok {
		return fmt.Errorf("belongs to %s, who is not among the participants", id)
	}
	if r.Index < 1 || int(r.Index) > n {
		return fmt.Errorf("has node %d, but the node list has nodes 1 to %d", r.Index, n)
	}
	m.rated[r.Index-1] = true
	if m.Group[id] == "" {
		m.Group[id] = cmp.Or(r.Group, people.Group[id])
	}
	if int(r.Layer) == b.Layer {
		if math.IsNaN(r.Score) {
			return fmt.Errorf("(%s, draw %d, node %d) has no score", id, r.Draw, r.Index)
		}
		m.add(r.Set, id, n, int(r.Index-1), r.Score, r.Kept)
		if m.untrained != nil && !math.IsNaN(r.Untrained) {
			m.untrained.add(r.Set, id, n, int(r.Index-1), r.Untrained, false)
		}
	}
	if r.Set != "test" {
		return nil
	}
	if m.Tallies[id] == nil { // it may not have reached the layer
		m.Tallies[id] = make([]Tally, n)
	}
	if m.draws[draw] == nil {
		m.draws[draw] = map[string][]Tally{}
	}
	if m.draws[draw][id] == nil {
		m.draws[draw][id] = make([]Tally, n)
		m.graphs[id]++
	}
	if int(r.Layer) == b.Layer {
		m.draws[draw][id][r.Index-1].add(r.Score, r.Kept)
	}
	return nil
}

// add counts the score of a region in one graph of a participant of either side.
func (m *ModelScores) add(set, id string, n, node int, score float64, kept bool) {
	side := m.Taught
	if set == "test" {
		side = m.Tallies
	}
	if side[id] == nil {
		side[id] = make([]Tally, n)
	}
	side[id][node].add(score, kept)
}

func (t *Tally) add(score float64, kept bool) {
	t.score.Add(score)
	t.scored++
	if kept {
		t.kept++
	}
}

// mean is the mean score: equal for equal scores, in whatever order and number of graphs. NaN without a graph.
func (t *Tally) mean() float64 { return t.score.Mean(float64(t.scored)) }

// rank averages every region over participants, each of whom counts once, and
// sorts: the highest score first, of equal ones the lower index.
func (b *Biomarkers) rank(ids []string, of *ModelScores, n int) []saliency {
	rows := make([]saliency, n)
	for j := range rows {
		var scores []float64
		frequency := 0.0
		people := 0
		for _, id := range ids { // in their order: sums do not depend on the map
			ts, ok := of.Tallies[id]
			if !ok {
				continue
			}
			people++
			frequency += float64(ts[j].kept) / float64(of.graphs[id])
			if ts[j].scored > 0 {
				scores = append(scores, ts[j].mean())
			}
		}
		mean, sd := column.MeanSD(scores)
		rows[j] = saliency{node: j, score: mean, sd: sd, frequency: frequency / float64(people),
			participants: len(scores)}
	}
	slices.SortStableFunc(rows, func(a, b saliency) int {
		// NaN, of a region that never reached the layer, is less than all: it comes last
		return cmp.Compare(b.score, a.score)
	})
	return rows
}

// plantedNodes tells of each node whether it is an end of a planted edge; nil when that is not known.
func plantedNodes(t *dag.Task, n int) ([]bool, error) {
	if !t.Has("truth") {
		return nil, nil
	}
	in := t.In("truth")
	edges, err := column.Read[struct {
		Source     int64   `column:"source"`
		Target     int64   `column:"target"`
		Difference float64 `column:"difference"`
	}](in)
	if err != nil {
		return nil, err
	}
	planted := make([]bool, n)
	for i, e := range edges {
		for _, v := range []int64{e.Source, e.Target} {
			if v < 1 || v > int64(n) {
				return nil, fmt.Errorf("%s: row %d has node %d, but the node list has nodes 1 to %d", in.Name, i+1, v, n)
			}
			planted[v-1] = planted[v-1] || e.Difference != 0
		}
	}
	return planted, nil
}

// auroc is the area under the ROC curve of the planted regions. A region without a score comes last.
func auroc(score []float64, planted []bool) float64 {
	score = slices.Clone(score)
	for j, v := range score {
		if math.IsNaN(v) {
			score[j] = math.Inf(-1)
		}
	}
	return gnn.AUC(score, planted)
}
