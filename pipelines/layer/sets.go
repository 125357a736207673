package layer

import (
	"cmp"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
)

// SetPlace begins the place (Pos.File) of what a --set puts into a file.
const SetPlace = "--set "

// Apply puts the values of --set over those of the file, before anything is
// checked: a wrong name or value is then found like any other, and reported at
// the --set that it came from. It returns the value of each set. Stages that are set to null are left out last.
func (l *Layers) Apply(sets []string) map[string]*tree.Node {
	values, bad := map[string]*tree.Node{}, l.Bad // by set
	var out, kept []string                        // stages
	for _, set := range sets {
		pos := dag.Pos{File: SetPlace + shown(set)}
		path, v := parseSet(set, pos, bad)
		if v == nil {
			continue
		}
		values[set] = v
		s, names := setter{root: l.Root, pos: pos, bad: bad}, path
		if len(names) == 2 && names[0] == "stages" && v.Kind == tree.Empty && !v.Bad {
			s.pos.File = "--without " + names[1]
			if s.hasStage(names[1]) {
				out = append(out, names[1])
				l.Removed["stages."+names[1]] = s.pos
			}
			continue
		}
		if selects(path, v) {
			kept = append(kept, l.keptStages(s, v)...)
			continue
		}
		s.set(names, v)
	}
	if out != nil {
		l.LeftOut = leaveOut(l.Root, out)
	}
	if kept != nil {
		l.NotKept = keep(l.Root, kept)
	}
	return values
}

// An Outlined is a stage of a file before its cohort is read.
type Outlined struct {
	Name, Kind string
	FansOut    bool // it makes several tasks
}

// Outline are the stages of a file with settings, in the order of the file, and its directory. The cohort is not read.
func Outline(file string, sets []string) (all []Outlined, dir string, err error) {
	f, dir, err := First(file)
	if err != nil {
		return nil, dir, err
	}
	l := Read(f)
	if root := l.Root; root != nil && root.Kind == tree.Mapping {
		l.Apply(sets)
		wiring.Connect(root, "", l.Removed, l.Bad)
		if stages := root.Get("stages"); stages != nil {
			for _, k := range stages.Keys {
				given := func(key string) bool { t := k.Value.Get(key); return t != nil && t.Kind != tree.Empty }
				all = append(all, Outlined{k.Name, wiring.Kind(k.Value), given("each") || given("matrix")})
			}
		}
	}
	if len(l.Bad.List) > 0 {
		err = l.Bad.Sorted()
	}
	return all, dir, err
}

// Select reports whether settings select stages: stages=[NAME, …].
func Select(sets []string) bool {
	return slices.ContainsFunc(sets, func(set string) bool {
		return selects(parseSet(set, dag.Pos{}, &tree.Mistakes{}))
	})
}

func selects(path []string, v *tree.Node) bool {
	return len(path) == 1 && path[0] == "stages" && v != nil && v.Kind == tree.List && !v.Bad
}

// keptStages are the stages of stages=[NAME, …], which leaves these in the file with all that they need.
func (l *Layers) keptStages(s setter, v *tree.Node) (names []string) {
	for _, item := range v.Items {
		if s.hasStage(item.Text) {
			names = append(names, item.Text)
		}
	}
	return names
}

// shown is a setting as the place of a mistake: of a whole stage, its path alone.
func shown(set string) string {
	if path, value, ok := strings.Cut(set, "="); ok && len(value) > 100 {
		return path + "=…"
	}
	return set
}

// parseSet takes NAME=value apart; the value is nil after a mistake.
func parseSet(set string, pos dag.Pos, bad *tree.Mistakes) (path []string, v *tree.Node) {
	name, text, ok := strings.Cut(set, "=")
	if !ok {
		bad.Add(pos, "nothing is set: write NAME=value")
		return nil, nil
	}
	v = tree.Parse([]byte(text), func(int, int) dag.Pos { return pos }, bad)
	if v != nil && v.Kind == tree.Empty && strings.TrimSpace(text) == "" {
		v = &tree.Node{Pos: pos, Kind: tree.Scalar, Value: ""}
	}
	return strings.Split(strings.TrimSpace(name), "."), v
}

