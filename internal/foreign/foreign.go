// Package foreign names the file formats that people offer to the program and that it does
// not read, and says what to do with each.
package foreign

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/regular"
)

// Enough is how many of the first bytes of a file Name looks at.
const Enough = 512

// Name says what a file is and what to do, by its first bytes, decompressed from gzip if it
// was. It returns "" when it knows no such format.
func Name(first []byte) string {
	first = first[:min(len(first), Enough)]
	switch {
	case len(first) >= 132 && string(first[128:132]) == "DICM":
		return dicom
	case bytes.HasPrefix(first, []byte("PK\x03\x04")):
		return archive(first)
	case beginsMarkup(bytes.TrimLeft(first, " \t\r\n\ufeff")) && !beginsTable(first):
		return markup(string(first))
	case bytes.Contains(first, []byte("/annex/objects/")) && (bytes.HasPrefix(first, []byte("/annex/")) ||
		bytes.HasPrefix(first, []byte("../")) || bytes.HasPrefix(first, []byte(".git/"))):
		return "it is a git-annex pointer, not the file; fetch it with datalad get"
	}
	for _, f := range formats {
		if bytes.HasPrefix(first, []byte(f.start)) {
			return f.what
		}
	}
	if of := transformOf(first); of != "" {
		return of
	}
	if name := mat4Name(first); strings.Contains(name, "Transform") {
		return ants
	} else if name != "" {
		return "it is a MATLAB MAT-file of version 4; in MATLAB, load it and save it again with -v7 (scipy.io.savemat writes version 5)"
	}
	return ""
}

// Spatial transforms, which are often beside the data, under names like theirs.
const (
	holdsNone = ", which holds no image, series, matrix or table: "
	ants      = "it is a spatial transform of ANTs (ITK)" + holdsNone +
		"apply it to the image with antsApplyTransforms, and give what that writes"
	flirt = "it is a spatial transform of FSL or SPM (4 × 4 numbers)" + holdsNone +
		"apply it to the image (flirt -applyxfm -init), and give what that writes"
	freesurfer = "it is a spatial transform of FreeSurfer" + holdsNone +
		"apply it to the image with mri_vol2vol, and give what that writes"
	afni = "it is a spatial transform of AFNI" + holdsNone +
		"apply it to the image with 3dAllineate -1Dmatrix_apply, and give what that writes"
)

// register begins tkregister's register.dat: the subject, three numbers, then a matrix.
var register = regexp.MustCompile(`^\S+[ \t]*\r?\n([ \t]*[-+.\deE]+[ \t]*\r?\n){3}` +
	`([ \t]*[-+.\deE]+([ \t]+[-+.\deE]+){3}[ \t]*\r?\n){4}`)

// transformOf is what to do with the text of a spatial transform, "" where it is none.
func transformOf(first []byte) string {
	switch text := string(first); {
	case strings.HasPrefix(text, "#Insight Transform File"):
		return ants
	case strings.HasPrefix(text, "# transform file ") || strings.HasPrefix(text, "type") &&
		strings.Contains(text, "\nnxforms"),
		strings.HasPrefix(text, "MNI Transform File"), register.MatchString(text):
		return freesurfer
	case strings.HasPrefix(text, "#") && strings.Contains(text, "matrices (DICOM-to-DICOM"):
		return afni
	case len(first) < Enough && isFLIRT(strings.Fields(text), strings.Count(strings.TrimSpace(text), "\n")):
		return flirt
	}
	return ""
}

// isFLIRT reports whether these are the numbers of an affine transform, in four lines.
func isFLIRT(fields []string, newlines int) bool {
	var x [16]float64
	if len(fields) != len(x) || newlines != 3 {
		return false
	}
	for i, f := range fields {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return false
		}
		x[i] = v
	}
	return Affine(x[:])
}

