package cli

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"strings"

	"prgnn/nifti"
)

// An imageJSON has the words of nibabel for what an image file says.
type imageJSON struct {
	Class     string          `json:"class"` // Nifti1Image, Nifti1Pair, Nifti2Image, Nifti2Pair, MGHImage
	Shape     []int64         `json:"shape"`
	DType     string          `json:"dtype"` // numpy's name; ">i2" when big-endian
	Endian    string          `json:"endian"`
	Affine    [][]jsonFloat   `json:"affine"`
	From      string          `json:"affine_source"` // sform, qform, mgh or none
	Axes      string          `json:"axes"`          // such as RAS
	TR        float64         `json:"tr"`            // s; 0 when the header does not say
	ScaleBy   jsonFloat       `json:"scl_slope"`
	ScaleFrom jsonFloat       `json:"scl_inter"`
	Nifti     *niftiFields    `json:"-"`
	Problems  []nifti.Problem `json:"problems"`
}

// niftiFields are those that an MGH file does not have.
type niftiFields struct {
	Datatype   int64       `json:"datatype"`
	Magic      string      `json:"magic"`
	Pixdim     []jsonFloat `json:"pixdim"`
	XYZTUnits  int64       `json:"xyzt_units"`
	QformCode  int64       `json:"qform_code"`
	SformCode  int64       `json:"sform_code"`
	IntentCode int64       `json:"intent_code"`
	Descrip    string      `json:"descrip"`
	ExtCodes   []int       `json:"ext_codes"`
}

// voxelStats sum up the scaled values of an image.
type voxelStats struct {
	Min    jsonFloat `json:"min"`
	Max    jsonFloat `json:"max"`
	Mean   jsonFloat `json:"mean"`
	NaN    int64     `json:"n_nan"`
	SHA256 string    `json:"sha256_f64le_xfastest"`
}

// A jsonFloat writes NaN and the infinities as text, since JSON has no number for them.
type jsonFloat float64

func (f jsonFloat) MarshalJSON() ([]byte, error) {
	x := float64(f)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte(`"` + float(x, -1, 64) + `"`), nil
	}
	return []byte(float(x, -1, 64)), nil
}

func (a *app) inspectImage(e inspectEvent, withStats bool) error {
	r, err := nifti.Open(e.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	img := imageOf(r)
	var voxels *voxelStats
	if withStats {
		if voxels, err = readVoxels(r); err != nil {
			return err
		}
	}
	e.Format = "nifti"
	if r.Header.Version == 0 {
		e.Format = "mgh"
	}
	if a.json {
		a.object(struct {
			inspectEvent
			imageJSON
			*niftiFields
			*voxelStats
		}{e, img, img.Nifti, voxels})
		return nil
	}
	a.printImage(e, r.Header, img, voxels)
	return nil
}

func imageOf(r *nifti.Reader) imageJSON {
	h := r.Header
	slope, inter, _ := h.Scaling()
	affine := h.Affine()
	img := imageJSON{
		Class: classOf(h), Shape: h.Shape(), DType: dtypeOf(h), Endian: "<",
		From: h.AffineSource(), Axes: affine.Axes(), TR: h.TR(),
		ScaleBy: jsonFloat(slope), ScaleFrom: jsonFloat(inter), Problems: append([]nifti.Problem{}, h.Check()...),
	}
	if h.BigEndian {
		img.Endian = ">"
	}
	for _, row := range affine {
		img.Affine = append(img.Affine, jsonFloats(row[:]))
	}
	if h.Version == 0 {
		return img
	}
	img.Nifti = &niftiFields{
		Datatype: h.Datatype, Magic: strings.TrimRight(string(h.Magic[:4]), "\x00"), Pixdim: jsonFloats(h.Pixdim[:]),
		XYZTUnits: h.XYZTUnits, QformCode: h.QformCode, SformCode: h.SformCode, IntentCode: h.IntentCode,
		Descrip: text(h.Descrip[:]), ExtCodes: []int{},
	}
	if h.Pixdim[0] != -1 {
		img.Nifti.Pixdim[0] = 1 // qfac: the sign that is meant, as nibabel gives it
	}
	for _, x := range r.Extensions {
		img.Nifti.ExtCodes = append(img.Nifti.ExtCodes, x.Code)
	}
	return img
}

// text is a text of a header: up to its first zero, and UTF-8.
func text(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return strings.ToValidUTF8(s, "�")
}

func jsonFloats(v []float64) []jsonFloat {
	out := make([]jsonFloat, len(v))
	for i, x := range v {
		out[i] = jsonFloat(x)
	}
	return out
}

func classOf(h *nifti.Header) string {
	switch {
	case h.Version == 0:
		return "MGHImage"
	case h.Magic[1] == 'i':
		return fmt.Sprintf("Nifti%dPair", h.Version)
	}
	return fmt.Sprintf("Nifti%dImage", h.Version)
}

// dtypeOf is what numpy calls the stored type on a little-endian machine.
func dtypeOf(h *nifti.Header) string {
	t := nifti.DataType(h.Datatype)
	name := t.String()
	if !h.BigEndian || t.Size() == 1 {
		return name
	}
	kind := "i"
	switch {
	case strings.HasPrefix(name, "uint"):
		kind = "u"
	case strings.HasPrefix(name, "float"):
		kind = "f"
	}
	return fmt.Sprintf(">%s%d", kind, t.Size())
}

// readVoxels goes through all volumes, one in memory at a time.
func readVoxels(r *nifti.Reader) (*voxelStats, error) {
	v := &voxelStats{}
	volume := make([]float64, r.Header.Grid().Voxels())
	digest := sha256.New()
	low, high, sum, n := math.Inf(1), math.Inf(-1), 0.0, int64(0)
	for {
		err := r.Next(volume)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		hashFloats(digest, volume)
		for _, x := range volume {
			if math.IsNaN(x) {
				v.NaN++
				continue
			}
			low, high = math.Min(low, x), math.Max(high, x)
			sum += x
			n++
		}
	}
	if n == 0 {
		low, high, sum = math.NaN(), math.NaN(), math.NaN()
	}
	v.Min, v.Max, v.Mean = jsonFloat(low), jsonFloat(high), jsonFloat(sum/float64(max(n, 1)))
	v.SHA256 = hex.EncodeToString(digest.Sum(nil))
	return v, nil
}

func hashFloats(h hash.Hash, values []float64) {
	buf := make([]byte, 0, 1<<16)
	for i, x := range values {
		buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(x))
		if len(buf) == cap(buf) || i == len(values)-1 {
			h.Write(buf)
			buf = buf[:0]
		}
	}
}

