package stages

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/gnn"
)

// A graphRow is one graph of a training: one draw of one participant.
type graphRow struct {
	id       string
	draw     int
	label    int
	side     int       // 0 train, 1 test
	features []float64 // roi × feature
	edges    []gnn.Edge
}

// A trainingSet holds all graphs of a training, sorted by participant and draw.
type trainingSet struct {
	groups   []string // sorted; their places are the labels
	features int      // per node
	rows     []graphRow
}

// read gathers the graphs and puts each participant on its side of the fold.
func (s *Train) read(t *dag.Task) (*trainingSet, error) {
	folds := t.In("folds")
	table, err := folds.Table()
	if err != nil {
		return nil, err
	}
	side, group, err := s.sides(table, folds.Name)
	if err != nil {
		return nil, err
	}
	set := &trainingSet{}
	seen := map[string]bool{}
	for _, g := range group {
		if !seen[g] {
			seen[g] = true
			set.groups = append(set.groups, g)
		}
	}
	slices.Sort(set.groups)

	edges, features := t.All("edges"), t.All("features")
	if len(edges) != len(features) {
		return nil, fmt.Errorf("%d participants give edges and %d give features: connect both to the same stage", len(edges), len(features))
	}
	present := map[string]bool{}
	for i, in := range features {
		id := in.Coord("subject")
		if id == "" || id != edges[i].Coord("subject") {
			return nil, fmt.Errorf("%s and %s are not of one participant: connect edges and features to stages that fan out over subject", edges[i].Name, in.Name)
		}
		if _, ok := group[id]; !ok {
			return nil, fmt.Errorf("%s: participant %s is in no fold of %s", in.Name, id, folds.Name)
		}
		present[id] = true
		label, _ := slices.BinarySearch(set.groups, group[id])
		if err := set.add(id, label, side[id], edges[i], in, s.DrawZero); err != nil {
			return nil, err
		}
	}
	return set, set.check(s, side, present, folds.Name)
}

// sides tells the side and the group of each participant. All draws of a
// participant follow it, so none can be on both.
func (s *Train) sides(folds *artifacts.Table, name string) (side map[string]int, group map[string]string, err error) {
	side, group = map[string]int{}, map[string]string{}
	ids, err := folds.Strings("participant_id")
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	groups, err := folds.Strings("group")
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	repeat, err := folds.Ints("repeat")
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	fold, err := folds.Ints("fold")
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	largest := int64(0)
	for i, id := range ids {
		if repeat[i] != int64(s.Repeat) {
			continue
		}
		if _, twice := side[id]; twice {
			return nil, nil, fmt.Errorf("%s: participant %s is twice in repeat %d: it could be trained on and tested at once", name, id, s.Repeat)
		}
		largest = max(largest, fold[i])
		group[id], side[id] = groups[i], 0
		if fold[i] == int64(s.Fold) {
			side[id] = 1
		}
	}
	if len(side) == 0 {
		return nil, nil, fmt.Errorf("%s has no repeat %d: set repeats of the split stage", name, s.Repeat)
	}
	if int64(s.Fold) > largest {
		return nil, nil, fmt.Errorf("%s has the folds 1 to %d, not %d: let the fold axis and the folds of the split stage agree", name, largest, s.Fold)
	}
	return side, group, nil
}

// add appends the graphs of one participant.
func (set *trainingSet) add(id string, label, side int, edgesIn, featuresIn dag.Input, drawZero bool) error {
	a, err := featuresIn.Array()
	if err != nil {
		return err
	}
	if len(a.Shape) != 3 {
		return fmt.Errorf("%s: features of %d axes, want draw, roi, feature", featuresIn.Name, len(a.Shape))
	}
	draws, nodes, width := a.Shape[0], a.Shape[1], a.Shape[2]
	if set.features == 0 {
		set.features = width
	}
	if width != set.features {
		return fmt.Errorf("%s: %d features per node, other participants have %d: all must be made with the same atlas", featuresIn.Name, width, set.features)
	}
	edges, err := readEdges(edgesIn, draws)
	if err != nil {
		return err
	}
	v := a.Float64s()
	for d := range draws {
		if d == 0 && draws > 1 && !drawZero {
			continue
		}
		set.rows = append(set.rows, graphRow{id: id, draw: d, label: label, side: side,
			features: v[d*nodes*width:][:nodes*width], edges: edges[d]})
	}
	return nil
}

