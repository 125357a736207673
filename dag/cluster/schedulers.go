package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"prgnn/internal/pattern"
	"prgnn/internal/regular"
	"prgnn/internal/words"
)

// SlurmPilots are pilots that Slurm starts, as arrays.
type SlurmPilots struct {
	Args []string // further words for sbatch: --partition=long …
}

// Start submits an array, or several where the cluster takes shorter ones only, or fewer jobs of one user.
func (p *SlurmPilots) Start(ctx context.Context, n int, r Request) (int, error) {
	for started, piece := 0, n; ; {
		switch err := p.submit(ctx, min(piece, n-started), r); {
		case err == nil:
			started += min(piece, n-started)
		case (tooLong(err) || tooMany(err)) && piece > 1:
			piece = (piece + 1) / 2
			continue
		default:
			return started, err
		}
		if started == n {
			return n, nil
		}
	}
}

func (p *SlurmPilots) submit(ctx context.Context, n int, r Request) error {
	_, err := commands{}.submit(ctx, append([]string{
		"--job-name=" + r.Name,
		fmt.Sprintf("--array=0-%d", n-1),
		fmt.Sprintf("--cpus-per-task=%d", r.Needs.Threads),
		fmt.Sprintf("--mem=%dM", r.Needs.Memory>>20),
		fmt.Sprintf("--time=%d", minutes(r.Needs.Time)),
		"--output=" + strings.ReplaceAll(r.Log, "%", "%%") + "-%A-%a",
		"--no-requeue", // the run hands over another one
	}, p.Args...), "#!/bin/sh\nexec "+shellLine(r.Command)+"\n")
	if err != nil {
		if !passing(err) && !tooLong(err) {
			err = fmt.Errorf("sbatch refuses the pilots: %w\n  use --slurm-args for what your cluster requires, such as --slurm-args='--partition=… --account=…'", err)
		}
	}
	return err
}

// Left asks the controller, by the name: one that was restarted may give a number twice.
func (p *SlurmPilots) Left(ctx context.Context, name string) int {
	out, err := call(ctx, "squeue", "--me", "-h", "-r", "--name="+name, "-o", "%i")
	if err != nil {
		return -1
	}
	return len(strings.Fields(out))
}

// Cancel cancels those that are pending.
func (p *SlurmPilots) Cancel(ctx context.Context, name string) error {
	_, err := call(ctx, "scancel", "-Q", "--state=PENDING", "--name="+name)
	return err
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
	if array := os.Getenv("SLURM_ARRAY_JOB_ID"); array != "" { // the number of its last element is that of all
		job = array + "_" + os.Getenv("SLURM_ARRAY_TASK_ID")
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

// ReadTemplate reads a script. It fails where {command} is missing, and where a placeholder is unknown or stands in
// quotes.
func ReadTemplate(path string) (*Template, error) {
	b, err := regular.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(b), "\ufeff"), "\r\n", "\n") // as editors of Windows write it
	t := &Template{path, text}
	for i, line := range strings.Split(t.text, "\n") {
		for _, at := range quotedPlaceholder.FindAllString(line, -1) {
			if strings.ContainsAny(at, `"'`) && !strings.Contains(at, "$") {
				return nil, fmt.Errorf("%s, line %d: %s: a placeholder needs no quotes: its value comes quoted where that is necessary", path, i+1, at)
			}
		}
		for _, at := range wordInBraces.FindAllStringSubmatch(line, -1) {
			name := at[1]
			if strings.HasPrefix(at[0], "{"+name) && !slices.Contains(slices.Concat(awk, placeholders), name) {
				return nil, fmt.Errorf("%s, line %d: {%s} is no placeholder%s; those are {%s}. If the braces are for another program, put blanks inside: { %[3]s }",
					path, i+1, name, words.DidYouMean(name, placeholders), strings.Join(placeholders, "}, {"))
			}
		}
	}
	if !t.has("command") {
		return nil, fmt.Errorf("%s: the placeholder {command} is missing: it stands where the scheduler's command takes the program to run", path)
	}
	return t, nil
}

var (
	placeholders = []string{"n", "command", "cpus", "time", "minutes", "seconds", "memory", "megabytes", "name", "log"}
	awk          = []string{"print", "next", "exit"} // its statements of one word

	inBraces          = `\$?\{(` + strings.Join(placeholders, "|") + `)\}`
	placeholder       = pattern.New(inBraces)
	quotedPlaceholder = pattern.New(`["']?` + inBraces + `["']?`)
	// ${n} is a variable of the shell; %{http_code}, @{upstream} and {{json}} are words of other programs.
	wordInBraces = pattern.New(`[$%@{]?\{([A-Za-z_][\w-]*)\}`)
)

// has reports whether the script has a placeholder; ${n} is a variable of the shell.
func (t *Template) has(name string) bool {
	return slices.Contains(placeholder.FindAllString(t.text, -1), "{"+name+"}")
}

// script is the script for n pilots.
func (t *Template) script(n int, r Request) string {
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
func (t *Template) Start(ctx context.Context, n int, r Request) (int, error) {
	piece := n
	if !t.has("n") {
		piece = 1
	}
	for started := 0; started < n; started += piece {
		if _, err := call(ctx, "sh", "-e", "-c", "exec >&2; "+t.script(piece, r)); err != nil {
			return started, fmt.Errorf("the script %s failed: %w", filepath.Base(t.path), err)
		}
	}
	return n, nil
}

// Left cannot tell.
func (t *Template) Left(context.Context, string) int { return -1 }

// Cancel leaves pilots that have not begun to the scheduler: they end as soon as they begin.
func (t *Template) Cancel(context.Context, string) error { return nil }

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

var unsafe = pattern.New(`[^A-Za-z0-9_/.,:=@%+-]`)

// PilotMemory is what a pilot asks for, in bytes, where its largest task needs so much.
func PilotMemory(threads int, most int64) int64 { return max(int64(threads)*leastMemory, most) }
