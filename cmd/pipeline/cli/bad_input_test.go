package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/nifti"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A study is a small one of two participants on disk, to be spoilt.
type study struct {
	t   *testing.T
	dir string
}

const (
	people    = "participant_id\tgroup\tbold\tlabels\nsub-01\tASD\ta.nii\tla.nii\nsub-02\tHC\tb.nii\tlb.nii\n"
	nodeList  = "index\tname\n11\tLeft\n12\tRight\n"
	badStudy  = "cohort: { table: { file: people.tsv, bold: bold, labels: labels, nodes: nodes.tsv } }\nstages:\n  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }\n  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels, nodes: cohort.nodes }, with: { draws: 2 } }\n"
	headerEnd = 352
)

func newStudy(t *testing.T) study {
	s := study{t, testdir.Memory(t)}
	for _, n := range []string{"a", "b"} {
		scan, labels := make([]int16, 4*3*2*5), make([]int16, 4*3*2)
		for i := range scan {
			scan[i] = int16(i*i%97) + int16(n[0]-'a')*int16(i%5)
		}
		for i := range labels {
			labels[i] = int16(11 + i%2)
		}
		place := nifti.Affine{{3, 0, 0, -4}, {0, 3, 0, -5}, {0, 0, 3, -6}, {0, 0, 0, 1}}
		s.image(n+".nii", &nifti.Image{Shape: []int{4, 3, 2, 5}, Affine: place, Code: 2, TR: 2, Data: scan})
		s.image("l"+n+".nii", &nifti.Image{Shape: []int{4, 3, 2}, Affine: place, Code: 2, Data: labels, Intent: 1002})
	}
	s.write("people.tsv", []byte(people))
	s.write("nodes.tsv", []byte(nodeList))
	s.write("study.yaml", []byte(badStudy))
	return s
}

func (s study) write(name string, b []byte) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), b, 0o666); err != nil {
		s.t.Fatal(err)
	}
}

