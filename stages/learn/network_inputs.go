package learn

import (
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/gnn/baseline"
	"prgnn/gnn/rival"
	"prgnn/internal/words"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/region"
)

// matrices are what the Brain Network Transformer is trained on: symmetric matrices, from the triangles above their
// diagonals.
func (s *Network) matrices(t *dag.Task) (*study[[]float32], error) {
	form, err := formOf(t.Has, false, false, s.Transform, false, "")
	if err != nil {
		return nil, err
	}
	set, err := readRows(t, s.Params, form, "none", false)
	if err != nil {
		return nil, err
	}
	nodes := baseline.NodesOf(set.all.D)
	o := rival.ReleasedBNT(nodes, len(set.groups))
	clusters := o.Clusters
	copyFields(&o, *s)
	if s.PosEncoding == "identity" {
		o.Identity = rival.IdentityColumns
	}
	if s.Clusters == 0 {
		o.Clusters = clusters
	}
	if most := o.Columns(); o.Clusters > most || o.Clusters == 0 {
		return nil, fmt.Errorf("clusters: %d, but the centers of %d regions can be orthogonal for 1 to %d clusters", o.Clusters, nodes, most)
	}
	of := &study[[]float32]{set: set.trainingSet, inputs: nodes * nodes, design: o,
		note: fmt.Sprintf("; readout %s, %s", s.Readout, words.Count(o.Clusters, "cluster"))}
	if o.Identity > 0 {
		of.note += ", " + words.Count(o.Identity, "identity column")
	}
	if o.Clustering > 0 {
		of.note += fmt.Sprintf(", clustering loss × %g", o.Clustering)
	}
	for _, at := range set.at {
		of.cases = append(of.cases, form.Square(set.all.Row(at), nodes))
	}
	of.file = func(h modelfile.Header, parts []baseline.Part) (artifacts.Bytes, error) {
		return set.file(t, s.Params, h, baseline.Stored{Kind: s.Model, Parts: parts},
			&modelfile.Network{BNT: &o, Signed: s.Signed})
	}
	return of, nil
}

// graphs are what BrainGNN is trained on.
func (s *Network) graphs(t *dag.Task) (*study[rival.Graph[float32]], error) {
	var o rival.BrainGNN
	of := &study[rival.Graph[float32]]{}
	set, err := (&Train{Params: s.Params}).read(t, func(_ fold.Row, d gnn.Data) error {
		if of.cases == nil {
			o = s.brainGNN(d.Nodes, len(d.Features)/d.Nodes)
		}
		if d.Nodes != o.Nodes {
			return fmt.Errorf("%d nodes, but other participants have %d: use the same atlas for all", d.Nodes, o.Nodes)
		}
		g, err := brainGraph(o, d, s.Transform == "fisher")
		of.cases = append(of.cases, g)
		return err
	})
	if err != nil {
		return nil, err
	}
	o.Classes = len(set.groups)
	of.set, of.inputs, of.design = set, o.Nodes*o.Features, o
	of.file = func(h modelfile.Header, parts []baseline.Part) (artifacts.Bytes, error) {
		about, err := set.about(t, s.Params, h)
		if err != nil {
			return artifacts.Bytes{}, err
		}
		about.Network = &modelfile.Network{BrainGNN: &o, Fisher: s.Transform == "fisher"}
		return graphNetworkFile(about, baseline.Stored{Kind: s.Model, Parts: parts})
	}
	return of, nil
}

// brainGraph is a graph as BrainGNN takes it.
func brainGraph(o rival.BrainGNN, d gnn.Data, z bool) (g rival.Graph[float32], err error) {
	if z {
		if d, err = fisher(d); err != nil {
			return g, err
		}
	}
	return rival.NewGraph[float32](o, d.Features, d.Edges)
}

// brainGNN are the options for graphs of this size.
func (s *Network) brainGNN(nodes, features int) rival.BrainGNN {
	o := rival.PaperBrainGNN(nodes, features, 2)
	copyFields(&o, *s)
	o.LambdaUnit, o.LambdaTPK, o.LambdaGLC = s.Lambda[0], s.Lambda[1], s.Lambda[2]
	return o
}

