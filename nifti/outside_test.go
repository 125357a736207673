package nifti_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/nifti"
)

// written are images of every type that we write: a label map, a statistical map, a
// scan, on an oblique grid that lies left.
func written(t *testing.T) map[string]*nifti.Image {
	oblique := nifti.Affine{{-2.9, 0.3, 0.1, 91.5}, {0.3, 2.9, -0.2, -126}, {0.1, 0.2, 3, -72.25}, {0, 0, 0, 1}}
	const n = 7 * 6 * 5
	labels, index, byte8 := make([]int32, n), make([]int16, n), make([]uint8, n)
	stat, scan := make([]float32, n), make([]int16, n*4)
	for i := range n {
		labels[i], index[i], byte8[i] = int32(i%3*1001), int16(i%85), uint8(i)
		stat[i] = float32(i)/7 - 11
	}
	for i := range scan {
		scan[i] = int16(1000 + i*i%701 - i)
	}
	space := []int{7, 6, 5}
	return map[string]*nifti.Image{
		"labels": {Shape: space, Affine: oblique, Code: 2, Data: labels, Intent: 1002, Descrip: "labels"},
		"index":  {Shape: space, Affine: oblique, Code: 4, Data: index, Intent: 1002},
		"bytes":  {Shape: space, Affine: oblique, Code: 1, Data: byte8},
		"stat":   {Shape: space, Affine: oblique, Code: 4, Data: stat, Intent: 5},
		"scan":   {Shape: []int{7, 6, 5, 4}, Affine: oblique, Code: 2, TR: 2.5, Data: scan},
	}
}

// write writes an image and says what Inspect reads from it.
func write(t *testing.T, dir, name string, img *nifti.Image) (path string, info nifti.Info) {
	t.Helper()
	var b bytes.Buffer
	need.NoError(t, nifti.Encode(&b, img))
	path = filepath.Join(dir, name+".nii.gz")
	need.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
	info = need.Value(nifti.Inspect(path, true))(t)
	return path, info
}

// outside runs an installed program that others made and returns what it prints.
func outside(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func numbers(t *testing.T, text string) (values []float64) {
	t.Helper()
	for _, f := range strings.Fields(text) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatalf("%q is not all numbers", text)
		}
		values = append(values, v)
	}
	return values
}

