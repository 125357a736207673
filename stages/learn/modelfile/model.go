package modelfile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/connectivity/combat"
	"prgnn/connectivity/tangent"
	"prgnn/gnn"
	"prgnn/gnn/baseline"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/inference/confound"
	"prgnn/stages/region"
)

// Format is the version of the format that this program writes, and the latest that it reads.
const Format = 1

// A Header is what model.json has of every model.
type Header struct {
	Format     int         `json:"format,omitempty"` // 0: of a version before the format had a number
	Model      string      `json:"model,omitempty"`
	Groups     []string    `json:"groups,omitempty"`    // their places are the classes
	Target     *[2]float64 `json:"target,omitempty"`    // of a number: mean and SD, by which the output is z-scored
	Residual   *Residual   `json:"residual,omitempty"`  // of a number from which effects of covariates were removed
	Threshold  float64     `json:"threshold,omitempty"` // two groups: the second is predicted above this probability
	Calibrated bool        `json:"calibrated"`          // false: probabilities are 1/(1+exp(−f)) of decision values f
	Study      *Study      `json:"study,omitempty"`     // of a file that was exported to travel
	Origin     *Origin     `json:"origin,omitempty"`    // likewise
	Content    string      `json:"content,omitempty"`   // digest of the arrays and model.json; "" in files of other programs
}

// A Residual is what was removed from the number to predict before training. The model predicts what is left, plus the
// mean of the number over the training participants.
type Residual struct {
	Covariates []string          `json:"covariates"`
	Mean       float64           `json:"mean"`
	Removal    *confound.Removal `json:"removal,omitempty"` // nil: unknown
}

// HeaderOf is that of a model of groups.
func HeaderOf(model string, groups []string, calibrated bool) Header {
	h := Header{Format: Format, Model: model, Groups: groups, Calibrated: calibrated}
	if len(groups) == 2 {
		h.Threshold = 0.5
	}
	return h
}

// Check refuses a header that no model can have.
func (h *Header) Check() error {
	if h.Format > Format {
		return fmt.Errorf("model.json: format %d, and this program reads formats up to %d: use a newer version of it", h.Format, Format)
	}
	if (h.Groups == nil) == (h.Target == nil) {
		return errors.New("model.json: a model has groups or a target")
	}
	for i, g := range h.Groups {
		if g == "" || len(g) > 255 || strings.ContainsAny(g, "\t\r\n") || slices.Contains(h.Groups[:i], g) {
			return fmt.Errorf("model.json: the groups %.300q: each must be a different name of 1 to 255 bytes without "+
				"tabs and line breaks", h.Groups)
		}
	}
	if h.Target != nil && !(h.Target[1] > 0 && !math.IsInf(h.Target[1], 0) && h.Target[0]-h.Target[0] == 0) {
		return fmt.Errorf("model.json: target: mean and SD are %v", *h.Target)
	}
	if h.Residual != nil && h.Target == nil {
		return errors.New("model.json: residual is of a number, but the model has groups")
	}
	if h.Threshold < 0 || h.Threshold >= 1 {
		return fmt.Errorf("model.json: threshold: %v is not a probability", h.Threshold)
	}
	return h.Study.check()
}

// Matrices are the inputs of a model of matrices, and how these were made.
type Matrices struct {
	Form
	Nodes int      `json:"nodes"`
	Names []string `json:"names,omitempty"` // of the nodes, if they are known
	Made  string   `json:"made,omitempty"`  // parameters of the stages that made them, as JSON, if they are known
	// Holds is what the inputs are, a column.Data, by the output that was connected; of tangent matrices, those before.
	Holds   string `json:"holds,omitempty"`
	LeftOut []int  `json:"left_out,omitempty"`
	Lacked  []int  `json:"lacked,omitempty"` // further nodes, from 1, without a signal in a training participant
}

