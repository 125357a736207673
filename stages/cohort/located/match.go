package located

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/userfile"
)

// zeros are those before a number within a name.
var zeros = pattern.New(`(^|[^0-9])0+([0-9])`)

// lostZeros is the error of a file whose name others have but for zeros before numbers, which it proposes.
type lostZeros struct{ error }

func (e lostZeros) Unwrap() error { return e.error }

// otherZeros proposes, beside the error of a missing file whose name is made from columns, the file whose name differs
// by zeros before numbers.
func (f *Source) otherZeros(path string, err error) error {
	if f.pieces == nil {
		return err
	}
	plain := func(name string) string { return zeros.ReplaceAllString(name, "$1$2") }
	entries, _ := f.list(filepath.Dir(path)).ReadDir(".")
	var near []string
	for _, e := range entries {
		if name := e.Name(); name != filepath.Base(path) && plain(name) == plain(filepath.Base(path)) {
			near = append(near, name)
		}
	}
	if near == nil {
		return err
	}
	return zerosRemoved(err, near)
}

// zerosRemoved adds files whose names differ by zeros before numbers to the error of a missing one.
func zerosRemoved(err error, near []string) error {
	return lostZeros{fmt.Errorf("%w, but %s exists: did a spreadsheet remove leading zeros from the table?", err,
		strings.Join(near, " or "))}
}

// numbers are whole numbers without the zeros before them.
var numbers = pattern.New(`0*([0-9]+)`)

// matching are the files of a directory that match a glob and an expression.
func matching(dir fs.FS, glob, expression string) []string {
	found, err := fs.Glob(dir, glob)
	if err != nil {
		return nil
	}
	whole, err := regexp.Compile(expression)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(found, func(file string) bool { // macOS writes ._NAME beside each NAME
		return !whole.MatchString(file) || strings.HasPrefix(path.Base(file), "._")
	})
}

// list is a directory that is listed once.
func (f *Source) list(dir string) *readOnce {
	if f.dirs[dir] == nil {
		if f.dirs == nil {
			f.dirs = map[string]*readOnce{}
		}
		f.dirs[dir] = &readOnce{FS: os.DirFS(dir), entries: map[string]listing{}}
	}
	return f.dirs[dir]
}

func isSlash(c rune) bool { return c == '/' || c == '\\' }

// Starred reports whether the text of a pattern has a *.
func (f *Source) Starred() bool {
	for i := 0; i < len(f.pieces); i += 2 {
		if strings.Contains(f.pieces[i], "*") {
			return true
		}
	}
	return false
}

// match finds the one file that a name with * stands for; filled are its pieces: text, value, text, … A value stands
// for itself, and no * extends it: sub-1*.tsv is not sub-11.tsv.
func (f *Source) match(root, name string, filled []string) (string, error) {
	at := 0
	for i, piece := range filled {
		if star := strings.IndexByte(piece, '*'); star >= 0 && i%2 == 0 {
			at += star
			break
		}
		at += len(piece)
	}
	fixed := name[:strings.LastIndexByte(name[:at], '/')+1]
	glob, expression := "", "^(?s:"
	anyGlob, anyZeros := "", "^(?s:" // whatever zeros stand before the numbers of the values
	skip, value := len(fixed), false
	for i, piece := range filled {
		cut := min(skip, len(piece))
		skip -= cut
		if piece = piece[cut:]; i%2 == 1 {
			glob, anyGlob = glob+signs.Replace(piece), anyGlob+"*"
			expression += regexp.QuoteMeta(piece)
			anyZeros += numbers.ReplaceAllString(regexp.QuoteMeta(piece), "0*$1")
			value = piece != ""
			continue
		}
		glob, anyGlob = glob+piece, anyGlob+piece
		text := beside(piece, value, i+1 < len(filled))
		expression, anyZeros = expression+text, anyZeros+text
	}
	dir := userfile.Within(root, fixed)
	f.list(dir).refused = nil
	found, err := fs.Glob(f.dirs[dir], glob)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	whole, err := regexp.Compile(expression + ")$")
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	var longer []string
	found = slices.DeleteFunc(found, func(file string) bool {
		extends := !whole.MatchString(file)
		if extends {
			longer = append(longer, file)
		}
		return extends
	})
	switch {
	case len(found) == 0 && longer != nil:
		return "", fmt.Errorf("no file matches %s, where * must not begin or end with a letter or digit beside a value of the table; "+
			"%s may be of another %s; write what stands between in %s", name, words.Some(longer, 4), f.noun, f.Port)
	case len(found) == 0:
		if near := matching(f.dirs[dir], anyGlob, anyZeros+")$"); len(near) > 0 {
			return "", zerosRemoved(fmt.Errorf("no file matches %s", name), near)
		}
		return "", userfile.OneLine(append([]error{fmt.Errorf("no file matches %s", name)},
			f.dirs[dir].unlisted(dir)...))
	case len(found) > 1:
		return "", Several{Err: fmt.Errorf("%d files match %s: %s; %s must match only one", len(found), name, words.Some(found, 4), f.Port)}
	}
	return fixed + found[0], nil
}

