package why

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"prgnn/artifacts"
	"prgnn/artifacts/storetest"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/environment"
	"prgnn/dag/internal/detail"
	"prgnn/dag/internal/line"
	"prgnn/dag/internal/sketch"
	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// study is a small pipeline whose every kind of fact a test can change.
type study struct {
	density string
	code    string
	file    string
	extra   bool // one member more in the gather
}

func (y study) sketch() *sketch.Sketch {
	join := sketch.Kind("join", "1")
	s := sketch.New("")
	s.Task("series", join, &sketch.Join{Text: "series"})
	s.File("series", y.file)
	s.Task("graph", sketch.Kind("graph", y.code), &sketch.Join{Text: y.density}, "series")
	s.Task("other", join, &sketch.Join{Text: "other"})
	from := []string{"graph", "other"}
	if y.extra {
		from = append(from, "series")
	}
	s.Task("train", join, &sketch.Join{Text: "train"}, from...)
	return s
}

func write(t *testing.T, path, text string) {
	t.Helper()
	need.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// codeNow is a generated text of two kinds, in which digests are short.
const codeNow = `kind graph 11
kind pool 12

reached by graph
prgnn/gnn.Model 01.1
module gonum.org/v1/gonum v0.17.0

reached by graph pool
prgnn/gnn.poolScores 02.2
prgnn/gnn/kernels_amd64.s 03.3
`

func init() {
	lines := func(n int) []byte { return []byte("package x" + strings.Repeat("\n", n-1)) }
	dag.Sources("prgnn", fstest.MapFS{
		"gnn/model.go": {Data: append(lines(12), "var Model, New int"...)},
		"gnn/pool.go":  {Data: append(lines(41), "func poolScores()"...)},
		"pool/pool.go": {Data: append(lines(41), "func poolScores()"...)},
	})
}

// edited is codeNow with another identity of the kind graph, and more edits.
func edited(edits ...string) string {
	return strings.NewReplacer(append([]string{"graph 11", "graph 13"}, edits...)...).Replace(codeNow)
}

func TestWhy(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "bold.txt")
	write(t, file, "bold")
	other := filepath.Join(dir, "other.txt")
	write(t, other, "other bold")
	base := study{density: "0.1", code: codeNow, file: file}
	for _, tt := range []struct {
		name   string
		change func(*study)
		plan   string // task state reason, one a line, without those that are cached
		task   string
		diff   string // of Why of that task
	}{
		{"nothing", func(*study) {}, "", "graph", ""},
		{"a parameter", func(y *study) { y.density = "0.12" },
			"graph stale parameter text: \"0.1\" → \"0.12\"\ntrain unknown needs graph, which is not up to date\n",
			"train", "waits for graph"},
		{"a parameter, at the task", func(y *study) { y.density = "0.12" },
			"graph stale parameter text: \"0.1\" → \"0.12\"\ntrain unknown needs graph, which is not up to date\n",
			"graph", "parameter text: \"0.1\" → \"0.12\""},
		{"a file", func(y *study) { y.file = other },
			"series stale input file (" + other + ") has changed\ngraph unknown needs series, which is not up to date\ntrain unknown needs graph, which may not be up to date, as series is not up to date\n",
			"train", "waits for series"},
		{"code", func(y *study) { y.code = edited("poolScores 02", "poolScores 04") },
			"graph stale code: prgnn/gnn.poolScores changed (gnn/pool.go:41)\ntrain unknown needs graph, which is not up to date\n",
			"graph", "code: prgnn/gnn.poolScores changed (gnn/pool.go:41)"},
		{"assembly", func(y *study) { y.code = edited("kernels_amd64.s 03", "kernels_amd64.s 04") },
			"graph stale code: prgnn/gnn/kernels_amd64.s changed\ntrain unknown needs graph, which is not up to date\n",
			"graph", "code: prgnn/gnn/kernels_amd64.s changed"},
		{"a module and two declarations", func(y *study) {
			y.code = edited("v0.17.0", "v0.18.0", "prgnn/gnn.Model 01", "prgnn/gnn.New 04")
		},
			"graph stale code: module gonum.org/v1/gonum v0.17.0 → v0.18.0; code: prgnn/gnn.New is new (gnn/model.go:12); code: prgnn/gnn.Model is gone\ntrain unknown needs graph, which is not up to date\n",
			"graph", "code: module gonum.org/v1/gonum v0.17.0 → v0.18.0\ncode: prgnn/gnn.New is new (gnn/model.go:12)\ncode: prgnn/gnn.Model is gone"},
		{"a change among moves", func(y *study) {
			y.code = edited("prgnn/gnn.Model 01", "prgnn/gnn.Net 01", "prgnn/gnn.poolScores 02.2", "prgnn/pool.poolScores 04.2")
		},
			"graph stale code: prgnn/pool.poolScores changed (pool/pool.go:41)\ntrain unknown needs graph, which is not up to date\n",
			"graph", "code: prgnn/pool.poolScores changed (pool/pool.go:41)"},
		{"what the other kind reaches", func(y *study) {
			y.code = edited("\n\nreached by graph pool", "\n\nreached by pool\nprgnn/gnn.other 05\n\nreached by graph pool")
		},
			"graph stale code has changed\ntrain unknown needs graph, which is not up to date\n",
			"graph", "code has changed"},
		{"only moves", func(y *study) { y.code = edited("prgnn/gnn.Model 01", "prgnn/gnn.Net 01") },
			"graph stale code has changed\ntrain unknown needs graph, which is not up to date\n",
			"graph", "code has changed"},
		{"a change below a renamed function", func(y *study) {
			y.code = edited("prgnn/gnn.Model 01.1", "prgnn/gnn.Model 01.4", "prgnn/gnn.poolScores 02", "prgnn/gnn.scores 02", "kernels_amd64.s 03", "kernels_amd64.s 04")
		},
			"graph stale code: prgnn/gnn/kernels_amd64.s changed; code: prgnn/gnn.Model mentions other names (gnn/model.go:12)\ntrain unknown needs graph, which is not up to date\n",
			"graph", "code: prgnn/gnn/kernels_amd64.s changed\ncode: prgnn/gnn.Model mentions other names (gnn/model.go:12)"},
		{"a member more", func(y *study) { y.extra = true },
			"train stale input in[stage=series] (series.out) is new\n",
			"train", "input in[stage=series] (series.out) is new"},
		{"several", func(y *study) { y.extra, y.density = true, "0.12" },
			"graph stale parameter text: \"0.1\" → \"0.12\"\ntrain unknown needs graph, which is not up to date\n",
			"train", "waits for graph\ninput in[stage=series] (series.out) is new"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := sketch.Store(t)
			base.sketch().Run(t, st, engine.Options{})
			y := base
			tt.change(&y)
			g := y.sketch().Graph(t)
			steps := need.Value(Plan(t.Context(), g, st, engine.Options{}))(t)
			var plan strings.Builder
			for _, p := range steps {
				if p.State != engine.Cached {
					plan.WriteString(p.Node.ID() + " " + string(p.State) + " " + p.Reason + "\n")
				}
			}
			if plan.String() != tt.plan {
				t.Errorf("plan:\n%swant:\n%s", &plan, tt.plan)
			}
			e := need.Value(Task(t.Context(), g, st, engine.Options{}, tt.task))(t)
			var lines []string
			if e.WaitsFor != nil {
				lines = append(lines, "waits for "+strings.Join(e.WaitsFor, " "))
			}
			for _, d := range e.Differences {
				lines = append(lines, d.String())
			}
			if got := strings.Join(lines, "\n"); got != tt.diff {
				t.Errorf("why %s:\n%s\nwant:\n%s", tt.task, got, tt.diff)
			}
		})
	}
}