// About is model.json of a model of matrices.
type About struct {
	Header
	Fitted   baseline.Stored `json:"fitted"`
	Network  *Network        `json:"network,omitempty"` // of a model of the kind network
	Matrices Matrices        `json:"matrices"`
	Training Training        `json:"training"`
	// The reference of the tangent space, whose matrices are tangent_mean and tangent_whitening.
	Tangent *region.ReferenceFacts `json:"tangent,omitempty"`
	// What covariates explain of the matrices, whose numbers are removed_coefficients and removed_fitted.
	Removed *Removed `json:"removed,omitempty"`
	// ComBat's fit, by which the matrices were harmonized; its numbers are harmonized_mean, … .
	Harmonized *Harmonized `json:"harmonized,omitempty"`

	Fold   int `json:"fold"` // that it does not know, of the study that it was trained in
	Repeat int `json:"repeat"`
}

// A Model is a model of matrices, as it was stored.
type Model struct {
	Name string // of the file
	About
	mean, sd []float64 // by which each input is z-scored; nil: by nothing
	fitted   any       // baseline.Classifier or baseline.Regressor
	rate     rater     // of a network
	space    *tangent.Space
	removal  *confound.EdgeFit
	sites    *combat.Fit // of Harmonized

	trainingMean, trainingSD []float64 // of each input, over the training participants
}

// Fits are what a training fitted beside the model.
type Fits struct {
	Mean, SD []float64 // of the inputs over the training graphs, by which they are z-scored; nil: by nothing
	Space    *tangent.Space
	Removal  *confound.EdgeFit
	Sites    *combat.Fit
	Training Moments // of the inputs as the model takes them, over the training participants
}

// Standardized reports whether each input is z-scored by its mean and SD in training.
func (m *Model) Standardized() bool { return m.sd != nil }

// inputNodes are the two nodes of each input, from 1, and its factor.
func (m *Matrices) inputNodes() (pairs []int32, factors []float64) {
	m.Each(m.Nodes, func(i, j int, factor float64) {
		pairs, factors = append(pairs, int32(i+1), int32(j+1)), append(factors, factor)
	})
	return pairs, factors
}

// Write writes a model.
func Write(a About, f Fits) (artifacts.Bytes, error) {
	var arrays []Array
	vector := func(name string, v []float64) {
		arrays = append(arrays, Array{name, encoding.NewArray(v, len(v))})
	}
	for _, p := range a.Fitted.Parts {
		arrays = append(arrays, Array{p.Name, arrayOf(p)})
	}
	if a.Matrices.pairs() {
		pairs, factors := a.Matrices.inputNodes()
		arrays = append(arrays, Array{"input_nodes", encoding.NewArray(pairs, len(factors), 2)})
		vector("input_factor", factors)
	}
	if f.SD != nil {
		vector("input_mean", f.Mean)
		vector("input_sd", f.SD)
	}
	if s := f.Space; s != nil {
		arrays = append(arrays, Array{"tangent_mean", encoding.NewArray(s.Mean, s.N, s.N)},
			Array{"tangent_whitening", encoding.NewArray(s.Whitening, s.N, s.N)})
	}
	if r := f.Removal; r != nil {
		fitted := lists.Map(r.Fitted, func(is bool) int32 { return map[bool]int32{true: 1}[is] })
		arrays = append(arrays, Array{"removed_coefficients", encoding.NewArray(r.Coefficients, 1+len(r.Terms),
			len(fitted))}, Array{"removed_fitted", encoding.NewArray(fitted, len(fitted))})
	}
	if f.Sites != nil {
		arrays = append(arrays, harmonizedArrays(a.Harmonized, f.Sites)...)
	}
	if !a.Matrices.Series() {
		mean, sd := f.Training.MeanSD()
		vector("training_mean", mean)
		vector("training_sd", sd)
	}
	return Pack(a, arrays)
}

func arrayOf(p baseline.Part) *encoding.Array {
	switch v := p.Values.(type) {
	case []float32:
		return encoding.NewArray(v, p.Shape...)
	case []int32:
		return encoding.NewArray(v, p.Shape...)
	default:
		return encoding.NewArray(v.([]float64), p.Shape...)
	}
}

