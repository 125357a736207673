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
	digest string // or version
}

func (d declaration) module() bool { return strings.HasPrefix(d.name, "module ") }

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

// excerpt is what the texts of Codes say of some kinds.
func excerpt(kinds []*Kind) string {
	ofText := map[string][]string{} // kinds by what follows the lines of all kinds
	var texts []string
	for _, k := range kinds {
		if i := strings.Index(k.Code, "\n\n"); i >= 0 {
			text := k.Code[i:]
			if ofText[text] == nil {
				texts = append(texts, text)
			}
			ofText[text] = append(ofText[text], k.Name)
		}
	}
	var b strings.Builder
	for _, text := range texts {
		wanted := map[string]bool{}
		in := false
		for line := range strings.Lines(text) {
			switch words := strings.Fields(line); {
			case len(words) == 0:
				in = false
			case strings.HasPrefix(line, "reached by "):
				by := slices.DeleteFunc(words[2:], func(k string) bool { return !slices.Contains(ofText[text], k) })
				if in = len(by) > 0; in {
					b.WriteString("\nreached by " + strings.Join(by, " ") + "\n")
				}
			case strings.HasPrefix(line, "at "):
				there := slices.DeleteFunc(words[3:], func(w string) bool {
					name, _, _ := strings.Cut(w, ":")
					return !wanted[words[2]+"."+name]
				})
				if len(there) > 0 {
					b.WriteString(strings.Join(words[:3], " ") + " " + strings.Join(there, " ") + "\n")
				}
			case in:
				b.WriteString(line)
				wanted[words[0]] = true
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func pack(text string) []byte {
	if text == "" {
		return nil
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text) // to memory: nothing goes wrong
	z.Close()
	return b.Bytes()
}

func unpack(b []byte) (string, error) {
	if len(b) == 0 {
		return "", nil
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(z)
	return string(text), err
}

// CodeDifferences says of a difference in the code of a kind, between two runs,
// in which declarations the code differs, as far as that was recorded.
func CodeDifferences(d Difference, kind string, old, now *Record) []Difference {
	return codeDifferences(d, kind, old, now.reached)
}

func codeDifferences(d Difference, kind string, old *Record, now string) []Difference {
	if files := old.Codes[kind]; strings.Contains(files, "\n") && artifacts.DigestOf([]byte(files)).String() == d.Old {
		return []Difference{{What: "code format", Old: "by source files, of an earlier version of the program", New: "by declarations"}}
	}
	if old.Codes[kind] != d.Old {
		return []Difference{d}
	}
	was, wasAt := reachOf(old.reached, kind)
	is, at := reachOf(now, kind)
	if len(was) == 0 || len(is) == 0 {
		return []Difference{d}
	}
	was, is = without(was, is), without(is, was)
	was, is = withoutRenamed(was, is), withoutRenamed(is, was)
	var changed, other []Difference
	for _, n := range is {
		i := slices.IndexFunc(was, func(o declaration) bool { return o.name == n.name })
		if i < 0 { // moved to another package
			i = slices.IndexFunc(was, func(o declaration) bool { return !n.module() && !o.module() && inPackage(o.name) == inPackage(n.name) })
		}
		if i < 0 {
			other = append(other, Difference{What: "code", Name: n.name, New: n.digest, From: at[n.name]})
			continue
		}
		changed = append(changed, Difference{What: "code", Name: n.name, Old: was[i].digest, New: n.digest, From: at[n.name]})
		was = slices.Delete(was, i, i+1)
	}
	for _, o := range was {
		other = append(other, Difference{What: "code", Name: o.name, Old: o.digest, From: wasAt[o.name]})
	}
	if len(changed)+len(other) == 0 {
		return []Difference{d}
	}
	return append(changed, other...)
}

// without leaves out what is in the other list just so.
func without(list, other []declaration) []declaration {
	has := map[declaration]bool{}
	for _, d := range other {
		has[d] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(d declaration) bool { return has[d] })
}

// withoutRenamed leaves out what is in the other list under another name.
func withoutRenamed(list, other []declaration) []declaration {
	has := map[string]int{}
	for _, d := range other {
		has[d.digest]++
	}
	return slices.DeleteFunc(slices.Clone(list), func(d declaration) bool {
		has[d.digest]--
		return !d.module() && has[d.digest] >= 0
	})
}

// inPackage is the name of a declaration without its package.
func inPackage(name string) string {
	base := name[strings.LastIndexByte(name, '/')+1:]
	_, name, _ = strings.Cut(base, ".")
	return name
}
