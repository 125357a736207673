package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"strings"
	"syscall"
	"testing"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/lists"
	"prgnn/internal/machine"
	"prgnn/internal/need"
	"prgnn/pipelines"
	"prgnn/pipelines/tree"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
)

// What the system says of a file is told with the file in front, and once.
func TestErrorsInWords(t *testing.T) {
	open := func(cause error) error { return &fs.PathError{Op: "open", Path: "x.tar", Err: cause} }
	for _, c := range []struct {
		err  error
		want string
	}{
		{open(syscall.ENOENT), "x.tar: there is no such file or directory"},
		{fmt.Errorf("x.tar: %w", open(syscall.ENOENT)), "x.tar: there is no such file or directory"},
		{fmt.Errorf("the lock: %w", open(syscall.EACCES)), "the lock: x.tar: permission denied"},
		{&fs.PathError{Op: "mkdir", Path: "a", Err: syscall.ENOTDIR}, "a: it is a file, or below one, but a directory is needed"},
		{&os.LinkError{Op: "rename", Old: "s/tmp/a", New: "s/runs/b", Err: syscall.ENOTDIR}, "s/runs: it is a file, or below one, but a directory is needed"},
		{open(syscall.EIO), "open x.tar: " + syscall.EIO.Error()},
		{errors.New("open question"), "open question"},
	} {
		need.Equal(t, inWords(c.err), c.want)
	}
}

// TestGroupCauses: one cause is printed once, whatever names and numbers of members are in its messages; other causes,
// and another stage, are not joined with it.
func TestGroupCauses(t *testing.T) {
	var errs []*engine.Error
	for _, e := range []struct{ task, message string }{
		{"parcels[sub-01]", "/data/sub-01/func/sub-01_bold.nii.gz: truncated; fetch it again"},
		{"parcels[sub-02]", "/data/sub-02/func/sub-02_bold.nii.gz: truncated; fetch it again"},
		{"series[sub-01]", "needs parcels[sub-01]"},
		{"train[fold=1]", "1 participant of the group ASD"},
		{"train[fold=2]", "2 participants of the group ASD"},
		{"train[fold=3]", "3 participants of the group ASD"},
	} {
		errs = append(errs, &engine.Error{Task: e.task, Err: errors.New(e.message)})
	}
	shown := func(each bool) []string {
		return lists.Map(groupCauses(errs, each), func(c failureCause) string {
			return strings.Join(c.tasks, " ") + ": " + c.text
		})
	}
	need.Equal(t, strings.Join(shown(false), "\n"), strings.Join([]string{
		"parcels[sub-01] parcels[sub-02]: /data/sub-…/func/sub-…_bold.nii.gz: truncated; fetch it again",
		"series[sub-01]: needs parcels[sub-01]",
		"train[fold=1]: 1 participant of the group ASD",
		"train[fold=2] train[fold=3]: 2 participants of the group ASD (of train[fold=2]; the others differ in numbers, -v shows each)",
	}, "\n"))
	need.Equal(t, len(shown(true)), 6)
}

// TestFlatten: what errors.Join put together becomes lines of its own; an error
// that wraps several in a sentence of its own stays one.
func TestFlatten(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	for _, x := range []struct {
		err  error
		want string
	}{
		{a, "a"},
		{errors.Join(a, errors.Join(b, c)), "a|b|c"},
		{fmt.Errorf("both %w and %w", a, b), "both a and b"},
		{exit.Wrong(errors.Join(a, b)), "a|b"},
	} {
		got := lists.Map(flatten(x.err), func(e error) string { return e.Error() })
		if strings.Join(got, "|") != x.want {
			t.Errorf("got %q, want %s", got, x.want)
		}
	}
}

