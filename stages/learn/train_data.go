package learn

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
)

// A trainingSet tells of all graphs of a training, sorted by participant and draw.
type trainingSet struct {
	groups   []string // sorted; their places are the labels
	number   bool     // a number is predicted, in place of groups
	features int      // per region, of all regions
	rows     []fold.Row
	facts    graphFacts
	left     *column.RegionsLeftOut
}

// graphFacts are what all graphs of a training have in common. They are kept with
// the model, which is not applied to graphs of another make.
type graphFacts struct {
	Nodes    int              `json:"nodes"`
	Features int              `json:"features"`               // per node
	Edges    [2]int           `json:"edges"`                  // fewest and most of a graph
	Values   [2]float64       `json:"values"`                 // smallest and largest feature
	Names    []string         `json:"names,omitempty"`        // of the nodes, when they are known
	Made     string           `json:"made,omitempty"`         // how, when the edge tables say so
	Taught   []string         `json:"participants,omitempty"` // of files of earlier versions, which list ids
	Scans    []string         `json:"scans,omitempty"`        // the scan of each
	data     []modelfile.Data // of each now
	LeftOut  []int            `json:"left_out,omitempty"` // regions, from 1
	Regions  int              `json:"regions,omitempty"`  // nodes and regions that are left out; 0: none is
	Lacked   []int            `json:"lacked,omitempty"`   // other regions that somebody trained on has no series of
}

// add takes in one graph.
func (f *graphFacts) add(d gnn.Data) {
	low, high := slices.Min(d.Features), slices.Max(d.Features)
	if f.Features == 0 {
		f.Nodes, f.Features = d.Nodes, len(d.Features)/d.Nodes
		f.Edges, f.Values = [2]int{len(d.Edges), len(d.Edges)}, [2]float64{low, high}
	}
	f.Edges = [2]int{min(f.Edges[0], len(d.Edges)), max(f.Edges[1], len(d.Edges))}
	f.Values = [2]float64{min(f.Values[0], low), max(f.Values[1], high)}
}

// leaveOut decides which regions are no nodes.
func (f *graphFacts) leaveOut(out []bool) {
	for r, is := range out {
		if is {
			f.LeftOut, f.Regions = append(f.LeftOut, r+1), len(out)
		}
	}
}

// analyzed are the regions that are not left out, from 0: the nodes, but in files of earlier versions, in which the
// others were nodes without edges, too.
func (f *graphFacts) analyzed() (regions []int32) {
	for r := range max(f.Regions, f.Nodes) {
		if !slices.Contains(f.LeftOut, r+1) {
			regions = append(regions, int32(r))
		}
	}
	return regions
}

// reduced is a graph of the regions that are analyzed.
func (f *graphFacts) reduced(g gnn.Data) gnn.Data {
	switch {
	case f.LeftOut == nil || f.Regions > 0 && g.Nodes != f.Regions: // of another atlas, which is refused
		return g
	case f.Regions > 0:
		return g.Only(f.analyzed())
	}
	out := make([]bool, g.Nodes)
	for i := range out {
		out[i] = slices.Contains(f.LeftOut, i+1)
	}
	return g.Without(out, false)
}

// byRegion has the scores of predictions by region, and not by node, and none of regions that are left out.
func (f *graphFacts) byRegion(predictions []gnn.Prediction) []gnn.Prediction {
	if f.LeftOut == nil {
		return predictions
	}
	regions := f.analyzed()
	for _, p := range predictions {
		for l, s := range p.Layers {
			p.Layers[l] = gnn.Scores{}
			for j, node := range s.Node {
				if f.Regions > 0 {
					node = regions[node]
				} else if slices.Contains(f.LeftOut, int(node)+1) {
					continue
				}
				of := &p.Layers[l]
				of.Node, of.Score = append(of.Node, node), append(of.Score, s.Score[j])
				of.Kept = append(of.Kept, s.Kept[j])
			}
		}
	}
	return predictions
}

// lacks are the regions, from 1, without a usable series in these features that the training did not lack.
func (f *graphFacts) lacks(features dag.Input) (regions []int, err error) {
	return fold.LackedRegions(features, false, f.LeftOut, f.Lacked)
}

