package modelfile

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/gnn/baseline"
	"prgnn/internal/need"
)

// smallModel is the file of a model of three regions.
func smallModel(t *testing.T) []byte {
	about := About{Header: HeaderOf("ridge", []string{"A", "B"}, false),
		Fitted: baseline.Stored{Kind: "linear", Parts: []baseline.Part{{Name: "weights", Shape: []int{1, 3},
			Values: []float64{1, 2, 3}}, {Name: "offset", Shape: []int{1}, Values: []float64{0.5}}}},
		Matrices: Matrices{Form: Form{Port: "pearson", Upper: true}, Nodes: 3},
		Training: NewTraining([]string{"a"}, []string{"a"}, []Data{DataOf([]float64{0.1, 0.2, 0.3})}, nil)}
	var fits Fits
	fits.Training.Add([]float64{0.1, 0.2, 0.3}, 3)
	return need.Value(Write(about, fits))(t).Data
}

// repacked is a file whose members another program packed again, compressed and in the opposite order.
func repacked(t *testing.T, file []byte, edit func(name string, member []byte) []byte) []byte {
	z := need.Value(zip.NewReader(bytes.NewReader(file), int64(len(file))))(t)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range slices.Backward(z.File) {
		member := need.Value(io.ReadAll(need.Value(f.Open())(t)))(t)
		need.Value(need.Value(w.Create(f.Name))(t).Write(edit(f.Name, member)))(t)
	}
	need.NoError(t, w.Close())
	return b.Bytes()
}

// A file that was packed again with the same content reads; one with other content is refused, whatever was altered.
func TestContentDigest(t *testing.T) {
	stored := smallModel(t)
	exported := need.Value(WithOrigin(stored, Origin{Program: "1", Parameters: map[string]string{"seed": "1"}},
		Study{Positive: "B", Recalibration: &Recalibration{0.125, 1e-7, 20}}))(t)
	for _, file := range [][]byte{stored, exported} {
		_, about, err := Unpack(file)
		need.NoError(t, err)
		need.Equal(t, strings.Count(string(about), `"content"`), 1)
		var same bytes.Buffer
		need.NoError(t, json.Compact(&same, about))
		m := need.Value(Read(repacked(t, file, func(name string, member []byte) []byte {
			if name == aboutName {
				return bytes.ReplaceAll(same.Bytes(), []byte("1e-7"), []byte("0.0000001"))
			}
			return member
		})))(t)
		need.Equal(t, len(m.Content), 64)
		for _, e := range [][2]string{{`"threshold": 0.5`, `"threshold": 0.6`}, {"\"A\",\n  \"B\"", "\"B\",\n  \"A\""},
			{m.Training.Participants[0], strings.Repeat("0", 32)}, {m.Training.Key, strings.Repeat("1", 32)},
			{`"calibrated": false`, `"calibrated": true`}, {`"slope": 1e-7`, `"slope": 2`}, {`"weights.npy"`, ""}} {
			altered := repacked(t, file, func(name string, member []byte) []byte {
				if name == aboutName {
					return bytes.Replace(member, []byte(e[0]), []byte(e[1]), 1)
				}
				if e[0] == `"`+name+`"` {
					member[len(member)-1] ^= 0x40
				}
				return member
			})
			if _, err := Read(altered); bytes.Contains(about, []byte(e[0])) || e[1] == "" {
				need.Error(t, err, "the file was altered after it was written; export the model again")
			}
			if _, err := ReadFacts(altered); bytes.Contains(about, []byte(e[0])) || e[1] == "" {
				need.Error(t, err, "the file was altered after it was written; export the model again")
			}
		}
		m = need.Value(Read(repacked(t, file, func(_ string, member []byte) []byte {
			return atContent.ReplaceAll(member, []byte("}"))
		})))(t)
		need.Equal(t, m.Content, "")
	}
}

// A file that numpy packed again reads, with model.json as a text or as numpy.savez writes it.
func TestContentPackedByNumpy(t *testing.T) {
	python, dir := need.Python(t, "numpy"), t.TempDir()
	need.NoError(t, os.WriteFile(filepath.Join(dir, "m.npz"), smallModel(t), 0o600))
	run := exec.Command(python, "-c", `import json, zipfile, numpy as np
m = dict(np.load("m.npz"))
np.savez("all.npz", **m)
np.savez_compressed("other.npz", **(m | {"weights": -m["weights"]}))
about = m.pop("model.json")
np.savez_compressed("arrays.npz", **m)
with zipfile.ZipFile("arrays.npz", "a") as z:
    z.writestr("model.json", json.dumps(json.loads(about)))
`)
	run.Dir = dir
	out, err := run.CombinedOutput()
	need.NoError(t, err, string(out))
	for name, want := range map[string]string{"all": "", "arrays": "", "other": "the file was altered"} {
		_, err := Read(need.Value(os.ReadFile(filepath.Join(dir, name+".npz")))(t))
		if want == "" {
			need.NoError(t, err, name)
		} else {
			need.Error(t, err, want, name)
		}
	}
}

// A file with one altered bit, or cut, is refused, or reads as before: nothing of it counts that has no checksum.
func TestAlteredFiles(t *testing.T) {
	file := smallModel(t)
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
