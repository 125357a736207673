// Package flags has values of flags that many commands take, and the error of a command line that is wrong.
package flags

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag/param"
)

// Usage is a mistake in the command line of one command.
func Usage(cmd *cobra.Command, format string, args ...any) error {
	return exit.Wrongf("%s: %s\n  usage: %s\n  %s --help shows an example", cmd.CommandPath(), fmt.Sprintf(format, args...), cmd.UseLine(), cmd.CommandPath())
}

// Only refuses the flags that are given and are not among names: why states what the form of the command is for. The
// flags of output (--json, -q, -v) stay.
func Only(cmd *cobra.Command, why string, names ...string) error {
	if others := Given(cmd, names...); others != nil {
		return Usage(cmd, "%s: leave out %s", why, strings.Join(others, ", "))
	}
	return nil
}

// Given are the flags that are given, but for some and those of output.
func Given(cmd *cobra.Command, but ...string) (names []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(append(but, "json", "quiet", "verbose"), f.Name) {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}

// Once refuses a second, other value of every flag that holds one: which of the two is meant is not known.
func Once(set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if kind := f.Value.Type(); strings.HasSuffix(kind, "Array") || strings.HasSuffix(kind, "Slice") {
			return
		}
		if f.Value.Type() == "duration" && f.DefValue == "0s" {
			f.DefValue = "0" // which the usage does not show
		}
		f.Value = &once{Value: f.Value}
	})
}

type once struct {
	pflag.Value
	given *string
}

func (o *once) Set(s string) error {
	if o.given != nil && *o.given != s {
		return fmt.Errorf("it was %q before: give it once", *o.given)
	}
	o.given = &s
	return o.Value.Set(s)
}

// Positive is a flag's value: a whole number of at least 1.
func Positive(n *int) pflag.Value { return positive{n} }

type positive struct{ n *int }

func (p positive) String() string {
	if p.n == nil || *p.n == 0 {
		return ""
	}
	return fmt.Sprint(*p.n)
}

func (p positive) Type() string { return "N" }

func (p positive) Set(s string) error {
	var n int
	if _, err := fmt.Sscanf(s+"\n", "%d\n", &n); err != nil || n < 1 {
		return errors.New("it must be an integer of at least 1")
	}
	*p.n = n
	return nil
}

// Name is a flag that is left out or has a text.
func Name(s *string) pflag.Value { return name{s} }

type name struct{ s *string }

func (n name) String() string {
	if n.s == nil {
		return ""
	}
	return *n.s
}

func (n name) Type() string { return "NAME" }

func (n name) Set(s string) error {
	if s == "" {
		return errors.New("it is empty: leave it out")
	}
	*n.s = s
	return nil
}

// Size is a flag value in bytes: 500M, 1.5G, 2TB; powers of 1000.
func Size(n *int64) pflag.Value { return size{n} }

type size struct{ n *int64 }

func (s size) String() string {
	if s.n == nil || *s.n == 0 {
		return ""
	}
	return console.ByteCount(*s.n)
}

func (s size) Type() string { return "SIZE" }

func (s size) Set(text string) (err error) {
	*s.n, err = param.ParseSize(text)
	return err
}

// Time is a flag value of time: 90d, 12w, or as Go writes it (36h).
func Time(d *time.Duration) pflag.Value { return days{d} }

type days struct{ d *time.Duration }

func (d days) String() string {
	if d.d == nil || *d.d == 0 {
		return ""
	}
	return d.d.String()
}

func (d days) Type() string { return "TIME" }

func (d days) Set(text string) error {
	for unit, n := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if number, found := strings.CutSuffix(text, unit); found {
			count, err := strconv.ParseUint(number, 10, 16)
			*d.d = time.Duration(min(count, 100*366)) * n
			if err != nil || count == 0 {
				return fmt.Errorf("must be a time such as 90d, 12w or 36h")
			}
			return nil
		}
	}
	var err error
	if *d.d, err = time.ParseDuration(text); err != nil || *d.d <= 0 {
		return fmt.Errorf("must be a time such as 90d, 12w or 36h")
	}
	return nil
}

// Message is an error of pflag for a person: which flag is wrong, and what it takes.
func Message(err error) string {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		cause := errors.Unwrap(value)
		var number *strconv.NumError
		if errors.As(cause, &number) {
			cause = errors.New("it must be an integer")
			if number.Func == "ParseFloat" {
				cause = errors.New("it must be a number")
			}
		}
		return fmt.Sprintf("--%s cannot be %q: %v", value.GetFlag().Name, value.GetValue(), cause)
	}
	var lonely *pflag.ValueRequiredError
	if errors.As(err, &lonely) {
		return fmt.Sprintf("--%s needs a value", lonely.GetFlag().Name)
	}
	return err.Error()
}

// A Command is a command of a package that a program imports for it, such as one of brain imaging.
type Command struct {
	Name, Group string // the group of the help: run, look, trust or help
	// Make makes it. output is what its flag -o sets, and usage that flag's; nil for a command without -o.
	Make func(a *console.Console) (cmd *cobra.Command, output *string, usage string)
}

var registered []Command

// Register adds commands to the program. Packages call it when they are initialized.
func Register(more ...Command) { registered = append(registered, more...) }

// Registered are the commands that were registered.
func Registered() []Command { return registered }

// Arguments checks the number of arguments by the command's own usage line: those in brackets are optional, and one
// with an ellipsis may be repeated.
func Arguments(cmd *cobra.Command, args []string) error {
	takes := strings.Fields(cmd.Use)[1:]
	n := len(args)
	switch {
	case n < len(takes) && !strings.HasPrefix(takes[n], "["):
		return Usage(cmd, "%s is missing", takes[n])
	case n <= len(takes) || strings.Contains(cmd.Use, "…"):
		return nil
	case cmd.Flags().Lookup("until") != nil: // make and its kin take a target here
		return Usage(cmd, "unexpected argument %q; to run a stage and what it needs: --until %[1]s", args[len(takes)])
	}
	return Usage(cmd, "unexpected argument %q", args[len(takes)])
}
