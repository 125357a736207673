package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag/engine"
	"prgnn/internal/need"
	"prgnn/pipelines"
	"prgnn/pipelines/lock"
	_ "prgnn/stages" // the kinds
)

const small = `pipeline: small
stages:
  first: { use: echo, matrix: { value: [1..3] } }
  second: { use: echo, in: { inputs: "first[*]", input: { file: data.txt } }, with: { value: 2 } }
`

// packed is a small run as a bundle.
func packed(t *testing.T, with func(*Contents)) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"small.yaml": small, "data.txt": "data\n"} {
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	p, err := pipelines.Load(filepath.Join(dir, "small.yaml"), nil)
	need.NoError(t, err)
	s, err := disk.Open(filepath.Join(dir, "store"))
	need.NoError(t, err)
	defer s.Close()
	if _, err := engine.Run(context.Background(), p.Graph, s, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	steps, err := engine.Plan(t.Context(), p.Graph, s, engine.Options{})
	need.NoError(t, err)
	l, err := lock.Of(p, steps, func(path string) (artifacts.Ref,
		error) {
		return s.HashFile(context.Background(), path, true)
	})
	need.NoError(t, err)
	c := Contents{Lock: l, Recipes: map[string]string{}, Inputs: map[artifacts.Digest]string{}, Open: s.OpenBlob}
	for id, task := range l.Tasks() {
		a := need.Value(s.Lookup(task.Key))(t)
		c.Recipes[id] = a.Recipe
		c.Results = append(c.Results, task.Outputs.Of("value"))
		for _, f := range task.Files {
			c.Inputs[f.Ref.Digest] = filepath.Join(dir, f.Name)
		}
	}
	if with != nil {
		with(&c)
	}
	var b bytes.Buffer
	need.NoError(t, Write(&b, c))
	return b.Bytes()
}

func open(t *testing.T, b []byte) (*Opened, error) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "run.tar")
	need.NoError(t, os.WriteFile(file, b, 0o666))
	s, err := disk.Open(filepath.Join(dir, "store"))
	need.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	o, err := Open(file, s, filepath.Join(dir, "inputs"))
	// Whatever the bundle says, nothing lies but where it may.
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if n := e.Name(); n != "run.tar" && n != "store" && n != "inputs" {
			t.Errorf("the bundle wrote %s", n)
		}
	}
	return o, err
}

// repeated runs the tasks of a bundle in a new store: they give the digests of its lock.
func repeated(t *testing.T, l *lock.Lock, r *Replay) *disk.Store {
	t.Helper()
	s, err := disk.Open(t.TempDir())
	need.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	got, err := engine.Run(context.Background(), r.Graph, s, engine.Options{})
	if err != nil || got.Ran != 4 {
		t.Fatal(got, err)
	}
	for id, task := range l.Tasks() {
		if got.Outputs[id].Of("value").Digest != task.Outputs.Of("value").Digest {
			t.Errorf("%s: %v, want %v", id, got.Outputs[id], task.Outputs)
		}
	}
	return s
}

// What is packed is repeated: the tasks that a bundle describes have the keys and
// the digests of its lock.
func TestReplay(t *testing.T) {
	b := packed(t, nil)
	if !bytes.Equal(b, packed(t, nil)) {
		t.Error("the same run gives two bundles")
	}
	o, err := open(t, b)
	need.NoError(t, err)
	r, err := o.Graph()
	if err != nil || len(r.Other) > 0 || len(r.Runs()) > 0 {
		t.Fatal(r, err)
	}
	s := repeated(t, o.Lock, r)
	for id, task := range o.Lock.Tasks() {
		if _, err := s.Lookup(task.Key); err != nil {
			t.Errorf("%s has another key: %v", id, err)
		}
	}
}

func TestBundleWithoutInputs(t *testing.T) {
	o := need.Value(open(t, packed(t, func(c *Contents) { c.Inputs = nil })))(t)
	if len(o.HasNo) != 1 || o.HasNo[0].Name != "data.txt" {
		t.Fatalf("%+v", o.HasNo)
	}
	if _, err := o.Graph(); err == nil || !strings.Contains(err.Error(), "data.txt) is not in the bundle") {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "elsewhere")
	need.NoError(t, os.WriteFile(file, []byte("data\n"), 0o666))
	if err := o.Bring(file, o.HasNo[0].Ref); err != nil || len(o.HasNo) > 0 {
		t.Fatal(err, o.HasNo)
	}
	if _, err := o.Graph(); err != nil {
		t.Error(err)
	}
}

