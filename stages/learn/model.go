package learn

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/dense"
	"prgnn/stages/region"
)

// A trained model travels as one npz file: its arrays by name, as numpy.load reads them, and
// what it is in model.json. The members are stored without compression, in a fixed order and
// without times, so that equal models are equal files.

// noTime is the first time that a zip archive can state.
var noTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// modelFile is model.json.
type modelFile struct {
	Options gnn.Options `json:"options"`
	Groups  []string    `json:"groups"`           // their places are the classes
	Graphs  graphFacts  `json:"graphs"`           // what the model was trained on
	Target  *[2]float64 `json:"target,omitempty"` // of a number: mean and SD, by which its output is z-scored
}

// A Trained model, read back.
type Trained struct {
	name string
	modelFile
	double bool // its arrays are in float64
	arrays map[string]*encoding.Array
	norm   standardization
}

// layouts are the arrays of a model: those of training, its buffers, and its standardization.
func layouts(o gnn.Options, norm standardization) []gnn.Layout {
	return []gnn.Layout{o.Layout(), o.Buffers(), norm.layout()}
}

// modelNPZ writes a model whose arrays lie one after the other in weights.
func modelNPZ[T gnn.Float](f modelFile, norm standardization, weights []T) (artifacts.Bytes, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	add := func(name string, write func(io.Writer) error) error {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: noTime})
		if err != nil {
			return err
		}
		return write(w)
	}
	for _, l := range layouts(f.Options, norm) {
		for _, p := range l {
			values := weights[:p.Len()]
			weights = weights[p.Len():]
			if err := add(p.Name+".npy", weightArray(values, p.Shape...).Encode); err != nil {
				return artifacts.Bytes{}, err
			}
		}
	}
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return artifacts.Bytes{}, err
	}
	asJSON := func(w io.Writer) error { _, err := w.Write(append(text, '\n')); return err }
	if err := add("model.json", asJSON); err != nil {
		return artifacts.Bytes{}, err
	}
	err = z.Close()
	return artifacts.Bytes{Kind: "npz", Data: b.Bytes()}, err
}

// ReadModels reads models of the same groups.
func ReadModels(in []dag.Input) ([]*Trained, error) {
	var models []*Trained
	for _, in := range in {
		b, err := in.Bytes()
		if err != nil {
			return nil, err
		}
		m, err := ReadModel(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		m.name = in.Name
		if models != nil && !slices.Equal(m.Groups, models[0].Groups) {
			return nil, fmt.Errorf("%s was trained on the groups %s, but %s on %s: connect models of the same groups",
				m.name, strings.Join(m.Groups, ", "), models[0].name, strings.Join(models[0].Groups, ", "))
		}
		models = append(models, m)
	}
	if models == nil {
		return nil, errors.New("no model: connect the model of a training")
	}
	return models, nil
}

// largestModel is far more bytes than any model of this kind has.
const largestModel = 1 << 26

// ReadModel reads an npz file, which may come from anywhere, and checks it against what it
// says of itself.
func ReadModel(b []byte) (*Trained, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, fmt.Errorf("not an npz file: %w", err)
	}
	m := &Trained{arrays: map[string]*encoding.Array{}}
	found, left := false, int64(largestModel)
	for i, f := range z.File {
		if slices.ContainsFunc(z.File[:i], func(g *zip.File) bool { return g.Name == f.Name }) {
			return nil, fmt.Errorf("it has several files %.100q", f.Name)
		}
		member, err := readMember(f, left)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		left -= int64(len(member))
		if name, array := strings.CutSuffix(f.Name, ".npy"); array {
			if m.arrays[name], err = encoding.ReadArray(bytes.NewReader(member)); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		} else if f.Name == "model.json" {
			if err := region.DecodeJSON(member, &m.modelFile); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			found = true
		} else {
			return nil, fmt.Errorf("%.100q is neither model.json nor an array (.npy)", f.Name)
		}
	}
	if !found {
		return nil, errors.New("it has no model.json: is it a trained model?")
	}
	return m, m.check()
}

