package console

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"prgnn/cmd/pipeline/exit"
)

// A Console holds the arguments and the output streams of one call of the program.
type Console struct {
	Out    *bufio.Writer // stdout: the answer; control characters of data are visible in it
	Stderr io.Writer     // everything else, likewise
	stdout io.Writer     // what stdout is, for the bytes of a file
	Page   Terminal      // what stdout can show
	Term   Terminal      // what stderr can show
	Args   []string      // as typed, for "go on with"

	StoreFlag string // --store
	// StoreElsewhere is the store beside a pipeline file in another directory, which a command without that file
	// needs --store for; "" where it needs none.
	StoreElsewhere string
	Remote         string // --remote
	JSON           bool
	Quiet          bool
	Verbose        bool
	Replace        bool // --replace

	// HasFlag reports whether the command of this line has a flag, such as --until; nil before it is known.
	HasFlag func(flag string) bool

	// Refuse, when set, says why a file that the user names must not be written.
	Refuse func(path string) error

	shown, said *visibleWriter // under out and stderr
}

// New is the console of a command line. Colors and bars are for streams that are terminals.
func New(args []string, stdout, stderr io.Writer) *Console {
	shown, said := &visibleWriter{w: stdout}, &visibleWriter{w: stderr}
	a := &Console{
		Out: bufio.NewWriterSize(shown, 1<<16), Stderr: said, stdout: stdout,
		Page: terminalOf(stdout), Term: terminalOf(stderr), Args: args,
		shown: shown, said: said,
	}
	said.folds = &folder{wide: a.Term.wide}
	return a
}

// Fold breaks the lines of stdout between words where it is a terminal, or leaves them whole.
func (a *Console) Fold(on bool) {
	_ = a.Out.Flush()
	if a.shown.folds = nil; on {
		a.shown.folds = &folder{wide: a.Page.wide}
	}
}

// Flush writes buffered output to stdout.
func (a *Console) Flush() error { return errors.Join(a.Out.Flush(), a.shown.Close()) }

// Close flushes stdout and stderr.
func (a *Console) Close() error { return errors.Join(a.Flush(), a.said.Close()) }

// Object writes one JSON object on a line of its own: the fields of v, behind the name of the event; "" where v has it.
// What cannot be written, Flush reports.
func (a *Console) Object(event string, v any) {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		// Values are our own plain structs; only NaN or a cycle could end here.
		panic("cli: " + err.Error())
	}
	text := line.Bytes()
	if event != "" {
		fmt.Fprintf(a.Out, `{"event":%q,`, event)
		text = text[1:] // of an object with fields
	}
	a.Out.Write(text)
}

// AsJSON prints an object where --json asks for objects, and reports whether it does: a person gets words instead.
func (a *Console) AsJSON(event string, v any) bool {
	if a.JSON {
		a.Object(event, v)
	}
	return a.JSON
}

// Complain prints one error. The first line is the message, the others help.
func (a *Console) Complain(text string) {
	first, rest, more := strings.Cut(text, "\n")
	fmt.Fprintln(a.Stderr, a.Term.Red("error: ")+first)
	if more {
		fmt.Fprintln(a.Stderr, rest)
	}
	if a.JSON {
		a.Object("error", map[string]string{"error": text})
		a.Out.Flush()
	}
}

// Note says something that is worth knowing but is no answer.
func (a *Console) Note(format string, args ...any) {
	if !a.Quiet {
		fmt.Fprintf(a.Stderr, format+"\n", args...)
	}
}

// Warn prints a warning that must not be missed, even with -q.
func (a *Console) Warn(format string, args ...any) { fmt.Fprintf(a.Stderr, format+"\n", args...) }

// Interruptible returns a context that the first Ctrl-C cancels, and says what becomes of the work. The second ends
// the process at once; the store survives that as it survives a power cut.
func Interruptible(work string, say func(string)) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	over := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-over:
				return
			case <-signals:
			}
			if n > 0 {
				os.Exit(exit.Interrupted)
			}
			cancel()
			say("stopping: " + work + "; Ctrl-C again stops at once")
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(over)
		cancel()
	}
}

// Again is the command line as it was typed, with the arguments of replace ("old", "new" …) exchanged.
func (a *Console) Again(replace ...string) string {
	args := slices.Clone(a.Args)
	for i, arg := range args {
		flag, value, has := strings.Cut(arg, "=")
		for at := 0; at < len(replace); at += 2 {
			if flag == replace[at] {
				flag = replace[at+1]
			}
		}
		if args[i] = flag; has {
			args[i] = flag + "=" + value
		}
	}
	return commandLine(args)
}

// NoFlag is called by a remedy with a flag that the command lacks. It is for tests.
var NoFlag func(flag string)

// Offers reports whether the command of this line has a flag that a remedy may add.
func (a *Console) Offers(flag string) bool { return a.HasFlag == nil || a.HasFlag(flag) }

// With is the command line as it was typed, with more words. Its flags are those of the command (Offers).
func (a *Console) With(words ...string) string {
	for _, flag := range words {
		if strings.HasPrefix(flag, "--") && !a.Offers(flag) && NoFlag != nil {
			NoFlag(flag)
		}
	}
	return commandLine(slices.Concat(a.Args, words))
}

// Instead is the command line as it was typed, with one value of a flag in the place of those that it had.
func (a *Console) Instead(flag, value string) string {
	var args []string
	for i := 0; i < len(a.Args); i++ {
		if a.Args[i] == flag {
			i++ // its value
		} else if !strings.HasPrefix(a.Args[i], flag+"=") {
			args = append(args, a.Args[i])
		}
	}
	return (&Console{Args: args, HasFlag: a.HasFlag}).With(flag, value)
}

// Command is another command line for the same store and remote.
func (a *Console) Command(words ...string) string {
	if store := cmp.Or(a.StoreFlag, a.StoreElsewhere); store != "" {
		words = append(words, "--store", store)
	}
	if a.Remote != "" && words[0] != "gc" && words[0] != "verify" { // which are of the store alone
		words = append(words, "--remote", a.Remote)
	}
	return commandLine(words)
}

// commandLine quotes words for a shell.
func commandLine(args []string) string {
	words := []string{"pipeline"}
	for _, w := range args {
		words = append(words, Shell(w))
	}
	return strings.Join(words, " ")
}

// Shell is a text as one word of a command line: in quotes where a shell would take it apart.
func Shell(w string) string {
	if strings.ContainsAny(w, " \t\n\"'\\$&|;<>()*?[]{}#~`!") || w == "" {
		return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return w
}

// Wide is how many columns a terminal has; 0 when stdout is none, and lines stay whole.
func (a *Console) Wide() int { return a.Page.wide() }

// Few calls show for the first most of n items (with -v for all), and prints how many it leaves out.
func (a *Console) Few(w io.Writer, n, most int, show func(i int)) {
	for i := range n {
		if i == most && !a.Verbose {
			fmt.Fprintf(w, "  … and %d more; -v shows all of them\n", n-most)
			return
		}
		show(i)
	}
}