// TestEarlierIdentities has a run recorded by a version that identified code by its
// source files.
func TestEarlierIdentities(t *testing.T) {
	st := sketch.Store(t)
	file := filepath.Join(t.TempDir(), "bold.txt")
	write(t, file, "bold")
	const files = "prgnn/gnn/model.go 01\nprgnn/gnn/pool.go 02\n"
	y := study{density: "0.1", code: files, file: file}
	y.sketch().Run(t, st, engine.Options{})
	runs, err := st.Runs()
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	rr, err := st.LoadRun(runs[0].ID)
	need.NoError(t, err)
	var d detail.Run
	need.NoError(t, json.Unmarshal(rr.Detail, &d))
	d.Codes["graph"] = files + "\nprgnn/dag/internal/sketch.Join" // what such a version wrote, and the type
	if rr.Detail, err = json.Marshal(d); err != nil {
		t.Fatal(err)
	}
	need.NoError(t, st.SaveRun(rr))
	y.code = codeNow
	e, err := Task(t.Context(), y.sketch().Graph(t), st, engine.Options{}, "graph")
	need.NoError(t, err)
	const want = "code format: by source files, of an earlier version of the program → by declarations"
	if e.Reason != want || len(e.Differences) != 1 || e.Differences[0].String() != want {
		t.Errorf("%s: %v, want %s", e.Reason, e.Differences, want)
	}
}