// readMember reads no more than limit bytes, whatever the archive says. What it says is believed where it is too much.
func readMember(f *zip.File, limit int64) ([]byte, error) {
	tooMany := fmt.Errorf("larger than the limit of %d bytes for a model", largestModel)
	if f.UncompressedSize64 > uint64(limit) {
		return nil, tooMany
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(b)) > limit {
		return nil, tooMany
	}
	return b, err
}

// check compares the arrays with the options, and takes the standardization out.
func (m *Trained) check() error {
	o := m.Options
	if err := o.Check(); err != nil {
		return fmt.Errorf("model.json: %w", err)
	}
	if o.Number {
		return errors.New("it predicts a number; models of groups are expected here")
	}
	if len(m.Groups) != o.Classes || o.Features != m.Graphs.Features {
		return errors.New("model.json contradicts itself")
	}
	if n := len(m.Graphs.Scans); n > 0 && n != len(m.Graphs.Taught) {
		return fmt.Errorf("model.json lists %d participants and %d scans", len(m.Graphs.Taught), n)
	}
	for i, g := range m.Groups {
		if g == "" || len(g) > 255 || strings.ContainsAny(g, "\t\r\n") || slices.Contains(m.Groups[:i], g) {
			return fmt.Errorf("model.json: the groups %.300q: each must be a different name of 1 to 255 bytes without "+
				"tabs and line breaks", m.Groups)
		}
	}
	if mean, sd := m.arrays["input_mean"], m.arrays["input_sd"]; mean != nil && sd != nil {
		m.norm = standardization{mean: mean.Float64s(), sd: sd.Float64s()}
	}
	surplus := maps.Clone(m.arrays)
	for i, l := range layouts(o, m.norm) {
		for j, p := range l {
			a := m.arrays[p.Name]
			delete(surplus, p.Name)
			switch {
			case a == nil:
				return fmt.Errorf("the array %s is missing", p.Name)
			case i+j == 0:
				m.double = a.DType() == "<f8"
			}
			if want := map[bool]string{false: "<f4", true: "<f8"}[m.double]; a.DType() != want ||
				!slices.Equal(a.Shape, p.Shape) {
				return fmt.Errorf("%s is %s %v, but the model needs %s %v", p.Name, a.DType(), a.Shape, want, p.Shape)
			}
			for _, x := range a.Float64s() {
				if x-x != 0 {
					return fmt.Errorf("%s holds %v", p.Name, x)
				}
			}
		}
	}
	if len(surplus) > 0 {
		return fmt.Errorf("model.json describes a model without the arrays %s: a model with its options has %s, and "+
			"input_mean with input_sd", words.Some(slices.Sorted(maps.Keys(surplus)), 8), words.Some(lists.Map(
			slices.Concat(layouts(o, m.norm)...), func(p gnn.Param) string { return p.Name }), 40))
	}
	if m.norm.mean != nil && (len(m.norm.mean) != o.Features || len(m.norm.sd) != o.Features) {
		return fmt.Errorf("input_mean and input_sd hold %d and %d numbers, but a node has %d features", len(m.norm.mean), len(m.norm.sd), o.Features)
	}
	return nil
}

// Predict runs the model in the precision of its weights.
func (m *Trained) Predict(graphs []GraphData, threads int) ([]gnn.Prediction, error) {
	if m.double {
		return predictIn[float64](m, graphs, threads)
	}
	return predictIn[float32](m, graphs, threads)
}

func predictIn[T gnn.Float](m *Trained, graphs []GraphData, threads int) ([]gnn.Prediction, error) {
	model, err := gnn.Zero[T](m.Options)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		l gnn.Layout
		v []T
	}{{model.Layout, model.Params}, {m.Options.Buffers(), model.Buffers}} {
		for _, p := range part.l {
			copy(part.v[p.Offset:][:p.Len()], convert[T](m.arrays[p.Name].Float64s()))
		}
	}
	gs, failed := make([]*gnn.Graph[T], len(graphs)), make([]error, len(graphs))
	dense.Each(threads, len(graphs), func(i int) {
		g := m.Graphs.reduced(graphs[i])
		x := g.features
		if m.norm.mean != nil {
			x = m.norm.apply(x)
		}
		gs[i], failed[i] = gnn.NewGraph[T](m.Options, 0, x, g.edges)
	})
	if err := cmp.Or(failed...); err != nil {
		return nil, err
	}
	return model.Predict(gs, threads)
}
