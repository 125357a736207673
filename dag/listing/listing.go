// Package listing reads the texts that say which declarations the code of a kind reaches: it makes the excerpt that
// the record of a run keeps, and pairs what was reached then with what is reached now.
package listing

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"prgnn/internal/lists"
)

// A Kind is a kind with the text of its code.
type Kind struct{ Name, Code string }

// A Declaration is one that a kind reaches, or a module, as the text of a code lists them.
type Declaration struct {
	Name   string // "prgnn/gnn.poolScores", "module golang.org/x/sys", "import image/gif"
	Digest string // of its text, and after a dot of what it mentions; or a version
}

func (d Declaration) module() bool {
	return strings.HasPrefix(d.Name, "module ") || strings.HasPrefix(d.Name, "import ")
}

// Text is the digest of the text alone.
func (d Declaration) Text() string {
	if d.module() {
		return d.Digest
	}
	text, _, _ := strings.Cut(d.Digest, ".")
	return text
}

// inPackage is the name without the package.
func (d Declaration) inPackage() string {
	_, name, _ := strings.Cut(d.Name[strings.LastIndexByte(d.Name, '/')+1:], ".")
	return name
}

// A Source is a source file, or one that is embedded, by the path of its package and its name.
type Source struct {
	Path, Digest string
	For          []string // the declarations in it that the listing of its own module lacks

	in   fs.FS // of a file without a Digest: it is read when it is compared
	name string
}

// The files that codeid writes count by what they list.
const (
	CodeFile    = "codes.txt"
	SourcesFile = "sources_gen.go"
)

// Unseen begins the line of a module that stands in a directory, and whose sources no program holds: it may have
// changed since.
const Unseen = "unseen "

// Linked begins the difference of a variable that the linker sets (-ldflags "-X lab/helper.Build=5"): no source has its
// value.
const Linked = "linked "

// Digest is the digest of a source file.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Sources are the files of a module, with its tests, without their digests.
func Sources(module string, files fs.FS) (all []Source, err error) {
	err = fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path.Base(name) == CodeFile || path.Base(name) == SourcesFile {
			return err
		}
		all = append(all, Source{Path: path.Join(module, name), in: files, name: name})
		return nil
	})
	return all, err
}

// is reports whether a source has a digest.
func (s Source) is(digest string) (bool, error) {
	if s.in == nil {
		return s.Digest == digest, nil
	}
	text, err := fs.ReadFile(s.in, s.name)
	return Digest(text) == digest, err
}

// Differs names the first file or module in which a program differs from the listing of a code: the files that it was
// built from, and the versions of its modules. Files in directories without a file in the listing are of packages that
// no kind reaches, and tests count only where they are listed: a package may embed one as data. A program that has no
// modules (a test) is not compared with those. Where a module beside has a listing of its own, which others has, the
// declarations in it count in place of the files.
func Differs(code string, built []Source, modules map[string]string, others []string) string {
	listed, dirs := map[string]string{}, map[string]bool{}
	var beside []string
	for line := range strings.Lines(code) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "source "); ok {
			words := strings.Fields(rest)
			listed[words[0]], dirs[path.Dir(words[0])] = words[1], true
		} else if strings.HasPrefix(line, Unseen) {
			return line
		} else if rest, ok := strings.CutPrefix(line, "beside "); ok {
			beside = append(beside, rest+"/")
		} else if rest, ok := strings.CutPrefix(line, "module "); ok && len(modules) > 0 {
			i := strings.LastIndexByte(rest, ' ')
			if i >= 0 && modules[rest[:i]] != rest[i+1:] {
				return "module " + rest[:i]
			}
		}
	}
	left := maps.Clone(listed) // two packages may embed one file
	for _, s := range built {
		inside := slices.ContainsFunc(beside, func(module string) bool { return strings.HasPrefix(s.Path, module) })
		digest, known := listed[s.Path]
		test := strings.HasSuffix(s.Path, "_test.go")
		if dirs[path.Dir(s.Path)] && (known || !inside && !test) {
			if same, err := s.is(digest); err != nil || !same {
				return s.Path
			}
		}
		delete(left, s.Path)
	}
	if gone := slices.Sorted(maps.Keys(left)); len(gone) > 0 { // removed, or without its module's Sources
		return gone[0]
	}
	if len(beside) > 0 {
		return differsBeside(code, beside, others)
	}
	return ""
}