// TestListing: what the kinds reach is stored once, whatever the number of runs, and a record that
// holds it itself, as those of earlier versions do, is explained as well.
func TestListing(t *testing.T) {
	st := sketch.Store(t)
	file := filepath.Join(t.TempDir(), "bold.txt")
	write(t, file, "bold")
	y := study{density: "0.1", code: codeNow, file: file}
	y.sketch().Run(t, st, engine.Options{})
	y.density = "0.2"
	last := y.sketch().Run(t, st, engine.Options{})
	runs, err := st.Runs()
	if err != nil || len(runs) != 2 || len(runs[0].Keeps) != 1 || !slices.Equal(runs[0].Keeps, runs[1].Keeps) {
		t.Fatalf("%+v, %v", runs, err)
	}
	for _, r := range runs {
		if bytes.Contains(r.Detail, []byte("reached")) {
			t.Errorf("a record still holds the listing: %s", r.Detail)
		}
	}
	listing := runs[0].Keeps[0]
	packed := storetest.Find(t, st.Dir(), listing.Digest).Read(t)
	y.code = edited("poolScores 02.2", "poolScores 09.2")
	why := func() string {
		t.Helper()
		e := need.Value(Task(t.Context(), y.sketch().Graph(t), st, engine.Options{}, "graph"))(t)
		return fmt.Sprint(e.Differences)
	}
	const explained = "[code: prgnn/gnn.poolScores changed (gnn/pool.go:41)]"
	need.Equal(t, why(), explained)
	for name, spoil := range map[string]func(storetest.Object){
		"lost":    func(o storetest.Object) { o.Remove(t) },
		"damaged": func(o storetest.Object) { o.Write(t, packed[1:]) },
	} {
		spoil(storetest.Find(t, st.Dir(), listing.Digest))
		need.Equal(t, why(), "[code has changed]", name)
		if _, err := st.Health.PutOnce(artifacts.Bytes{Kind: listing.Format, Data: packed}); err != nil {
			t.Fatal(err)
		}
		need.Equal(t, why(), explained, name)
	}
	// As an earlier version wrote it.
	rr, err := st.LoadRun(last.ID)
	need.NoError(t, err)
	var d detail.Run
	need.NoError(t, json.Unmarshal(rr.Detail, &d))
	d.Reached = packed
	if rr.Detail, err = json.Marshal(d); err != nil {
		t.Fatal(err)
	}
	rr.Keeps = nil
	need.NoError(t, errors.Join(st.SaveRun(rr), st.Health.Remove(listing.Digest)))
	need.Equal(t, why(), explained, "of an earlier version")
}

// TestWhyItRan asks about a task that is up to date: what made it run is told.
func TestWhyItRan(t *testing.T) {
	st := sketch.Store(t)
	file := filepath.Join(t.TempDir(), "bold.txt")
	write(t, file, "bold")
	y := study{density: "0.1", code: codeNow, file: file}
	e, err := Task(t.Context(), y.sketch().Graph(t), st, engine.Options{}, "graph")
	if err != nil || e.State != engine.Unknown {
		t.Fatalf("%+v, %v", e, err)
	}
	if e, err = Task(t.Context(), y.sketch().Graph(t), st, engine.Options{}, "series"); err != nil ||
		e.State != engine.Stale ||
		e.Reason != "not run before" || e.Differences != nil {
		t.Errorf("before the first run: %+v, %v", e, err)
	}
	y.sketch().Run(t, st, engine.Options{})
	if e, err = Task(t.Context(), y.sketch().Graph(t), st, engine.Options{}, "graph"); err != nil ||
		e.State != engine.Cached ||
		e.Differences != nil {
		t.Errorf("after the first run: %+v, %v", e, err)
	}
	y.density = "0.2"
	y.sketch().Run(t, st, engine.Options{})
	y.sketch().Run(t, st, engine.Options{}) // nothing to do: it does not hide what made it run
	e, err = Task(t.Context(), y.sketch().Graph(t), st, engine.Options{}, "graph")
	if err != nil || e.State != engine.Cached || len(e.Differences) != 1 || e.Differences[0].String() != `parameter text: "0.1" → "0.2"` {
		t.Errorf("after the second: %+v, %v", e, err)
	}
	if e.Run == "" || e.When.IsZero() || !strings.HasPrefix(e.Recipe, line.Format) ||
		!strings.HasPrefix(e.Before, line.Format) {
		t.Errorf("%+v", e)
	}
	if _, err := Task(t.Context(), y.sketch().Graph(t), st, engine.Options{}, "*"); err == nil {
		t.Error("a pattern of several tasks is explained")
	}
}

