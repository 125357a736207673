package dag

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strings"

	"prgnn/artifacts"
)

// A declaration is one that a kind reaches, or a module, as the text of Codes
// lists them.
type declaration struct {
	name   string // "prgnn/gnn.poolScores", "module golang.org/x/sys"
	digest string // of its text, and after a dot of what it mentions; or a version
}

func (d declaration) module() bool { return strings.HasPrefix(d.name, "module ") }

// text is the digest of the text alone.
func (d declaration) text() string {
	if d.module() {
		return d.digest
	}
	text, _, _ := strings.Cut(d.digest, ".")
	return text
}

// inPackage is the name without the package.
func (d declaration) inPackage() string {
	_, name, _ := strings.Cut(d.name[strings.LastIndexByte(d.name, '/')+1:], ".")
	return name
}

// reachOf lists what a kind reaches, and where in the source each stands
// ("gnn/pool.go:41").
func reachOf(text, kind string) (reached []declaration, at map[string]string) {
	at = map[string]string{}
	in := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
			in = false
		case strings.HasPrefix(line, "reached by "):
			in = slices.Contains(strings.Fields(line)[2:], kind)
		case strings.HasPrefix(line, "at "):
			words := strings.Fields(line)
			for _, w := range words[min(3, len(words)):] {
				name, number, _ := strings.Cut(w, ":")
				at[words[2]+"."+name] = words[1] + ":" + number
			}
		case in:
			if i := strings.LastIndexByte(line, ' '); i > 0 {
				reached = append(reached, declaration{line[:i], line[i+1:]})
			}
		}
	}
	return reached, at
}

// excerpt is what the texts of Codes say of some kinds. Every run writes one, and most lines are of other kinds.
func excerpt(kinds []*Kind) string {
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
	var words []string
	var name []byte
	for i, text := range texts {
		wanted, packages := map[string]bool{}, map[string]bool{}
		in := false
		for line := range strings.Lines(text) {
			if !in && line[0] != 'r' && line[0] != 'a' { // a declaration that is not wanted: most lines
				continue
			}
			switch {
			case strings.TrimSpace(line) == "":
				in = false
			case strings.HasPrefix(line, "reached by "):
				words = words[:0]
				for w := range strings.FieldsSeq(line[len("reached by "):]) {
					if slices.Contains(kindsOf[i], w) {
						words = append(words, w)
					}
				}
				if in = len(words) > 0; in {
					b.WriteString("\nreached by " + strings.Join(words, " ") + "\n")
				}
			case strings.HasPrefix(line, "at "): // FILE PACKAGE NAME:LINE …
				_, rest, _ := strings.Cut(line[len("at "):], " ")
				if in, _, _ := strings.Cut(rest, " "); !packages[in] {
					continue
				}
				words = words[:0]
				for w := range strings.FieldsSeq(line) {
					if len(words) >= 3 {
						declared, _, _ := strings.Cut(w, ":")
						name = append(append(append(name[:0], words[2]...), '.'), declared...)
					}
					if len(words) < 3 || wanted[string(name)] {
						words = append(words, w)
					}
				}
				if len(words) > 3 {
					b.WriteString(strings.Join(words, " ") + "\n")
				}
			case in:
				b.WriteString(line)
				declared, _, _ := strings.Cut(line, " ")
				wanted[declared] = true
				for at := range len(declared) { // what may be its package
					if declared[at] == '.' {
						packages[declared[:at]] = true
					}
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func pack(text string) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // a level that there is
	io.WriteString(z, text)                         // to memory: nothing goes wrong
	z.Close()
	return b.Bytes()
}

// unpack gives "" for what is damaged: there is then nothing to explain with.
func unpack(b []byte) string {
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

// CodeDifferences says of a difference in the code of a kind, between two runs,
// in which declarations the code differs, as far as that was recorded.
func CodeDifferences(d Difference, kind string, old, now *Record) []Difference {
	return codeDifferences(d, kind, old, now.reached())
}

func codeDifferences(d Difference, kind string, old *Record, now string) []Difference {
	if files := old.Codes[kind]; strings.Contains(files, "\n") && artifacts.DigestOf([]byte(files)).String() == d.Old {
		return []Difference{{What: "code format", Old: "by source files, of an earlier version of the program", New: "by declarations"}}
	}
	if old.Codes[kind] != d.Old {
		return []Difference{d}
	}
	was, wasAt := reachOf(old.reached(), kind)
	is, at := reachOf(now, kind)
	if len(was) == 0 || len(is) == 0 {
		return []Difference{d}
	}
	was, is = without(was, is), without(is, was)
	var changed, other, mentions []Difference
	for _, pair := range counterparts(was, is) {
		o, n := pair[0], pair[1]
		d := Difference{What: "code", Name: n.name, Old: o.digest, New: n.digest, From: at[n.name]}
		switch {
		case n.name == "":
			other = append(other, Difference{What: "code", Name: o.name, Old: o.digest, From: wasAt[o.name]})
		case o.name == "":
			other = append(other, d)
		case o.text() != n.text():
			changed = append(changed, d)
		case o.digest != n.digest:
			mentions = append(mentions, d)
		}
	}
	if all := slices.Concat(changed, other, mentions); len(all) > 0 {
		return all
	}
	return []Difference{d}
}

// counterparts pairs declarations with what they were: under their names, by their
// text under other names, or under their names in other packages. What is new has
// no first, what is gone no second.
func counterparts(was, is []declaration) (pairs [][2]declaration) {
	for _, same := range []func(o, n declaration) bool{
		func(o, n declaration) bool { return o.name == n.name },
		func(o, n declaration) bool { return !n.module() && !o.module() && o.text() == n.text() },
		func(o, n declaration) bool { return !n.module() && !o.module() && o.inPackage() == n.inPackage() },
	} {
		is = slices.DeleteFunc(is, func(n declaration) bool {
			i := slices.IndexFunc(was, func(o declaration) bool { return same(o, n) })
			if i < 0 {
				return false
			}
			pairs = append(pairs, [2]declaration{was[i], n})
			was = slices.Delete(was, i, i+1)
			return true
		})
	}
	for _, n := range is {
		pairs = append(pairs, [2]declaration{{}, n})
	}
	for _, o := range was {
		pairs = append(pairs, [2]declaration{o, {}})
	}
	return pairs
}

// without leaves out what is in the other list just so.
func without(list, other []declaration) []declaration {
	has := map[declaration]bool{}
	for _, d := range other {
		has[d] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(d declaration) bool { return has[d] })
}