// readEdges reads an edge table, by draw; the nodes are counted from 0 then.
func readEdges(in dag.Input, draws int) ([][]gnn.Edge, error) {
	t, err := in.Table()
	if err != nil {
		return nil, err
	}
	var cols [3][]int64
	for i, name := range []string{"draw", "source", "target"} {
		if cols[i], err = t.Ints(name); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	weight, err := t.Floats("weight")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	edges := make([][]gnn.Edge, draws)
	for i, w := range weight {
		d := cols[0][i]
		if d < 0 || d >= int64(draws) {
			return nil, fmt.Errorf("%s: an edge of draw %d, and the features have the draws 0 to %d", in.Name, d, draws-1)
		}
		edges[d] = append(edges[d], gnn.Edge{Source: int32(cols[1][i] - 1), Target: int32(cols[2][i] - 1), Weight: w})
	}
	return edges, nil
}

// check refuses sides without participants or without one of the groups.
func (set *trainingSet) check(s *Train, side map[string]int, present map[string]bool, name string) error {
	var absent []string
	for id := range side {
		if !present[id] {
			absent = append(absent, id)
		}
	}
	if absent != nil {
		slices.Sort(absent)
		return fmt.Errorf("%s: no graphs of %s: leave them out of the cohort", name, strings.Join(absent, ", "))
	}
	trained := make([]bool, len(set.groups))
	tested := false
	for _, r := range set.rows {
		if r.side == 0 {
			trained[r.label] = true
		} else {
			tested = true
		}
	}
	if !tested {
		return fmt.Errorf("%s: nobody is tested in fold %d of repeat %d", name, s.Fold, s.Repeat)
	}
	for label, there := range trained {
		if !there {
			return fmt.Errorf("%s: outside fold %d there is nobody of group %q to train on: take fewer folds", name, s.Fold, set.groups[label])
		}
	}
	return nil
}

// A standardization is what was taken off each node feature, and by what it was divided.
type standardization struct{ mean, sd []float64 }

func (n standardization) values() []float64 { return slices.Concat(n.mean, n.sd) }

func (n standardization) layout() gnn.Layout {
	d := len(n.mean)
	if d == 0 {
		return nil
	}
	return gnn.Layout{{Name: "input_mean", Shape: []int{d}}, {Name: "input_sd", Shape: []int{d}, Offset: d}}
}

// standardize z-scores each feature over the nodes of the training graphs, or of
// all of them; a feature that does not vary only loses its mean.
func (set *trainingSet) standardize(how string) standardization {
	if how == "none" {
		return standardization{}
	}
	d := set.features
	n := standardization{mean: make([]float64, d), sd: make([]float64, d)}
	each := func(visit func(row []float64)) int {
		count := 0
		for _, r := range set.rows {
			if how == "training" && r.side != 0 {
				continue
			}
			for row := range slices.Chunk(r.features, d) {
				visit(row)
				count++
			}
		}
		return count
	}
	count := each(func(row []float64) {
		for j, x := range row {
			n.mean[j] += x
		}
	})
	for j := range n.mean {
		n.mean[j] /= float64(count)
	}
	each(func(row []float64) {
		for j, x := range row {
			dev := x - n.mean[j]
			n.sd[j] += float64(dev * dev)
		}
	})
	for j := range n.sd {
		n.sd[j] = math.Sqrt(n.sd[j] / float64(count))
		if n.sd[j] == 0 {
			n.sd[j] = 1
		}
	}
	for i := range set.rows {
		set.rows[i].features = n.apply(set.rows[i].features)
	}
	return n
}

// apply gives standardised features.
func (n standardization) apply(features []float64) []float64 {
	d, out := len(n.mean), make([]float64, len(features))
	for i, x := range features {
		out[i] = (x - n.mean[i%d]) / n.sd[i%d]
	}
	return out
}
