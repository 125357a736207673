package nifti

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// oracle is what nibabel 5 read from a file.
type oracle struct {
	Shape     []int64
	Class     string
	DType     string
	Datatype  int64
	Endian    string
	Magic     string
	Affine    [][]float64
	Pixdim    []float64
	SformCode int64    `json:"sform_code"`
	QformCode int64    `json:"qform_code"`
	SclSlope  *float64 `json:"scl_slope"`
	SclInter  *float64 `json:"scl_inter"`
	Units     int64    `json:"xyzt_units"`
	Intent    int64    `json:"intent_code"`
	ExtCodes  []int    `json:"ext_codes"`
	Bytes     int64
	Min, Max  float64
	Mean      float64
	NaN       int64  `json:"n_nan"`
	SHA256    string `json:"sha256_f64le_xfastest"`
	Error     string `json:"nibabel_error"`
}

// refused are the files that are no NIfTI or MGH image, or not a whole one, and
// what the error has to say.
var refused = map[string]string{
	"analyze.hdr":             "Analyze 7.5",
	"nifti1.hdr":              "neither",
	"nifti2.hdr":              "neither",
	"bad_attribute+orig.HEAD": "AFNI header",
	"bad_datatype+orig.HEAD":  "AFNI header",
	"example4d+orig.HEAD":     "AFNI header",
	"scaled+tlrc.HEAD":        "AFNI header",
	"example4d+orig.BRIK.gz":  "not a NIfTI or MGH image",
	"scaled+tlrc.BRIK":        "not a NIfTI or MGH image",
	"not-nifti.nii":           "not a NIfTI or MGH image",
}

func TestConformance(t *testing.T) {
	b := need.Value(os.ReadFile(need.Shared(t, "data", "oracle_nibabel.json")))(t)
	var all map[string]oracle
	need.NoError(t, json.Unmarshal(b, &all))
	if len(all) != 81 {
		t.Errorf("the oracle knows %d files, want 81", len(all))
	}
	for path, want := range all {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			info, err := Inspect(need.Shared(t, "data", path), true)
			if says, ok := refused[filepath.Base(path)]; ok {
				if err == nil || !strings.Contains(err.Error(), says) {
					t.Fatalf("error %v, want one about %q", err, says)
				}
				if want.Magic != "" { // a header without voxels: what it says is still told
					sameHeader(t, info, want)
				}
				return
			}
			need.NoError(t, err)
			if want.Error != "" {
				t.Fatalf("read, but nibabel says %s", want.Error)
			}
			sameHeader(t, info, want)
			if info.Bytes != want.Bytes || info.NaN != want.NaN || info.SHA256 != want.SHA256 {
				t.Errorf("bytes %d, NaN %d, digest %s, want %d, %d, %s", info.Bytes, info.NaN, info.SHA256, want.Bytes, want.NaN, want.SHA256)
			}
			if float64(info.Min) != want.Min || float64(info.Max) != want.Max {
				t.Errorf("min %v, max %v, want %v, %v", info.Min, info.Max, want.Min, want.Max)
			}
			if d := math.Abs(float64(info.Mean) - want.Mean); d > 1e-12*math.Abs(want.Mean) {
				t.Errorf("mean %v, want %v", info.Mean, want.Mean)
			}
		})
	}
}

func sameHeader(t *testing.T, info Info, want oracle) {
	t.Helper()
	need.Equal(t, info.Class, want.Class, "class")
	if !slices.Equal(info.Shape, want.Shape) || info.Endian != want.Endian {
		t.Errorf("shape %s%v, want %s%v", info.Endian, info.Shape, want.Endian, want.Shape)
	}
	if want.DType != "" && info.DType != want.DType {
		t.Errorf("dtype %s, want %s", info.DType, want.DType)
	}
	if want.SclSlope != nil && (info.SclSlope != *want.SclSlope || info.SclInter != *want.SclInter) {
		t.Errorf("scaling %v, %v, want %v, %v", info.SclSlope, info.SclInter, *want.SclSlope, *want.SclInter)
	}
	for r := range want.Affine {
		for c, v := range want.Affine[r] {
			if d := math.Abs(info.Affine[r][c] - v); d > 1e-7*max(1, math.Abs(v)) {
				t.Errorf("affine[%d][%d] = %v, want %v", r, c, info.Affine[r][c], v)
			}
		}
	}
	if want.Class == "MGHImage" || want.Class == "Cifti2Image" {
		return
	}
	if info.Magic != want.Magic || info.Datatype != want.Datatype || info.SformCode != want.SformCode ||
		info.QformCode != want.QformCode || info.Units != want.Units || info.Intent != want.Intent {
		t.Errorf("header %+v, want %+v", info, want)
	}
	for i, v := range want.Pixdim {
		if float64(info.Pixdim[i]) != v {
			t.Errorf("pixdim[%d] = %v, want %v", i, info.Pixdim[i], v)
		}
	}
	if want.Error == "" && !slices.Equal(info.ExtCodes, want.ExtCodes) {
		t.Errorf("extensions %v, want %v", info.ExtCodes, want.ExtCodes)
	}
}
