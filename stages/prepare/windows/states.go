package windows

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/connectivity/dynamic"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var statesKind = dag.Kind{
	Name: "states",
	Doc: "connectivity states: k-means of the sliding windows of all participants\n" +
		"As Allen et al. 2014: the centers of k-means of the exemplars, windows at local maxima of the variance over the pairs of regions, or of all windows. The stage occupancy then counts a participant's time in each state. " +
		"With folds, only training participants of the fold are used: needed where anything of the states enters a classifier; fan out over the folds (matrix: { fold: all }) then, and connect fitted to the stages leakage and baseline. Without folds the states describe the cohort.",
	New: func() dag.Stage {
		return &States{Fold: 1, Repeat: 1, States: 5, Distance: "l1", Windows: "exemplars", Regions: "all", Starts: 10}
	},
	MaxThreads: 8,
	Memory:     512 << 20,
}

var (
	_ role.Tester   = (*States)(nil)
	_ role.PortUser = (*States)(nil)
	_ role.Measurer = (*States)(nil)
)

// States finds states.
type States struct {
	Fold     int    `param:"fold" doc:"with folds: the test fold, which is not used" min:"1"`
	Repeat   int    `param:"repeat" doc:"with folds: the assignment to folds" min:"1"`
	States   int    `param:"states" doc:"number of states" min:"2" max:"50"`
	Distance string `param:"distance" doc:"l1: Manhattan, centers are medians (Allen et al. 2014); l2: Euclidean, centers are means" choices:"l1|l2"`
	Windows  string `param:"windows" doc:"exemplars: k-means of the exemplars; all: of all windows from the centers of the exemplars, with all windows in memory" choices:"exemplars|all"`
	Regions  string `param:"regions" doc:"all: a participant with a region without a signal is refused; shared: states are of the pairs of regions with a signal in every participant they are fitted to" choices:"all|shared"`
	Starts   int    `param:"starts" doc:"starts of k-means++ on the exemplars, of which the best is taken" min:"1" max:"1000"`
	Seed     uint64 `param:"seed" doc:"of the starts"`
}

// UsesPorts are the inputs that take one setting of each participant.
func (*States) UsesPorts() []role.PortUse {
	return role.OneSettingOf("windows", "list")
}

// Measures are what the windows hold: states are centers of windows.
func (*States) Measures(output string, of func(string) column.Data) column.Data {
	if output != "fitted" {
		return column.Data{}
	}
	return of("windows")
}

func (*States) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "windows", Type: dag.NPY("<f4", "window", "edge"), Gather: true, Doc: "each participant's windows"},
			{Name: "list", Type: column.Type[windowRow](), Gather: true, Doc: "list of the same stage"},
			{Name: "folds", Type: fold.Folds(), Optional: true, Doc: "the assignment to folds"},
		},
		Out: []dag.Port{
			{Name: "fitted", Type: column.Type[region.StateRow](), Doc: "the states, and in the metadata the participants"},
			{Name: "fit", Type: column.Type[stateFitRow](), Doc: "the clustering in one row"},
		},
	}
}

// TestFold is the fold that is tested, and its repeat.
func (s *States) TestFold() (repeat, fold int) { return s.Repeat, s.Fold }

// A stateFitRow tells of a clustering.
type stateFitRow struct {
	Participants int32   `column:"participants"`
	Exemplars    int32   `column:"exemplars" doc:"windows that k-means++ started from"`
	Windows      int32   `column:"windows" doc:"windows that the centers were fitted to"`
	Steps        int32   `column:"steps" doc:"of Lloyd's algorithm"`
	Inertia      float64 `column:"inertia" doc:"sum of the distances of these windows from their states (l2: squared)"`
	Warning      string  `column:"warning" doc:"what the row warns of, for programs: a JSON list of findings; empty if none"`
}