// TestWhyLater: a run that is later than a task's result did not make it run. Its settings are stated as later, and are
// no cause of tasks that were not run before.
func TestWhyLater(t *testing.T) {
	st := sketch.Store(t)
	file := filepath.Join(t.TempDir(), "bold.txt")
	write(t, file, "bold")
	first := study{density: "0.1", code: codeNow, file: file}
	second := first
	second.density = "0.2"
	why := func(y study, until string) string {
		t.Helper()
		g := y.sketch().Graph(t)
		e := need.Value(Task(t.Context(), g, st, engine.Options{}, "graph"))(t)
		var patterns []string
		if until != "" {
			patterns = []string{until}
		}
		sum := need.Value(Causes(t.Context(), g, st, engine.Options{}, patterns...))(t)
		return fmt.Sprintf("%s%t%v%t%v", e.State, e.Later, e.Differences, sum.Later != nil,
			lists.Map(sum.Causes, func(c Cause) string { return c.Text }))
	}
	const less, more = `graph.text "0.2" → "0.1"`, `graph.text "0.1" → "0.2"`
	const diffLess, diffMore = `[parameter text: "0.2" → "0.1"]`, `[parameter text: "0.1" → "0.2"]`
	until := engine.Options{Until: []string{"graph"}}
	first.sketch().Run(t, st, until)
	second.sketch().Run(t, st, until)
	need.Equal(t, why(first, "graph"), "cachedtrue"+diffLess+"true["+less+"]", "it ran first")
	need.Equal(t, why(second, "graph"), "cachedfalse"+diffMore+"false["+more+"]", "it ran later")
	need.Equal(t, why(first, ""), "cachedtrue"+diffLess+"false[not run before]", "others were not run before")
	first.sketch().Run(t, st, until) // cached: it runs no second time
	need.Equal(t, why(first, "graph"), "cachedtrue"+diffLess+"true["+less+"]", "a run that found it")
	second.sketch().Run(t, st, engine.Options{})
	need.Equal(t, why(first, ""), "cachedtrue"+diffLess+"false["+less+"]", "train had another graph")
	need.Equal(t, why(second, ""), "cachedfalse"+diffMore+"false["+more+"]")
	first.sketch().Run(t, st, engine.Options{Force: []string{"graph"}})
	need.Equal(t, why(first, "graph"), "cachedfalse"+diffLess+"false["+less+"]", "it ran again")
}

// TestReasonsOfRecords: where the record of the last run is damaged, no reason is made up.
func TestReasonsOfRecords(t *testing.T) {
	st := sketch.Store(t)
	file := filepath.Join(t.TempDir(), "bold.txt")
	write(t, file, "bold")
	y := study{density: "0.1", code: codeNow, file: file}
	y.sketch().Run(t, st, engine.Options{})
	e := need.Value(Task(t.Context(), y.sketch().Graph(t), st, engine.Options{}, "graph"))(t)
	record := storetest.Find(t, st.Dir(), e.Key)
	record.Write(t, record.Read(t)[1:])
	y.density = "0.2"
	for _, s := range need.Value(Plan(t.Context(), y.sketch().Graph(t), st, engine.Options{}))(t) {
		if s.Node.ID() == "graph" && !strings.Contains(s.Reason, "the record of its last run is damaged") {
			t.Errorf("%s: %q", s.State, s.Reason)
		}
	}
	if got := fmt.Sprint(Recipes("value out text aa\n", "value out text bb\n")); got != "[its out changed]" {
		t.Error(got)
	}
}

// TestCausesParametersFirst: an edit is named before the code that an update of the program changed.
func TestCausesParametersFirst(t *testing.T) {
	st := sketch.Store(t)
	file := filepath.Join(t.TempDir(), "bold.txt")
	write(t, file, "bold")
	y := study{density: "0.1", code: codeNow, file: file}
	y.sketch().Run(t, st, engine.Options{})
	y.density, y.code = "0.2", edited("poolScores 02", "poolScores 04")
	sum := need.Value(Causes(t.Context(), y.sketch().Graph(t), st, engine.Options{}))(t)
	texts := lists.Map(sum.Causes, func(c Cause) string { return c.Text })
	want := []string{`graph.text "0.1" → "0.2"`, "code: prgnn/gnn.poolScores changed (gnn/pool.go:41)"}
	if !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
}

