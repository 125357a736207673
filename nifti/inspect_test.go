package nifti

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
)

func TestInspectJSON(t *testing.T) {
	nan, inf := nanInf()
	path := filepath.Join(t.TempDir(), "x.nii")
	s := scan{Float32, true, 2, 1, [4]int{2, 2, 1, 2}, []float64{1, nan, -4, 3, 0.5, 2, 2, 2}}
	need.NoError(t, os.WriteFile(path, s.file(), 0o644))
	info, err := Inspect(path, true)
	need.NoError(t, err)
	b, err := json.Marshal(info)
	need.NoError(t, err)
	var m map[string]any
	need.NoError(t, json.Unmarshal(b, &m))
	for name, want := range map[string]any{
		"class": "Nifti1Image", "bytes": 384.0, "dtype": ">f4", "datatype": 16.0, "endian": ">", "magic": "n+1",
		"affine_source": "sform", "axes": "RAS",
		"sform_code": 1.0, "qform_code": 0.0, "xyzt_units": 10.0, "tr": 2.0, "scl_slope": 2.0, "scl_inter": 1.0,
		"intent_code": 0.0, "vox_offset": 352.0,
		"min": -7.0, "max": 7.0, "mean": 20.0 / 7, "n_nan": 1.0,
	} {
		need.Equal(t, m[name], want, name)
	}
	// Without statistics they are not there at all.
	if info, err = Inspect(path, false); err != nil {
		t.Fatal(err)
	}
	b, _ = json.Marshal(info)
	clear(m)
	need.NoError(t, json.Unmarshal(b, &m))
	if _, ok := m["mean"]; ok || m["class"] != "Nifti1Image" {
		t.Errorf("%s", b)
	}
	// Nothing but NaN and infinities: no number, and no invalid JSON.
	s.values = []float64{nan, nan, nan, nan, nan, nan, nan, inf}
	need.NoError(t, os.WriteFile(path, s.file(), 0o644))
	if info, err = Inspect(path, true); err != nil || info.NaN != 7 || !math.IsInf(float64(info.Max), 1) {
		t.Errorf("%+v, error %v", info.Stats, err)
	}
	if _, err := json.Marshal(info); err != nil {
		t.Error(err)
	}
	// The mean keeps small values beside large ones.
	s = scan{Float64, false, 1, 0, [4]int{2, 2, 1, 2}, []float64{1, 1e16, 1, 1, 1, 1, 1, -1e16}}
	need.NoError(t, os.WriteFile(path, s.file(), 0o644))
	if info, err = Inspect(path, true); err != nil || info.Mean != 0.75 {
		t.Errorf("mean %v, want 0.75, error %v", info.Mean, err)
	}
	// What a damaged file says before the damage.
	need.NoError(t, os.WriteFile(path, s.file()[:380], 0o644))
	if info, err = Inspect(path, true); err == nil || info.Class != "Nifti1Image" || info.Stats != nil {
		t.Errorf("%+v, error %v", info, err)
	}
	if info, err = Inspect(filepath.Join(t.TempDir(), "absent.nii"), true); err == nil || info.Class != "" {
		t.Errorf("%+v, error %v", info, err)
	}
}

// The sample images of the format's authors, of one head in two handednesses: once
// in the same order, RAS, they are the same voxel by voxel.
func TestHandedness(t *testing.T) {
	read := func(name string) []float64 {
		r := need.Value(Open(need.Shared(t, "data", "nifti_conformance", "nimh", name)))(t)
		defer r.Close()
		g := r.Header.Grid()
		volume := make([]float64, g.Voxels())
		need.NoError(t, r.Next(volume))
		ras := make([]float64, len(volume))
		for at, v := range volume {
			c := g.coords(at)
			for a := range c {
				if g.Affine[a][a] < 0 {
					c[a] = g.Shape[a] - 1 - c[a]
				}
			}
			ras[c[0]+g.Shape[0]*(c[1]+g.Shape[1]*c[2])] = v
		}
		return ras
	}
	left, right := read("avg152T1_LR_nifti.nii.gz"), read("avg152T1_RL_nifti.img.gz")
	for i := range left {
		if left[i] != right[i] {
			t.Fatalf("voxel %d: %v and %v", i, left[i], right[i])
		}
	}
}