// Affine reports whether 4 × 4 numbers, row by row, are an affine transform: their last row is 0 0 0 1, and they are
// not symmetric as a matrix of regions by regions is, or they are the identity.
func Affine(x []float64) bool {
	if len(x) != 16 || !slices.Equal(x[12:], []float64{0, 0, 0, 1}) {
		return false
	}
	apart := x[3] != 0 || x[7] != 0 || x[11] != 0 || x[1] != x[4] || x[2] != x[8] || x[6] != x[9]
	return apart || slices.Equal(x[:12], []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0})
}

// AffineIs is what to do with numbers that are an affine transform.
const AffineIs = flirt

// NotSeries is what numbers, row by row, are that time series of regions, volumes × regions, cannot be, and whether
// that is a matrix of regions; "" for what may be series.
func NotSeries(rows, cols int, x []float64) (what string, matrix bool) {
	switch n := ofPairs(rows * cols / max(1, min(rows, cols))); {
	case min(rows, cols) == 1 && n > 0:
		return fmt.Sprintf("one %s of %d numbers, as many as %d regions have pairs", map[bool]string{true: "row",
			false: "column"}[rows == 1], len(x), n), true
	case cols == 2 && n > 0 && counting(rows, x):
		return fmt.Sprintf("a numbered list of %d values, as many as %d regions have pairs: remove the column of "+
			"numbers in all files, and read the other as a triangle of a matrix (pearson of a cohort of matrices)", rows, n), false
	case cols == 3 && rows >= 3 && edges(rows, x):
		return "an edge list, with the two regions and the value of each pair", true
	case EdgeList(rows, cols, x) != nil:
		return EdgeList(rows, cols, x).String(), true
	case cols >= 3 && rows >= 2 && rising(x[:cols]) && slices.ContainsFunc(x[cols:2*cols], fraction):
		return fmt.Sprintf("its first row numbers the regions (%g to %g), as a second line of names does: delete it "+
			"in all files", x[0], x[cols-1]), false
	case 2 <= cols && cols <= mostDerived && rows >= leastDerived && derived(rows, cols, x) != "":
		return "a table of edges, not time series: " + derived(rows, cols, x) + "; keep the correlations in all " +
			"files, with the two regions before each of them, or alone (pipeline docs other-programs)", false
	case rows == cols && rows >= 4:
		return half(rows, x)
	}
	return "", false
}

// ofPairs is how many regions, five or more, have so many pairs; 0 where none have.
func ofPairs(pairs int) int {
	n := int(math.Round((1 + math.Sqrt(1+8*float64(pairs))) / 2))
	if n < 5 || n*(n-1)/2 != pairs {
		return 0
	}
	return n
}

// counting reports whether the first of two columns numbers the rows from 0 or 1.
func counting(rows int, x []float64) bool {
	for i := range rows {
		if x[2*i] != x[0]+float64(i) {
			return false
		}
	}
	return x[0] == 0 || x[0] == 1
}

// Columns that follow from each other are searched for among so few columns and so many rows.
const (
	mostDerived  = 8
	leastDerived = 10
)

// derived describes two columns of which one is Fisher's z, or the p, of the correlations in the other; "" without two.
func derived(rows, cols int, x []float64) string {
	for a := range cols {
		for b := range cols {
			r, v := make([]float64, rows), make([]float64, rows)
			for i := range rows {
				r[i], v[i] = x[i*cols+a], x[i*cols+b]
			}
			switch {
			case a == b:
			case isZ(r, v):
				return fmt.Sprintf("column %d is Fisher's z of column %d", b+1, a+1)
			case isP(r, v):
				return fmt.Sprintf("column %d falls where column %d rises in magnitude, as p does with r", b+1, a+1)
			}
		}
	}
	return ""
}

