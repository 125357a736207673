package prepare

import (
	"context"
	"fmt"
	"strings"

	"prgnn/connectivity/dynamic"
	"prgnn/dag"
	"prgnn/internal/random"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

var statesKind = dag.Kind{
	Name: "states",
	Doc: "connectivity states: k-means of the sliding windows of all participants\n" +
		"As Allen et al. 2014: the centers of k-means of the exemplars, windows at local maxima of the variance over the pairs of regions, or of all windows. The stage occupancy then counts a participant's time in each state. " +
		"With folds, only training participants of the fold are used: needed where anything of the states enters a classifier; fan out over the folds (matrix: { fold: [1..5] }) then, and connect fitted to the stages leakage and baseline. Without folds the states describe the cohort.",
	New: func() dag.Stage {
		return &States{Fold: 1, Repeat: 1, States: 5, Distance: "l1", Windows: "exemplars", Starts: 10}
	},
	Most:   8,
	Memory: 512 << 20,
}

// States finds states.
type States struct {
	Fold     int    `param:"fold" doc:"with folds: the test fold, which is not used" min:"1"`
	Repeat   int    `param:"repeat" doc:"with folds: the assignment to folds" min:"1"`
	States   int    `param:"states" doc:"number of states" min:"2" max:"50"`
	Distance string `param:"distance" doc:"l1: Manhattan, centers are medians (Allen et al. 2014); l2: Euclidean, centers are means" choices:"l1|l2"`
	Windows  string `param:"windows" doc:"exemplars: k-means of the exemplars; all: of all windows from the centers of the exemplars, with all windows in memory" choices:"exemplars|all"`
	Starts   int    `param:"starts" doc:"starts of k-means++ on the exemplars, of which the best is taken" min:"1" max:"1000"`
	Seed     uint64 `param:"seed" doc:"of the starts"`
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
}

func (s *States) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	who, exemplars, all, made, err := s.read(t)
	if err != nil {
		return nil, err
	}
	nodes := region.NodesOfPairs(exemplars.D)
	if nodes < 2 {
		return nil, fmt.Errorf("%s: %d pairs, which no number of regions has", t.All("windows")[0].Name, exemplars.D)
	}
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
	facts := region.StateFacts{Metric: s.Distance, Nodes: nodes, States: s.States}
	if t.Has("folds") {
		facts.Fold, facts.Repeat = s.Fold, s.Repeat
	}
	fitted := facts.Table(c.Centers, who)
	fitted.Meta["made"] = made
	return dag.Outputs{"fitted": fitted, "fit": column.Table([]stateFitRow{{int32(len(who)), int32(exemplars.N()),
		int32(used.N()), int32(c.Steps), c.Inertia}})}, nil
}

// read reads the windows of the participants that are used; all is empty where exemplars do.
func (s *States) read(t *dag.Task) (who []string, exemplars, all dynamic.Rows, made string, err error) {
	var d *fold.Division
	if t.Has("folds") {
		if d, err = (fold.Params{Fold: s.Fold, Repeat: s.Repeat}).Divide(t.In("folds")); err != nil {
			return
		}
	}
	windows, list := t.All("windows"), t.All("list")
	if len(windows) != len(list) {
		return nil, exemplars, all, "", fmt.Errorf("%d participants have windows and %d have lists: connect both to the same stage", len(windows), len(list))
	}
	tested := 0
	var lacking []string // regions
	for i, in := range windows {
		if d != nil {
			var r fold.Row
			if r, err = d.Row(in); err != nil {
				return
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
			return nil, exemplars, all, "", err
		case who == nil:
			made, exemplars.D, all.D = how, one.D, one.D
		case one.D != exemplars.D:
			return nil, exemplars, all, "", fmt.Errorf("%s: %d pairs of regions, but other participants have %d: use the same atlas for all", in.Name, one.D, exemplars.D)
		case how != made:
			return nil, exemplars, all, "", fmt.Errorf("%s: its windows were made differently from those of other participants: %s", in.Name, strings.Join(column.MadeApart(how, made, nil), "; "))
		}
		if flat := withoutSignal(one); flat != nil {
			lacking = append(lacking, fmt.Sprintf("%s: region %s", in.Name, words.Some(flat, 8)))
		}
		who = append(who, in.Coord("subject"))
		for w, row := range rows {
			if row.Exemplar {
				exemplars.X = append(exemplars.X, one.X[w*one.D:][:one.D]...)
			}
		}
		if s.Windows == "all" {
			all.X = append(all.X, one.X...)
		}
		t.Progress(i+1, len(windows), "reading")
	}
	if d != nil && (tested == 0 || who == nil) {
		return nil, exemplars, all, "", fmt.Errorf("%s: %d test and %d training participants in fold %d of repeat %d", d.Name, tested, len(who), d.Fold, d.Repeat)
	}
	if lacking != nil {
		return nil, exemplars, all, "", fmt.Errorf("regions without a signal have a correlation of 0 in all windows, so the states would tell their participants from the others: exclude these participants, or use an atlas without these regions: %s", words.Some(lacking, 10))
	}
	return who, exemplars, all, made, nil
}

// withoutSignal are the regions, by their numbers from 1, all of whose pairs are 0 in every window.
func withoutSignal(x dynamic.Rows) (flat []string) {
	n := region.NodesOfPairs(x.D)
	varies := make([]bool, n)
	for at := 0; n > 1 && at < len(x.X); {
		for i := range n {
			for j := i + 1; j < n; j++ {
				if x.X[at] != 0 {
					varies[i], varies[j] = true, true
				}
				at++
			}
		}
	}
	for j, v := range varies {
		if !v {
			flat = append(flat, fmt.Sprint(j+1))
		}
	}
	return flat
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
