package learn

import (
	"math"
	"slices"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/gnn/baseline"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
)

// A Set is the graphs of one training for a model of another package, sorted by participant and draw.
type Set struct {
	fold.Params
	set  *trainingSet
	rows *rowSet // of vectors; else nil
	form modelfile.Form
}

// Groups are the classes, sorted; those of a number are none.
func (s *Set) Groups() []string { return s.set.groups }

// Note is what is to be known of the regions; "" for nothing.
func (s *Set) Note() string { return fold.LeftOutNote(s.set.left) }

// Rows are the graphs.
func (s *Set) Rows() []fold.Row { return s.set.rows }

// ReadVectors reads the numbers that baseline has of each graph: of the port pearson the upper triangle of the matrix,
// row by row; of tangent the lower one, with the diagonal over √2 on request.
func ReadVectors(t *dag.Task, p fold.Params, diagonal bool) (s *Set, vectors [][]float64, nodes int, err error) {
	form, err := formOf(t.Has, false, false, "none", diagonal, "plain")
	if err != nil {
		return nil, nil, 0, err
	}
	set, err := readRows(t, p, form, "none", false)
	if err != nil {
		return nil, nil, 0, err
	}
	vectors = lists.Map(set.at, func(at int) []float64 { return set.all.Row(at) })
	return &Set{p, set.trainingSet, set, form}, vectors, set.about.Nodes, nil
}

// RefusesMatrices is why ReadVectors and ReadMatrices fail on the inputs that has reports to be connected.
func RefusesMatrices(has func(port string) bool) error {
	_, err := formOf(has, false, false, "none", true, "plain")
	return err
}

// ReadMatrices reads the whole matrix of each graph, with 1 on the diagonal of correlations.
func ReadMatrices(t *dag.Task, p fold.Params) (s *Set, matrices [][]float64, nodes int, err error) {
	s, vectors, nodes, err := ReadVectors(t, p, true)
	if err != nil {
		return nil, nil, 0, err
	}
	for _, v := range vectors {
		m, at := make([]float64, nodes*nodes), 0
		for i := range nodes {
			m[i*nodes+i] = 1
		}
		s.form.Each(nodes, func(i, j int, factor float64) {
			m[i*nodes+j], m[j*nodes+i] = v[at]/factor, v[at]/factor
			at++
		})
		matrices = append(matrices, m)
	}
	return s, matrices, nodes, nil
}

// ReadSeries reads the series of each graph, volumes × regions.
func ReadSeries(t *dag.Task, p fold.Params) (s *Set, series [][]float64, regions int, err error) {
	set, cases, err := readSeries(t, p, false)
	if err != nil {
		return nil, nil, 0, err
	}
	for _, x := range cases {
		series = append(series, lists.Map(x, func(v float32) float64 { return float64(v) }))
	}
	return &Set{Params: p, set: set.trainingSet}, series, set.about.Nodes, nil
}

// ReadGraphs reads the edges and the features of each graph.
func ReadGraphs(t *dag.Task, p fold.Params) (s *Set, graphs []gnn.Data, err error) {
	set, err := (&Train{Params: p}).read(t, func(_ fold.Row, d gnn.Data) error {
		graphs = append(graphs, d)
		return nil
	})
	return &Set{Params: p, set: set}, graphs, err
}

// FilePorts are the inputs that LinearFile states.
func FilePorts() []dag.Port { return []dag.Port{qualityPort, removedPort, harmonizedPort} }

// LinearFile is the file of a linear model of the vectors, with one row of weights and an offset for each decision
// value, or for two groups those of the second. Without offsets it states why there is no model file.
func (s *Set) LinearFile(t *dag.Task, name string, weights [][]float64, offsets []float64, why string,
	calibrated bool) (artifacts.Bytes, error) {
	if offsets == nil {
		return modelfile.Unavailable(why + "; a file holds linear models only, since a pickled model would run its code where it is applied. " +
			"Give the model coef_ and intercept_ for X as fit gets it (docs/your-own-model.md), or test it on one cohort of both studies, each left out in turn (split with leave_out)")
	}
	h := modelfile.HeaderOf(name, s.set.groups, calibrated)
	if numbers := !math.IsNaN(s.set.rows[0].Target); numbers {
		of, err := scaleOf(s.set.rows)
		if err != nil {
			return artifacts.Bytes{}, err
		}
		h = modelfile.Header{Format: modelfile.Format, Model: name, Target: &[2]float64{of.mean, 1}, Calibrated: true}
		offsets = []float64{offsets[0] - of.mean}
	}
	n, d := len(weights), len(weights[0])
	return s.rows.file(t, s.Params, h, baseline.Stored{Kind: "linear", Parts: []baseline.Part{
		{Name: "weights", Shape: []int{n, d}, Values: slices.Concat(weights...)},
		{Name: "offset", Shape: []int{n}, Values: offsets}}}, nil)
}

// RegionsType is the type of the table Regions.
func RegionsType() dag.Type { return column.Type[regionWeightRow]() }

// Predictions is the table of the probabilities of each group, graph by graph. The model has the name of its stage.
func (s *Set) Predictions(probability [][]float64) *encoding.Table {
	table := predictionTable(s.Params, s.set, lists.Map(probability, modelfile.PredictionOf), "", nil)
	delete(table.Meta, "model")
	return table
}

// Numbers is the table of predicted numbers.
func (s *Set) Numbers(predicted []float64) *encoding.Table {
	table := numberTable(s.Params, s.set, predicted, scale{0, 1}, "", nil)
	table.Meta = map[string]string{}
	return table
}

// Scores is the table of the scores of the regions, graph by graph; without rows for nil.
func (s *Set) Scores(of [][]float64) *encoding.Table {
	if of == nil {
		return column.Table([]column.ScoreRow[float64](nil))
	}
	node, kept, unknown := make([]int32, len(of[0])), make([]bool, len(of[0])), make([]float64, len(of[0]))
	for i := range node {
		node[i], kept[i], unknown[i] = int32(i), true, math.NaN()
	}
	return scoreTable(s.set, s.set.facts.byRegion(lists.Map(of, func(score []float64) gnn.Prediction {
		return gnn.Prediction{Layers: []gnn.Scores{{Node: node, Score: score, Kept: kept}}}
	})), slices.Repeat([][]float64{unknown}, len(of)))
}

// Regions is the table of the weight of each region in linear models of the vectors, one or one for each group; without
// rows for nil.
func (s *Set) Regions(t *dag.Task, weights [][]float64) (*encoding.Table, error) {
	if weights == nil || s.rows == nil {
		return column.Table([]regionWeightRow(nil)), nil
	}
	groups := s.set.groups
	if !math.IsNaN(s.set.rows[0].Target) {
		groups = []string{column.Target}
	}
	rows, err := regionWeights(s.form, t, baseline.LinearOf(weights), s.rows, groups)
	return column.Table(rows), err
}