// isZ reports whether z is Fisher's z of r, but for rounding, and not just equal to it.
func isZ(r, z []float64) bool {
	apart := false
	for i, v := range r {
		if !(math.Abs(v) < 1) || !(math.Abs(math.Atanh(v)-z[i]) < 1e-2/(1-float64(v*v))) {
			return false
		}
		apart = apart || math.Abs(z[i]-v) > 0.02 && math.Abs(z[i]-v) > 2*math.Abs(z[i]-math.Atanh(v))
	}
	return apart
}

// isP reports whether p, between 0 and 1, never rises from a correlation to one that is larger in magnitude.
func isP(r, p []float64) bool {
	at := make([]int, len(r))
	for i := range at {
		at[i] = i
		if !(math.Abs(r[i]) <= 1) || !(0 <= p[i] && p[i] <= 1) {
			return false
		}
	}
	slices.SortFunc(at, func(i, j int) int {
		return cmp.Or(cmp.Compare(math.Abs(r[i]), math.Abs(r[j])), cmp.Compare(p[j], p[i]))
	})
	for k := range at[1:] {
		if p[at[k+1]] > p[at[k]] {
			return false
		}
	}
	return p[at[0]] > p[at[len(at)-1]]
}

func fraction(v float64) bool { return v-v == 0 && v != math.Trunc(v) }

// rising reports whether numbers are whole and each is above the one before.
func rising(x []float64) bool {
	for i, v := range x {
		if !(v >= 0) || fraction(v) || i > 0 && v <= x[i-1] {
			return false
		}
	}
	return true
}

// half recognizes one triangle of a matrix of n rows, the other being 0, and a matrix that is symmetric but for
// rounding or noise: the squared differences of the halves are below a hundredth of the squares about the mean.
func half(n int, x []float64) (what string, matrix bool) {
	above, below, sum, pairs := false, false, 0.0, 0
	each := func(do func(a, b float64)) {
		for i := range n {
			for j := range i {
				if a, b := x[j*n+i], x[i*n+j]; a-a == 0 && b-b == 0 {
					do(a, b)
				}
			}
		}
	}
	each(func(a, b float64) {
		above, below, sum, pairs = above || a != 0, below || b != 0, sum+a+b, pairs+1
	})
	mean := sum / float64(2*pairs)
	var apart, about float64
	each(func(a, b float64) {
		apart += float64((a - b) * (a - b))
		about += float64((a-mean)*(a-mean)) + float64((b-mean)*(b-mean))
	})
	switch {
	case above != below:
		return "one triangle of a matrix, whose other triangle is 0", true
	case about > 0 && apart < 0.01*about:
		return "a symmetric matrix", true
	}
	return "", false
}

// mostColumns is how many an edge list has at most: of its lines, regions, and values.
const mostColumns = 8

// Edges are the columns of an edge list, from 1: how many there are, and those of the two regions of each pair.
type Edges struct{ Columns, A, B int }

func (e *Edges) String() string {
	return fmt.Sprintf("an edge list of %d columns, with the regions of each pair in columns %d and %d", e.Columns, e.A, e.B)
}

// EdgeList finds in numbers, row by row, the two columns of an edge list that have the regions of each pair, beside
// values (r, p, z); nil for what may be series. Single voxels may be whole numbers in series too: the regions must be
// few, many of them in both columns, and each pair there once, or once in each order.
func EdgeList(rows, cols int, x []float64) *Edges {
	if rows < 3 || cols < 3 || cols > mostColumns || len(x) != rows*cols {
		return nil
	}
	var whole []int
	for j := range cols {
		all := true
		for i := range rows {
			v := x[i*cols+j]
			all = all && v >= 0 && v-v == 0 && !fraction(v)
		}
		if all {
			whole = append(whole, j)
		}
	}
	if len(whole) == cols {
		return nil
	}
	for k, b := range whole {
		for _, a := range whole[:k] {
			if paired(rows, cols, x, a, b) {
				return &Edges{cols, a + 1, b + 1}
			}
		}
	}
	return nil
}