// Read reads a model of matrices from a file that may come from anywhere.
func Read(b []byte) (*Model, error) {
	arrays, about, err := Unpack(b)
	if err != nil {
		return nil, err
	}
	m := &Model{}
	if err := Decode(about, &m.About); err != nil {
		return nil, err
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	of := &m.Matrices
	inputs, err := of.inputs()
	if err = cmp.Or(err, m.Training.Check(m.Groups)); err != nil {
		return nil, err
	}
	take := func(name string, dtype string, shape ...int) *encoding.Array {
		a := arrays[name]
		delete(arrays, name)
		if a != nil && (a.DType() != dtype || !slices.Equal(a.Shape, shape)) && err == nil {
			err = fmt.Errorf("%s is %s %v, but the model needs %s %v", name, a.DType(), a.Shape, dtype, shape)
		}
		return a
	}
	pairs, factors := take("input_nodes", "<i4", inputs, 2), take("input_factor", "<f8", inputs)
	mean, sd := take("input_mean", "<f8", inputs), take("input_sd", "<f8", inputs)
	trainingMean, trainingSD := take("training_mean", "<f8", inputs), take("training_sd", "<f8", inputs)
	reference, whitening := take("tangent_mean", "<f8", of.Nodes, of.Nodes), take("tangent_whitening", "<f8",
		of.Nodes, of.Nodes)
	if r := m.Removed; r != nil {
		coefficients := take("removed_coefficients", "<f8", 1+len(r.Terms), r.Edges())
		if fitted := take("removed_fitted", "<i4", r.Edges()); err == nil {
			err = m.restoreRemoval(coefficients, fitted)
		}
	}
	if m.Harmonized != nil && err == nil {
		err = cmp.Or(m.restoreHarmonized(take), err)
	}
	if err != nil {
		return nil, err
	}
	if !of.Series() {
		if trainingMean == nil || trainingSD == nil {
			return nil, errors.New("training_mean or training_sd is missing")
		}
		m.trainingMean, m.trainingSD = trainingMean.Float64s(), trainingSD.Float64s()
		if at := slices.IndexFunc(slices.Concat(m.trainingMean, m.trainingSD), notFinite); at >= 0 {
			return nil, fmt.Errorf("input %d has a training mean or SD that is not finite", at%inputs+1)
		}
	}
	if of.Tangent() {
		if reference == nil || whitening == nil || m.Tangent == nil || m.Tangent.Nodes != of.Nodes {
			return nil, errors.New("a model of tangent matrices needs tangent, tangent_mean and tangent_whitening, of its regions")
		}
		m.space = tangent.At(reference.Float64s(), whitening.Float64s(), of.Nodes)
	}
	if of.pairs() {
		p, f := of.inputNodes()
		if pairs == nil || factors == nil || !slices.Equal(pairs.Values().([]int32), p) ||
			!slices.Equal(factors.Float64s(), f) {
			return nil, errors.New("input_nodes and input_factor are not those of model.json: is one of them altered?")
		}
	}
	if (mean == nil) != (sd == nil) {
		return nil, errors.New("one of input_mean and input_sd is missing")
	}
	if sd != nil {
		m.mean, m.sd = mean.Float64s(), sd.Float64s()
		for i, s := range m.sd {
			if !(s > 0) || math.IsInf(s, 0) || m.mean[i]-m.mean[i] != 0 {
				return nil, fmt.Errorf("input %d has mean %v and SD %v", i+1, m.mean[i], s)
			}
		}
	}
	for name, a := range arrays {
		m.Fitted.Parts = append(m.Fitted.Parts, baseline.Part{Name: name, Shape: a.Shape, Values: a.Values()})
	}
	if m.Network != nil {
		m.rate, err = m.Network.restore(of, len(m.Groups), m.Fitted.Parts)
		return m, err
	}
	m.fitted, err = m.Fitted.Restore(inputs, max(1, len(m.Groups)))
	return m, err
}

func notFinite(x float64) bool { return x-x != 0 }

// pairs reports whether each input belongs to two regions.
func (m *Matrices) pairs() bool { return !m.States() && !m.Series() }

// Data are what the model's inputs are: of a tangent model, the vectors.
func (m *Matrices) Data() column.Data {
	d := column.ParseData(m.Holds)
	if m.Tangent() && d.Measure != column.Tangent {
		d.Measure, d.Of = column.Tangent, d.Measure
	}
	return d
}

// inputs is how many numbers a row has.
func (m *Matrices) inputs() (int, error) {
	const most = 1 << 13
	if m.Nodes < 1 || m.Nodes > most || !slices.Contains([]string{"pearson", "tangent", "states", "series"}, m.Port) {
		return 0, fmt.Errorf("model.json: matrices: %d nodes, and inputs of %.40q", m.Nodes, m.Port)
	}
	if m.Names != nil && len(m.Names) != m.Nodes {
		return 0, fmt.Errorf("model.json: matrices: %d names, but %d nodes", len(m.Names), m.Nodes)
	}
	for _, r := range slices.Concat(m.LeftOut, m.Lacked) {
		if r < 1 || r > m.Nodes {
			return 0, fmt.Errorf("model.json: matrices: there is no node %d", r)
		}
	}
	return m.Width(m.Nodes), nil
}

// Row appends the inputs of a matrix, as the model takes them.
func (m *Model) Row(to, matrix []float64) ([]float64, error) {
	before := len(to)
	to, err := m.Matrices.Row(to, matrix, m.Matrices.Nodes)
	if err != nil {
		return to, err
	}
	row := to[before:]
	m.Matrices.LeaveOut(row, m.out())
	for j := range m.sd {
		row[j] = (row[j] - m.mean[j]) / m.sd[j]
	}
	return to, nil
}

// Apply predicts from the inputs of each draw: groups, or a number as the only probability. Of a model of matrices,
// rows are these inputs.
func (m *Model) Apply(p Person, threads int) (of []gnn.Prediction, rows []float64, err error) {
	if m.Matrices.Series() {
		var cases [][]float32
		for i, of := range p.of {
			x, err := SeriesOf(of.Data, m.Matrices.Nodes, m.Network != nil && m.Network.ZScore, m.out())
			if err != nil {
				return nil, nil, fmt.Errorf("%s, draw %d: %w", p.name, p.Draws[i], err)
			}
			cases = append(cases, x)
		}
		return m.rate(cases, threads), nil, nil
	}
	if rows, err = m.rows(p); err != nil {
		return nil, nil, err
	}
	if m.rate != nil {
		var cases [][]float32
		for row := range slices.Chunk(rows, len(rows)/len(p.of)) {
			cases = append(cases, m.Matrices.Square(row, m.Matrices.Nodes))
		}
		return m.rate(cases, threads), rows, nil
	}
	for probability := range slices.Chunk(m.Predict(rows, threads), max(1, len(m.Groups))) {
		of = append(of, PredictionOf(probability))
	}
	return of, rows, nil
}

// PredictionOf is the class of the highest probability, the first among equals.
func PredictionOf(p []float64) gnn.Prediction {
	out := gnn.Prediction{Probability: p}
	for c, v := range p {
		if v > p[out.Class] {
			out.Class = c
		}
	}
	return out
}

// out are the regions that are left out; nil: none.
func (m *Model) out() (out []bool) {
	for _, r := range m.Matrices.LeftOut {
		if out == nil {
			out = make([]bool, m.Matrices.Nodes)
		}
		out[r-1] = true
	}
	return out
}

// Predict is the probability of each group for each row, or the number.
func (m *Model) Predict(rows []float64, threads int) []float64 {
	width := m.Matrices.Width(m.Matrices.Nodes)
	x := baseline.Rows{N: len(rows) / width, D: width, X: rows}
	if m.Target == nil {
		return m.fitted.(baseline.Classifier).Probability(x, threads)
	}
	out := m.fitted.(baseline.Regressor).Decide(x, threads)
	for i, f := range out {
		out[i] = m.Target[0] + float64(m.Target[1]*f)
	}
	return out
}
