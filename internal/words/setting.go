package words

import (
	"fmt"
	"strings"
)

// A Setting is a parameter in an error. A pipeline file writes it by its name; a command that makes the stage itself
// writes it by a flag of that name.
type Setting struct {
	Parameter string
	Values    []string // to list there; nil: the parameter itself
	Lead      string   // the verb before it in a pipeline file: "set", "list it under"; "" for none
}

func (s Setting) String() string {
	text := s.Parameter
	if s.Values != nil {
		text += ": [" + strings.Join(s.Values, ", ") + "]"
	}
	return strings.TrimSpace(s.Lead + " " + text)
}

// A Refusal is an error about settings, whose other arguments may be refusals.
type Refusal struct {
	format string
	args   []any
}

// Refuse is Errorf for an error with settings.
func Refuse(format string, args ...any) error { return &Refusal{format, args} }

func (r *Refusal) Error() string { return fmt.Sprintf(r.format, r.args...) }

// In is the text with its settings as write has them.
func (r *Refusal) In(write func(Setting) string) string {
	args := make([]any, len(r.args))
	for i, arg := range r.args {
		switch arg := arg.(type) {
		case Setting:
			args[i] = write(arg)
		case *Refusal:
			args[i] = arg.In(write)
		default:
			args[i] = arg
		}
	}
	return fmt.Sprintf(r.format, args...)
}