// paired reports whether two columns of whole numbers are the regions of pairs.
func paired(rows, cols int, x []float64, a, b int) bool {
	seen := map[[2]float64]int{}
	first, second, all := map[float64]bool{}, map[float64]bool{}, map[float64]bool{}
	rising, falling, mutual := 0, 0, 0
	diagonal := -1
	same := func(i, j int) bool { // beside the regions
		for c := range cols {
			v, w := x[i*cols+c], x[j*cols+c]
			if c != a && c != b && v != w && v == v && w == w {
				return false
			}
		}
		return true
	}
	for i := range rows {
		p := [2]float64{x[i*cols+a], x[i*cols+b]}
		if _, twice := seen[p]; twice {
			return false
		}
		switch other, mirrored := seen[[2]float64{p[1], p[0]}]; {
		case p[0] == p[1] && diagonal >= 0 && !same(i, diagonal), mirrored && !same(i, other):
			return false
		case p[0] == p[1]:
			diagonal = i
		case mirrored:
			mutual++
		}
		if p[0] < p[1] {
			rising++
		} else if p[0] > p[1] {
			falling++
		}
		first[p[0]], second[p[1]], all[p[0]], all[p[1]] = true, true, true, true
		seen[p] = i
	}
	both := 0
	for v := range first {
		if second[v] {
			both++
		}
	}
	ordered := rising == 0 || falling == 0 || mutual == rising && mutual == falling
	few := rows < 10 && both > 0 // no series is so short
	return (ordered && len(all) <= rows || 4*len(all) <= rows) && (few || 3*both >= len(all))
}

// fewPairs are those that are compared with each other, in bounded memory.
const fewPairs = 4096

// edges reports whether rows of three numbers are two different regions and a value, each pair once.
func edges(rows int, x []float64) bool {
	seen, values := map[[2]float64]bool{}, false
	for i := range rows {
		a, b, v := x[3*i], x[3*i+1], x[3*i+2]
		pair := [2]float64{min(a, b), max(a, b)}
		if fraction(a) || fraction(b) || a == b || a < 0 || b < 0 || seen[pair] {
			return false
		}
		if values = values || fraction(v); len(seen) < fewPairs {
			seen[pair] = true
		}
	}
	return values
}

// mat4Name is the name of the matrix of a file that begins with the header of MATLAB's MAT-files of version 4, "" for
// others: five numbers of four bytes (machine, precision and kind as decimal digits; rows; columns; whether it is
// complex; the length of the name with its final zero), then the name ("MAT-File Format", R2024a, chapter 3).
func mat4Name(first []byte) string {
	if len(first) < 22 {
		return ""
	}
	var order binary.ByteOrder = binary.LittleEndian
	kind := order.Uint32(first)
	if kind >= 100 { // 1000: a machine with the other order
		order = binary.BigEndian
		kind = order.Uint32(first) - 1000
	}
	length := order.Uint32(first[16:])
	if kind/10 > 5 || kind%10 > 2 || order.Uint32(first[12:]) > 1 || length < 2 || length > 64 ||
		int(20+length) > len(first) {
		return ""
	}
	name, ended := bytes.CutSuffix(first[20:20+length], []byte{0})
	letters := bytes.ToLower(name)
	if !ended || letters[0] < 'a' || letters[0] > 'z' || len(bytes.Trim(letters, "abcdefghijklmnopqrstuvwxyz0123456789_")) > 0 {
		return ""
	}
	return string(name)
}

const (
	dicom  = "it is a DICOM file; convert the series to NIfTI with dcm2niix, or the study to BIDS with HeuDiConv or dcm2bids"
	rData  = "it is an R workspace or object; in R, write the table with write.table as TSV"
	pickle = "it is a Python pickle, which can run code when it is loaded, so it is not read; save arrays as npy (numpy.save with allow_pickle=False)"
)

