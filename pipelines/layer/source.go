package layer

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/pipelines/tree"
	"prgnn/stages/builtin"
)

// A File is one file of a chain of extends.
type File struct {
	Name    string // the last element of its path
	Builtin bool   // the file is part of the program
	Shown   string // in messages
	Text    []byte
}

// First reads the file that a person names. dir is where its relative paths begin.
func First(file string) (f File, dir string, err error) {
	if strings.ContainsFunc(filepath.Base(file), unicode.IsControl) {
		return f, "", fmt.Errorf("the name of the pipeline file, %q, has a control character, and locks and messages repeat it: rename the file", file)
	}
	text, within, err := readSource(file, file)
	f = File{filepath.Base(file), within, file, text}
	if within {
		return f, ".", err
	}
	return f, filepath.Dir(file), err
}

// Source is the text that runs of a file keep, without settings: that of the file, merged over the files that it
// extends. dir is where its relative paths begin and the store goes.
func Source(file string) (text, dir string, err error) {
	f, dir, err := First(file)
	if err != nil {
		return "", dir, err
	}
	l := Read(f)
	if len(l.Bad.List) > 0 {
		return "", dir, l.Bad.Sorted()
	}
	return l.Source(), dir, nil
}

// Source is the text that is kept with a run and in locks: that of the file, or, of one that extends others, all in
// one.
func (l *Layers) Source() string {
	if l.Root == nil || len(l.Files) < 2 && !l.wired {
		return string(l.first.Text)
	}
	text := tree.Print(l.Root, true)
	if len(text) > maxFile && len(l.Bad.List) == 0 {
		l.Bad.Add(l.Root.Pos, "the file and all that it extends are larger than %d MiB", maxFile>>20)
	}
	return text
}

// maxFile is far above any pipeline file, and far below what would hurt.
const maxFile = 16 << 20

// readSource reads a file, or else the built-in file of that name, which is within the program.
func readSource(file, name string) (text []byte, within bool, err error) {
	f, err := regular.Open(file)
	if err != nil {
		if text, ok := builtin.Text(name); ok && os.IsNotExist(err) {
			return []byte(text), true, nil
		}
		if os.IsNotExist(err) {
			return nil, false, fmt.Errorf("%s: %w%s", file, fs.ErrNotExist, nearBuiltin(file))
		}
		return nil, false, fmt.Errorf("the pipeline file cannot be read: %w", err)
	}
	defer f.Close()
	text, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, false, fmt.Errorf("the pipeline file cannot be read: %w", err)
	}
	if len(text) > maxFile {
		return nil, false, fmt.Errorf("%s: larger than %d MB: not a pipeline file", file, maxFile>>20)
	}
	return text, false, nil
}

func nearBuiltin(file string) string {
	if near := words.Nearest(file, append(builtin.Names(), file+".yaml")); near != "" && near != file+".yaml" {
		return fmt.Sprintf(" (did you mean the built-in %q?)", near)
	}
	if _, ok := builtin.Text(file + ".yaml"); ok {
		return fmt.Sprintf(" (did you mean the built-in %q?)", file+".yaml")
	}
	return ""
}

// WithSets is the text that is kept with a run: the file's own lines, then what
// was set over them.
func WithSets(text string, sets []string) string {
	if len(sets) == 0 {
		return text
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	for _, s := range sets {
		text += "# --set " + strings.ReplaceAll(s, "\n", "\n# ") + "\n"
	}
	return text
}

// SplitSource takes the text that is kept with a run apart again: the text of the
// file, and what was set over it.
func SplitSource(source string) (text string, sets []string) {
	const mark = "# --set "
	lines := strings.SplitAfter(strings.TrimSuffix(source, "\n"), "\n")
	at := len(lines)
	for at > 0 && strings.HasPrefix(lines[at-1], "# ") {
		at--
	}
	for at < len(lines) && !strings.HasPrefix(lines[at], mark) {
		at++
	}
	for _, line := range lines[at:] {
		line = strings.TrimSuffix(line, "\n")
		if set, first := strings.CutPrefix(line, mark); first {
			sets = append(sets, set)
		} else {
			sets[len(sets)-1] += "\n" + strings.TrimPrefix(line, "# ")
		}
	}
	if len(sets) == 0 {
		return source, nil
	}
	return strings.Join(lines[:at], ""), sets
}
