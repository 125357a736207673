package stages

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/learn"
	"prgnn/stages/stagetest"
)

// goldenMost is the size of the largest file that goes into the golden corpus.
const goldenMost = 36 << 10

// TestGoldenOutputs: what each kind made when the corpus was written is read by today's
// program, for ever. testdata/golden-N holds a file an output (large ones, and pictures
// as PNG, are left out); digests.txt names them.
//
// A new version of a format, or a new kind, gets a new directory, and those before stay:
//
//	PRGNN_GOLDEN=testdata/golden-2 go test ./stages -run GoldenOutputs
func TestGoldenOutputs(t *testing.T) {
	if dir := os.Getenv("PRGNN_GOLDEN"); dir != "" {
		writeGolden(t, dir)
	}
	dirs, err := filepath.Glob("testdata/golden-*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no golden corpus", err)
	}
	for _, dir := range dirs {
		list := need.Value(os.ReadFile(filepath.Join(dir, "digests.txt")))(t)
		for line := range strings.Lines(string(list)) {
			digest, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Error(err)
				continue
			}
			if d := artifacts.DigestOf(b); hex.EncodeToString(d[:]) != digest {
				t.Errorf("%s/%s has been changed: golden files stay as they are", dir, name)
			}
			if err := readable(name, b); err != nil {
				t.Errorf("%s/%s cannot be read any more: %v", dir, name, err)
			}
		}
	}
}

// readable reads an output as the stages that take it do.
func readable(name string, b []byte) error {
	kind, _, _ := strings.Cut(name, ".")
	switch filepath.Ext(name) {
	case ".npy":
		a, err := encoding.ReadArray(bytes.NewReader(b))
		if err == nil && a.Len() == 0 {
			err = fmt.Errorf("it is empty")
		}
		return err
	case ".arrow":
		table, err := encoding.ReadTable(bytes.NewReader(b))
		if err == nil && len(table.Columns) == 0 {
			err = fmt.Errorf("it has no columns")
		}
		return err
	case ".nifti":
		return readableImage(b)
	case ".svg":
		return xml.Unmarshal(b, new(struct {
			XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
		}))
	case ".json":
		return json.Unmarshal(b, new(any))
	case ".npz":
		_, err := learn.ReadModel(b)
		return err
	}
	if len(b) == 0 {
		return fmt.Errorf("%s made nothing", kind)
	}
	return nil
}

// readableImage reads an image of ours to its end.
func readableImage(b []byte) error {
	r, err := nifti.NewReader(bytes.NewReader(b), "golden")
	if err != nil {
		return err
	}
	defer r.Close()
	for range r.Volumes() {
		if _, err := r.NextRaw(); err != nil {
			return err
		}
	}
	return nil
}

func writeGolden(t *testing.T, dir string) {
	t.Helper()
	need.NoError(t, os.Mkdir(dir, 0o777), "a corpus is written once")
	c := &chain{}
	var list strings.Builder
	for _, k := range dag.Kinds() {
		e := c.example(t, k.Name)
		out := stagetest.MustRun(t, e.stage, e.in)
		for _, p := range e.stage.Ports().Out {
			b, format := stagetest.Encoded(t, out[p.Name]), out[p.Name].Format()
			if len(b) > goldenMost || format == "png" { // each picture is there as SVG
				t.Logf("%s.%s: left out (%s, %d bytes)", k.Name, p.Name, format, len(b))
				continue
			}
			name := k.Name + "." + p.Name + "." + format
			need.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o666))
			fmt.Fprintf(&list, "%s  %s\n", artifacts.DigestOf(b), name)
		}
	}
	need.NoError(t, os.WriteFile(filepath.Join(dir, "digests.txt"), []byte(list.String()), 0o666))
}