func (a *app) printImage(e inspectEvent, h *nifti.Header, img imageJSON, voxels *voxelStats) {
	what := "MGH"
	if h.Version > 0 {
		what = fmt.Sprintf("NIfTI-%d", h.Version)
	}
	order := "little-endian"
	if h.BigEndian {
		order = "big-endian"
	}
	fmt.Fprintf(a.out, "%s  %s, %s %s, %s\n", a.page.bold(e.Path), what, nifti.DataType(h.Datatype), order, byteCount(e.Bytes))
	g := grid{indent: "  "}
	var lengths []string
	for _, n := range img.Shape {
		lengths = append(lengths, fmt.Sprint(n))
	}
	g.add("shape", strings.Join(lengths, " × "))
	affine := h.Affine()
	size := affine.VoxelSize()
	g.add("voxel", fmt.Sprintf("%s × %s × %s mm", rounded(size[0]), rounded(size[1]), rounded(size[2])))
	if len(img.Shape) > 3 {
		tr := "the header does not say"
		if img.TR > 0 {
			tr = rounded(img.TR) + " s"
		}
		g.add("TR", tr)
	}
	g.add("axes", img.Axes)
	for i, row := range affine[:3] {
		name := ""
		if i == 0 {
			name = "affine"
		}
		line := ""
		for _, x := range row {
			line += fmt.Sprintf("%10s", rounded(x))
		}
		if i == 0 {
			line += "  from " + img.From
		}
		g.add(name, line)
	}
	g.add("scaling", fmt.Sprintf("slope %s, intercept %s", rounded(float64(img.ScaleBy)), rounded(float64(img.ScaleFrom))))
	if n := img.Nifti; n != nil {
		g.add("codes", fmt.Sprintf("sform %d, qform %d, intent %d", n.SformCode, n.QformCode, n.IntentCode))
		if n.Descrip != "" {
			g.add("descrip", n.Descrip)
		}
		if len(n.ExtCodes) > 0 {
			g.add("extensions", strings.Trim(fmt.Sprint(n.ExtCodes), "[]"))
		}
	}
	if voxels != nil {
		g.add("values", fmt.Sprintf("min %s, max %s, mean %s, %d NaN", rounded(float64(voxels.Min)), rounded(float64(voxels.Max)), rounded(float64(voxels.Mean)), voxels.NaN))
		g.add("sha256", voxels.SHA256)
	}
	g.print(a.out)
	for _, p := range img.Problems {
		word := "doubtful: "
		if p.Fatal {
			word = "wrong: "
		}
		fmt.Fprintf(a.out, "  %s%s\n", a.page.red(word), p)
	}
}