var formats = []struct{ start, what string }{
	{"\x02\x00\x00\x00UL", dicom}, // without the preamble
	{"\x08\x00\x05\x00", dicom},
	{"\x08\x00\x00\x00", dicom},
	{"BZh", "it is compressed with bzip2; decompress it, or compress it with gzip"},
	{"\x28\xb5\x2f\xfd", "it is compressed with zstd; decompress it, or compress it with gzip"},
	{"\xfd7zXZ", "it is compressed with xz; decompress it, or compress it with gzip"},
	{"7z\xbc\xaf", "it is a 7z archive; unpack it"},
	{"Rar!", "it is a rar archive; unpack it"},
	{"\xd0\xcf\x11\xe0", "it is an old Office file (.xls); export the table as CSV or TSV"},
	{"%PDF", "it is a PDF document; export the numbers as CSV or TSV"},
	{"\ntype", "it is an AFNI header; convert the image with 3dAFNItoNIFTI"},
	{"mrtrix image", "it is an MRtrix image; convert it with mrconvert"},
	{"NRRD", "it is an NRRD image; convert it to NIfTI"},
	{"\x89HDF", "it is an HDF5 file: convert a MINC image with mnc2nii, write a MAT-file by MATLAB itself (without its header, rows and columns may be exchanged), and export an array of another .h5 file as npy"},
	{"MATLAB", "it is a MATLAB MAT-file; only matrices of regions by regions are read from one; write time series or tables with writematrix or writetable"},
	{"#!ascii label", "it is a FreeSurfer surface label (a list of vertices); convert it to a volume with mri_label2vol"},
	{"#!ascii", "it is a FreeSurfer surface; give the volume (aparc+aseg.mgz)"},
	{"\xff\xff\xfe", "it is a FreeSurfer surface; give the volume (aparc+aseg.mgz)"},
	{"\xff\xff\xff\xff", "it is an Arrow stream; only Arrow files are read (.arrow, also called Feather 2)"},
	{"PARE", "it is encrypted Parquet; only plain Parquet is read"},
	{"RDX2\n", rData}, {"RDX3\n", rData}, {"RDA2\n", rData}, {"RDA3\n", rData}, {"X\n\x00\x00\x00", rData},
	{"\x80\x03", pickle}, {"\x80\x04", pickle}, {"\x80\x05", pickle},
	{"version https://git-lfs", "it is a git-lfs pointer, not the file; fetch it with git lfs pull"},
}

// archive tells zip archives apart by the name of their first member.
func archive(first []byte) string {
	name := ""
	if len(first) > 30 {
		end := 30 + int(first[26]) + int(first[27])<<8
		name = string(first[30:min(end, len(first))])
	}
	switch {
	case name == "[Content_Types].xml", strings.HasPrefix(name, "xl/"), strings.HasPrefix(name, "_rels/"),
		strings.HasPrefix(name, "docProps/"):
		return "it is an Excel workbook (.xlsx); export the sheet as CSV or TSV"
	case name == "mimetype":
		return "it is an OpenDocument file (.ods); export the sheet as CSV or TSV"
	case strings.HasSuffix(name, ".npy"):
		return "it is an npz archive; save the one array as npy (numpy.save)"
	}
	return "it is a zip archive; unpack it"
}

// beginsMarkup reports whether a text begins with a tag, a declaration or a comment of XML or HTML.
func beginsMarkup(b []byte) bool {
	return len(b) > 1 && b[0] == '<' && (b[1] == '!' || b[1] == '?' || b[1]|0x20 >= 'a' && b[1]|0x20 <= 'z')
}

// beginsTable reports whether a text that begins as markup is a table whose first column has such a name (<b>x</b>):
// its second line has no markup, and as many separators as the first, or is one number.
func beginsTable(first []byte) bool {
	head, rest, _ := bytes.Cut(bytes.TrimLeft(first, "\ufeff"), []byte("\n"))
	second, _, ended := bytes.Cut(rest, []byte("\n"))
	if !ended && len(first) == Enough || bytes.ContainsAny(second, "<>") || bytes.HasPrefix(head, []byte("<!")) ||
		bytes.HasPrefix(head, []byte("<?")) {
		return false
	}
	for _, separator := range []string{"\t", ";", ","} {
		if n := bytes.Count(head, []byte(separator)); n > 0 && n == bytes.Count(second, []byte(separator)) {
			return true
		}
	}
	_, err := strconv.ParseFloat(string(bytes.TrimSpace(second)), 64)
	return err == nil
}

