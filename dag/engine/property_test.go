package engine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
)

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given { // each check runs whole graphs on disk
		flag.Set("rapid.checks", "12")
	}
	os.Exit(m.Run())
}

// A spec is a graph that can be drawn again and again.
type spec struct {
	tasks []specTask
	file  string
}

type specTask struct {
	text  string
	round bool
	from  []int
	file  bool
}

func drawSpec(t *rapid.T, file string) spec {
	s := spec{file: file}
	n := rapid.IntRange(1, 16).Draw(t, "tasks")
	for i := range n {
		task := specTask{
			text:  rapid.SampledFrom([]string{"a", "b", "c", "long"}).Draw(t, "text"),
			round: rapid.Bool().Draw(t, "round"),
			file:  rapid.IntRange(0, 4).Draw(t, "file") == 0,
		}
		for j := range i {
			if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
				task.from = append(task.from, j)
			}
		}
		s.tasks = append(s.tasks, task)
	}
	return s
}

func (s spec) sketch() *sketch {
	k := newSketch()
	for i, task := range s.tasks {
		from := lists.Map(task.from, name)
		k.task(name(i), &join{Text: task.text, Round: task.round}, from...)
		if task.file {
			k.file(name(i), s.file)
		}
	}
	return k
}

func name(i int) string { return fmt.Sprintf("t%02d", i) }

// want is what each task must give: the graph evaluated by its definition.
func (s spec) want(fileText string) []string {
	out := make([]string, len(s.tasks))
	for i, task := range s.tasks {
		out[i] = task.text
		for _, j := range task.from {
			out[i] += "(" + out[j] + ")"
		}
		if task.file {
			out[i] += fileText
		}
		if task.round {
			out[i] = fmt.Sprint(len(out[i]))
		}
	}
	return out
}

func (s spec) check(t *rapid.T, res *Result, fileText string) {
	for i, text := range s.want(fileText) {
		ref, ok := res.Outputs[name(i)].Get("out")
		if want := artifacts.DigestOf([]byte(text)); !ok || ref.Digest != want {
			t.Fatalf("%s gave %v, want the digest of %q", name(i), ref, text)
		}
	}
}

// newDir is a place for the stores and files of one check.
func newDir(t *rapid.T, base string) string {
	dir := need.Value(os.MkdirTemp(base, ""))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	need.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("file"), 0o666))
	return dir
}

func openStore(t *rapid.T, dir string) *disk.Store {
	st := need.Value(disk.Open(filepath.Join(dir, "store")))(t)
	t.Cleanup(func() { st.Close() })
	return st
}

func mustRun(t *rapid.T, s *sketch, st *disk.Store, o Options) *Result {
	res := need.Value(Run(context.Background(), s.Draft(), st, o))(t)
	return res
}

func TestAnyWorkersSameBytes(t *testing.T) {
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir := newDir(t, base)
		s := drawSpec(t, filepath.Join(dir, "file"))
		for _, workers := range []int{1, 2, 8} {
			st := openStore(t, filepath.Join(dir, fmt.Sprint(workers)))
			s.check(t, mustRun(t, s.sketch(), st, Options{Workers: workers}), "file")
		}
	})
}

