package nifti

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"prgnn/internal/lists"
)

// A Problem is one thing wrong with a header.
type Problem struct {
	Field  string `json:"field"`
	Fatal  bool   `json:"fatal"` // the image cannot be read rightly; else it is read, by the rule that Text states
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

func (p Problem) String() string {
	s := p.Field + ": " + p.Text
	if p.Remedy != "" {
		s += "; " + p.Remedy
	}
	return s
}

// checks are all that a header has to pass, each by itself.
var checks = []struct {
	name  string
	check func(*Header) []Problem
}{
	{"magic", checkMagic},
	{"dim", checkDim},
	{"datatype", checkDatatype},
	{"bitpix", checkBitpix},
	{"vox_offset", checkOffset},
	{"scaling", checkScaling},
	{"codes", checkCodes},
	{"sform", checkSform},
	{"qform", checkQform},
	{"qfac", checkQfac},
	{"agreement", checkAgreement},
	{"units", checkUnits},
	{"time", checkTime},
	{"intent", checkIntent},
}

// Check reports every problem of the header, in the order of the checks.
func (h *Header) Check() []Problem {
	var all []Problem
	for _, c := range checks {
		all = append(all, c.check(h)...)
	}
	return all
}

// A HeaderError holds the problems that keep an image from being read.
type HeaderError struct{ Problems []Problem }

func (e *HeaderError) Error() string {
	text := lists.Map(e.Problems, func(p Problem) string { return p.String() })
	return "header: " + strings.Join(text, "\n  header: ")
}

// fatal is the error of a header's fatal problems, or nil.
func (h *Header) fatal() error {
	var e HeaderError
	for _, p := range h.Check() {
		if p.Fatal {
			e.Problems = append(e.Problems, p)
		}
	}
	if e.Problems == nil {
		return nil
	}
	return &e
}

func fatal(field, remedy, format string, a ...any) []Problem {
	return []Problem{{field, true, fmt.Sprintf(format, a...), remedy}}
}

func warning(field, remedy, format string, a ...any) []Problem {
	return []Problem{{field, false, fmt.Sprintf(format, a...), remedy}}
}

const reexport = "export the image again from the program that wrote it"

// lineEnds follow the magic of NIfTI-2; a transfer in text mode changes them.
const lineEnds = "\r\n\x1a\n"

// single reports whether header and voxels share one file, by the magic.
func (h *Header) single() bool { return h.Version == 0 || h.Magic[1] == '+' }

func checkMagic(h *Header) []Problem {
	magic := string(h.Magic[:4])
	switch {
	case h.Version == 0:
		return nil
	case h.Version == 1 && (magic == "n+1\x00" || magic == "ni1\x00"):
		return nil
	case h.Version == 2 && (magic == "n+2\x00" || magic == "ni2\x00"):
		if string(h.Magic[4:]) != lineEnds {
			return fatal("magic", "copy the file again in binary mode", "line-end bytes %q were changed in transfer, so the voxels are damaged too", h.Magic[4:])
		}
		return nil
	case h.Version == 1 && strings.Trim(magic, "\x00") == "":
		return fatal("magic", "convert it to NIfTI with the program that wrote it", "none: this is an Analyze 7.5 header, which defines neither orientation nor scaling")
	}
	return fatal("magic", reexport, "%q, want n+%d or ni%d", magic, h.Version, h.Version)
}

func checkDim(h *Header) []Problem {
	n := h.Dim[0]
	if n < 1 || n > 7 {
		return fatal("dim[0]", reexport, "%d axes, want 1 to 7", n)
	}
	if h.Dim[1] == -1 && h.Version == 1 {
		return fatal("dim[1]", "convert it with mri_convert to a surface format", "-1: FreeSurfer keeps a long vector here (its length is glmin), not a volume")
	}
	if n >= 3 && h.Dim[1] == 27307 && h.Dim[2] == 1 && h.Dim[3] == 6 {
		return fatal("dim", "convert it with mri_convert to a surface format", "27307×1×6: FreeSurfer keeps values on an ico7 surface here, not a volume")
	}
	var all []Problem
	bytes := uint64(max(1, DataType(h.Datatype).Size()))
	fits := true
	for i := int64(1); i <= n; i++ {
		if h.Dim[i] < 1 {
			all = append(all, fatal(fmt.Sprintf("dim[%d]", i), reexport, "length %d, want at least 1", h.Dim[i])...)
			continue
		}
		hi, lo := bits.Mul64(bytes, uint64(h.Dim[i]))
		bytes, fits = lo, fits && hi == 0 && lo <= math.MaxInt64
	}
	if volume := h.volumeSize(); fits && volume > maxVolume {
		all = append(all, fatal("dim", "if it is correct, resample the image to larger voxels; if not, "+reexport, "a volume of shape %v takes %d MiB, the limit is %d MiB", h.Shape()[:min(n, 3)], volume>>20, maxVolume>>20)...)
	}
	if !fits {
		all = append(all, fatal("dim", reexport, "shape %v is larger than any file", h.Shape())...)
	}
	return all
}

// maxVolume bounds one volume, bytes: 0.25 mm voxels around a head, in double precision.
const maxVolume = 1 << 30

// volumeSize is the size of one volume, bytes. The shape must have been checked.
func (h *Header) volumeSize() int64 {
	size := int64(max(1, DataType(h.Datatype).Size()))
	for _, n := range h.Dim[1 : min(h.Dim[0], 3)+1] {
		size *= max(n, 1)
	}
	return size
}

func checkDatatype(h *Header) []Problem {
	if err := DataType(h.Datatype).readable(); err != nil {
		return fatal("datatype", "convert the image to a real type, such as float32 or int16", "%v", err)
	}
	return nil
}

func checkBitpix(h *Header) []Problem {
	if d, ok := dataTypes[DataType(h.Datatype)]; ok && h.Bitpix != int64(d.bits) {
		return warning("bitpix", "", "%d, but %s has %d bits a voxel; the data type counts", h.Bitpix, d.name, d.bits)
	}
	return nil
}

func checkOffset(h *Header) []Problem {
	least := 0.0
	if h.single() {
		least = float64(h.dataStart())
	}
	switch o := h.VoxOffset; {
	case h.Version == 0:
		return nil
	case o != math.Trunc(o) || math.IsInf(o, 0):
		return fatal("vox_offset", reexport, "%v is not a position in a file", o)
	case o < least:
		return fatal("vox_offset", reexport, "%v: the voxels would start inside the header of %v bytes", o, least)
	case o > 1<<53:
		return fatal("vox_offset", reexport, "%v is beyond the end of any file", o)
	case math.Mod(o, 16) != 0:
		return warning("vox_offset", "", "%v is not a multiple of 16; SPM cannot read such a file", o)
	}
	return nil
}

// dataStart is the first byte that may hold voxels (or an extension's end) in a
// single file: after the header and its four bytes of extension flags.
func (h *Header) dataStart() int {
	if h.Version == 0 {
		return mghHeaderSize
	}
	return headerSize[h.Version] + 4
}

func checkScaling(h *Header) []Problem {
	if _, _, err := h.Scaling(); err != nil {
		return fatal("scl_inter", "set scl_slope and scl_inter (1 and 0 for no scaling), for instance with nifti_tool -mod_hdr", "%v", err)
	}
	if math.IsNaN(h.SclSlope) || math.IsInf(h.SclSlope, 0) {
		return warning("scl_slope", "", "%v: no scaling is assumed (other tools may show an empty image)", h.SclSlope)
	}
	return nil
}

func checkCodes(h *Header) []Problem {
	if h.AffineSource() == "none" {
		return warning("sform_code, qform_code", "set them (fslorient, nifti_tool) if you know the image's position", "both 0: the file does not state the image's position")
	}
	var all []Problem
	for _, c := range []struct {
		name string
		code int64
	}{{"sform_code", h.SformCode}, {"qform_code", h.QformCode}} {
		if c.code < 0 || c.code > 5 {
			all = append(all, warning(c.name, "", "%d is not one of the standard's codes, 0 to 5", c.code)...)
		}
	}
	return all
}

func checkSform(h *Header) []Problem {
	if h.AffineSource() != "sform" {
		return nil
	}
	if a := h.Affine(); !a.Usable() { // in mm: a unit may leave nothing of it
		return fatal("srow", "set sform_code to 0 to use the qform, or set a correct affine", "%v cannot be inverted: its voxels have no volume", h.Srow)
	}
	return nil
}

func checkQform(h *Header) []Problem {
	if h.QformCode <= 0 || h.mgh != nil {
		return nil
	}
	_, err := h.qform()
	a := h.Affine() // in mm
	switch {
	case (err != nil || !a.Usable()) && h.AffineSource() == "qform":
		switch {
		case err != nil:
		case !a.finite():
			err = fmt.Errorf("affine %v is not finite", a)
		default:
			err = fmt.Errorf("affine %v cannot be inverted: its voxels have no volume", a)
		}
		return fatal("qform", "set a correct qform or sform, for instance with fslorient", "%v", err)
	case err != nil:
		return warning("qform", "", "%v; the sform is used", err)
	}
	return nil
}

func checkQfac(h *Header) []Problem {
	if f := h.Pixdim[0]; h.QformCode > 0 && h.mgh == nil && f != 1 && f != -1 && f != 0 {
		return warning("pixdim[0]", "", "qfac %v is neither 1 nor -1; 1 is assumed", f)
	}
	return nil
}

// checkAgreement compares sform and qform where the voxels are: at the corners.
func checkAgreement(h *Header) []Problem {
	if h.SformCode <= 0 || h.QformCode <= 0 || h.mgh != nil || checkDim(h) != nil {
		return nil
	}
	s := h.sform()
	q, err := h.qform()
	if err != nil {
		return nil
	}
	var far float64
	for corner := range 8 {
		var v [3]float64
		for a := range v {
			v[a] = float64(corner>>a&1) * float64(h.axis(a+1)-1)
		}
		var at, or Point
		at[0], at[1], at[2] = s.Apply(v[0], v[1], v[2])
		or[0], or[1], or[2] = q.Apply(v[0], v[1], v[2])
		far = max(far, at.Distance(or))
	}
	if opposed := h.Opposed(); opposed != "" {
		return warning("sform, qform", "check which is right, and write the image with it as both", "they are opposite in %s, and differ by up to %.3g mm; the sform is used", opposed, far)
	}
	if far > 1e-3 {
		return warning("sform, qform", "", "they differ by up to %.3g mm; the sform is used", far)
	}
	return nil
}

func checkUnits(h *Header) []Problem {
	var all []Problem
	if u := h.XYZTUnits & 0o7; spaceUnits[u] == 0 && h.mgh == nil {
		all = append(all, warning("xyzt_units", "", "unit of length %d is unknown; mm is assumed", u)...)
	}
	if u := h.XYZTUnits & 0o70; timeUnits[u] == 0 && h.Dim[0] >= 4 && h.Dim[4] > 1 {
		all = append(all, warning("xyzt_units", "", "unit of time %d is unknown; s is assumed", u)...)
	}
	return all
}

func checkTime(h *Header) []Problem {
	if h.volumes() <= 1 || h.CIFTI() {
		return nil
	}
	axis := h.TimeAxis()
	field := fmt.Sprintf("pixdim[%d]", axis)
	switch tr := h.TR(); {
	case tr == 0:
		if h.rivalTime() > 0 {
			return warning(field, "set it as a parameter", "%s", h.NoTime())
		}
		return warning(field, "set it as a parameter", "%v: the file does not state the repetition time", h.Pixdim[axis])
	case tr < 0.02 || tr > 60:
		return warning(field, "if it is in ms, set the unit of time, or set the repetition time in s as a parameter", "a repetition time of %v s", tr)
	}
	return nil
}

func checkIntent(h *Header) []Problem {
	if h.CIFTI() {
		return warning("intent_code", "", "%d: a CIFTI file, which has grayordinates, not voxels", h.IntentCode)
	}
	return nil
}
