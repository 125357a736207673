package pipelines

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag/param"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/tree"
	"prgnn/stages/cohort"
)

// Where data lie is this machine's affair: no result depends on it, and nothing that is handed
// on (a lock, a bundle, a statement, a crate) names it. A place stands in the file in
// {file: PATH} and in the parameters of the cohort that have the tag place, written there, in
// a variable, or with --set. Shared is what remains without them.

// Shared is what a lock keeps of the pipeline file and of --set: all but places.
type Shared struct {
	Text string   // of the file, with "" for each absolute path that says where data lie
	Sets []string // those that do not say where data lie
	Err  error    // why a place cannot be left out

	places []string // absolute: the directories that are not to be named
}

// places are the values of one pipeline file that say where data lie.
type places struct {
	all  map[*tree.Node]param.Place
	vars *tree.Variables
	sets map[string]*tree.Node // the value of each --set

	located []*tree.Node // the values that are places: parameters and variables
}

func (p *places) add(t *tree.Node, place param.Place) {
	if p.all == nil {
		p.all = map[*tree.Node]param.Place{}
	}
	p.all[t] = place
}

// name is what {file: PATH} is called wherever it lies: the path as it is written, after the
// variable that it begins with.
func (p *places) name(t *tree.Node, path string) string {
	if t.Head != "" {
		path = strings.TrimLeft(strings.TrimPrefix(path, p.vars.Values[t.Head].Text), "/")
		if path == "" {
			path = filepath.Base(t.Text)
		}
	}
	if path = filepath.FromSlash(path); filepath.IsLocal(path) {
		return filepath.ToSlash(filepath.Clean(path))
	}
	return filepath.Base(path)
}

// outside reports whether a path leads out of the directory that it is read from.
func outside(path string) bool {
	return !filepath.IsLocal(filepath.FromSlash(path)) || strings.HasPrefix(path, "~")
}

// isPlace reports whether a value that may be a place is one, and no column, pattern or word.
func isPlace(t *tree.Node, place param.Place) bool {
	return place == param.PlaceAlways || outside(t.Text) ||
		strings.Contains(t.Text, "/") && !strings.Contains(t.Text, "{")
}

// settle finds the values that are places, among them the variables that begin the paths. A
// place in a parameter of a stage is a mistake: results would depend on it.
func (p *places) settle(root *tree.Node, bad *tree.Mistakes) {
	elsewhere := map[string]*tree.Node{} // a variable that is used as anything but a place → where
	heads := map[string]bool{}           // a variable that begins a place
	var use func(t, at *tree.Node)
	use = func(t, at *tree.Node) {
		head := ""
		if place, known := p.all[t]; known && t.Kind == tree.Scalar && isPlace(t, place) {
			head = t.Head
			p.located = append(p.located, t)
		}
		for of := t; of != nil; { // t, and the variables that begin it
			for _, v := range of.Vars {
				if v != head && elsewhere[v] == nil {
					elsewhere[v] = at
					use(p.vars.Values[v], at)
				}
			}
			if head == "" || heads[head] {
				break
			}
			heads[head] = true
			of = p.vars.Values[head]
			head = of.Head
		}
		for _, item := range t.Items {
			use(item, item)
		}
		for _, k := range t.Keys {
			use(k.Value, k.Value)
		}
	}
	for _, k := range root.Keys {
		if k.Name != "vars" {
			use(k.Value, k.Value)
		}
	}
	for _, name := range p.vars.Names {
		value, at := p.vars.Values[name], elsewhere[name]
		switch {
		case at == nil && value.Kind == tree.Scalar: // of no use, where it begins no path
			p.located = append(p.located, value)
		case at != nil && heads[name] && outside(value.Text):
			bad.Add(at.Pos, "the variable %q is a path to data, and results must not depend on paths: connect the file as an input ({file: PATH}), and remove the variable here", name)
		}
	}
}

// paths are the values that can be paths, absolute; some are names of columns.
func (p *places) paths(dir string) (paths []string) {
	for t := range p.all {
		if path := filepath.FromSlash(t.Text); filepath.IsAbs(path) {
			paths = append(paths, path)
		} else if t.Kind == tree.Scalar {
			paths = append(paths, filepath.Join(dir, path))
		}
	}
	return paths
}