// read refuses duplicate scans, then goes through the graphs.
func (s *Train) read(t *dag.Task, use func(fold.Row, gnn.Data) error) (*trainingSet, error) {
	d, err := s.Divide(t.In("folds"))
	if err != nil {
		return nil, err
	}
	if err := fold.RefuseDuplicates(t.All("features"), d); err != nil {
		return nil, err
	}
	set, err := s.pass(t, d, use)
	if err == nil && set.left != nil {
		fmt.Fprintln(t.Log(), fold.LeftOutNote(set.left))
	}
	return set, err
}

// pass goes through the graphs, one after the other, and puts each participant on
// its side of the fold.
func (s *Train) pass(t *dag.Task, d *fold.Division, use func(fold.Row, gnn.Data) error) (_ *trainingSet, err error) {
	set := &trainingSet{groups: d.Groups}
	if set.facts.Names, err = column.NodeNames(t); err != nil {
		return nil, err
	}
	edges, features := t.All("edges"), t.All("features")
	out, left, err := s.LeftOut(features, d, fold.AbsentRows, set.facts.Names)
	if err != nil {
		return nil, err
	}
	set.left = left
	set.facts.leaveOut(out)
	if len(edges) != len(features) {
		return nil, fmt.Errorf("%d participants have edges and %d have features: connect both to the same stage", len(edges), len(features))
	}
	for i, in := range features {
		r, err := d.Row(in)
		if err != nil {
			return nil, err
		}
		if r.Side == fold.Apart {
			continue
		}
		if r.Id != edges[i].Coord("subject") {
			return nil, fmt.Errorf("%s and %s belong to different participants: connect edges and features to stages that fan out over subject", edges[i].Name, in.Name)
		}
		if err := set.add(r, edges[i], in, s.Params, use); err != nil {
			return nil, err
		}
	}
	nodes := max(set.facts.Nodes, set.facts.Regions)
	if n := set.facts.Names; n != nil && len(n) != nodes {
		return nil, fmt.Errorf("%s lists %d nodes, but the graphs have %d", t.In("nodes").Name, len(n), nodes)
	}
	return set, set.check(d)
}

// add goes through the graphs of one participant.
func (set *trainingSet) add(r fold.Row, edgesIn, featuresIn dag.Input, s fold.Params,
	use func(fold.Row, gnn.Data) error) error {
	p, err := ReadParticipant(edgesIn, featuresIn, s)
	if err != nil {
		return err
	}
	width := len(p.Graphs[0].Features) / p.Graphs[0].Nodes
	if set.features == 0 {
		set.features, set.facts.Made = width, p.Made
	}
	switch {
	case width != set.features:
		return fmt.Errorf("%s: %d features per node, but other participants have %d: use the same atlas for all", featuresIn.Name, width, set.features)
	case p.Made != set.facts.Made:
		return fmt.Errorf("%s: its graphs were processed differently from those of other participants: %s", edgesIn.Name, strings.Join(column.MadeApart(p.Made, set.facts.Made), "; "))
	}
	if r.Side == 0 {
		set.facts.Taught, set.facts.data = append(set.facts.Taught, r.Id), append(set.facts.data, p.scan())
		lacked, err := set.facts.lacks(featuresIn)
		if err != nil {
			return err
		}
		set.facts.Lacked = slices.Compact(slices.Sorted(slices.Values(append(set.facts.Lacked, lacked...))))
	}
	for i, g := range p.Graphs {
		r.Draw = p.Draws[i]
		g = set.facts.reduced(g)
		set.facts.add(g)
		if err := use(r, g); err != nil {
			return fmt.Errorf("%s, draw %d: %w", r.Id, r.Draw, err)
		}
		set.rows = append(set.rows, r)
	}
	return nil
}

// A Participant has graphs, of all draws or of some.
type Participant struct {
	Graphs []gnn.Data
	Draws  []int    // the number of each
	Of     int      // how many draws there are
	Made   string   // how the graphs were made, when the edge table says so
	zero   gnn.Data // draw 0
}

