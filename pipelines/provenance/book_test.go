package provenance

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag/engine"
	"prgnn/internal/need"
	"prgnn/pipelines"
	_ "prgnn/stages" // the kinds
)

const diamond = `pipeline: diamond
stages:
  first: { use: echo, matrix: { value: [1..3] }, in: { input: { file: data.txt } } }
  left: { use: echo, in: { inputs: "first[*]" }, with: { value: 20 } }
  right: { use: echo, in: { inputs: "first[*]" }, with: { value: 30 } }
  last: { use: echo, in: { inputs: [left, right] }, with: { value: 40 } }
`

// ran is the book of a store in which a pipeline has been run.
func ran(t *testing.T, text string) (*Book, *disk.Store, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"diamond.yaml": text, "data.txt": "data\n"} {
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	s := need.Value(disk.Open(filepath.Join(dir, "store")))(t)
	t.Cleanup(func() { s.Close() })
	p := need.Value(pipelines.Load(filepath.Join(dir, "diamond.yaml"), nil))(t)
	if r, err := engine.Run(context.Background(), p.Graph, s, engine.Options{}); err != nil || r.Failed > 0 {
		t.Fatal(err, r)
	}
	b := need.Value(Read(s))(t)
	return b, s, dir
}

// written is a chain, a word a step: ">left", ">>first++" (three tasks, a level deeper),
// ">file", "(again)" where its works stand above already.
func written(steps []Step) string {
	var words []string
	for _, s := range steps {
		word := strings.Repeat(">", s.Depth)
		if len(s.Works) > 0 {
			word += s.Works[0].Stage() + strings.Repeat("+", len(s.Works)-1)
		}
		if len(s.Files) > 0 {
			word += "file"
		}
		if s.Again {
			word += "(again)"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestUpAndDown(t *testing.T) {
	b, _, _ := ran(t, diamond)
	need.Equal(t, written(b.Up(b.Task("last"))), ">left >>first++ >>>file >right >>first++(again)", "up from last")
	data := artifacts.DigestOf([]byte("data\n"))
	need.Equal(t, written(b.Down([]artifacts.Digest{data})), ">first++ >>left >>>last >>right >>>last(again)",
		"down from the file")
	need.Equal(t, written(b.Down([]artifacts.Digest{b.Task("last")[0].Outputs.Of("value").Digest})), "",
		"down from the end")
}

func TestFind(t *testing.T) {
	b, _, _ := ran(t, diamond)
	left := b.Task("left")
	if len(left) != 1 {
		t.Fatal(left)
	}
	d := left[0].Outputs.Of("value").Digest
	if digests, _ := b.Find(d.String()[:16]); len(digests) != 1 || digests[0] != d {
		t.Errorf("the beginning of a digest finds %v", digests)
	}
	if _, works := b.Find(left[0].Key.String()); len(works) != 1 || works[0] != left[0] {
		t.Errorf("a key finds %v", works)
	}
	if m := b.Maker(d); m != left[0] || len(b.Users(d)) != 1 || b.Users(d)[0].Stage() != "last" {
		t.Errorf("made by %v, used by %v", m, b.Users(d))
	}
	// What no task made, but some read.
	if digests, works := b.Find(artifacts.DigestOf([]byte("data\n")).String()); len(digests) != 1 || len(works) > 0 {
		t.Errorf("a file of the user's: %v, %v", digests, works)
	}
	for _, no := range []string{"", "abc", "left", "ABCDEF", strings.Repeat("0", 64), "../../etc"} {
		if digests, works := b.Find(no); len(digests)+len(works) > 0 {
			t.Errorf("%q finds %v, %v", no, digests, works)
		}
	}
	if len(b.Task("first")) != 3 || len(b.Task("first[value=2]")) != 1 ||
		b.Task("first[value=2]")[0].Task != "first[value=2]" {
		t.Errorf("%v", b.Task("first"))
	}
}

// TestTornRecord: a record that is damaged is named, and the rest still answers.
func TestTornRecord(t *testing.T) {
	_, s, dir := ran(t, diamond)
	need.NoError(t, os.WriteFile(filepath.Join(dir, "store", "runs", "ffffffffffffffff"), []byte("torn"), 0o666))
	b, err := Read(s)
	need.Error(t, err, "ffffffffffffffff", "the torn record")
	if len(b.Task("last")) != 1 {
		t.Error("the other records do not answer")
	}
}