// TestCausesOfMembers: a member more and a member less are one cause for each, also where an upstream task has to make
// the member first, and where the tasks are up to date again.
func TestCausesOfMembers(t *testing.T) {
	st := sketch.Store(t)
	file := filepath.Join(t.TempDir(), "bold.txt")
	write(t, file, "bold")
	less := study{density: "0.1", code: codeNow, file: file}
	more := less
	more.extra = true
	causes := func(y study) string {
		t.Helper()
		sum := need.Value(Causes(t.Context(), y.sketch().Graph(t), st, engine.Options{}))(t)
		return strings.Join(lists.Map(sum.Causes, func(c Cause) string {
			return c.Text + " (" + strings.Join(c.Tasks, " ") + ")"
		}), "\n")
	}
	less.sketch().Run(t, st, engine.Options{})
	need.Equal(t, causes(more), "added: inputs with stage=series (train)")
	later := more // with a member that is not known before series has run
	later.file = filepath.Join(t.TempDir(), "other.txt")
	write(t, later.file, "other bold")
	need.Equal(t, causes(later), "series: input file ("+later.file+") has changed (series)\n"+
		"added: inputs with stage=series (train)")
	e := need.Value(Task(t.Context(), later.sketch().Graph(t), st, engine.Options{}, "train"))(t)
	need.Equal(t, len(e.Differences), 0)
	more.sketch().Run(t, st, engine.Options{})
	need.Equal(t, causes(more), "added: inputs with stage=series (train)")
	need.Equal(t, causes(less), "removed: inputs with stage=series (train)")
	for name, want := range map[string]string{"in[stage=graphs,subject=sub-1]": "subject=sub-1",
		"in[stage=graphs]": "stage=graphs", "in[]": "", "in": ""} {
		need.Equal(t, Difference{What: "input", Name: name, New: "arrow 01"}.Member(), want)
	}
}

// A recipe tells equal values from others, and set from not set, and holds no value.
func TestEnvironmentInRecipes(t *testing.T) {
	t.Setenv("TOKEN", "tok-0123456789")
	lines := func() string { return string(environment.Append(nil, []string{"TOKEN", "PRGNN_NOT_SET"})) }
	first := lines()
	if strings.Contains(first, "tok-") || !strings.HasPrefix(first, "environment PRGNN_NOT_SET\nenvironment TOKEN = argon2id ") {
		t.Errorf("the recipe says %q", first)
	}
	t.Setenv("TOKEN", "tok-0123456780")
	second := lines()
	for _, c := range []struct{ old, now, want string }{
		{first, first, ""},
		{first, second, "environment TOKEN has changed"},
		{"environment TOKEN = \"tok-0123456789\"\n", first, "environment TOKEN has changed"}, // of an earlier version
		{"environment TOKEN\n", first, "environment TOKEN: not set → set"},
		{"", first, "environment PRGNN_NOT_SET is new: not set; environment TOKEN is new: set"},
	} {
		var got []string
		for _, d := range Recipes(c.old, c.now) {
			if d.Name != "PRGNN_NOT_SET" || c.old == "" {
				got = append(got, d.String())
			}
			if strings.Contains(d.Old+d.New, "tok-") || strings.Contains(d.Old+d.New, "argon2id") {
				t.Errorf("a difference tells %q and %q", d.Old, d.New)
			}
		}
		need.Equal(t, strings.Join(got, "; "), c.want)
	}
}

// Inputs of one name are a set: only what is in one recipe and not in the other differs.
func TestDifferencesOfGates(t *testing.T) {
	const head = "pipeline recipe 1\n"
	a, b, c := "input leakage[] arrow aa\n", "input leakage[] arrow bb\n", "input leakage[] arrow cc\n"
	for _, tt := range []struct{ old, now, want string }{
		{a + b, a + b, ""},
		{a + b, b + a, ""},
		{a + b, a + c, "arrow bb > arrow cc;"},
		{a, a + b, " > arrow bb;"},
		{a + b, b, "arrow aa > ;"},
	} {
		got := ""
		for _, d := range Recipes(head+tt.old, head+tt.now) {
			got += d.Old + " > " + d.New + ";"
		}
		need.Equal(t, got, tt.want, tt.old, tt.now)
	}
}
