package lock

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag/engine"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/pipelines"
)

const twoStages = `pipeline: two
vars: { word: one }
stages:
  first: { use: echo, matrix: { value: [1..3] } }
  second: { use: echo, in: { inputs: "first[*]", input: { file: data.txt } }, with: { value: "${word}" } }
`

// made runs a small pipeline and writes its lock.
func made(t *testing.T) (*pipelines.Pipeline, *disk.Store, *Lock) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"two.yaml": twoStages, "data.txt": "data\n"} {
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	s := need.Value(disk.Open(filepath.Join(dir, "store")))(t)
	t.Cleanup(func() { s.Close() })
	p, l := runAndLock(t, s, filepath.Join(dir, "two.yaml"), "word=\"two\\nlines\"")
	return p, s, l
}

// runAndLock runs a pipeline file and writes its lock.
func runAndLock(t *testing.T, s *disk.Store, file string, sets ...string) (*pipelines.Pipeline, *Lock) {
	t.Helper()
	p := need.Value(pipelines.Load(file, sets))(t)
	if _, err := engine.Run(context.Background(), p.Graph, s, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	steps := need.Value(engine.Plan(t.Context(), p.Graph, s, engine.Options{}))(t)
	l := need.Value(Of(p, steps, hash(s)))(t)
	return p, l
}

func hash(s *disk.Store) func(string) (artifacts.Ref, error) {
	return func(path string) (artifacts.Ref, error) { return s.HashFile(context.Background(), path, true) }
}

func encoded(t *testing.T, l *Lock) string {
	t.Helper()
	text := need.Value(l.Encode())(t)
	return string(text)
}

func TestLockRoundTrip(t *testing.T) {
	p, s, l := made(t)
	text := encoded(t, l)
	again := need.Value(Parse([]byte(text)))(t)
	if got := encoded(t, again); got != text {
		t.Errorf("%s\nbecame\n%s", text, got)
	}
	if !reflect.DeepEqual(again.Tasks(), l.Tasks()) || again.Text != l.Text || !reflect.DeepEqual(again.Sets, l.Sets) {
		t.Errorf("%+v\nbecame\n%+v", l, again)
	}
	if strings.Contains(text, p.Dir) {
		t.Errorf("the lock names a directory of this machine:\n%s", text)
	}
	loaded := need.Value(again.Load(p.Dir, nil))(t)
	if ds, other := again.Contradictions(loaded.Graph); len(ds)+len(other) > 0 {
		t.Errorf("it contradicts itself: %v %v", ds, other)
	}
	if ds, err := again.Before(loaded.Graph, twoStages, nil, hash(s)); err != nil || len(ds) > 0 {
		t.Errorf("%v, %v", ds, err)
	}
	crlf := strings.ReplaceAll(text, "\n", "\r\n") // as git writes it where its autocrlf is set
	if got := encoded(t, need.Value(Parse([]byte(crlf)))(t)); got != text {
		t.Errorf("with CRLF\n%s", got)
	}
	for _, text := range []string{"", "a\n\n  b", "a\nb\n", "\n", " \n"} {
		l.Text = text
		if again, err := Parse([]byte(encoded(t, l))); err != nil || again.Text != text {
			t.Errorf("text %q: %v, %v", text, again, err)
		}
	}
}

// A lock of an earlier version may say where data lay; what is set now comes over it.
func TestLockWithPlaces(t *testing.T) {
	dir := t.TempDir()
	need.NoError(t, os.WriteFile(filepath.Join(dir, "data.txt"), []byte("data\n"), 0o666))
	l := &Lock{File: "p.yaml", Text: "vars: { data: \"\" }\nstages: { s: { use: echo, in: { input: { file: \"${data}/data.txt\" } } } }\n", Sets: []string{"data=/nowhere"}}
	again := need.Value(Parse([]byte(encoded(t, l))))(t)
	if _, err := again.Load(dir, nil); err == nil || !strings.Contains(err.Error(), "there is no file /nowhere/data.txt") {
		t.Errorf("error %v", err)
	}
	p := need.Value(again.Load(dir, []string{"data=" + dir}))(t)
	if p.Shared.Sets != nil {
		t.Errorf("its own lock would have %q", p.Shared.Sets)
	}
}

// What is not that of the lock is named: the file, a parameter, the data, a task.
func TestLockBefore(t *testing.T) {
	p, s, l := made(t)
	data := filepath.Join(p.Dir, "data.txt")
	for _, c := range []struct {
		text, data string
		sets       []string
		want       string
	}{
		{twoStages, "data\n", []string{"word=three"}, `second.value: "two\nlines" in the lock, "three" now`},
		{strings.Replace(twoStages, "1..3", "1..2", 1), "data\n", nil, `two.yaml:4: "first: { use: echo, matrix: { value: [1..3] } }" in the lock`},
		{strings.Replace(twoStages, "1..3", "1..2", 1), "data\n", nil, "task: first[value=3] of the lock no longer exists"},
		{strings.Replace(twoStages, "1..3", "1..4", 1), "data\n", nil, "task: first[value=4] is not in the lock"},
		{twoStages, "other\n", nil, "second input input (data.txt): 6667b2d1aab6 in the lock, "},
	} {
		need.NoError(t, os.WriteFile(data, []byte(c.data), 0o666))
		now, err := pipelines.LoadText("two.yaml", c.text, p.Dir, append([]string{"word=\"two\\nlines\""}, c.sets...))
		need.NoError(t, err)
		place := func(line int) string { return fmt.Sprint("two.yaml:", line) }
		ds, err := l.Before(now.Graph, c.text, place, hash(s))
		need.NoError(t, err)
		all := lists.Map(ds, func(d Difference) string { return d.String() })
		if got := strings.Join(all, "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
	need.NoError(t, os.WriteFile(data, []byte("data\n"), 0o666))
	l.Codes[0].Digest = strings.Repeat("0", 64)
	if ds, err := l.Before(p.Graph, twoStages, nil, hash(s)); err != nil || len(ds) != 1 ||
		ds[0].Place != "code of "+l.Codes[0].Kind {
		t.Errorf("%v, %v", ds, err)
	}
}

// A lock whose digests were exchanged, and whose sums were made to fit, still
// contradicts itself: its keys are digests of what it says.
func TestForgedLock(t *testing.T) {
	p, _, l := made(t)
	forge := func(change func(*Task)) string {
		again, err := Parse([]byte(encoded(t, l)))
		need.NoError(t, err)
		change(&again.Stages[0].Tasks[0])
		if again, err = Parse([]byte(encoded(t, again))); err != nil {
			t.Fatal(err)
		}
		ds, _ := again.Contradictions(p.Graph)
		if len(ds) == 0 {
			return ""
		}
		return ds[0].Place
	}
	need.Equal(t, forge(func(t *Task) { t.Outputs.Set("value", artifacts.Ref{Format: "npy"}) }), "key of second",
		"a forged output")
	need.Equal(t, forge(func(t *Task) { t.Key[0] ^= 1 }), "key of first[value=1]", "a forged key")
	need.Equal(t, forge(func(t *Task) { t.Outputs = nil }), "second", "a lost output")
	need.Equal(t, forge(func(t *Task) {}), "", "an honest lock")
}

// Every byte of a lock is checked: cut anywhere or changed anywhere, it is refused.
func TestDamagedLocks(t *testing.T) {
	_, _, l := made(t)
	text := encoded(t, l)
	for i := range len(text) - 1 { // without its last line end it is whole
		if _, err := Parse([]byte(text[:i])); err == nil {
			t.Errorf("cut at byte %d of %d, it is taken", i, len(text))
		}
		b := []byte(text)
		b[i] ^= 1
		if _, err := Parse(b); err == nil {
			t.Errorf("changed at byte %d, it is taken: %q", i, text[max(0, i-20):i+20])
		}
	}
	lines := strings.Count(text, "\n")
	for damaged, says := range map[string]string{
		text + "\nmore\n":                     fmt.Sprintf(`line %d: the lock ends here, but "more\n" follows: remove`, lines),
		text + text:                           fmt.Sprintf(`line %d: a second lock follows the line "end": keep one`, lines),
		strings.TrimSuffix(text, "\n") + text: fmt.Sprintf(`line %d: a second lock follows`, lines),
		text[:len(text)/2]: fmt.Sprintf(`line %d: it is truncated here: a lock ends with the line "end"; copy it again`,
			strings.Count(strings.TrimRight(text[:len(text)/2], "\n"), "\n")+1),
		strings.TrimSuffix(text, "end\n"): `it is truncated here`,
		strings.Replace(text, "\nend\n", "\nand\nend\n", 1): fmt.Sprintf(`line %d: "and" instead of a stage or the last line`,
			lines),
	} {
		_, err := Parse([]byte(damaged))
		need.Error(t, err, says)
	}
	// What editors and git do to a text.
	for _, edited := range []string{text + "\n\n", strings.TrimSuffix(text, "\n"),
		"\ufeff" + strings.ReplaceAll(text, "\n", "\r\n")} {
		need.Equal(t, encoded(t, need.Value(Parse([]byte(edited)))(t)), text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("prgnn lock 1\npipeline p\nprogram v - go\nplatform l\nfile p.yaml\n| a\nset \"b\"\nsum 0\n\nend\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Parse([]byte(text))
		if err != nil {
			return
		}
		text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
		if again, err := l.Encode(); err != nil || string(again) != strings.TrimRight(text, "\n")+"\n" {
			t.Errorf("%q became %q, %v", text, again, err)
		}
	})
}
