package cluster

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// commands are Slurm's own, which know where its controller is.
type commands struct{}

// An element is one element of an array as the controller sees it.
type element struct {
	id     string // of the array
	index  int
	state  string // PENDING, RUNNING, FAILED …
	reason string
	name   string
}

// text is the state for a person: "pending: Resources".
func (e element) text() string {
	text := strings.ToLower(e.state)
	if e.state == "PENDING" && e.reason != "None" && e.reason != "" {
		text += ": " + e.reason
	}
	return text
}

// answerTime is how long a command of Slurm's may take: a busy controller takes
// seconds.
const answerTime = 60 * time.Second

// call runs one command. The error ends with what the command said.
func call(ctx context.Context, name string, args ...string) (string, error) {
	return callWith(ctx, "", name, args...)
}

func callWith(ctx context.Context, stdin, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	out, diag := ends{most: mostAnswer}, ends{most: mostSaid}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &diag
	err := cmd.Run()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(diag.text()))
	}
	if out.lost > 0 {
		return "", fmt.Errorf("%s: an answer of more than %d MiB", name, mostAnswer>>20)
	}
	return out.text(), nil
}

// What is kept of a command's answer, and of what else it says, in bytes.
const mostAnswer, mostSaid = 64 << 20, 4 << 10

// ends keeps the beginning and the end of what is written, at most bytes of it.
type ends struct {
	most, lost int
	head, tail []byte
}

func (e *ends) Write(p []byte) (int, error) {
	n := min(len(p), e.most/2-len(e.head))
	e.head, e.tail = append(e.head, p[:n]...), append(e.tail, p[n:]...)
	if over := len(e.tail) - e.most/2; over > 0 {
		e.lost += over
		e.tail = e.tail[:copy(e.tail, e.tail[over:])]
	}
	return len(p), nil
}

// text is what was written, with the number of bytes that are left out.
func (e *ends) text() string {
	if e.lost == 0 {
		return string(e.head) + string(e.tail)
	}
	return fmt.Sprintf("%s\n… %d bytes left out …\n%s", e.head, e.lost, e.tail)
}

// submit hands a script over as an array and returns the array's id.
func (commands) submit(ctx context.Context, args []string, script string) (string, error) {
	out, err := callWith(ctx, script, "sbatch", append([]string{"--parsable"}, args...)...)
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // with several clusters, ";cluster" follows
	if n, err := strconv.Atoi(id); err != nil || n <= 0 {
		return "", fmt.Errorf("sbatch: %q is not a job id", id)
	}
	return id, nil
}

// list tells of all elements of our arrays that the controller remembers. --json would
// be easier to read, and fails on older versions.
func (commands) list(ctx context.Context) ([]element, error) {
	out, err := call(ctx, "squeue", "--me", "-h", "-t", "all", "-r", "-o", "%F|%K|%T|%r|%j")
	if err != nil {
		return nil, err
	}
	var all []element
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		if len(f) != 5 || !strings.HasPrefix(f[4], namePrefix) {
			continue
		}
		index, err := strconv.Atoi(f[1])
		if err != nil {
			continue
		}
		all = append(all, element{id: f[0], index: index, state: f[2], reason: f[3], name: f[4]})
	}
	return all, nil
}

// exitOf asks for the exit code of one element; "" when the controller has forgotten it.
func (commands) exitOf(ctx context.Context, e element) string {
	out, err := call(ctx, "scontrol", "-o", "show", "job", fmt.Sprintf("%s_%d", e.id, e.index))
	if err != nil {
		return ""
	}
	for _, word := range strings.Fields(out) {
		if code, ok := strings.CutPrefix(word, "ExitCode="); ok {
			return code
		}
	}
	return ""
}

// cancel ends jobs, arrays or elements ("12_3").
func (commands) cancel(ctx context.Context, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := call(ctx, "scancel", ids...)
	return err
}

// ErrAbsent says that there is no Slurm here.
var ErrAbsent = errors.New("no Slurm commands (sbatch, squeue, scancel) on the PATH: is this a login node of the cluster?")

func present() error {
	for _, name := range []string{"sbatch", "squeue", "scancel"} {
		if _, err := exec.LookPath(name); err != nil {
			return ErrAbsent
		}
	}
	return nil
}