// series are what meanMLP is trained on.
func (s *Network) series(t *dag.Task) (*study[[]float32], error) {
	set, cases, err := readSeries(t, s.Params, s.ZScore)
	if err != nil {
		return nil, err
	}
	o := rival.ReleasedMeanMLP(set.about.Nodes, len(set.groups))
	copyFields(&o, *s)
	if s.Attribution != "integrated" {
		o.Steps = 0
	}
	of := &study[[]float32]{set: set.trainingSet, cases: cases, inputs: set.about.Nodes, design: o}
	of.file = func(h modelfile.Header, parts []baseline.Part) (artifacts.Bytes, error) {
		return set.file(t, s.Params, h, baseline.Stored{Kind: s.Model, Parts: parts},
			&modelfile.Network{MeanMLP: &o, ZScore: s.ZScore, Signed: s.Signed})
	}
	return of, nil
}

// readSeries reads the series of a training, volumes × regions.
func readSeries(t *dag.Task, p fold.Params, zscore bool) (*rowSet, [][]float32, error) {
	d, err := p.Divide(t.In("folds"))
	if err != nil {
		return nil, nil, err
	}
	inputs := t.All("series")
	if err := fold.RefuseDuplicates(inputs, d); err != nil {
		return nil, nil, err
	}
	names, err := column.NodeNames(t)
	if err != nil {
		return nil, nil, err
	}
	out, left, err := p.LeftOut(inputs, d, fold.AbsentColumns, names)
	if err != nil {
		return nil, nil, err
	}
	set := &rowSet{trainingSet: &trainingSet{groups: d.Groups, left: left}, scans: map[string]modelfile.Data{},
		out: out}
	var cases [][]float32
	regions := 0
	for i, in := range inputs {
		r, err := d.Row(in)
		if err != nil {
			return nil, nil, err
		}
		if r.Side == fold.Apart {
			continue
		}
		draws, err := region.ReadDraws(in, "draw, time, roi")
		if err != nil {
			return nil, nil, err
		}
		numbers, err := p.Numbers(len(draws), in.Name)
		if err != nil {
			return nil, nil, err
		}
		switch n := draws[0].Cols; {
		case regions == 0:
			regions = n
		case n != regions:
			return nil, nil, fmt.Errorf("%s: %d regions, but other participants have %d: use the same atlas for all", in.Name, n, regions)
		}
		if r.Side == 0 {
			set.scans[r.Id] = modelfile.DataOf(draws[0].Data)
		}
		for _, draw := range numbers {
			x, err := modelfile.SeriesOf(draws[draw].Data, regions, zscore, out)
			if err != nil {
				return nil, nil, fmt.Errorf("%s, draw %d: %w", in.Name, draw, err)
			}
			r.Draw = draw
			set.rows, cases = append(set.rows, r), append(cases, x)
		}
		t.Progress(i+1, len(inputs), "reading")
	}
	set.about.Port, set.about.Nodes, set.about.Holds = "series", regions, p.Holds("series").String()
	if err := set.describe(t, d, inputs, "cleaning"); err != nil {
		return nil, nil, err
	}
	return set, cases, set.check(d)
}

// A communityRow is what a region belongs to.
type communityRow struct {
	Index      int32   `column:"index" doc:"node, from 1"`
	Community  int32   `column:"community" doc:"the one with the largest membership, from 1; 0: none"`
	Membership float64 `column:"membership" doc:"relu(Θ1) of that community"`
}

// fisher gives Fisher's z of the features, with 0 on the diagonal, and of the magnitudes of the edge weights.
func fisher(d gnn.Data) (gnn.Data, error) {
	z := func(r float64) float64 { return exact.Atanh(max(-0.9999999, min(0.9999999, r))) }
	width := len(d.Features) / d.Nodes
	out := gnn.Data{Nodes: d.Nodes, Features: make([]float64, len(d.Features)), Edges: slices.Clone(d.Edges)}
	for i, r := range d.Features {
		if math.Abs(r) > 1 {
			return out, fmt.Errorf("feature %d of node %d is %v: not a correlation; set transform: none", i%width+1, i/width+1, r)
		}
		if i%width != i/width {
			out.Features[i] = z(r)
		}
	}
	for i, e := range d.Edges {
		out.Edges[i].Weight = math.Abs(z(e.Weight))
	}
	return out, nil
}

func communityTable(membership [][]float32, analyzed []int32) *encoding.Table {
	rows := make([]communityRow, len(membership))
	for i, m := range membership {
		rows[i].Index = analyzed[i] + 1
		for u, v := range m {
			if float64(v) > rows[i].Membership {
				rows[i].Community, rows[i].Membership = int32(u+1), float64(v)
			}
		}
	}
	return column.Table(rows)
}
