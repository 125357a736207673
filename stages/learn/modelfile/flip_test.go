package modelfile

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"prgnn/gnn/baseline"
	"prgnn/internal/need"
)

// A file with one altered bit, or cut, is refused, or reads as before: nothing of it counts that has no checksum.
func TestAlteredFiles(t *testing.T) {
	about := About{Header: HeaderOf("ridge", []string{"A", "B"}, false),
		Fitted: baseline.Stored{Kind: "linear", Parts: []baseline.Part{{Name: "weights", Shape: []int{1, 3},
			Values: []float64{1, 2, 3}}, {Name: "offset", Shape: []int{1}, Values: []float64{0.5}}}},
		Matrices: Matrices{Form: Form{Port: "pearson", Upper: true}, Nodes: 3},
		Training: NewTraining([]string{"a"}, []string{"a"}, []Data{DataOf([]float64{0.1, 0.2, 0.3})}, nil)}
	var fits Fits
	fits.Training.Add([]float64{0.1, 0.2, 0.3}, 3)
	file := need.Value(Write(about, fits))(t).Data
	read := func(b []byte) (string, []float64, error) {
		m, err := Read(b)
		if err != nil {
			return "", nil, err
		}
		return string(need.Value(json.Marshal(m.About))(t)), m.Predict([]float64{0.3, 0.2, 0.1}, 1), nil
	}
	want, p, err := read(file)
	need.NoError(t, err)
	for at := 0; at < len(file); at += 7 {
		for bit := range 8 {
			b := bytes.Clone(file)
			b[at] ^= 1 << bit
			if text, q, err := read(b); err == nil && (text != want || !slices.Equal(p, q)) {
				t.Errorf("byte %d, bit %d: another model", at, bit)
			}
		}
		if _, _, err := read(file[:at]); err == nil {
			t.Errorf("cut after %d bytes: read", at)
		}
	}
}