func (s study) read(name string) []byte {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// image writes an image that is not compressed.
func (s study) image(name string, img *nifti.Image) {
	s.t.Helper()
	var z bytes.Buffer
	if err := nifti.Encode(&z, img); err != nil {
		s.t.Fatal(err)
	}
	r, err := gzip.NewReader(&z)
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(name, b)
}

func (s study) text(name, from, to string) {
	s.t.Helper()
	b := s.read(name)
	if !bytes.Contains(b, []byte(from)) {
		s.t.Fatalf("%s does not hold %q", name, from)
	}
	s.write(name, bytes.ReplaceAll(b, []byte(from), []byte(to)))
}

// Each gives what spoils a study.
func cut(name string, n int) func(study) {
	return func(s study) { s.write(name, s.read(name)[:n]) }
}

func gzcut(n int) func(study) {
	return func(s study) {
		b := zip(s.read("a.nii"))
		if n < 0 {
			n = len(b) + n
		}
		s.write("a.nii", b[:n])
	}
}

func zip(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(b)
	w.Close()
	return z.Bytes()
}

func at(name string, offset int, values ...any) func(study) {
	return func(s study) {
		b := s.read(name)
		var v bytes.Buffer
		for _, x := range values {
			if err := binary.Write(&v, binary.LittleEndian, x); err != nil {
				s.t.Fatal(err)
			}
		}
		copy(b[offset:], v.Bytes())
		s.write(name, b)
	}
}

func all(changes ...func(study)) func(study) {
	return func(s study) {
		for _, c := range changes {
			c(s)
		}
	}
}

func file(name, text string) func(study) {
	return func(s study) { s.write(name, []byte(text)) }
}

func edit(name, from, to string) func(study) {
	return func(s study) { s.text(name, from, to) }
}

// floatLabels replaces the first label image by one of float32.
func floatLabels(v ...float32) func(study) {
	return func(s study) {
		d := make([]float32, 24)
		for i := range d {
			d[i] = v[i%len(v)]
		}
		s.image("la.nii", &nifti.Image{Shape: []int{4, 3, 2}, Affine: nifti.Affine{{3, 0, 0, -4}, {0, 3, 0, -5},
			{0, 0, 3, -6}, {0, 0, 0, 1}}, Code: 2, Data: d})
	}
}

// badInputs are the ways to spoil a study, each with one mistake.
func badInputs() []struct {
	name  string
	spoil func(study)
} {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	noSform := at("a.nii", 252, int16(1), int16(0)) // qform alone
	return []struct {
		name  string
		spoil func(study)
	}{
		{"scan empty", cut("a.nii", 0)},
		{"scan cut in its header", cut("a.nii", 200)},
		{"scan cut before the flags", cut("a.nii", 348)},
		{"scan cut before the voxels", cut("a.nii", headerEnd)},
		{"scan cut in volume 1", cut("a.nii", headerEnd+20)},
		{"scan cut between volumes", cut("a.nii", headerEnd+2*48)},
		{"scan one byte short", cut("a.nii", headerEnd+5*48-1)},
		{"gzip cut in its magic", gzcut(2)},
		{"gzip cut after its header", gzcut(10)},
		{"gzip cut in its first block", gzcut(12)},
		{"gzip cut in the middle", gzcut(90)},
		{"gzip cut before its checksum", gzcut(-8)},
		{"gzip cut in its checksum", gzcut(-3)},
		{"gzip of nothing", func(s study) { s.write("a.nii", zip(nil)) }},
		{"gzip checksum wrong", func(s study) { b := zip(s.read("a.nii")); b[len(b)-8] ^= 1; s.write("a.nii", b) }},
		{"gzip with garbage behind", func(s study) { s.write("a.nii", append(zip(s.read("a.nii")), "tail"...)) }},
		{"labels cut", cut("la.nii", headerEnd+10)},
		{"magic wrong", at("a.nii", 344, [4]byte{'a', 'b', 'c', 0})},
		{"Analyze", at("a.nii", 344, [4]byte{})},
		{"header of a pair", at("a.nii", 344, [4]byte{'n', 'i', '1', 0})},
		{"a web page", file("a.nii", "<!DOCTYPE html><title>404</title>")},
		{"GIFTI", file("a.nii", "<?xml version=\"1.0\"?>\n<!DOCTYPE GIFTI SYSTEM \"gifti.dtd\">\n<GIFTI>")},
		{"DICOM", file("a.nii", strings.Repeat("\x00", 128)+"DICM\x02\x00\x00\x00UL\x04\x00"+strings.Repeat("\x00", 600))},
		{"a zip archive", file("a.nii", "PK\x03\x04"+strings.Repeat("\x00", 600))},
		{"bzip2", file("a.nii", "BZh91AY&SY"+strings.Repeat("\x00", 600))},
		{"HDF5", file("a.nii", "\x89HDF\r\n\x1a\n"+strings.Repeat("\x00", 600))},
		{"R workspace", file("a.nii", "RDX3\nX\n"+strings.Repeat("\x00", 600))},
		{"a git-lfs pointer", file("a.nii", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n")},
		{"a git-annex pointer", file("a.nii", "../../.git/annex/objects/x/MD5E-s1--0.nii.gz")},
		{"dims 0", at("a.nii", 42, int16(0))},
		{"dims negative", at("a.nii", 44, int16(-3))},
		{"dims huge", at("a.nii", 40, [5]int16{4, 32767, 32767, 32767, 32767})},
		{"dims nine axes", at("a.nii", 40, int16(9))},
		{"scan with one volume", at("a.nii", 40, [5]int16{4, 4, 3, 2, 1})},
		{"scan of three axes", at("a.nii", 40, int16(3))},
		{"data type complex", at("a.nii", 70, int16(32), int16(64))},
		{"data type RGB", at("a.nii", 70, int16(128), int16(24))},
		{"data type unknown", at("a.nii", 70, int16(3))},
		{"vox_offset in the header", at("a.nii", 108, float32(96))},
		{"vox_offset NaN", at("a.nii", 108, nan)},
		{"slope with intercept NaN", at("a.nii", 112, float32(2), nan)},
		{"slope with intercept infinite", at("a.nii", 112, float32(2), inf)},
		{"pixdim negative", all(noSform, at("a.nii", 84, float32(-3)))},
		{"pixdim 0", all(noSform, at("a.nii", 84, float32(0)))},
		{"pixdim NaN", all(noSform, at("a.nii", 84, nan))},
		{"quaternion too long", all(noSform, at("a.nii", 256, [3]float32{1, 1, 0}))},
		{"sform flat", at("a.nii", 312, [4]float32{})},
		{"sform NaN", at("a.nii", 280, nan)},
		{"no repetition time", at("a.nii", 92, float32(0))},
		{"repetition time in ms called s", at("a.nii", 92, float32(2000))},
		{"repetition time NaN", at("a.nii", 92, nan)},
		{"an empty scan", func(s study) {
			s.write("a.nii",
				append(s.read("a.nii")[:headerEnd], make([]byte, 5*48)...))
		}},
		{"labels with fractions", floatLabels(11, 12, 11.5)},
		{"labels infinite", floatLabels(11, 12, float32(math.Inf(1)))},
		{"labels beyond int32", floatLabels(11, 12, 1e12)},
		{"labels all 0", floatLabels(0)},
		{"labels of another atlas", floatLabels(400, 500)},
		{"a label missing", floatLabels(11)},
		{"labels of four axes", func(s study) { s.write("la.nii", s.read("a.nii")) }},
		{"labels elsewhere", at("la.nii", 292, float32(9000))},
		{"labels that do not say where they lie", at("la.nii", 252, int16(0), int16(0))},
		{"scan and labels swapped", edit("people.tsv", "a.nii\tla.nii", "la.nii\ta.nii")},
		{"no such scan", edit("people.tsv", "\ta.nii", "\tmissing.nii")},
		{"no file named", edit("people.tsv", "\ta.nii", "\tn/a")},
		{"no group", edit("people.tsv", "ASD", "n/a")},
		{"participant twice", edit("people.tsv", "sub-02\tHC", "sub-01\tHC")},
		{"two names for one participant", edit("people.tsv", "sub-02\tHC", "01\tHC")},
		{"no column of that name", edit("study.yaml", "bold: bold", "bold: blod")},
		{"table empty", file("people.tsv", "")},
		{"table without rows", file("people.tsv", "participant_id\tgroup\tbold\tlabels\n")},
		{"table with a short row", edit("people.tsv", "HC\tb.nii\tlb.nii", "HC")},
		{"column twice", edit("people.tsv", "group\tbold", "bold\tbold")},
		{"node list with an id twice", edit("nodes.tsv", "12\t", "11\t")},
		{"node list without names", edit("nodes.tsv", "name", "title")},
		{"select without such a column", edit("study.yaml", "bold: bold,", "bold: bold, select: 'age > 3',")},
		{"select that nobody meets", edit("study.yaml", "bold: bold,", "bold: bold, select: 'group == XX',")},
	}
}

// Every mistake in the input gives one clear error on the command line: which file, what is
// wrong and where, and what to do. testdata/bad_input.txt shows them all.
func TestBadInputBattery(t *testing.T) {
	var table strings.Builder
	seen := map[string]bool{}
	store := t.TempDir() // one for all: what is right in many cases is made once
	for _, c := range badInputs() {
		if seen[c.name] {
			t.Errorf("%s: twice", c.name)
		}
		seen[c.name] = true
		s := newStudy(t)
		c.spoil(s)
		code, _, diag := runHere("run", "--store", store, filepath.Join(s.dir, "study.yaml"))
		if code != exit.Failed && code != exit.Usage {
			t.Errorf("%s: exit code %d\n%s", c.name, code, diag)
		}
		var errs []string
		for line := range strings.Lines(strings.ReplaceAll(filepath.ToSlash(diag), filepath.ToSlash(s.dir)+"/", "")) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "study.yaml:") {
				errs = append(errs, line)
			}
		}
		if len(errs) != 1 {
			t.Errorf("%s: %d errors, want one\n%s", c.name, len(errs), diag)
		}
		fmt.Fprintf(&table, "%-38s %d  %s\n", c.name, code, strings.Join(errs, " | "))
	}
	if len(seen) < 40 {
		t.Errorf("%d cases", len(seen))
	}
	checkTable(t, "bad_input.txt", table.String())
}

// checkTable compares with a golden file, line by line.
func checkTable(t *testing.T, file, table string) {
	t.Helper()
	golden := filepath.Join("testdata", file)
	if *update {
		need.NoError(t, os.MkdirAll("testdata", 0o777))
		need.NoError(t, os.WriteFile(golden, []byte(table), 0o666))
		return
	}
	want := need.Value(os.ReadFile(golden))(t)
	old, now := strings.Split(string(want), "\n"), strings.Split(table, "\n")
	for i := range max(len(old), len(now)) {
		var a, b string
		if i < len(old) {
			a = old[i]
		}
		if i < len(now) {
			b = now[i]
		}
		if a != b {
			t.Errorf("the table has changed; go test ./cmd/pipeline/cli -run Bad -update writes it\n  was %s\n  is  %s", a, b)
		}
	}
}