// differsBeside reports the first declaration of a module beside that is in no listing as the code has it, and in no
// file that was compared.
func differsBeside(code string, beside, others []string) string {
	there := map[string]bool{} // declarations with their digests, and those of the compared files without
	for _, other := range others {
		for line := range strings.Lines(other) {
			there[strings.TrimSuffix(line, "\n")] = true
		}
	}
	for line := range strings.Lines(code) {
		if rest, ok := strings.CutPrefix(line, "source "); ok {
			words := strings.Fields(rest)
			there[words[0]] = true
			for _, name := range words[2:] {
				there[path.Dir(words[0])+"."+name] = true
			}
		}
	}
	for _, d := range reach(code, func([]string) bool { return true }) {
		if !there[d.Name+" "+d.Digest] && !there[d.Name] && !d.module() &&
			slices.ContainsFunc(beside, func(module string) bool { return strings.HasPrefix(d.Name, module) }) {
			return d.Name
		}
	}
	return ""
}

// groups are the kinds and the lines of the declarations that these kinds reach.
func groups(text string) iter.Seq2[[]string, string] {
	return func(yield func([]string, string) bool) {
		for group := range strings.SplitSeq(text, "\n\n") {
			first, lines, _ := strings.Cut(strings.Trim(group, "\n"), "\n")
			if kinds, ok := strings.CutPrefix(first, "reached by "); ok && !yield(strings.Fields(kinds), lines) {
				return
			}
		}
	}
}

// Reach lists what a kind reaches.
func Reach(text, kind string) []Declaration {
	return reach(text, func(kinds []string) bool { return slices.Contains(kinds, kind) })
}

func reach(text string, wanted func(kinds []string) bool) (reached []Declaration) {
	for kinds, lines := range groups(text) {
		if !wanted(kinds) {
			continue
		}
		for line := range strings.SplitSeq(lines, "\n") {
			// Records of earlier versions have places, "at FILE …".
			if i := strings.LastIndexByte(line, ' '); i > 0 && !strings.HasPrefix(line, "at ") {
				reached = append(reached, Declaration{line[:i], line[i+1:]})
			}
		}
	}
	return reached
}

// Excerpt is what the texts list for some kinds. Every run writes one, and most lines are of other kinds.
func Excerpt(kinds []Kind) string {
	var texts []string // what follows the lines of all kinds; those of one program are one string, found by its address
	var kindsOf [][]string
	for _, k := range kinds {
		if i := strings.Index(k.Code, "\n\n"); i >= 0 {
			at := slices.Index(texts, k.Code[i:])
			if at < 0 {
				at = len(texts)
				texts, kindsOf = append(texts, k.Code[i:]), append(kindsOf, nil)
			}
			kindsOf[at] = append(kindsOf[at], k.Name)
		}
	}
	var b strings.Builder
	for i, text := range texts {
		for by, lines := range groups(text) {
			by = slices.DeleteFunc(by, func(kind string) bool { return !slices.Contains(kindsOf[i], kind) })
			if len(by) > 0 {
				b.WriteString(strings.TrimRight("\nreached by "+strings.Join(by, " ")+"\n"+lines, "\n") + "\n")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Pack compresses a text.
func Pack(text string) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // a level that there is
	io.WriteString(z, text)                         // to memory: nothing goes wrong
	z.Close()
	return b.Bytes()
}

// Unpack gives "" for what is damaged: there is then nothing to explain with.
func Unpack(b []byte) string {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return ""
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return ""
	}
	return string(text)
}

// Counterparts pairs declarations with what they were: under their names, by their
// text under other names, or under their names in other packages. What is new has
// no first, what is gone no second.
func Counterparts(was, is []Declaration) (pairs [][2]Declaration) {
	for _, same := range []func(o, n Declaration) bool{
		func(o, n Declaration) bool { return o.Name == n.Name },
		func(o, n Declaration) bool { return !n.module() && !o.module() && o.Text() == n.Text() },
		func(o, n Declaration) bool { return !n.module() && !o.module() && o.inPackage() == n.inPackage() },
	} {
		is = slices.DeleteFunc(is, func(n Declaration) bool {
			i := slices.IndexFunc(was, func(o Declaration) bool { return same(o, n) })
			if i < 0 {
				return false
			}
			pairs = append(pairs, [2]Declaration{was[i], n})
			was = slices.Delete(was, i, i+1)
			return true
		})
	}
	for _, n := range is {
		pairs = append(pairs, [2]Declaration{{}, n})
	}
	for _, o := range was {
		pairs = append(pairs, [2]Declaration{o, {}})
	}
	return pairs
}

// Without leaves out what is in the other list just so.
func Without(list, other []Declaration) []Declaration {
	has := lists.Set(other)
	return slices.DeleteFunc(slices.Clone(list), func(d Declaration) bool { return has[d] })
}