func (s *States) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	x, err := s.read(t)
	if err != nil {
		return nil, err
	}
	pairs := x.exemplars.D
	nodes := region.NodesOfPairs(pairs)
	if nodes < 2 {
		return nil, fmt.Errorf("%s: %d pairs, which no number of regions has", t.All("windows")[0].Name, pairs)
	}
	shared, warnings, err := s.shared(x, nodes)
	if err != nil {
		return nil, err
	}
	exemplars, all := x.exemplars.Only(shared), x.all.Only(shared)
	metric, used := dynamic.Metric(s.Distance), exemplars
	stream := func(start int) *random.Stream {
		return random.New(s.Seed, "states", "repeat", s.Repeat, "fold", s.Fold, start)
	}
	c, err := dynamic.KMeans(ctx, exemplars, s.States, metric, s.Starts, t.Threads, stream,
		func(start int) { t.Progress(start, s.Starts, "starts") })
	if err == nil && s.Windows == "all" {
		used = all
		c, err = dynamic.Lloyd(ctx, all, c.Centers, metric, t.Threads)
	}
	if err != nil {
		return nil, err
	}
	if c.Stopped {
		warnings.Add(finding.Warning("states.not-converged", map[string]any{"Steps": c.Steps}))
	}
	facts := region.StateFacts{Metric: s.Distance, Nodes: nodes, States: s.States}
	if t.Has("folds") {
		facts.Fold, facts.Repeat = s.Fold, s.Repeat
	}
	fitted := facts.Table(spread(c.Centers, shared, pairs), x.who)
	fitted.Meta["made"] = x.made
	return dag.Outputs{"fitted": fitted, "fit": column.Table([]stateFitRow{{int32(len(x.who)), int32(exemplars.N()),
		int32(used.N()), int32(c.Steps), c.Inertia, finding.Written(warnings)}})}, nil
}

// shared are the pairs of regions with a signal in every participant; nil for all pairs.
func (s *States) shared(x *clustered, nodes int) (pairs []int, warnings finding.List, err error) {
	if x.silent == nil {
		return nil, nil, nil
	}
	if s.Regions == "all" {
		return nil, nil, fmt.Errorf("regions without a signal have a correlation of 0 in all windows, so the states would distinguish their participants from the others; leave these regions out (regions: shared), or these participants (exclude, under cohort): %s",
			words.Some(x.lacking, 10))
	}
	if pairs = pairsWithSignal(x.silent); len(pairs) == 0 {
		return nil, nil, fmt.Errorf("no pair of regions has a signal in all %s: exclude those without (exclude, under cohort): %s",
			words.Count(len(x.who), "participant"), words.Some(x.lacking, 10))
	}
	var out []int
	for i, silent := range x.silent {
		if silent {
			out = append(out, i+1)
		}
	}
	return pairs, finding.List{finding.Warning("states.shared-regions", map[string]any{"Shared": nodes - len(out),
		"All": nodes, "Participants": len(x.lacking), "Regions": out})}, nil
}

// spread puts the entries of centers at their pairs; the other pairs are NaN.
func spread(centers [][]float64, at []int, pairs int) [][]float64 {
	if at == nil {
		return centers
	}
	whole := make([][]float64, len(centers))
	for k, c := range centers {
		whole[k] = slices.Repeat([]float64{math.NaN()}, pairs)
		for i, pair := range at {
			whole[k][pair] = c[i]
		}
	}
	return whole
}

// clustered is what states are fitted to.
type clustered struct {
	who            []string     // participants
	exemplars, all dynamic.Rows // all is empty where exemplars do
	made           string       // how the windows were made
	silent         []bool       // regions without a signal in a participant; nil without any
	lacking        []string     // participants with such regions, and which
}

