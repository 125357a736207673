package foreign

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

func TestName(t *testing.T) {
	zipOf := func(member string) string {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		f := need.Value(w.Create(member))(t)
		f.Write([]byte("content"))
		w.Close()
		return b.String()
	}
	for _, c := range []struct{ name, first, want string }{
		{"GIFTI", `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<!DOCTYPE GIFTI SYSTEM "http://www.nitrc.org/frs/download.php/1594/gifti.dtd">`, "it is a GIFTI surface file"},
		{"GIFTI without a document type", "\ufeff<GIFTI Version=\"1.0\">", "GIFTI"},
		{"a web page", "\n<!DOCTYPE html>\n<html>", "it is a web page (HTML)"},
		{"other XML", "<error>", "an XML or HTML page"},
		{"XML in lines", "<Error>\n  <Code>NoSuchKey, 1</Code>\n</Error>\n", "an XML or HTML page"},
		{"a page without an element html", "<p>Sorry, it is gone.</p>\nAsk the owner.\n", "an XML or HTML page"},
		{"a table with markup in its names", "<b>x</b>\ty\n1\t2\n", ""},
		{"a series of one region with markup in its name", "\ufeff<b>x</b>\r\n-1.5e3\r\n", ""},
		{"DICOM", strings.Repeat("\x00", 128) + "DICM\x02\x00", "dcm2niix"},
		{"DICOM within TIFF", "II*\x00" + strings.Repeat("\x00", 124) + "DICM\x02\x00", "dcm2niix"},
		{"DICOM without a preamble", "\x08\x00\x05\x00CS", "dcm2niix"},
		{"bzip2", "BZh91AY&SY", "bzip2"},
		{"zip", zipOf("sub-01_bold.nii"), "it is a zip archive"},
		{"xlsx", zipOf("[Content_Types].xml"), "Excel workbook"},
		{"ods", zipOf("mimetype"), "OpenDocument"},
		{"npz", zipOf("data.npy"), "numpy.save"},
		{"HDF5", "\x89HDF\r\n\x1a\n", "it is an HDF5 file"},
		{"RData", "RDX3\nX\n", "write.table"},
		{"RDS", "X\n\x00\x00\x00\x03", "write.table"},
		{"xls", "\xd0\xcf\x11\xe0\xa1\xb1", "CSV or TSV"},
		{"a FreeSurfer label", "#!ascii label  , from subject bert", "mri_label2vol"},
		{"a FreeSurfer surface", "\xff\xff\xfecreated by", "aparc+aseg"},
		{"git-annex", "/annex/objects/MD5E-s1--0.nii.gz\n", "datalad get"},
		{"git-annex, a link as a file", "../../.git/annex/objects/xx/MD5E-s1--0.nii.gz", "datalad get"},
		{"git-lfs", "version https://git-lfs.github.com/spec/v1", "git lfs pull"},
		{"MATLAB 4", "\x00\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00m\x00\x00\x00", "version 4"},
		{"MATLAB 4, big-endian", "\x00\x00\x03\xe8\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x04r_1\x00", "-v7"},
		{"a name of MATLAB 4 that is none", "\x00\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x001\x00\x00\x00", ""},
		{"ANTs", "\x00\x00\x00\x00\x0c\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x1b\x00\x00\x00AffineTransform_double_3_3\x00", "a spatial transform of ANTs (ITK)"},
		{"ANTs, text", "#Insight Transform File V1.0\n#Transform 0\n", "antsApplyTransforms"},
		{"FSL", "1 0 0 3.5  \n0 1 0 0  \n0 0 1 0  \n0 0 0 1  \n", "flirt"},
		{"FSL, Windows", "0.9 0.1 0 0\r\n-0.1 1 0 2\r\n0 0 1 0\r\n0 0 0 1", "flirt"},
		{"the identity", "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n", "flirt"},
		{"a rotation", "0.9 0.1 0 0\n-0.1 0.9 0 0\n0 0 1 0\n0 0 0 1\n", "flirt"},
		{"a matrix of four regions", "1 0.5 0.1 0\n0.5 1 0.2 0\n0.1 0.2 1 0\n0 0 0 1\n", ""},
		{"five volumes", "1 0 0 3.5\n0 1 0 0\n0 0 1 0\n0 0 0 1\n0 0 0 1\n", ""},
		{"FreeSurfer, LTA", "type      = 0 # LINEAR_VOX_TO_VOX\nnxforms   = 1\n", "mri_vol2vol"},
		{"FreeSurfer, register.dat", "sub-1\n2.0\n2.0\n0.15\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\nround\n", "mri_vol2vol"},
		{"a series of one region", strings.Repeat("0.125\n", 9), ""},
		{"FreeSurfer, xfm", "MNI Transform File\n% avi2talxfm\n", "mri_vol2vol"},
		{"AFNI", "# 3dvolreg matrices (DICOM-to-DICOM, row-by-row):\n1 0 0 0 0 1 0 0 0 0 1 0\n", "3dAllineate"},
		{"a table of types", "type\tnxforms2\na\t1\n", ""},
		{"TSV", "participant_id\tage\n", ""},
		{"1D", "#10\t#11\n0.1 0.2", ""},
		{"values below a limit", "<5\t<5\n", ""},
		{"nothing", "", ""},
		{"NIfTI", "\x5c\x01\x00\x00" + strings.Repeat("\x00", 344), ""},
		{"MGH", "\x00\x00\x00\x01\x00\x00\x01\x00", ""},
	} {
		if got := Name([]byte(c.first)); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMissing(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "bold.nii.gz")
	if err := os.Symlink("../.git/annex/objects/xx/MD5E-s1--0.nii.gz", link); err != nil {
		t.Skip(err)
	}
	_, err := os.Open(link)
	if got := Missing(link, err); got.Error() != link+" is a git-annex link without its content; fetch it with: datalad get "+link+" (or git annex get)" {
		t.Errorf("%v", got)
	}
	for path, want := range map[string]string{"/data/sub-01/a.nii.gz": "/data/sub-01/a.nii.gz", "/my data/a": "'/my data/a'", "it's": `'it'\''s'`} {
		need.Equal(t, shellWord(path), want, "in a shell")
	}
	other := filepath.Join(dir, "other.nii.gz")
	need.NoError(t, os.Symlink("../elsewhere/bold.nii.gz", other))
	_, err = os.Open(other)
	if got := Missing(other, err); got.Error() != other+" is a link to ../elsewhere/bold.nii.gz, which does not exist" {
		t.Errorf("%v", got)
	}
	none := filepath.Join(dir, "none")
	_, err = os.Open(none)
	if got := Missing(none, err); got.Error() != none+": there is no such file" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", got)
	}
}