// A table can have a mistake in each of its rows: the first ones are printed, and how many more there are.
func TestManyErrors(t *testing.T) {
	for n, want := range map[int]int{1: 1, mostErrors + 1: mostErrors + 1, 3000: mostErrors + 1} {
		var all []error
		for i := range n {
			all = append(all, fmt.Errorf("line %d", i))
		}
		var out strings.Builder
		(&app{Console: console.New(nil, &out, &out)}).explain(errors.Join(all...))
		need.Equal(t, strings.Count(out.String(), "\n"), want)
		need.Equal(t, strings.Contains(out.String(), "and 2900 more errors"), n == 3000)
		var mistakes tree.Mistakes
		for i := range n {
			mistakes.Add(dag.Pos{File: "x.yaml", Line: i + 1}, "no kind")
		}
		out.Reset()
		_ = (&app{Console: console.New(nil, &out, &out)}).mistaken("x.yaml", mistakes.List)
		need.Equal(t, strings.Contains(out.String(), "and 2900 more\n"), n == 3000)
		need.Equal(t, strings.Count(out.String(), "no kind"), min(want, n-n/3000*2900))
	}
}

// Who failed only because the machine did is not to be excluded.
func TestFaultyIsNotTheMachine(t *testing.T) {
	b := dag.NewGraph("test")
	b.BareAxis("subject")
	a := b.Stage("a", nil, "subject")
	for _, id := range []string{"sub-1", "sub-2", "sub-3"} {
		b.Task(a, nil, id)
	}
	p := &pipelines.Pipeline{Roster: &cohort.Roster{}, Graph: b.Draft()}
	full := fmt.Errorf("a: %w", &fs.PathError{Op: "write", Path: "/scratch/x", Err: syscall.ENOSPC})
	damaged := errors.New("it is damaged")
	r := &engine.Result{Errors: []*engine.Error{{Task: "a[sub-1]", Err: full}, {Task: "a[sub-2]", Err: damaged}}}
	need.Equal(t, strings.Join(faulty(p, r, engine.Options{}), " "), "sub-2")
	need.Equal(t, strings.Join(machineRemedies(r), "; "), "the disk of /scratch or its quota is full: free space")
	for _, err := range []error{
		full, context.Canceled, &machine.Fault{Err: errors.New("its node failed")},
		fmt.Errorf("needs a[sub-1]; %w", engine.ErrOnly), fmt.Errorf("its input was lost: %w", engine.ErrLost),
	} {
		r.Errors = []*engine.Error{{Task: "a[sub-1]", Err: err}}
		need.Equal(t, strings.Join(faulty(p, r, engine.Options{}), " "), "", err)
	}
	// Data in another unit: the others may have it too.
	r.Errors = []*engine.Error{{Task: "a[sub-1]", Err: fmt.Errorf("a: %w", column.UnitError{Err: damaged})},
		{Task: "a[sub-2]", Err: damaged}}
	need.Equal(t, strings.Join(faulty(p, r, engine.Options{}), " "), "")
	need.Equal(t, strings.Join(otherUnit(r), " "), "a[sub-1]")
	// An outage is one cause, whatever stages it strikes; more memory is for one stage.
	lost := &machine.Fault{Err: errors.New("Slurm job 1_2: its node failed")}
	little := &machine.Fault{Err: errors.New("give its stage more"), OfStage: true}
	r.Errors = []*engine.Error{{Task: "a[sub-1]", Err: lost}, {Task: "b[sub-1]", Err: lost},
		{Task: "a[sub-2]", Err: little}, {Task: "b[sub-2]", Err: little}}
	need.Equal(t, len(groupCauses(r.Errors, false)), 3)
}

// net/http prints through the standard logger what a server sends unasked, past -q, --json and the console that makes
// control characters visible.
func TestNoLogOfLibraries(t *testing.T) {
	defer log.SetOutput(log.Writer())
	log.SetOutput(os.Stderr)
	need.Equal(t, run([]string{"version"}, io.Discard, io.Discard), 0)
	if log.Writer() != io.Discard {
		t.Error("the standard logger prints")
	}
}