// A part is one entry of a tar file, to be changed.
type part struct {
	h    tar.Header
	data []byte
}

func parts(t *testing.T, b []byte) []part {
	t.Helper()
	var all []part
	in := tar.NewReader(bytes.NewReader(b))
	for {
		h, err := in.Next()
		if err == io.EOF {
			return all
		}
		need.NoError(t, err)
		data, err := io.ReadAll(in)
		need.NoError(t, err)
		all = append(all, part{*h, data})
	}
}

func repacked(t *testing.T, all []part) []byte {
	t.Helper()
	var b bytes.Buffer
	out := tar.NewWriter(&b)
	for _, p := range all {
		if p.h.Typeflag == tar.TypeReg {
			p.h.Size = int64(len(p.data))
		}
		need.NoError(t, out.WriteHeader(&p.h))
		if p.h.Typeflag == tar.TypeReg {
			if _, err := out.Write(p.data); err != nil {
				t.Fatal(err)
			}
		}
	}
	out.Close()
	return b.Bytes()
}

// A bundle that is damaged, forged or hostile is refused, with the reason.
func TestRefusals(t *testing.T) {
	honest := packed(t, nil)
	find := func(all []part, name string) *part {
		for i := range all {
			if strings.HasPrefix(all[i].h.Name, name) {
				return &all[i]
			}
		}
		t.Fatal("no entry", name)
		return nil
	}
	list := func(change func(string) string) func([]part) []part {
		return func(all []part) []part {
			p := find(all, "bundle")
			p.data = []byte(change(string(p.data)))
			return all
		}
	}
	replace := func(old, new string) func([]part) []part {
		return list(func(s string) string {
			if !strings.Contains(s, old) {
				t.Fatalf("the list has no %q:\n%s", old, s)
			}
			return strings.Replace(s, old, new, 1)
		})
	}
	// forge changes a file and makes the list fit.
	forge := func(name string, change func(string) string) func([]part) []part {
		return func(all []part) []part {
			p := find(all, name)
			was := artifacts.DigestOf(p.data).String()
			size := len(p.data)
			p.data = []byte(change(string(p.data)))
			l := find(all, "bundle")
			l.data = bytes.Replace(l.data, []byte(was), []byte(artifacts.DigestOf(p.data).String()), 1)
			if len(p.data) != size {
				t.Fatal("the forged file has another size")
			}
			return all
		}
	}
	add := func(h tar.Header, data string) func([]part) []part {
		return func(all []part) []part { return append(all, part{h, []byte(data)}) }
	}
	for _, c := range []struct {
		about  string
		change func([]part) []part
		want   string
	}{
		{"a path that climbs", add(tar.Header{Typeflag: tar.TypeReg, Name: "../evil", Mode: 0o644}, "x"), `"../evil" is not in its list`},
		{"an absolute path", add(tar.Header{Typeflag: tar.TypeReg, Name: "/tmp/evil", Mode: 0o644}, "x"),
			"is not in its list"},
		{"a symbolic link", add(tar.Header{Typeflag: tar.TypeSymlink, Name: "blobs/link", Linkname: "/etc/passwd"}, ""),
			"is not in its list"},
		{"a link in place of a blob", func(all []part) []part {
			p := find(all, "blobs/")
			p.h.Typeflag, p.h.Linkname, p.h.Size = tar.TypeSymlink, "/etc/passwd", 0
			return all
		}, "is a link"},
		{"a hard link in place of the lock", func(all []part) []part {
			p := find(all, "run.lock")
			p.h.Typeflag, p.h.Linkname, p.h.Size = tar.TypeLink, "/etc/passwd", 0
			return all
		}, "is a link"},
		{"a device", func(all []part) []part {
			p := find(all, "blobs/")
			p.h.Typeflag, p.h.Size = tar.TypeChar, 0
			return all
		}, "is not a regular file"},
		{"a directory", add(tar.Header{Typeflag: tar.TypeDir, Name: "blobs/", Mode: 0o755}, ""), "is not in its list"},
		{"an entry twice", func(all []part) []part { return append(all, *find(all, "run.lock")) }, "appears twice"},
		{"an extended header", func(all []part) []part {
			p := find(all, "run.lock")
			p.h.Format, p.h.PAXRecords = tar.FormatPAX, map[string]string{"VENDOR.x": "y"}
			return all
		}, "tar extension"},
		{"a blob with other bytes", func(all []part) []part { find(all, "blobs/").data[0] ^= 1; return all }, "does not have the digest"},
		{"a blob that is longer", func(all []part) []part {
			p := find(all, "blobs/")
			p.data = append(p.data, 0)
			return all
		}, "the limit is"},
		{"a blob that is shorter", func(all []part) []part { p := find(all, "blobs/"); p.data = p.data[1:]; return all }, "but its list states"},
		{"a blob that is missing", func(all []part) []part { return all[:len(all)-1] }, "is missing"},
		{"no list", func(all []part) []part { return all[1:] }, "begins with"},
		{"a list of another version", replace("prgnn bundle 1", "prgnn bundle 2"), "its list begins with"},
		{"a list that is cut short", list(func(s string) string { return s[:len(s)-4] }), "its list is truncated"},
		{"a bomb by its sizes", list(func(s string) string {
			return strings.Replace(s, "end\n", "result "+strings.Repeat("0", 64)+" 9223372036854775807 npy\nend\n", 1)
		}), "made to fill a disk"},
		{"two sizes of one blob", list(func(s string) string {
			at := strings.Index(s, "result ")
			d := s[at+7 : at+71]
			return strings.Replace(s, "end\n", "result "+d+" 1 npy\nend\n", 1)
		}), "two sizes"},
		{"a negative size", list(func(s string) string {
			return strings.Replace(s, "end\n", "result "+strings.Repeat("0", 64)+" -1 npy\nend\n", 1)
		}), "is not a size"},
		{"an input that climbs", replace(`"data.txt"`, `"../../data.txt"`), "is not a plain file name"},
		{"an input that is hidden in a drive", replace(`"data.txt"`, `"C:data.txt"`), "is not a plain file name"},
		{"an input that is an option", replace(`"data.txt"`, `"-rf"`), "is not a plain file name"},
		{"an input that is a device", replace(`"data.txt"`, `"NUL.txt"`), "is not a plain file name"},
		{"an input with a line end", replace(`"data.txt"`, `"a\nb"`), "is not a plain file name"},
		{"a file that no bundle has", replace(`"README"`, `"evil.sh"`), "a bundle has no file"},
		{"a digest in capitals", list(func(s string) string { return strings.Replace(s, "file ", "file A", 1) }), "line 2"},
		{"a lock that is damaged", forge("run.lock", func(s string) string { return strings.Replace(s, "value", "valve", 1) }), "was changed or damaged"},
		{"a recipe that is forged", forge("recipes", func(s string) string { return strings.Replace(s, `value = "1"`, `value = "7"`, 1) }), "one of them is forged"},
		{"recipes that are cut", forge("recipes", func(s string) string { return "task 9999999 x\n" + s[15:] }), "does not have the stated"},
	} {
		all := c.change(parts(t, honest))
		_, err := open(t, repacked(t, all))
		need.Error(t, err, c.want, c.about)
	}
	for want, b := range map[string][]byte{
		"is not a tar file":         []byte("text"),
		"is compressed (gzip)":      append([]byte("\x1f\x8b\x08\x00"), honest...),
		"is compressed (zstd)":      append([]byte("\x28\xb5\x2f\xfd"), honest...),
		"truncated":                 honest[:len(honest)/2],
		"follow its end":            append(bytes.Clone(honest), "more"...),
		"part of it follow its end": slices.Concat(honest, make([]byte, 1<<17), honest),
		"it is not a tar file: EOF": nil,
	} {
		if _, err := open(t, b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, padding := range []int{0, 9 * 1024} { // GNU tar fills records of 10 KiB
		if _, err := open(t, append(bytes.Clone(honest), make([]byte, padding)...)); err != nil {
			t.Errorf("the honest bundle with %d zeros behind it: %v", padding, err)
		}
	}
}

// TestOtherCode: the bundle of a program whose code was another is replayed, and says so.
func TestOtherCode(t *testing.T) {
	b := packed(t, func(c *Contents) {
		for id, task := range c.Lock.Tasks() {
			lines := strings.Split(c.Recipes[id], "\n")
			for i, line := range lines {
				if strings.HasPrefix(line, "code ") {
					lines[i] = line[:len(line)-4] + "0000"
				}
			}
			c.Recipes[id] = strings.Join(lines, "\n")
			task.Key = artifacts.KeyOf(c.Recipes[id])
		}
	})
	o := need.Value(open(t, b))(t)
	r := need.Value(o.Graph())(t)
	if len(r.Other) != 1 || r.Other[0] != "echo" {
		t.Errorf("kinds of other code: %v", r.Other)
	}
}
