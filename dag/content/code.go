package content

import (
	"context"
	"slices"
	"strings"

	"prgnn/artifacts/whole"
)

// A CodeReader is a stage whose result depends on files that are no inputs: a program, and what it loads from
// directories that variables name. Their content enters the recipe, and no path. connected reports whether a port is.
type CodeReader interface {
	CodeFiles(connected func(port string) bool) []Code
}

// A Code has the files of a name, in the order in which they are searched.
type Code struct {
	What  string // "program", "file", "directory", or "environment": a variable whose value does not count then
	Name  string // "python3", or that of the variable
	Paths []string
	// Except are files and directories among the paths, or in them, that do not count: the stage writes there.
	Except []string
	// Secret paths stand in no message: they come from the value of a variable.
	Secret bool
}

// String is where the files lie, for a message.
func (c Code) String() string {
	if c.What == "environment" || c.Secret {
		return c.What + " " + c.Name
	}
	return strings.Join(c.Paths, ", ")
}

// CodeOf are the files that a stage reads beside its inputs; nil unless it is a CodeReader.
func CodeOf(stage any, connected func(port string) bool) []Code {
	reader, ok := stage.(CodeReader)
	if !ok {
		return nil
	}
	all := slices.DeleteFunc(reader.CodeFiles(connected), func(c Code) bool {
		return c.What != "environment" && !slices.ContainsFunc(c.Paths, func(path string) bool {
			return !Within(path, c.Except)
		})
	})
	for i := range all {
		all[i].Name = strings.Map(func(r rune) rune { // a recipe has one fact a line
			if r < ' ' {
				return '_'
			}
			return r
		}, all[i].Name)
	}
	return all
}

type storeKey struct{}

// WithStore is the context of the tasks of a run: dir is the store of their results, which no command sees.
func WithStore(ctx context.Context, dir string) context.Context {
	return context.WithValue(ctx, storeKey{}, whole.Resolved(dir))
}

// Store is the resolved directory of the store that a task's results go to; "" for none.
func Store(ctx context.Context) string {
	dir, _ := ctx.Value(storeKey{}).(string)
	return dir
}
