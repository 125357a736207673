package cli

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/artifacts/parquet"
	"prgnn/artifacts/storetest"
	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/need"
)

// npyOf is an npy file with this dictionary and data of so many bytes.
func npyOf(dict string, data int) []byte {
	b := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	dict += strings.Repeat(" ", 117-len(dict)%64) + "\n"
	binary.LittleEndian.PutUint16(b[8:], uint16(len(dict)))
	return append(append(b, dict...), make([]byte, data)...)
}

// encodedTable is a small table as Arrow and as Parquet.
func encodedTable(t *testing.T) (asArrow, asParquet []byte) {
	t.Helper()
	table := encoding.NewTable(
		encoding.Column{Name: "subject", Values: []string{"sub-01", "sub-02", "sub-03"}},
		encoding.Column{Name: "score", Unit: "1", Values: []float64{0.5, 0.25, 1}})
	var a, p bytes.Buffer
	need.NoError(t, table.Encode(&a))
	need.NoError(t, parquet.Write(&p, table))
	return a.Bytes(), p.Bytes()
}

type badFile struct {
	name  string
	bytes []byte
}

// badFiles are artifacts from elsewhere that are damaged, or lie.
func badFiles(t *testing.T) []badFile {
	asArrow, asParquet := encodedTable(t)
	good := "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
	dict := func(old, new string) []byte { return npyOf(strings.Replace(good, old, new, 1), 48) }
	changed := func(b []byte, at int, with ...byte) []byte {
		if at < 0 {
			at += len(b)
		}
		b = slices.Clone(b)
		copy(b[at:], with)
		return b
	}
	version := npyOf(good, 48)
	version[6] = 4
	long := []byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f")
	pickle := []byte("\x80\x04\x95\x19\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x8c\x06system\x93\x8c\x02id\x85R.")
	return []badFile{
		{"npy cut in its magic", []byte("\x93NUMP")},
		{"npy cut in its header", npyOf(good, 48)[:40]},
		{"npy cut in its data", npyOf(good, 47)},
		{"npy with more behind", npyOf(good, 49)},
		{"npy of another version", version},
		{"npy with a header of 2 GB", long},
		{"npy of a huge shape", dict("(2, 3)", "(2000000000, 3000000000)")},
		{"npy of a shape that overflows", dict("(2, 3)", "(9223372036854775807, 9223372036854775807)")},
		{"npy of a shape beyond int64", dict("(2, 3)", "(99999999999999999999,)")},
		{"npy of a shape that is larger than it", dict("(2, 3)", "(2, 4)")},
		{"npy of a negative shape", dict("(2, 3)", "(-2, 3)")},
		{"npy of a shape that is no tuple", dict("(2, 3)", "[2, 3]")},
		{"npy of a hundred axes", npyOf("{'descr': '<f8', 'fortran_order': False, 'shape': ("+strings.Repeat("1,", 100)+"), }", 8)},
		{"npy of Python objects", dict("<f8", "|O")},
		{"npy of Python objects, pickled", append(npyOf(strings.Replace(good, "<f8", "|O", 1), 0), pickle...)},
		{"npy of text", dict("<f8", "<U8")},
		{"npy of records", npyOf("{'descr': [('a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (2,), }", 24)},
		{"npy of dates", dict("<f8", "<M8")},
		{"npy without its byte order", dict("<f8", "=f8")},
		{"npy without a shape", npyOf("{'descr': '<f8', 'fortran_order': False, }", 48)},
		{"npy with two shapes", npyOf("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'shape': (1,), }", 48)},
		{"npy with an entry of its own", npyOf("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'run': 'rm', }", 48)},
		{"npy with an order of its own", dict("False", "Maybe")},
		{"npy with an expression", dict("(2, 3)", "(__import__('os').system('id'), 3)")},
		{"a bare pickle", pickle},
		{"Arrow cut in its magic", asArrow[:4]},
		{"Arrow cut in the middle", asArrow[:len(asArrow)/2]},
		{"Arrow without its last magic", asArrow[:len(asArrow)-6]},
		{"Arrow with a footer beyond its size", changed(asArrow, -10, 0xff, 0xff, 0xff, 0x7f)},
		{"Arrow with a negative footer", changed(asArrow, -10, 0xff, 0xff, 0xff, 0xff)},
		{"Arrow with no footer", changed(asArrow, -10, 0, 0, 0, 0)},
		{"Arrow with a footer of garbage", changed(asArrow, len(asArrow)/2, bytes.Repeat([]byte{0xee}, len(asArrow)/2-10)...)},
		{"Arrow as a stream", asArrow[8 : len(asArrow)-10]},
		{"Parquet cut in its magic", asParquet[:3]},
		{"Parquet cut in the middle", asParquet[:len(asParquet)/2]},
		{"Parquet without its last magic", asParquet[:len(asParquet)-4]},
		{"Parquet with a footer beyond its size", changed(asParquet, -8, 0xff, 0xff, 0xff, 0x7f)},
		{"Parquet with a footer of garbage", changed(asParquet, len(asParquet)/2, bytes.Repeat([]byte{0xee}, len(asParquet)/2-8)...)},
		{"Parquet with pages of garbage", changed(asParquet, 4, bytes.Repeat([]byte{0xee}, 24)...)},
		{"Parquet that is encrypted", changed(changed(asParquet, -4, []byte("PARE")...), 0, []byte("PARE")...)},
	}
}