// markup tells apart what begins with <.
func markup(first string) string {
	lower := strings.ToLower(first)
	switch {
	case strings.Contains(lower, "<gifti") || strings.Contains(lower, "doctype gifti"):
		return "it is a GIFTI surface file; give the image in volume space (NIfTI), such as fMRIPrep's space-MNI152NLin2009cAsym_desc-preproc_bold.nii.gz"
	case strings.Contains(lower, "<html") || strings.Contains(lower, "doctype html"):
		return "it is a web page (HTML), not the file: the address may be wrong or require a login; download it again"
	}
	return "it is an XML or HTML page, not the file; download it again"
}

// missing is a cause in words.
type missing struct {
	text  string
	cause error
}

func (m *missing) Error() string { return m.text }
func (m *missing) Unwrap() error { return m.cause }

// isAnnex reports whether the target of a link is the object of a git-annex repository.
func isAnnex(target string) bool {
	return strings.Contains(strings.ReplaceAll(target, "\\", "/"), "/annex/objects/")
}

// shellWord is a path as a shell takes it: in quotation marks where it holds blanks or marks.
func shellWord(path string) string {
	if !strings.ContainsAny(path, " \t'\"$`&;()*?[]<>|#~!") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// Missing says in words why a file cannot be opened; the content of a link of git-annex
// may not be here. errors.Is finds err in it.
func Missing(path string, err error) error {
	if errors.As(err, new(*regular.Error)) {
		return err
	}
	switch target, linkErr := os.Readlink(path); {
	case errors.Is(err, fs.ErrNotExist) && linkErr == nil && isAnnex(target):
		return &missing{fmt.Sprintf("%s is a git-annex link without its content; fetch it with: datalad get %s (or git annex get)", path, shellWord(path)), err}
	case errors.Is(err, fs.ErrNotExist) && linkErr == nil:
		return &missing{fmt.Sprintf("%s is a link to %s, which does not exist", path, target), err}
	case errors.Is(err, fs.ErrNotExist):
		return &missing{path + ": there is no such file", err}
	case errors.Is(err, fs.ErrPermission):
		return &missing{path + ": no permission to " + denied(path), err}
	}
	return fmt.Errorf("%s: %w", path, err)
}

// denied is what may not be done with a file or directory, and who can grant it.
func denied(path string) string {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return "list this directory; its owner can grant it with chmod u+rx (to a group with g+rx)"
	case err == nil:
		return "read it; its owner can grant it with chmod u+r (to a group with g+r)"
	}
	dir := path
	for errors.Is(err, fs.ErrPermission) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		_, err = os.Stat(dir)
	}
	return fmt.Sprintf("enter its directory %s; its owner can grant it with chmod u+rx (to a group with g+rx)", filepath.Base(dir))
}

// NotText is the error for a file that begins with these bytes, with zeros among them or the mark of UTF-16.
func NotText(first []byte, formats string) error {
	zeros := [2]int{}
	for i, b := range first {
		if b == 0 {
			zeros[i%2]++
		}
	}
	marked := bytes.HasPrefix(first, []byte("\xff\xfe")) || bytes.HasPrefix(first, []byte("\xfe\xff"))
	few, many := min(zeros[0], zeros[1]), max(zeros[0], zeros[1])
	if marked || many > 1 && 4*many > len(first) && 10*few < many {
		return errors.New("it is text in UTF-16: save it as UTF-8")
	}
	return errors.New("not a text file; " + formats)
}