// ReadParticipant reads the graphs of one participant.
func ReadParticipant(edgesIn, featuresIn dag.Input, s fold.Params) (p Participant, err error) {
	a, err := featuresIn.SharedArray()
	if err != nil {
		return p, err
	}
	if len(a.Shape) != 3 || a.Len() == 0 {
		return p, fmt.Errorf("%s: features of shape %v, want draw, roi, feature", featuresIn.Name, a.Shape)
	}
	p.Of = a.Shape[0]
	nodes, width := a.Shape[1], a.Shape[2]
	if p.Draws, err = s.Numbers(p.Of, featuresIn.Name); err != nil {
		return p, err
	}
	edges, made, err := readEdges(edgesIn, p.Of, append([]int{0}, p.Draws...))
	if err != nil {
		return p, err
	}
	p.Made = made
	v := a.Float64s()
	p.zero = gnn.Data{Nodes: nodes, Features: v[:nodes*width], Edges: edges[0]}
	for _, d := range p.Draws {
		p.Graphs = append(p.Graphs, gnn.Data{Nodes: nodes, Features: v[d*nodes*width:][:nodes*width], Edges: edges[d]})
	}
	return p, nil
}

// scan identifies draw 0, by which the scan of a training participant is found under another id (the random draws of a
// scan differ between ids); empty where nothing of a scan is in it (identities as features, and no edges).
func (p *Participant) scan() (d modelfile.Data) {
	features, edges := p.zero.Features, p.zero.Edges
	if len(edges) == 0 && !slices.ContainsFunc(features, func(x float64) bool { return x != 0 && x != 1 }) {
		return d
	}
	numbers := features
	if !slices.ContainsFunc(features, func(x float64) bool { return x != 0 && x != 1 }) {
		numbers = lists.Map(edges, func(e gnn.Edge) float64 { return e.Weight })
	}
	d = modelfile.DataOf(numbers)
	b, _ := binary.Append(nil, binary.LittleEndian, features) // of fixed size, as are edges
	b, _ = binary.Append(b, binary.LittleEndian, edges)
	d.Digest = artifacts.DigestOf(b).String()[:32]
	return d
}

// readEdges reads from an edge table the edges of some of n draws, by draw; the nodes are counted from 0 then. made is
// how the graphs were made, when the table says so.
func readEdges(in dag.Input, n int, draws []int) (edges [][]gnn.Edge, made string, err error) {
	all, err := dag.ReadOnce(in, &readEdgeRows)
	if err != nil {
		return nil, "", err
	}
	count := make([]int, n)
	for _, r := range all.rows {
		if r.Draw < 0 || int(r.Draw) >= n {
			return nil, "", fmt.Errorf("%s: an edge of draw %d, but the features have draws 0 to %d", in.Name, r.Draw, n-1)
		}
		count[r.Draw]++
	}
	edges = make([][]gnn.Edge, n)
	for _, d := range draws {
		edges[d] = make([]gnn.Edge, 0, count[d])
	}
	for _, r := range all.rows {
		if edges[r.Draw] != nil {
			e := gnn.Edge{Source: r.Source - 1, Target: r.Target - 1, Weight: r.Weight}
			edges[r.Draw] = append(edges[r.Draw], e)
		}
	}
	return edges, all.made, nil
}

// edgeRows are those of a table.
type edgeRows struct {
	rows []column.EdgeRow
	made string
}

var readEdgeRows = func(in dag.Input) (e edgeRows, err error) {
	t, err := in.Table()
	if err != nil {
		return e, err
	}
	if e.rows, err = column.Rows[column.EdgeRow](t); err != nil {
		return e, fmt.Errorf("%s: %w", in.Name, err)
	}
	e.made = t.Meta["made"]
	return e, nil
}

// noted adds what is to be known of the regions to a note.
func (set *trainingSet) noted(note string) string {
	left := fold.LeftOutNote(set.left)
	if left == "" || note == "" {
		return left + note
	}
	return note + "; " + left
}

// check refuses sides without participants or without one of the groups.
func (set *trainingSet) check(d *fold.Division) error {
	present := lists.SetOf(set.rows, func(r fold.Row) string { return r.Id })
	var absent []string
	for id := range d.Side {
		if !present[id] && d.Side[id] != fold.Apart {
			absent = append(absent, id)
		}
	}
	if absent != nil {
		slices.Sort(absent)
		return fmt.Errorf("%s: no graphs of %s: exclude them under cohort", d.Name, strings.Join(absent, ", "))
	}
	if !slices.ContainsFunc(set.rows, func(r fold.Row) bool { return r.Side != 0 }) {
		return fmt.Errorf("%s: no test participants in fold %d of repeat %d", d.Name, d.Fold, d.Repeat)
	}
	return d.Untaught()
}