// Placed divides settings of an earlier run into those that a file has a place for now and those that are gone: of a
// stage or variable that it no longer has, or of a parameter that the kind of a stage does not have. To leave out a
// stage that is not there is neither.
func Placed(file string, sets []string) (placed, gone []string) {
	f, _, err := First(file)
	if err != nil {
		return sets, nil
	}
	all := Read(f)
	if all.Root == nil || all.Root.Kind != tree.Mapping || len(all.Bad.List) > 0 {
		return sets, nil // the mistakes of the file come first
	}
	all.Apply(sets) // one may change the kind of a stage
	for _, set := range sets {
		l := Read(f)
		path, v := parseSet(set, dag.Pos{}, l.Bad)
		if len(path) == 2 && path[0] == "stages" && v != nil && v.Kind == tree.Empty && l.Root.Under(path...) == nil {
			continue
		}
		if l.Apply(append(slices.Clone(placed), set)); len(l.Bad.List) > 0 || !all.takes(path) {
			gone = append(gone, set)
			continue
		}
		placed = append(placed, set)
	}
	return placed, gone
}

// takes reports whether the kind of the stage that a setting is of may have its parameter.
func (l *Layers) takes(path []string) bool {
	full := setter{root: l.Root, bad: l.Bad}.full(path)
	if len(full) < 4 || full[0] != "stages" || full[2] != "with" {
		return true
	}
	stage := l.Root.Under(full[:2]...)
	_, known := dag.Lookup(wiring.Kind(stage))
	return !known || wiring.HasParameter(stage, full[3])
}

// A Dropped is a setting that an earlier reading of a file had.
type Dropped struct {
	Set string // as it was given: graphs.density=0.2
	Now string // what the file has now: "graphs.density is 0.1"
}

// DroppedSets lists the settings of then that change what file with the settings given says: neither those that given
// sets to something else, nor those that say what the file says anyway, nor those for which it has no place now.
func DroppedSets(file string, then, given []string) (dropped []Dropped) {
	if len(then) == 0 {
		return nil
	}
	f, _, err := First(file)
	if err != nil {
		return nil
	}
	l := Read(f)
	root := l.Root
	if root == nil || root.Kind != tree.Mapping {
		return nil
	}
	l.Apply(given)
	settled := map[string]bool{}
	within := func(full []string) bool { // a mapping that is settled as a whole
		for n := range full {
			if n > 0 && settled[strings.Join(full[:n], ".")] {
				return true
			}
		}
		return false
	}
	find := func(set string) (full []string, v *tree.Node) {
		var bad tree.Mistakes
		path, v := parseSet(set, dag.Pos{}, &bad)
		if v != nil {
			full = setter{root: root, bad: &bad}.full(path)
		}
		if len(bad.List) > 0 {
			return nil, nil
		}
		return full, v
	}
	for _, set := range given {
		full, _ := find(set)
		settled[strings.Join(full, ".")] = true
	}
	for _, set := range slices.Backward(then) { // the last one of a name counts
		full, v := find(set)
		at := strings.Join(full, ".")
		if full == nil || settled[at] || within(full) {
			continue
		}
		if full[0] == "stages" && len(full) > 2 && root.Under(full[:2]...) == nil {
			continue // the stage is left out
		}
		settled[at] = true
		if now := root.Under(full...); now == nil || !wiring.SameValue(now, v) {
			if text, other := presently(root, set, full, now, v); other {
				dropped = append(dropped, Dropped{set, text})
			}
		}
	}
	slices.Reverse(dropped)
	return dropped
}

// presently says what a file has where v would be set.
func presently(root *tree.Node, set string, full []string, now, v *tree.Node) (text string, other bool) {
	name, _, _ := strings.Cut(set, "=")
	switch {
	case now == nil && v.Kind == tree.Empty:
		return "", false
	case len(full) == 2 && full[0] == "stages" && v.Kind == tree.Empty:
		return "the file includes stage " + full[1], true
	case now == nil && len(full) == 4 && full[2] == "with" && full[3] == "seed" && root.Get("seed") != nil:
		return name + " is " + wiring.Shortly(root.Get("seed")) + " (the seed of the pipeline)",
			!wiring.SameValue(root.Get("seed"), v)
	case now == nil && len(full) == 4 && full[2] == "with":
		if standard, ok := wiring.Default(root.Under(full[:2]...), full[3]); ok {
			other = !wiring.SameNumber(standard, strings.Join(wiring.Texts(v.Parameter("list of texts")), ", "))
			return name + " is " + cmp.Or(standard, "empty") + " (the default)", other
		}
		fallthrough
	case now == nil:
		return name + " is not set", true
	}
	return name + " is " + wiring.Shortly(now), true
}