// signs are those of a pattern of files, to stand for themselves.
var signs = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// beside is the expression of a text of a pattern, in which a * or ? next to a value, before or after it, takes no
// letter or digit there.
func beside(text string, after, before bool) string {
	const other = `[^/\pL\pN]`
	var e strings.Builder
	for at := 0; at < len(text); at++ {
		start := at
		switch c := text[at]; {
		case c == '*':
			for at+1 < len(text) && text[at+1] == '*' {
				at++
			}
			first, last := start == 0 && after, at+1 == len(text) && before
			switch {
			case first && last:
				e.WriteString("(" + other + "([^/]*" + other + ")?)?")
			case first:
				e.WriteString("(" + other + "[^/]*)?")
			case last:
				e.WriteString("([^/]*" + other + ")?")
			default:
				e.WriteString("[^/]*")
			}
		case c == '?' && (start == 0 && after || at+1 == len(text) && before):
			e.WriteString(other)
		case c == '?':
			e.WriteString("[^/]")
		case c == '[': // a set of letters, as the user wrote it
			for at++; at < len(text) && text[at] != ']'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
			e.WriteString(text[start:min(at+1, len(text))])
		case c == '\\' && at+1 < len(text):
			at++
			e.WriteString(regexp.QuoteMeta(text[at : at+1]))
		default:
			for at+1 < len(text) && !strings.ContainsRune("*?[\\", rune(text[at+1])) {
				at++
			}
			e.WriteString(regexp.QuoteMeta(text[start : at+1]))
		}
	}
	return e.String()
}

// Several is the error of a * that more than one file matches.
type Several struct{ Err error }

func (e Several) Error() string { return e.Err.Error() }

// readOnce reads each directory once, for all participants.
type readOnce struct {
	fs.FS
	entries map[string]listing
	refused []string // the directories that could not be listed since it was set to nil
}

type listing struct {
	entries []fs.DirEntry
	err     error
}

// ReadDir lists a directory; fs.Glob takes one that cannot be read for an empty one.
func (f *readOnce) ReadDir(name string) ([]fs.DirEntry, error) {
	l, known := f.entries[name]
	if !known {
		l.entries, l.err = fs.ReadDir(f.FS, name)
		f.entries[name] = l
	}
	if bids.Unlisted(l.err) {
		f.refused = append(f.refused, name)
	}
	return l.entries, l.err
}

// unlisted are the errors of the directories within dir that could not be listed.
func (f *readOnce) unlisted(dir string) []error {
	return lists.Map(f.refused, func(name string) error {
		return userfile.Plain(filepath.Join(dir, filepath.FromSlash(name)), f.entries[name].err)
	})
}

// templateOf is the template of a file of TemplateFlow: MNI152NLin2009cAsym.
func templateOf(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), "tpl-"), "_")
	return name
}
