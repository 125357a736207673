package nifti

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// The table of fields agrees with nibabel's, and covers every byte of the header.
func TestFields(t *testing.T) {
	b := need.Value(os.ReadFile(filepath.Join("testdata", "nibabel", "offsets.json")))(t)
	var nibabel map[int]map[string][2]any
	need.NoError(t, json.Unmarshal(b, &nibabel))
	kinds := map[kind]string{i8: "|u1", i16: "<i2", i32: "<i4", i64: "<i8", f32: "<f4", f64: "<f8"}
	// Those that nibabel has one by one, and others that it calls otherwise.
	first := map[string]string{"intent_p": "intent_p1", "quatern": "quatern_b", "qoffset": "qoffset_x"}
	for version, size := range headerSize {
		if version == 0 {
			continue
		}
		covered := make([]int, size)
		for _, f := range fields {
			p := f.place(version)
			if p.kind == none {
				continue
			}
			n := 1
			switch v := f.at(new(Header)).(type) {
			case []byte:
				n = len(f.bytesOf(new(Header), version))
			case []int64:
				n = len(v)
			case []float64:
				n = len(v)
			}
			for i := range n * kindSize[p.kind] {
				covered[p.offset+i]++
			}
			name := f.name
			if other, ok := first[name]; ok {
				name = other
			}
			want, ok := nibabel[version][name]
			if !ok {
				t.Errorf("NIfTI-%d: nibabel has no field %s", version, name)
				continue
			}
			if float64(p.offset) != want[0] {
				t.Errorf("NIfTI-%d: %s at %d, want %v", version, name, p.offset, want[0])
			}
			if k := kinds[p.kind]; k != "" && k != want[1] && !(p.kind == i8 && want[1] == "|S1") {
				t.Errorf("NIfTI-%d: %s is %s, want %v", version, name, k, want[1])
			}
		}
		for i, n := range covered {
			need.Equal(t, n, 1, "NIfTI-", version, "byte", i, "is in", "fields")
		}
		if want := nibabel[version]["end"][0]; float64(size) != want {
			t.Errorf("NIfTI-%d: %d bytes, want %v", version, size, want)
		}
	}
}

// decode∘encode is the identity, for the headers that others have written and for
// one with a different value in every byte.
func TestHeaderRoundTrip(t *testing.T) {
	check := func(name string, b []byte) {
		version, big := versionOf(b)
		if version == 0 || len(b) < headerSize[version] {
			return
		}
		b = b[:headerSize[version]]
		if got := decodeHeader(b, version, big).encode(); !bytes.Equal(got, b) {
			t.Errorf("%s: header changed by decoding and encoding", name)
		}
	}
	for version := 1; version <= 2; version++ {
		for _, big := range []bool{false, true} {
			b := make([]byte, headerSize[version])
			for i := range b {
				b[i] = byte(i*37+11) & 0x3f // no float is a NaN, whose bits may change
			}
			h := &Header{Version: version, BigEndian: big, SizeofHdr: int64(headerSize[version])}
			copy(b, h.encode()[:4])
			if version == 2 {
				clear(b[168:176]) // vox_offset is kept as a float64: places beyond 2⁵³ are not
			}
			check("made up", b)
		}
	}
	n := 0
	root := need.Shared(t, "data", "nifti_conformance")
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, ".HEAD") || strings.Contains(path, ".BRIK") {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		r, err := unzip(f)
		if err != nil {
			return err
		}
		b := make([]byte, headerSize[2])
		if k, _ := r.Read(b); k >= headerSize[1] {
			check(path, b[:k])
			n++
		}
		return nil
	})
	if err != nil || n < 15 {
		t.Errorf("%d files, error %v", n, err)
	}
}

