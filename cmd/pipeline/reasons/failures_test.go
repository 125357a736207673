package reasons

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/lists"
	"prgnn/internal/machine"
	"prgnn/internal/need"
	"prgnn/pipelines"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
)

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

// Failures of one group more than of the other are reported, since neither exclusion nor a setting is then a remedy.
func TestFailuresByGroup(t *testing.T) {
	b := dag.NewGraph("test")
	b.BareAxis("subject")
	a := b.Stage("a", nil, "subject")
	var ids, groups []string
	for i := range 24 {
		ids, groups = append(ids, fmt.Sprintf("sub-%02d", i)), append(groups, []string{"ASD", "HC"}[i%2])
		b.Task(a, nil, ids[i])
	}
	p := &pipelines.Pipeline{Graph: b.Draft(), Roster: &cohort.Roster{Participants: encoding.NewTable(
		encoding.Column{Name: "participant_id", Values: ids}, encoding.Column{Name: "group", Values: groups})}}
	for want, failed := range map[string]func(i int) bool{
		"[{ASD 8 12} {HC 0 12}]": func(i int) bool { return i%2 == 0 && i < 16 },
		"[]":                     func(i int) bool { return i < 10 },
	} {
		r := &engine.Result{}
		for i, id := range ids {
			if failed(i) {
				r.Errors = append(r.Errors, &engine.Error{Task: "a[" + id + "]", Err: errors.New("use a larger rho")})
			}
		}
		need.Equal(t, fmt.Sprint(byGroup(p, r, engine.Options{})), want)
	}
	need.Equal(t, byGroup(&pipelines.Pipeline{Graph: p.Graph}, &engine.Result{}, engine.Options{}) == nil, true)
}