// read reads the windows of the participants that are used.
func (s *States) read(t *dag.Task) (*clustered, error) {
	var d *fold.Division
	if t.Has("folds") {
		var err error
		if d, err = (fold.Params{Fold: s.Fold, Repeat: s.Repeat}).Divide(t.In("folds")); err != nil {
			return nil, err
		}
	}
	windows, list := t.All("windows"), t.All("list")
	if len(windows) != len(list) {
		return nil, fmt.Errorf("%d participants have windows and %d have lists: connect both to the same stage", len(windows), len(list))
	}
	tested := 0
	x := &clustered{}
	for i, in := range windows {
		if d != nil {
			r, err := d.Row(in)
			if err != nil {
				return nil, err
			}
			if r.Side == 1 {
				tested++
			}
			if r.Side != 0 {
				continue
			}
		}
		one, rows, how, err := readWindows(in, list[i])
		switch {
		case err != nil:
			return nil, err
		case x.who == nil:
			x.made, x.exemplars.D, x.all.D = how, one.D, one.D
		case one.D != x.exemplars.D:
			return nil, fmt.Errorf("%s: %d pairs of regions, but other participants have %d: use the same atlas for all", in.Name, one.D, x.exemplars.D)
		case how != x.made:
			return nil, fmt.Errorf("%s: its windows were made differently from those of other participants: %s", in.Name, strings.Join(column.MadeApart(how, x.made), "; "))
		}
		x.who = append(x.who, in.Coord("subject"))
		x.without(in.Name, silentRegions(one))
		for w, row := range rows {
			if row.Exemplar {
				x.exemplars.X = append(x.exemplars.X, one.X[w*one.D:][:one.D]...)
			}
		}
		if s.Windows == "all" {
			x.all.X = append(x.all.X, one.X...)
		}
		t.Progress(i+1, len(windows), "reading")
	}
	if d != nil && (tested == 0 || x.who == nil) {
		return nil, fmt.Errorf("%s: %d test and %d training participants in fold %d of repeat %d", d.Name, tested, len(x.who), d.Fold, d.Repeat)
	}
	return x, nil
}

// without notes the regions of a participant that have no signal.
func (x *clustered) without(name string, silent []bool) {
	regions := region.Numbers(silent)
	if regions == nil {
		return
	}
	x.lacking = append(x.lacking, fmt.Sprintf("%s: region %s", name, words.Some(lists.Map(regions,
		func(r int32) string { return fmt.Sprint(r) }), 8)))
	if x.silent == nil {
		x.silent = make([]bool, len(silent))
	}
	for j, is := range silent {
		x.silent[j] = x.silent[j] || is
	}
}

// pairsWithSignal are the pairs of regions of which neither is silent.
func pairsWithSignal(silent []bool) []int {
	pairs, at := []int{}, 0
	for i := range silent {
		for j := i + 1; j < len(silent); j++ {
			if !silent[i] && !silent[j] {
				pairs = append(pairs, at)
			}
			at++
		}
	}
	return pairs
}

// silentRegions are the regions without a signal: all of their pairs are 0 in every window.
func silentRegions(x dynamic.Rows) []bool {
	n := region.NodesOfPairs(x.D)
	silent := slices.Repeat([]bool{true}, n)
	for at := 0; n > 1 && at < len(x.X); {
		for i := range n {
			for j := i + 1; j < n; j++ {
				if x.X[at] != 0 {
					silent[i], silent[j] = false, false
				}
				at++
			}
		}
	}
	return silent
}

// readWindows reads a participant's windows, their list, and how they were made.
func readWindows(in, list dag.Input) (x dynamic.Rows, rows []windowRow, made string, err error) {
	if in.Coord("subject") != list.Coord("subject") {
		return x, nil, "", fmt.Errorf("%s and %s belong to different participants: connect stages that fan out over subject", in.Name, list.Name)
	}
	a, err := in.Array()
	if err != nil {
		return x, nil, "", err
	}
	if rows, err = column.Read[windowRow](list); err != nil {
		return x, nil, "", err
	}
	if len(a.Shape) != 2 || a.Shape[0] != len(rows) || len(rows) == 0 {
		return x, nil, "", fmt.Errorf("%s has the shape %v, and %s lists %d windows: connect both to the same stage", in.Name, a.Shape, list.Name, len(rows))
	}
	table, err := list.Table()
	if err != nil {
		return x, nil, "", err
	}
	x.D, x.X = a.Shape[1], make([]float32, a.Len())
	for i, v := range a.Float64s() {
		x.X[i] = float32(v)
	}
	return x, rows, table.Meta["made"], nil
}