func TestTR(t *testing.T) {
	for _, c := range []struct {
		version int
		units   int64
		pixdim  float64
		want    float64
	}{
		{1, 10, 2, 2},
		{1, 10, float64(float32(0.72)), 0.72}, // the decimal that was meant
		{2, 10, 0.72, 0.72},
		{1, 2 + 16, 2500, 2.5},
		{1, 2 + 24, 2e6, 2},
		{1, 2, 2, 2},  // no unit: seconds
		{1, 10, 0, 0}, // none
		{1, 10, -2, 0},
		{1, 2 + 32, 0.5, 0}, // Hz
		{1, 2 + 40, 2, 0},   // ppm
	} {
		h := &Header{Version: c.version, XYZTUnits: c.units, Dim: [8]int64{4, 1, 1, 1, 9}}
		h.Pixdim[4] = c.pixdim
		need.Equal(t, h.TR(), c.want, c, "TR")
		h.Dim, h.Pixdim[4], h.Pixdim[5] = [8]int64{5, 1, 1, 1, 1, 9}, 1, c.pixdim // x, y, z, 1, t
		need.Equal(t, h.TR(), c.want, c, "TR of five axes")
	}
}

// Of x, y, z, 1, t the step of an axis of one may be the time of the scan from which the image was made: beside another
// step, neither is believed. Writers fill in 1 (and 0) for an axis that they add.
func TestTimeOfAxesOfOne(t *testing.T) {
	for _, c := range []struct {
		steps []float64 // of the fourth axis, and of those after it
		want  float64
		why   string
	}{
		{[]float64{2, 1}, 0, "pixdim[4] is 2, pixdim[5] is 1: either may be the repetition time"},
		{[]float64{2, 3}, 0, "pixdim[4] is 2, pixdim[5] is 3: either may be the repetition time"},
		{[]float64{2, 1, 1}, 0, "pixdim[4] is 2, pixdim[6] is 1: either may be the repetition time"},
		{[]float64{1, 2, 1}, 0, "pixdim[5] is 2, pixdim[6] is 1: either may be the repetition time"},
		{[]float64{2, 0}, 0, "pixdim[5] is 0"},
		{[]float64{2, 2}, 2, ""},
		{[]float64{1, 2}, 2, ""},
		{[]float64{0, 2}, 2, ""},
		{[]float64{-1, 2}, 2, ""},
		{[]float64{math.NaN(), 2}, 2, ""},
		{[]float64{1, 1}, 1, ""},
	} {
		n := len(c.steps)
		h := &Header{Version: 1, XYZTUnits: 10, Dim: [8]int64{int64(3 + n), 2, 2, 2, 1, 1, 1, 1}}
		copy(h.Pixdim[4:], c.steps)
		h.Dim[3+n] = 80
		need.Equal(t, h.TR(), c.want, c.steps)
		need.Equal(t, h.NoTime(), c.why, c.steps)
	}
}

// The rules of nibabel's get_slope_inter (test_slope_inter).
func TestScaling(t *testing.T) {
	nan, inf := nanInf()
	for _, c := range []struct {
		slope, inter         float64
		wantSlope, wantInter float64
		fails                bool
	}{
		{1, 0, 1, 0, false}, {2, 3, 2, 3, false}, {-2, 3, -2, 3, false},
		{0, 0, 1, 0, false}, {0, 5, 1, 0, false}, {0, nan, 1, 0, false}, {0, inf, 1, 0, false},
		{nan, 0, 1, 0, false}, {nan, 5, 1, 0, false}, {nan, nan, 1, 0, false},
		{inf, 0, 1, 0, false}, {-inf, 5, 1, 0, false}, {inf, inf, 1, 0, false},
		{1, nan, 0, 0, true}, {2, inf, 0, 0, true}, {2, -inf, 0, 0, true},
	} {
		h := &Header{Version: 1, SclSlope: c.slope, SclInter: c.inter}
		s, i, err := h.Scaling()
		if (err != nil) != c.fails || err == nil && (s != c.wantSlope || i != c.wantInter) {
			t.Errorf("slope %v, intercept %v: %v, %v, error %v", c.slope, c.inter, s, i, err)
		}
	}
}