// majority is the share of the largest group among the training graphs.
func (set *trainingSet) majority() float64 {
	var label []int
	for _, r := range set.rows {
		if r.Side == 0 {
			label = append(label, r.Label)
		}
	}
	return majorityOf(label)
}

// majorityOf is the share of the most frequent label.
func majorityOf(label []int) float64 {
	count := map[int]int{}
	most := 0
	for _, l := range label {
		count[l]++
		most = max(most, count[l])
	}
	return float64(most) / float64(len(label))
}

// graphMemory is how many bytes of graphs a training holds as they are; more are packed. Results do not depend on it.
var graphMemory int64 = 1 << 29

// readGraphs makes the graphs of a training, standardized when asked.
func readGraphs[T gnn.Float](t *dag.Task, s *Train) (*trainingSet, []*gnn.Graph[T], standardization, error) {
	norm, err := s.standardization(t)
	if err != nil {
		return nil, nil, norm, err
	}
	// It is stored in the precision of the weights, and used as it is stored.
	norm.mean, norm.sd = rounded[T](norm.mean), rounded[T](norm.sd)
	var graphs []*gnn.Graph[T]
	packer := gnn.NewPacker[T](graphMemory)
	set, err := s.read(t, func(r fold.Row, d gnn.Data) error {
		if s.Standardize != "none" {
			d.Features = norm.apply(d.Features)
		}
		g, err := gnn.NewGraph[T](s.options(len(d.Features)/d.Nodes, max(2, r.Label+1)), r.Label, d.Features, d.Edges)
		if err != nil {
			return err
		}
		graphs = append(graphs, g)
		packer.Add(g)
		return nil
	})
	return set, graphs, norm, err
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

// standardization finds mean and sd of each feature over the nodes of the training graphs, or of all of them; a feature
// that does not vary only loses its mean. It goes through the inputs twice, and holds one participant at a time.
func (s *Train) standardization(t *dag.Task) (standardization, error) {
	var n standardization
	if s.Standardize == "none" {
		return n, nil
	}
	d, err := s.Divide(t.In("folds"))
	if err != nil {
		return n, err
	}
	each := func(visit func(row []float64)) (count int, err error) {
		_, err = s.pass(t, d, func(r fold.Row, d gnn.Data) error {
			if s.Standardize == "training" && r.Side != 0 {
				return nil
			}
			for row := range slices.Chunk(d.Features, len(d.Features)/d.Nodes) {
				visit(row)
				count++
			}
			return nil
		})
		return count, err
	}
	var first []float64
	var varies []bool
	count, err := each(func(row []float64) {
		if n.mean == nil {
			n.mean, n.sd = make([]float64, len(row)), make([]float64, len(row))
			first, varies = slices.Clone(row), make([]bool, len(row))
		}
		for j, x := range row {
			n.mean[j] += x
			varies[j] = varies[j] || x != first[j]
		}
	})
	if err != nil {
		return n, err
	}
	for j := range n.mean {
		n.mean[j] /= float64(count)
	}
	if _, err := each(func(row []float64) {
		for j, x := range row {
			dev := x - n.mean[j]
			n.sd[j] += float64(dev * dev)
		}
	}); err != nil {
		return n, err
	}
	for j := range n.sd {
		n.sd[j] = math.Sqrt(n.sd[j] / float64(count))
		if !varies[j] { // the mean of equal numbers is rounded
			n.mean[j], n.sd[j] = first[j], 1
		}
	}
	return n, nil
}

func rounded[T gnn.Float](v []float64) []float64 {
	out := lists.Map(v, func(x float64) float64 { return float64(T(x)) })
	return out
}

// apply gives standardized features.
func (n standardization) apply(features []float64) []float64 {
	d, out := len(n.mean), make([]float64, len(features))
	for i, x := range features {
		out[i] = (x - n.mean[i%d]) / n.sd[i%d]
	}
	return out
}