// hexDigits are the names of objects, which change with the code of a kind.
var hexDigits = regexp.MustCompile(`([0-9a-f]{2}/)?[0-9a-f]{12,64}`)

// TestBadArtifacts: every artifact that is damaged or forged is refused with one clear
// error, from a file and in a store. testdata/bad_artifacts.txt shows them all.
func TestBadArtifacts(t *testing.T) {
	var table strings.Builder
	dir := t.TempDir()
	tell := func(name string, code int, text string) {
		text = strings.ReplaceAll(filepath.ToSlash(text), filepath.ToSlash(dir)+"/", "")
		text = hexDigits.ReplaceAllString(text, "…")
		fmt.Fprintf(&table, "%-42s %d  %s\n", name, code, text)
	}
	for _, f := range badFiles(t) {
		path := filepath.Join(dir, "file")
		need.NoError(t, os.WriteFile(path, f.bytes, 0o666))
		code, out, diag := runHere("inspect", path)
		if code != exit.Failed || out != "" || strings.Count(diag, "\n") != 1 {
			t.Errorf("%s: exit code %d\n%s%s", f.name, code, out, diag)
		}
		tell(f.name, code, strings.TrimSpace(diag))
	}
	for _, c := range badStores() {
		s := newStored(t, dir)
		c.spoil(s)
		code, out, _ := runHere("verify", "--store", s.store)
		if code != exit.Damaged {
			t.Errorf("%s: verify ends with %d\n%s", c.name, code, out)
		}
		var found []string
		for line := range strings.Lines(out) {
			if !strings.HasPrefix(line, "verify: ") {
				found = append(found, strings.TrimSpace(line))
			}
		}
		slices.Sort(found)
		tell("verify: "+c.name, code, strings.Join(found, " | "))
		code, out, diag := runHere("export", "--store", s.store, s.file, "a", "-o", "-", "--format", "csv")
		if code != exit.Failed && code != exit.Damaged || out != "" {
			t.Errorf("%s: export ends with %d\n%.300s\n%s", c.name, code, out, diag)
		}
		tell("export: "+c.name, code, strings.ReplaceAll(strings.TrimSpace(diag), "\n", " | "))
	}
	checkTable(t, "bad_artifacts.txt", table.String())
}

// sealed begins the last line of a record: the digest of what stands before it.
const sealed = "sha256 "