// TestPlanForesees changes a finished graph in places and compares the plan with
// what the run then does.
func TestPlanForesees(t *testing.T) {
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir := newDir(t, base)
		s := drawSpec(t, filepath.Join(dir, "file"))
		st := openStore(t, dir)
		first := mustRun(t, s.sketch(), st, Options{})
		for i := range s.tasks {
			if rapid.IntRange(0, 5).Draw(t, "change") == 0 {
				s.tasks[i].text += "+"
			}
			if rapid.IntRange(0, 5).Draw(t, "lose") == 0 {
				need.NoError(t, st.Health.Remove(first.Outputs[name(i)].Of("out").Digest))
			}
		}
		var plans []string
		var steps []Step
		for _, workers := range []int{1, 2, 8} {
			var err error
			if steps, err = Plan(context.Background(), s.sketch().Draft(), st, Options{Workers: workers}); err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, p := range steps {
				fmt.Fprintln(&b, p.Node.ID(), p.State, p.Key, p.Reason, p.Outputs)
			}
			plans = append(plans, b.String())
		}
		if plans[0] != plans[1] || plans[1] != plans[2] {
			t.Fatalf("plans differ by the number of workers:\n%s\n%s\n%s", plans[0], plans[1], plans[2])
		}
		ended := map[string]State{}
		made := map[artifacts.Digest]bool{}
		res := mustRun(t, s.sketch(), st, Options{Progress: func(e Event) {
			ended[e.Task] = e.State
			if e.State == Ran {
				made[e.Outputs.Of("out").Digest] = true
			}
		}})
		s.check(t, res, "file")
		for _, p := range steps {
			// Of several tasks that are the same work, or give the same bytes, one
			// may have spared the others.
			got := ended[p.Node.ID()]
			// So does what is made for the spared ones alone.
			spared := got == Cached && (made[res.Outputs[p.Node.ID()].Of("out").Digest] ||
				strings.HasSuffix(fmt.Sprint(p.Reason), "needs it") && !slices.ContainsFunc(steps, func(by Step) bool {
					return ended[by.Node.ID()] == Ran && slices.ContainsFunc(by.Node.Inputs(),
						func(b dag.Binding) bool {
							return slices.ContainsFunc(b.Sources, func(src dag.Source) bool {
								return src.Node != nil && src.Node.ID() == p.Node.ID()
							})
						})
				}))
			if p.State == Stale && got != Ran && !spared || p.State == Cached && got != Cached {
				t.Fatalf("%s was planned as %s (%s) and %s\n%s", p.Node.ID(), p.State, p.Reason, got, plans[0])
			}
		}
	})
}

// TestInterrupted cancels a run at a random event; the next one keeps what was
// finished, and ends as if nothing had happened.
func TestInterrupted(t *testing.T) {
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir := newDir(t, base)
		s := drawSpec(t, filepath.Join(dir, "file"))
		st := openStore(t, dir)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		left := rapid.IntRange(0, 2*len(s.tasks)).Draw(t, "events")
		done := map[string]bool{}
		res, err := Run(ctx, s.sketch().Draft(), st, Options{Workers: rapid.IntRange(1, 3).Draw(t, "workers"),
			Progress: func(e Event) {
				if left == 0 {
					cancel()
				}
				left--
				if e.State == Ran {
					done[e.Task] = true
				}
				if e.State == Failed || e.State == Skipped {
					t.Errorf("%s %s: %v", e.Task, e.State, e.Err)
				}
			}})
		if err != nil && !errors.Is(err, context.Canceled) || res == nil {
			t.Fatal(err)
		}
		res = mustRun(t, s.sketch(), st, Options{Progress: func(e Event) {
			if e.State == Ran && done[e.Task] {
				t.Errorf("%s ran again", e.Task)
			}
		}})
		s.check(t, res, "file")
	})
}

// TestTwoAtOnce starts the same run twice on one store: between them, each piece
// of work is done once.
func TestTwoAtOnce(t *testing.T) {
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir := newDir(t, base)
		s := drawSpec(t, filepath.Join(dir, "file"))
		stores := []*disk.Store{openStore(t, dir), openStore(t, dir)}
		var mu sync.Mutex
		times := map[artifacts.Key]int{}
		results := make([]*Result, 2)
		errs := make([]error, 2)
		var wait sync.WaitGroup
		for k, st := range stores {
			wait.Go(func() {
				results[k], errs[k] = Run(context.Background(), s.sketch().Draft(), st,
					Options{Workers: 2, Progress: func(e Event) {
						if e.State == Ran {
							mu.Lock()
							times[e.Key]++
							mu.Unlock()
						}
					}})
			})
		}
		wait.Wait()
		need.NoError(t, errors.Join(errs...))
		for _, res := range results {
			s.check(t, res, "file")
		}
		for k, n := range times {
			if n > 1 {
				t.Errorf("the work %s was done %d times", k, n)
			}
		}
		if !maps.EqualFunc(results[0].Outputs, results[1].Outputs, slices.Equal) {
			t.Error("the two runs differ")
		}
	})
}