// What is no series is recognized, and series are not, also square ones.
func TestNotSeries(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = random.NormFloat64()
		}
		return x
	}
	symmetric := func(n int, apart float64) []float64 {
		x := noise(n * n)
		for i := range n {
			for j := range i {
				x[i*n+j] = x[j*n+i] + apart*random.NormFloat64()
			}
		}
		return x
	}
	triangle := symmetric(12, 0)
	for i := range 12 {
		for j := range i {
			triangle[i*12+j] = 0
		}
	}
	table := func(rows int, row func(i int, r float64) []float64) (x []float64) {
		for i := range rows {
			x = append(x, row(i, 1.8*random.Float64()-0.9)...)
		}
		return x
	}
	for _, c := range []struct {
		rows, cols int
		x          []float64
		what       string
		matrix     bool
	}{
		{3, 3, []float64{1, 2, 0.5, 1, 6, -0.3, 2, 6, 0.1}, "an edge list", true},
		{3, 3, []float64{2001, 2002, 0.5, 2001, 2006, -0.3, 2002, 2006, 0.1}, "an edge list", true},
		{3, 3, []float64{1, 2, 0.5, 2, 1, -0.3, 2, 6, 0.1}, "", false}, // a pair twice
		{3, 3, []float64{1, 2, 5, 1, 6, 3, 2, 6, 1}, "", false},        // counts
		{12, 12, triangle, "one triangle", true},
		{12, 12, symmetric(12, 0), "a symmetric", true},
		{12, 12, symmetric(12, 1e-3), "a symmetric", true},
		{9, 8, append([]float64{1, 2, 3, 4, 5, 6, 7, 8}, noise(64)...), "its first row numbers the regions (1 to 8)", false},
		{9, 3, append([]float64{2001, 2002, 2005}, noise(24)...), "its first row numbers", false},
		{9, 3, append([]float64{3, 2, 5}, noise(24)...), "", false},
		{1, 66, noise(66), "one row of 66 numbers, as many as 12 regions have pairs", true},
		{66, 1, noise(66), "one column of 66 numbers, as many as 12 regions", true},
		{67, 1, noise(67), "", false},
		{10, 2, table(10, func(i int, r float64) []float64 { return []float64{float64(i), r} }),
			"a numbered list of 10 values, as many as 5 regions", false},
		{10, 2, table(10, func(i int, r float64) []float64 { return []float64{float64(2 * i), r} }), "", false},
		{12, 2, table(12, func(_ int, r float64) []float64 {
			return []float64{math.Round(100*math.Atanh(r)) / 100, math.Round(100*r) / 100}
		}),
			"a table of edges, not time series: column 1 is Fisher's z of column 2", false},
		{12, 2, table(12, func(_ int, r float64) []float64 { return []float64{r, r} }), "", false}, // a region twice
		{12, 3, table(12, func(i int, r float64) []float64 { return []float64{float64(i), r, math.Exp(-9 * r * r)} }),
			"a table of edges, not time series: column 3 falls", false},
		{12, 3, table(12, func(i int, r float64) []float64 {
			return []float64{float64(i), r, math.Exp(-9*r*r) + 0.1*float64(i%2)}
		}), "", false},
	} {
		what, matrix := NotSeries(c.rows, c.cols, c.x)
		need.Equal(t, strings.HasPrefix(what, c.what) && (what == "") == (c.what == ""), true, what, c.what)
		need.Equal(t, matrix, c.matrix, c.what)
	}
	pairs := func(each func(a, b, r float64) []float64) (x []float64) { // of 12 regions
		for a := 1.0; a <= 12; a++ {
			for b := 1.0; b <= 12; b++ {
				if random.IntN(3) > 0 {
					x = append(x, each(a, b, random.NormFloat64())...)
				}
			}
		}
		return x
	}
	above := func(each func(a, b, r float64) []float64) func(a, b, r float64) []float64 {
		return func(a, b, r float64) []float64 {
			if a >= b {
				return nil
			}
			return each(a, b, r)
		}
	}
	for _, c := range []struct {
		cols int
		x    []float64
		want string
	}{
		{4, pairs(above(func(a, b, r float64) []float64 { return []float64{a, b, r, 0.01} })), "of 4 columns, with the " +
			"regions of each pair in columns 1 and 2"},
		{3, pairs(above(func(a, b, r float64) []float64 { return []float64{r, a, b} })), "in columns 2 and 3"},
		{5, pairs(above(func(a, b, r float64) []float64 { return []float64{12*a + b, b, a, r, 3} })),
			"in columns 2 and 3"},
		{4, pairs(func(a, b, _ float64) []float64 { // whole, with a diagonal
			r := math.Cos(a * b)
			if a == b {
				r = 1
			}
			return []float64{a, b, r, math.Tanh(r)}
		}), "in columns 1 and 2"},
		{4, pairs(func(a, b, r float64) []float64 { return []float64{a, b, r, r / 2} }), ""}, // two values for a pair
		{4, pairs(above(func(a, b, r float64) []float64 { return []float64{a, b, math.Round(r * r), 2} })), ""},
		{9, pairs(above(func(a, b, r float64) []float64 { return append(noise(7), a, b) })), ""},
	} {
		what, matrix := NotSeries(len(c.x)/c.cols, c.cols, c.x)
		need.Equal(t, strings.Contains(what, c.want) && (what != "") == (c.want != ""), true, what, c.want)
		need.Equal(t, matrix, what != "", c.want)
	}
	// Series of single voxels are whole numbers, also beside those of regions, a count of volumes and a run.
	for range 1000 {
		rows, mean, sd := 100+random.IntN(200), 1000*random.Float64(), 1+20*random.Float64()
		var x []float64
		for i := range rows {
			voxel := func(of float64) float64 { return math.Round(of + sd*random.NormFloat64()) }
			x = append(x, voxel(mean), voxel(mean), voxel(mean+3*sd), random.NormFloat64(), float64(i+5),
				float64(1+i/60))
		}
		what, _ := NotSeries(rows, 6, x)
		need.Equal(t, what, "")
	}
	raw := noise(25)
	for i := range raw {
		raw[i] = 10000 + 50*raw[i] // units of a scanner
	}
	what, _ := NotSeries(5, 5, raw)
	need.Equal(t, what, "")
	what, _ = NotSeries(2, 3, []float64{1, 2, 3, 4, 5, math.NaN()})
	need.Equal(t, what, "")
	for range 1000 {
		n := 4 + random.IntN(8)
		what, _ := NotSeries(n, n, noise(n*n))
		need.Equal(t, what, "")
	}
}

func FuzzName(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Add([]byte("<GIFTI"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if what := Name(b); what != "" && (len(b) < 2 || strings.Contains(what, "\n")) {
			t.Errorf("%q of %q", what, b)
		}
	})
}