// TestForgedRecord: somebody who rewrites a result and the record of it, with every seal
// right, deceives verify, and is found out by an audit.
func TestForgedRecord(t *testing.T) {
	s := newStored(t, t.TempDir())
	from, to, record := s.blob("a").Name, s.blob("b").Name, s.action("a")
	b := record.Read(t)
	body := bytes.Replace(b[:bytes.LastIndex(b, []byte("\n"+sealed))+1], []byte(from), []byte(to), 1)
	record.Replace(t, fmt.Appendf(body, "%s%s\n", sealed, artifacts.DigestOf(body)))
	if code, out, _ := runHere("verify", "--store", s.store); code == exit.Damaged &&
		strings.Contains(out, "damaged action") {
		t.Fatalf("the forged record has a wrong seal, so the test shows nothing\n%s", out)
	}
	for _, how := range [][]string{nil, {"--from-inputs"}} {
		code, out, diag := runHere(append([]string{"audit", "--store", s.store, s.file}, how...)...)
		if code != exit.Failed || !strings.Contains(out, "a.value: different") || !strings.Contains(out, "1 identical, 1 different") {
			t.Errorf("audit %v: exit code %d\n%s%s", how, code, out, diag)
		}
	}
}

// A stored is a small run in a store, to be spoilt.
type stored struct {
	t           *testing.T
	store, file string
}

func newStored(t *testing.T, dir string) stored {
	t.Helper()
	s := stored{t, filepath.Join(dir, "store"), filepath.Join(dir, "two.yaml")}
	need.NoError(t, os.RemoveAll(s.store))
	text := "pipeline: two\nstages:\n  a: { use: echo, with: { value: '1' } }\n  b: { use: echo, with: { value: '2' } }\n"
	need.NoError(t, os.WriteFile(s.file, []byte(text), 0o666))
	if code, _, diag := runHere("run", "-q", "--store", s.store, s.file); code != 0 {
		t.Fatal(diag)
	}
	return s
}

// blob is the result of a stage.
func (s stored) blob(stage string) storetest.Object {
	s.t.Helper()
	_, out, diag := runHere("show", "--json", "--store", s.store, s.file, stage)
	m := regexp.MustCompile(`"digest":"([0-9a-f]{64})"`).FindStringSubmatch(out)
	if m == nil {
		s.t.Fatal(out, diag)
	}
	return storetest.Named(s.t, s.store, m[1])
}

// action is the record of a stage's task.
func (s stored) action(stage string) storetest.Object {
	s.t.Helper()
	blob := s.blob(stage).Name
	for _, o := range storetest.Actions(s.t, s.store) {
		if bytes.Contains(o.Read(s.t), []byte(blob)) {
			return o
		}
	}
	s.t.Fatal("no action gives", blob)
	return storetest.Object{}
}

func badStores() []struct {
	name  string
	spoil func(stored)
} {
	blob := func(to func([]byte) []byte) func(stored) {
		return func(s stored) { s.blob("a").Write(s.t, to(s.blob("a").Read(s.t))) }
	}
	action := func(to func(string) string) func(stored) {
		return func(s stored) { s.action("a").Write(s.t, []byte(to(string(s.action("a").Read(s.t))))) }
	}
	return []struct {
		name  string
		spoil func(stored)
	}{
		{"a bit has flipped", blob(func(b []byte) []byte { b[len(b)-1] ^= 1; return b })},
		{"cut short", blob(func(b []byte) []byte { return b[:len(b)-1] })},
		{"a byte too long", blob(func(b []byte) []byte { return append(b, 0) })},
		{"empty", blob(func([]byte) []byte { return []byte{} })},
		{"another result in its place", func(s stored) {
			s.blob("a").Write(s.t, s.blob("b").Read(s.t))
		}},
		{"a link in its place", func(s stored) {
			o := s.blob("a")
			o.Remove(s.t)
			if err := os.Symlink(s.file, o.File(s.t)); err != nil {
				s.t.Fatal(err)
			}
		}},
		{"a directory in its place", func(s stored) {
			o := s.blob("a")
			o.Remove(s.t)
			if err := os.Mkdir(o.File(s.t), 0o777); err != nil {
				s.t.Fatal(err)
			}
		}},
		{"a record with another recipe", action(func(a string) string { return strings.Replace(a, `"1"`, `"9"`, 1) })},
		{"a record that names another result", func(s stored) {
			from, to, record := s.blob("a").Name, s.blob("b").Name, s.action("a")
			record.Replace(s.t, bytes.Replace(record.Read(s.t), []byte(from), []byte(to), 1))
		}},
		{"a record cut short", action(func(a string) string { return a[:len(a)/2] })},
		{"a record of nothing", action(func(string) string { return "" })},
	}
}
