package cluster

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/machine"
	"prgnn/internal/words"
)

// A cause is why an element ended without a result.
type cause int

const (
	vanished    cause = iota // the controller does not know it, or calls it completed
	nodeLost                 // its machine went away, or never started it
	outOfMemory              // it was killed for exceeding its memory limit
	outOfTime                // it exceeded its time limit
	cancelled                // somebody ended it
	crashed                  // the program ended without a report
)

// tries is how often a job is handed over again.
func (c cause) tries() int {
	return map[cause]int{vanished: 3, nodeLost: 3, outOfMemory: 2, outOfTime: 2}[c]
}

// underWay reports whether an element may still come to its end. A job that is
// requeued is pending again.
func underWay(state string) bool {
	return slices.Contains([]string{
		"PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "RESIZING", "REQUEUED", "SIGNALING",
		"STAGE_OUT", "STOPPED",
	}, strings.TrimRight(state, "+"))
}

// held reports whether an element is pending and will be for ever: Slurm holds what
// it could not start, with reasons such as "launch failed requeued held".
func held(e element) bool {
	r := strings.ToLower(strings.ReplaceAll(e.reason, "_", " "))
	return e.state == "PENDING" && (strings.Contains(r, "requeued held") ||
		strings.Contains(r, "job held admin") || r == "jobheldadmin")
}

// stuck reports whether an element is pending, and stays so while neither it nor the
// cluster is changed: it asks for more than the partition has.
func stuck(e element) bool {
	return e.state == "PENDING" && slices.Contains([]string{"PartitionConfig", "PartitionNodeLimit",
		"PartitionTimeLimit", "BadConstraints", "InvalidAccount", "InvalidQOS"}, e.reason)
}

// causeOf says why an element has ended. Where nothing limits the memory of a process
// but a daemon that watches it, an element that took too much is not
// OUT_OF_MEMORY: it FAILED, by signal 9.
func causeOf(state string, known bool, exit func() string) cause {
	switch {
	case !known || state == "COMPLETED":
		return vanished
	case slices.Contains([]string{"NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "REVOKED", "REQUEUE_HOLD", "SPECIAL_EXIT"},
		state):
		return nodeLost
	case state == "OUT_OF_MEMORY":
		return outOfMemory
	case state == "TIMEOUT" || state == "DEADLINE":
		return outOfTime
	case state == "CANCELLED":
		return cancelled
	}
	if code := exit(); strings.HasSuffix(code, ":9") || strings.HasPrefix(code, "137:") {
		return outOfMemory
	}
	return crashed
}

// brief says for the person what happened.
func (c cause) brief(e element) string {
	switch c {
	case vanished:
		return "Slurm is not running it and has no result of it"
	case nodeLost:
		return fmt.Sprintf("its node failed (%s %s)", e.state, e.reason)
	case outOfMemory:
		return "it was killed for exceeding its memory limit"
	case outOfTime:
		return "it exceeded its time limit"
	case cancelled:
		return "it was cancelled"
	}
	return fmt.Sprintf("the program ended without a message (%s)", e.state)
}

// fault is the error of a task that is given up: no input has caused it.
func (c cause) fault(e element, t *tracked) error {
	return &machine.Fault{Err: errors.New(c.explain(e, t)), OfStage: c == outOfMemory || c == outOfTime || c == crashed}
}

// explain says what a person can do about it.
func (c cause) explain(e element, t *tracked) string {
	text := fmt.Sprintf("Slurm job %s_%d: %s", e.id, e.index, c.brief(e))
	if e.id == "" {
		text = "Slurm: " + c.brief(e)
	}
	if n := t.tries[c]; n > 1 {
		text += fmt.Sprintf(", %d times", n)
	}
	switch c {
	case outOfMemory:
		return text + fmt.Sprintf("; it had %d MB. Give its stage more:\n  resources: { memory: %dG }", t.memory>>20, 1+2*t.memory/1e9)
	case outOfTime:
		return text + fmt.Sprintf("; it had %v. Give its stage more:\n  resources: { time: %dh }", t.limit, 1+int(2*t.limit.Hours()))
	case cancelled:
		return text + ". Run again to continue"
	case nodeLost, vanished:
		return text + ". Check the state of the cluster (sinfo), then run again"
	}
	return text
}

// A struck has the tasks that one look found without a result, by what happened to them: an outage strikes
// many at once.
type struck map[string][]string

func (s *struck) add(what, task string) {
	if *s == nil {
		*s = struck{}
	}
	(*s)[what] = append((*s)[what], task)
}

// note passes on one line for each cause, and forgets them.
func (s *struck) note(note func(format string, args ...any)) {
	for _, what := range slices.Sorted(maps.Keys(*s)) {
		tasks := (*s)[what]
		slices.SortFunc(tasks, dag.CompareValues)
		note("%s: %s", words.Some(tasks, 6), what)
	}
	*s = nil
}

// tooLong reports whether an array has more elements than the cluster takes in one
// (MaxArraySize).
func tooLong(err error) bool { return strings.Contains(err.Error(), "Invalid job array specification") }

// tooMany reports whether the user would have more jobs than the cluster lets anybody have,
// which each element of an array is.
func tooMany(err error) bool {
	text := err.Error()
	return strings.Contains(text, "QOSMaxSubmitJobPerUserLimit") || strings.Contains(text, "AssocMaxSubmitJobLimit")
}

// passing reports whether sbatch failed for a reason that goes by.
func passing(err error) bool {
	text := err.Error()
	for _, sign := range []string{
		"Unable to contact slurm controller", "Socket timed out", "Connection refused", "temporarily unable to accept job", "Slurm temporarily", "Zero Bytes were transmitted",
		"deadline exceeded", "signal: killed", "Resource temporarily unavailable", "maximum number of jobs", "QOSMaxSubmitJobPerUserLimit", "AssocMaxSubmitJobLimit",
	} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}
