package cluster

import (
	"errors"
	"os"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

// What Slurm 22.05 was seen to say, and what it means.
func TestCauses(t *testing.T) {
	for _, c := range []struct {
		state, exit string
		known       bool
		want        cause
	}{
		{"", "", false, vanished},
		{"COMPLETED", "0:0", true, vanished},
		{"NODE_FAIL", "0:0", true, nodeLost},
		{"PREEMPTED", "0:0", true, nodeLost},
		{"OUT_OF_MEMORY", "0:125", true, outOfMemory},
		{"FAILED", "0:9", true, outOfMemory}, // no cgroups: a daemon killed it
		{"FAILED", "137:0", true, outOfMemory},
		{"FAILED", "1:0", true, crashed},
		{"FAILED", "", true, crashed},
		{"TIMEOUT", "0:15", true, outOfTime},
		{"CANCELLED", "0:15", true, cancelled},
	} {
		need.Equal(t, causeOf(c.state, c.known, func() string { return c.exit }), c.want, c.state, c.exit)
	}
}

func TestHeld(t *testing.T) {
	for reason, want := range map[string]bool{
		"launch failed requeued held": true, "launch_failed_requeued_held": true, "JobHeldAdmin": true,
		"Resources": false, "Priority": false, "None": false, "JobHeldUser": false, "BeginTime": false,
	} {
		if held(element{state: "PENDING", reason: reason}) != want {
			t.Errorf("%s: held is not %v", reason, want)
		}
	}
}

func TestStuck(t *testing.T) {
	for reason, want := range map[string]bool{"PartitionConfig": true, "PartitionTimeLimit": true, "Resources": false,
		"Priority": false, "None": false} {
		if stuck(element{state: "PENDING", reason: reason}) != want {
			t.Errorf("%s: stuck is not %v", reason, want)
		}
	}
}

func TestWhatGoesBy(t *testing.T) {
	for text, want := range map[string]bool{
		"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)": true,
		"sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying":                     true,
		"sbatch: error: Batch job submission failed: Invalid partition name specified":                     false,
		"sbatch: error: Memory specification can not be satisfied":                                         false,
	} {
		if passing(errors.New(text)) != want {
			t.Errorf("%s: not %v", text, want)
		}
	}
}

// A store may lie anywhere; its path is a word of a shell script.
func TestQuoting(t *testing.T) {
	if got := quoted(`/a b/it's $HOME`); got != `'/a b/it'\''s $HOME'` {
		t.Error(got)
	}
}

func TestBatchesAreReadAgain(t *testing.T) {
	c := space{t.TempDir()}
	a, b, d := artifacts.KeyOf("a"), artifacts.KeyOf("b"), artifacts.KeyOf("d")
	need.NoError(t, c.saveBatch(&batch{name: namePrefix + "1", elements: [][]artifacts.Key{{a, b}, {d}}}))
	// What others left there is none of ours, and nonsense holds no key.
	for name, text := range map[string]string{"other": a.String(), namePrefix + "2": "nonsense\n../../etc\n"} {
		need.NoError(t, os.WriteFile(c.path(batchesDir, name), []byte(text), 0o666))
	}
	all := c.batches()
	if len(all) != 2 || len(all[0].elements) != 2 || len(all[0].elements[0]) != 2 || all[0].elements[1][0] != d {
		t.Fatalf("%+v", all)
	}
	if len(all[1].elements[0])+len(all[1].elements[1]) != 0 {
		t.Errorf("nonsense: %+v", all[1])
	}
}

func TestTail(t *testing.T) {
	c := space{t.TempDir()}
	long := strings.Repeat("some words\n", 5000) + "the last line\n"
	need.NoError(t, c.write(logsDir, "name-3", []byte(long), 0o666))
	if got := c.tail("name", 3); !strings.HasSuffix(got, "the last line") || strings.Count(got, "\n") != 19 {
		t.Errorf("%q", got)
	}
	if c.tail("name", 4) != "" {
		t.Error("a log that is not there says something")
	}
}
