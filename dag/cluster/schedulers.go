package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"prgnn/internal/regular"
)

// SlurmPilots are pilots that Slurm starts, as arrays.
type SlurmPilots struct {
	Args []string // further words for sbatch: --partition=long …

	mu  sync.Mutex
	ids []string
}

// NewSlurmPilots fails where Slurm is not installed.
func NewSlurmPilots(args []string) (*SlurmPilots, error) { return &SlurmPilots{Args: args}, present() }

// Start submits an array.
func (p *SlurmPilots) Start(ctx context.Context, n int, r Request) error {
	id, err := commands{}.submit(ctx, append([]string{
		"--job-name=" + r.Name,
		fmt.Sprintf("--array=0-%d", n-1),
		fmt.Sprintf("--cpus-per-task=%d", r.Needs.Threads),
		fmt.Sprintf("--mem=%dM", r.Needs.Memory>>20),
		fmt.Sprintf("--time=%d", minutes(r.Needs.Time)),
		"--output=" + strings.ReplaceAll(r.Log, "%", "%%") + "-%A-%a",
		"--no-requeue", // the run hands over another one
	}, p.Args...), "#!/bin/sh\nexec "+shellLine(r.Command)+"\n")
	if err != nil {
		if !passing(err) {
			err = fmt.Errorf("sbatch refuses the pilots: %w\n  use --slurm-args for what your cluster requires, such as --slurm-args='--partition=… --account=…'", err)
		}
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ids = append(p.ids, id)
	return nil
}

func (p *SlurmPilots) all() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.ids, ",")
}

// Left asks the controller.
func (p *SlurmPilots) Left(ctx context.Context) int {
	out, err := call(ctx, "squeue", "--me", "-h", "-r", "-j", p.all(), "-o", "%i")
	switch {
	case err == nil:
		return len(strings.Fields(out))
	case strings.Contains(err.Error(), "Invalid job id"): // all are forgotten
		return 0
	}
	return -1
}

// Cancel cancels those that are pending.
func (p *SlurmPilots) Cancel(ctx context.Context) error {
	if p.all() == "" {
		return nil
	}
	return commands{}.cancel(ctx, append([]string{"-Q", "--state=PENDING"}, strings.Split(p.all(), ",")...)...)
}

// minutes rounds up.
func minutes(d time.Duration) int { return max(1, int((d+time.Minute-1)/time.Minute)) }

// TimeLeft is what Slurm gives the job that this process is part of; 0 when it is none, or has no limit. Newer versions
// tell it in the environment, others are asked.
func TimeLeft(ctx context.Context) time.Duration {
	job := os.Getenv("SLURM_JOB_ID")
	if job == "" {
		return 0
	}
	begin, err := strconv.ParseInt(os.Getenv("SLURM_JOB_START_TIME"), 10, 64)
	end, bad := strconv.ParseInt(os.Getenv("SLURM_JOB_END_TIME"), 10, 64)
	if err == nil && bad == nil && end > begin { // both by the clock of the controller
		return time.Duration(end-begin) * time.Second
	}
	out, err := call(ctx, "squeue", "-h", "-j", job, "-o", "%L")
	if err != nil {
		return 0
	}
	return slurmTime(strings.TrimSpace(out))
}

// slurmTime reads [days-]hours:minutes:seconds, or minutes:seconds; anything else is 0.
func slurmTime(text string) (d time.Duration) {
	days, rest, ok := strings.Cut(text, "-")
	if !ok {
		days, rest = "0", text
	}
	n, err := strconv.Atoi(days)
	if err != nil {
		return 0
	}
	for part := range strings.SplitSeq(rest, ":") {
		m, err := strconv.Atoi(part)
		if err != nil {
			return 0
		}
		d = 60*d + time.Duration(m)*time.Second
	}
	return d + time.Duration(n)*24*time.Hour
}

// A Template is a script of the user's that hands pilots over to any scheduler.
type Template struct {
	path, text string
}

// ReadTemplate reads a script. It fails where a placeholder is missing, or stands in quotes.
func ReadTemplate(path string) (*Template, error) {
	b, err := regular.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &Template{path, string(b)}
	if !strings.Contains(t.text, "{command}") {
		return nil, fmt.Errorf("%s: the placeholder {command} is missing: it stands where the scheduler's command takes the program to run", path)
	}
	for i, line := range strings.Split(t.text, "\n") {
		if at := quotedPlaceholder.FindString(line); at != "" {
			return nil, fmt.Errorf("%s, line %d: %s: a placeholder needs no quotes: its value comes quoted where that is necessary", path, i+1, at)
		}
	}
	return t, nil
}

var (
	placeholder       = regexp.MustCompile(`\$?\{(n|command|cpus|time|minutes|seconds|memory|megabytes|name|log)\}`)
	quotedPlaceholder = regexp.MustCompile(`["']` + placeholder.String() + `|` + placeholder.String() + `["']`)
)

// Script is the script for n pilots.
func (t *Template) Script(n int, r Request) string {
	d, mb := r.Needs.Time, int(r.Needs.Memory>>20)
	values := map[string]string{
		"n": strconv.Itoa(n), "command": shellLine(r.Command), "cpus": strconv.Itoa(r.Needs.Threads),
		"time":    fmt.Sprintf("%02d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60),
		"minutes": strconv.Itoa(minutes(d)), "seconds": strconv.Itoa(int(d.Seconds())),
		"memory": fmt.Sprintf("%dM", mb), "megabytes": strconv.Itoa(mb), "name": r.Name,
		"log": shellLine([]string{r.Log}),
	}
	return placeholder.ReplaceAllStringFunc(t.text, func(p string) string {
		if p[0] == '$' { // a variable of the shell
			return p
		}
		return values[strings.Trim(p, "{}")]
	})
}

// Start runs the script: once where it says how many pilots there are to be, else once for each.
func (t *Template) Start(ctx context.Context, n int, r Request) error {
	times := 1
	if !strings.Contains(t.text, "{n}") {
		n, times = 1, n
	}
	for range times {
		if _, err := call(ctx, "sh", "-e", "-c", t.Script(n, r)); err != nil {
			return fmt.Errorf("the script %s failed: %w", filepath.Base(t.path), err)
		}
	}
	return nil
}

// Left cannot tell.
func (t *Template) Left(context.Context) int { return -1 }

// Cancel leaves pilots that have not begun to the scheduler: they end as soon as they begin.
func (t *Template) Cancel(context.Context) error { return nil }

// shellLine is a command as a line of the shell: words that need it are quoted.
func shellLine(words []string) string {
	var line []string
	for _, w := range words {
		if w == "" || unsafe.MatchString(w) {
			w = quoted(w)
		}
		line = append(line, w)
	}
	return strings.Join(line, " ")
}

var unsafe = regexp.MustCompile(`[^A-Za-z0-9_/.,:=@%+-]`)

// PilotMemory is what a pilot asks for, in bytes, where its largest task needs so much.
func PilotMemory(threads int, most int64) int64 { return max(int64(threads)*leastMemory, most) }
