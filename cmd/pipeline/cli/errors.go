package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/internal/lists"
	"prgnn/internal/regular"
	"prgnn/internal/words"
)

func (a *app) unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return exit.Wrongf("pipeline has no command %q%s\n  pipeline --help lists them", name, words.OrAll(name, names))
}

// flagError says which flag is wrong, and which one was probably meant.
func (a *app) flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return flags.Usage(cmd, "%s", flags.Message(err))
	}
	name := unknown.GetSpecifiedName()
	dashes := "--"
	if unknown.GetSpecifiedShortnames() != "" {
		dashes = "-"
	}
	if (name == "o" || name == "output") && cmd.Flags().Lookup("output") == nil {
		instead := "the result is printed: > PATH writes it"
		if strings.Contains(cmd.Use, "DIR") {
			instead = "DIR stands without a flag"
		}
		return flags.Usage(cmd, "there is no flag %s%s; %s", dashes, name, instead)
	}
	if dashes == "-" {
		return flags.Usage(cmd, "there is no flag -%s", name)
	}
	if slices.Contains(otherJobs, name) && cmd.Flags().Lookup("jobs") != nil {
		return flags.Usage(cmd, "there is no flag --%s (did you mean --jobs, -j?)", name)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	near := words.Nearest(name, names)
	if near != "" {
		return flags.Usage(cmd, "there is no flag --%s (did you mean --%s?)", name, near)
	}
	return flags.Usage(cmd, "there is no flag --%s", name)
}

// otherJobs are what other programs call --jobs.
var otherJobs = []string{"workers", "threads", "nthreads", "cores", "cpus", "nproc", "nprocs", "n-jobs", "n_jobs",
	"parallel", "processes"}

// finish prints the error of the command, if any, and gives the exit code.
func (a *app) finish(err error) int {
	code := exitCode(err)
	var e *exit.Error
	if err == nil || errors.As(err, &e) && e.Err == nil {
		return code
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(a.Stderr, "interrupted")
		return code
	}
	a.explain(err)
	return code
}

// A remedied error has another remedy than others of its kind.
type remedied struct {
	error
	remedy string
}

func (e remedied) Unwrap() error { return e.error }

// mostErrors is how many errors are printed one by one: a table can have a mistake in each of its rows.
const mostErrors = 100

// explain prints an error, and what can be done about it.
func (a *app) explain(err error) {
	remedy := ""
	var other remedied
	switch {
	case errors.Is(err, artifacts.ErrDamagedRun):
		fmt.Fprintln(a.Stderr, "  `pipeline verify --repair` removes records of runs that are damaged; the results stay")
	case errors.Is(err, artifacts.ErrCorrupt):
		remedy = fmt.Sprintf("\n  `%s` makes a damaged result of FILE again; `%s` names everything in the store that is damaged", a.Command("run", "FILE"), a.Command("verify"))
	case errors.As(err, &other):
		remedy = "\n  " + other.remedy
	case errors.Is(err, artifacts.ErrFull):
		remedy = fmt.Sprintf("\n  every finished task is kept. Free some space (%s removes what no kept run needs), then continue with: %s", a.Command("gc"), a.Again())
	case errors.Is(err, artifacts.ErrUnreadable) && !ofResult(err):
		remedy = "\n  make it readable (chmod u+rX) if it is yours, or ask its owner"
	case errors.Is(err, artifacts.ErrUnreadable):
		remedy = "\n  make it readable (chmod u+r), or remove it: the next `pipeline run FILE` recomputes a missing result"
	case errors.Is(err, artifacts.ErrReadOnly):
		remedy = "\n  existing results can be read; use --store DIR to keep new ones in a store of your own"
	}
	all := flatten(err)
	if more := len(all) - mostErrors; more > 1 {
		all = append(all[:mostErrors:mostErrors], fmt.Errorf("and %s", words.Count(more, "more error")))
	}
	for i, one := range all {
		text := inWords(words.Bound(one))
		if i == len(all)-1 {
			text += remedy
		}
		a.Complain(text)
	}
}

// ofResult reports whether an error is of the file of one result, which a run can make again.
func ofResult(err error) bool {
	var call *fs.PathError
	if !errors.As(err, &call) {
		return false
	}
	_, wrong := artifacts.ParseDigest(filepath.Base(call.Path))
	return wrong == nil
}

// inWords is the text of an error, with a person's words for what a system call says of a file.
func inWords(err error) string {
	text := err.Error()
	var call *fs.PathError
	if link := (*os.LinkError)(nil); errors.As(err, &link) && errors.Is(link, syscall.ENOTDIR) {
		call = &fs.PathError{Op: link.Op, Path: filepath.Dir(link.New), Err: link.Err}
		text = strings.Replace(text, link.Error(), call.Error(), 1)
	} else if odd := (*regular.Error)(nil); errors.As(err, &odd) {
		return strings.Replace(text, odd.Path+": "+odd.Error(), odd.Error(), 1)
	} else if !errors.As(err, &call) {
		return text
	}
	what := ""
	switch {
	case errors.Is(call, fs.ErrNotExist):
		what = "there is no such file or directory"
	case errors.Is(call, fs.ErrPermission):
		what = "permission denied"
	case errors.Is(call, syscall.ENOTDIR):
		what = "it is a file, or below one, but a directory is needed"
	case errors.Is(call, syscall.ELOOP):
		what = "its symbolic links lead back to themselves"
	case errors.Is(call, syscall.EISDIR):
		what = "it is a directory, but a file is needed"
	default:
		return text
	}
	said := call.Error() // open x: no such …
	if strings.Contains(text, call.Path+": "+said) {
		return strings.Replace(text, said, what, 1)
	}
	return strings.Replace(text, said, call.Path+": "+what, 1)
}

func exitCode(err error) int {
	var e *exit.Error
	switch {
	case err == nil:
		return exit.Fine
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, artifacts.ErrCorrupt):
		return exit.Damaged
	case errors.Is(err, context.Canceled):
		return exit.Interrupted
	}
	return exit.Failed
}

// flatten takes apart what errors.Join put together, so that every mistake gets
// a line of its own.
func flatten(err error) []error {
	if e, ok := err.(*exit.Error); ok && e.Err != nil {
		return flatten(e.Err)
	}
	joined, ok := err.(interface{ Unwrap() []error })
	// fmt.Errorf with several %w has a text of its own and is one error.
	if !ok || joinedText(joined.Unwrap()) != err.Error() {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}

func joinedText(errs []error) string {
	texts := lists.Map(errs, func(e error) string { return e.Error() })
	return strings.Join(texts, "\n")
}

// brokenPipe tells that the reader of our output went away (| head), which is
// no error of ours.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