func near(t *testing.T, what string, got, want []float64, within float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
		return
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= within*max(1, math.Abs(want[i]))) {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

func floats[T int64 | nifti.Number](values []T) (f []float64) {
	for _, v := range values {
		f = append(f, float64(v))
	}
	return f
}

// MRtrix reads what we write: shape, voxel sizes, type, place and values.
func TestMRtrixReadsOurs(t *testing.T) {
	need.Program(t, "mrtrix3", "mrinfo")
	types := map[string]string{"int32": "Int32LE", "int16": "Int16LE", "uint8": "UInt8", "float32": "Float32LE"}
	for name, img := range written(t) {
		path, info := write(t, t.TempDir(), name, img)
		near(t, name+": size", numbers(t, outside(t, "mrinfo", "-quiet", "-size", path)), floats(info.Shape), 0)
		need.Equal(t, strings.TrimSpace(outside(t, "mrinfo", "-quiet", "-datatype", path)), types[info.DType], name)
		spacing := numbers(t, outside(t, "mrinfo", "-quiet", "-spacing", path))
		want := floats(info.Pixdim[1 : 1+len(info.Shape)])
		near(t, name+": voxel", spacing, want, 1e-5)
		// MRtrix turns the axes to about RAS: so does this one, in which the first
		// axis points left. Its transform has directions of unit length, and the
		// place of the first voxel after turning.
		var flat []float64
		for r := range 3 {
			size := want
			row := info.Affine[r]
			last := row[3] + row[0]*float64(info.Shape[0]-1)
			flat = append(flat, -row[0]/size[0], row[1]/size[1], row[2]/size[2], last)
		}
		near(t, name+": transform", numbers(t, outside(t, "mrinfo", "-quiet", "-transform", path)),
			append(flat, 0, 0, 0, 1), 1e-4)
		var means, least, most float64
		lines := strings.Split(strings.TrimSpace(outside(t, "mrstats", "-quiet", "-output", "mean", "-output", "min",
			"-output", "max", path)), "\n")
		for i, line := range lines { // a line a volume
			v := numbers(t, line)
			means += v[0] / float64(len(lines))
			if i == 0 {
				least, most = v[1], v[2]
			}
			least, most = min(least, v[1]), max(most, v[2])
		}
		near(t, name+": mean, min, max", []float64{means, least, most}, []float64{float64(info.Mean), float64(info.Min),
			float64(info.Max)}, 1e-5)
	}
}

// Connectome Workbench reads what we write.
func TestWorkbenchReadsOurs(t *testing.T) {
	need.Program(t, "connectome-workbench", "wb_command")
	for name, img := range written(t) {
		path, info := write(t, t.TempDir(), name, img)
		text := outside(t, "wb_command", "-file-information", path)
		dims := lists.Map(info.Shape, func(n int64) string { return fmt.Sprint(n) })
		line := func(label string) string {
			for l := range strings.Lines(text) {
				if key, value, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(key) == label {
					return strings.TrimSpace(value)
				}
			}
			return ""
		}
		if got := strings.NewReplacer(" ", "").Replace(line("Dimensions")); got != strings.Join(dims, ",") {
			t.Errorf("%s: dimensions %q, want %v\n%s", name, got, dims, text)
		}
		need.Equal(t, line("Maps to Volume"), "true", name, "maps to volume")
		// A line a map: number, minimum, maximum, mean …
		var lo, hi []float64
		for l := range strings.Lines(text) {
			f := strings.Fields(l)
			if len(f) < 4 {
				continue
			}
			if n, err := strconv.Atoi(f[0]); err != nil || n != len(lo)+1 {
				continue
			}
			a, err1 := strconv.ParseFloat(f[1], 64)
			b, err2 := strconv.ParseFloat(f[2], 64)
			if err1 == nil && err2 == nil {
				lo, hi = append(lo, a), append(hi, b)
			}
		}
		if len(lo) == 0 {
			t.Errorf("%s: no minimum in\n%s", name, text)
			continue
		}
		near(t, name+": min, max", []float64{slices.Min(lo), slices.Max(hi)},
			[]float64{float64(info.Min), float64(info.Max)}, 1e-3)
	}
}

// nibabel reads what we write, to the last bit.
func TestNibabelReadsOurs(t *testing.T) {
	python := need.Python(t, "nibabel")
	const script = `
import sys, json, hashlib, nibabel as nib, numpy as np
out = []
for path in sys.argv[1:]:
    i = nib.load(path); x = np.asarray(i.dataobj).astype("<f8"); h = i.header
    out.append(dict(shape=list(i.shape), dtype=str(i.get_data_dtype()), affine=i.affine.tolist(), zooms=[float(z) for z in h.get_zooms()],
        qform=i.get_qform().tolist(), codes=[int(h["qform_code"]), int(h["sform_code"])], units=list(h.get_xyzt_units()),
        sha=hashlib.sha256(x.tobytes(order="F")).hexdigest()))
print(json.dumps(out))`
	dir := t.TempDir()
	var paths []string
	var infos []nifti.Info
	for name, img := range written(t) {
		path, info := write(t, dir, name, img)
		paths, infos = append(paths, path), append(infos, info)
	}
	var read []struct {
		Shape         []int64
		DType         string
		Affine, QForm [][]float64
		Zooms         []float64
		Codes         []int64
		Units         []string
		SHA           string
	}
	need.NoError(t, json.Unmarshal([]byte(outside(t, python, append([]string{"-c", script}, paths...)...)),
		&read))
	for i, r := range read {
		name, info := filepath.Base(paths[i]), infos[i]
		if !slices.Equal(r.Shape, info.Shape) || r.DType != info.DType || r.SHA != info.SHA256 {
			t.Errorf("%s: %v %s %s, want %v %s %s", name, r.Shape, r.DType, r.SHA, info.Shape, info.DType, info.SHA256)
		}
		if !slices.Equal(r.Codes, []int64{info.QformCode, info.SformCode}) || r.Units[0] != "mm" || len(r.Shape) == 4 &&
			r.Units[1] != "sec" {
			t.Errorf("%s: codes %v, units %v", name, r.Codes, r.Units)
		}
		for row := range r.Affine {
			near(t, name+": affine", r.Affine[row], info.Affine[row], 1e-6)
		}
		if len(r.Shape) == 4 {
			near(t, name+": TR", r.Zooms[3:], []float64{info.TR}, 1e-6)
		}
	}
}
