package bundle

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/internal/need"
)

// FuzzOpen: a bundle comes from strangers. Whatever its bytes are, nothing panics, nothing
// is written beside the store and the directory for inputs, and what is opened makes a
// graph or says why not.
func FuzzOpen(f *testing.F) {
	golden := need.Value(os.ReadFile("testdata/golden-1.tar"))(f)
	f.Add(golden)
	f.Add(golden[:len(golden)/2])
	f.Add(golden[:512])
	var hostile bytes.Buffer
	w := tar.NewWriter(&hostile)
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "bundle", Size: 19, Mode: 0o644})
	w.Write([]byte("prgnn bundle 1\nend\n"))
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "../evil", Linkname: "/etc/passwd"})
	w.Close()
	f.Add(hostile.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		file := filepath.Join(dir, "run.tar")
		need.NoError(t, os.WriteFile(file, b, 0o666))
		s := need.Value(disk.Open(filepath.Join(dir, "store")))(t)
		defer s.Close()
		if o, err := Open(file, s, filepath.Join(dir, "inputs")); err == nil {
			o.Graph()
		}
		entries := need.Value(os.ReadDir(dir))(t)
		for _, e := range entries {
			if n := e.Name(); n != "run.tar" && n != "store" && n != "inputs" {
				t.Fatalf("the bundle wrote %s", n)
			}
		}
		filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type()&fs.ModeSymlink != 0 {
				t.Fatalf("the bundle made the link %s", path)
			}
			return nil
		})
	})
}

// FuzzList: what parses is written as it was.
func FuzzList(f *testing.F) {
	d := artifacts.DigestOf(nil)
	f.Add(encodeList([]entry{{kind: isFile, name: readmeName, ref: artifacts.Ref{Digest: d, Size: 3}},
		{kind: isInput, name: "data.txt", ref: artifacts.Ref{Digest: d}},
		{kind: isResult, ref: artifacts.Ref{Digest: d, Format: "npy"}}}))
	f.Add([]byte(magic + "\ninput " + d.String() + " 1 \"../x\"\nend\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := parseList(b)
		if err != nil {
			return
		}
		if again := encodeList(entries); !bytes.Equal(again, b) {
			t.Fatalf("%q became %q", b, again)
		}
		for _, e := range entries {
			if !filepath.IsLocal(e.path()) || e.kind == isInput && filepath.Base(e.name) != e.name {
				t.Fatalf("%q leads elsewhere", e.line())
			}
		}
	})
}