// shared leaves the places out of the file's text and of the sets.
func (p *places) shared(text string, sets []string, dir string, roster *cohort.Roster) Shared {
	s := Shared{Text: text}
	gone := map[string]bool{} // what is set by a --set that is left out
	lines := strings.SplitAfter(text, "\n")
	done := map[[2]int]bool{}                              // the places in the text
	slices.SortFunc(p.located, func(a, b *tree.Node) int { // of a line, the last first: then columns stay
		return cmp.Or(cmp.Compare(b.Row, a.Row), cmp.Compare(b.Col, a.Col),
			strings.Compare(a.Pos.String(), b.Pos.String()))
	})
	for _, t := range p.located {
		if path := filepath.FromSlash(t.Text); filepath.IsAbs(path) {
			s.places = append(s.places, path)
		} else if outside(path) {
			s.places = append(s.places, filepath.Join(dir, path))
		}
		set, isSet := strings.CutPrefix(t.Pos.File, layer.SetPlace)
		switch {
		case isSet && p.sets[set] != nil && p.sets[set].Kind != tree.Scalar:
			s.Err = fmt.Errorf("--set %s contains a path to data among other values: set the path by a variable and a --set of its own", set)
		case isSet:
			gone[setName(set)] = true
		case done[[2]int{t.Row, t.Col}]:
		case filepath.IsAbs(t.Written) || strings.HasPrefix(t.Written, "~"):
			if !blank(&lines[t.Row-1], t.Written, t.Col-1) {
				s.Err = fmt.Errorf("%s: the path cannot be separated from the text: write it in one line, or set it by a variable and --set", t.Pos)
			}
		}
		if !isSet {
			done[[2]int{t.Row, t.Col}] = true
		}
	}
	s.Text = strings.Join(lines, "")
	for _, set := range sets {
		if !gone[setName(set)] {
			s.Sets = append(s.Sets, set)
		}
	}
	if roster != nil && roster.Root != "" {
		s.places = append(s.places, roster.Root)
	}
	if home, err := os.UserHomeDir(); err == nil {
		s.places = append(s.places, home)
	}
	if strings.Count(dir, string(filepath.Separator)) > 1 { // not /opt, where programs lie
		s.places = append(s.places, dir)
	}
	slices.Sort(s.places)
	s.places = slices.DeleteFunc(slices.Compact(s.places), func(p string) bool { return p == filepath.Dir(p) })
	return s
}

// setName is what a --set sets.
func setName(set string) string {
	name, _, _ := strings.Cut(set, "=")
	return strings.TrimPrefix(strings.TrimSpace(name), "vars.")
}

// blank writes "" in place of a value, in quotes or not.
func blank(line *string, value string, from int) bool {
	for _, form := range []string{`"` + value + `"`, "'" + value + "'", value} {
		if at := strings.Index((*line)[min(from, len(*line)):], form); at >= 0 {
			at += from
			*line = (*line)[:at] + `""` + (*line)[at+len(form):]
			return true
		}
	}
	return false
}

// Check finds a place in a text that is to be handed on, such as one in the command of a
// stage: the error names the line.
func (s *Shared) Check(what, text string) error {
	if s.Err != nil {
		return s.Err
	}
	for _, place := range s.places {
		for _, form := range []string{place, strings.Trim(strconv.Quote(place), `"`),
			strings.Trim(strconv.QuoteToASCII(place), `"`)} {
			if at := indexPath(text, form); at >= 0 {
				from := max(strings.LastIndexByte(text[:at], '\n')+1, at-100)
				line, _, _ := strings.Cut(text[from:], "\n")
				return fmt.Errorf("%s would contain a path of this machine, %s: %.200s\n  give data and scripts as inputs ({file: PATH}, with --set for their location), programs by name only, and no path in a comment", what, place, line)
			}
		}
	}
	return nil
}

// indexPath finds a path that ends there, or goes on below.
func indexPath(text, path string) int {
	letter := func(i int) bool {
		return i >= 0 && i < len(text) && (strings.IndexByte("_-.", text[i]) >= 0 ||
			text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' || text[i] >= '0' && text[i] <= '9')
	}
	for from := 0; ; {
		i := strings.Index(text[from:], path)
		if i < 0 || path == "" {
			return -1
		}
		if i += from; !letter(i-1) && !letter(i+len(path)) {
			return i
		}
		from = i + 1
	}
}
