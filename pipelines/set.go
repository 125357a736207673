package pipelines

import (
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/tree"
	"prgnn/stages"
)

// applySets puts the values of --set over those of the file, before anything is
// checked: a wrong name or value is then found like any other, and reported at
// the --set that it came from. It returns the value of each set. Stages that are set to null are left out last.
func (l *loader) applySets(root *tree.Node, sets []string) map[string]*tree.Node {
	values, bad := map[string]*tree.Node{}, l.bad // by set
	var out []string                              // stages
	for _, set := range sets {
		pos := dag.Pos{File: "--set " + set}
		path, text, ok := strings.Cut(set, "=")
		if !ok {
			bad.Add(pos, "nothing is set: write NAME=value")
			continue
		}
		v := tree.Parse([]byte(text), func(int, int) dag.Pos { return pos }, bad)
		if v == nil {
			continue
		}
		if v.Kind == tree.Empty && strings.TrimSpace(text) == "" {
			v = &tree.Node{Pos: pos, Kind: tree.Scalar, Value: ""}
		}
		values[set] = v
		s, names := setter{root, pos, bad}, strings.Split(strings.TrimSpace(path), ".")
		if len(names) == 2 && names[0] == "stages" && v.Kind == tree.Empty && !v.Bad {
			s.pos.File = "--without " + names[1]
			if s.hasStage(names[1]) {
				out = append(out, names[1])
				l.removed["stages."+names[1]] = s.pos
			}
			continue
		}
		s.set(names, v)
	}
	if out != nil {
		l.leftOut = leaveOut(root, out)
	}
	return values
}

type setter struct {
	root *tree.Node
	pos  dag.Pos
	bad  *tree.Mistakes
}

// set understands the short forms NAME, STAGE.PARAMETER and cohort.PARAMETER,
// and else takes the path as the file has it.
func (s setter) set(path []string, v *tree.Node) {
	stageOf := func(name string) *tree.Node { return under(s.root, "stages", name) }
	switch first := path[0]; {
	case len(path) == 1:
		s.single(first, v)
	case len(path) == 2 && first == "cohort":
		cohort := s.root.Get("cohort")
		if cohort != nil && cohort.Get(path[1]) == nil && !slices.Contains(cohortKeys, path[1]) {
			if kinds := kindsIn(cohort); len(kinds) == 1 {
				path = []string{"cohort", kinds[0].Name, path[1]}
			}
		}
		s.walk(path, v)
	case slices.Contains(ownKeys, first):
		s.walk(path, v)
	case !s.hasStage(first, "cohort"):
	case len(path) == 2 && under(stageOf(first), "matrix", path[1]) != nil:
		if v.Kind != tree.List {
			v = &tree.Node{Pos: s.pos, Kind: tree.List, Items: []*tree.Node{v}}
		}
		s.walk([]string{"stages", first, "matrix", path[1]}, v)
	case len(path) == 2:
		s.walk([]string{"stages", first, "with", path[1]}, v)
	default:
		s.walk(append([]string{"stages"}, path...), v)
	}
}

// hasStage reports whether the file has a stage, and says so where it has not; others are names to propose.
func (s setter) hasStage(name string, others ...string) bool {
	if under(s.root, "stages", name) != nil {
		return true
	}
	names := append(keysOf(s.root.Get("stages")), others...)
	s.bad.Add(s.pos, "there is no stage %q%s", name, words.OrAll(name, names))
	return false
}

// single sets a variable, the seed or the name.
func (s setter) single(name string, v *tree.Node) {
	switch {
	case under(s.root, "vars", name) != nil:
		s.walk([]string{"vars", name}, v)
	case name == "extends":
		s.bad.Add(s.pos, "extends cannot be set: which file is extended is part of the pipeline file")
	case name == "seed" || name == "pipeline":
		s.walk([]string{name}, v)
	case slices.Contains(ownKeys, name):
		s.bad.Add(s.pos, "%s as a whole cannot be set: name what is in it, such as %[1]s.NAME=value", name)
	default:
		var owners []string
		if all := s.root.Get("stages"); all != nil {
			for _, k := range all.Keys {
				if hasParam(k.Value, name) {
					owners = append(owners, k.Name+"."+name)
				}
			}
		}
		if len(owners) > 0 {
			s.bad.Add(s.pos, "there is no variable %q (did you mean %s?)", name, words.Some(owners, 5))
			return
		}
		s.bad.Add(s.pos, "there is no variable %q%s", name, words.OrAll(name, append(keysOf(s.root.Get("vars")), "seed")))
	}
}

func hasParam(stage *tree.Node, name string) bool {
	use := stage.Get("use")
	if use == nil {
		return false
	}
	k, ok := stages.Lookup(use.Text)
	return ok && slices.ContainsFunc(param.Of(k.New()), func(p param.Param) bool { return p.Name == name })
}

// walk goes down to where the value belongs. What a stage may have, it makes on
// the way; a last key that is not allowed is found when the file is checked.
func (s setter) walk(path []string, v *tree.Node) {
	at := s.root
	for i, name := range path {
		if name == "" {
			s.bad.Add(s.pos, "a name is missing in the path")
			return
		}
		if at.Kind == tree.Empty {
			at.Kind = tree.Mapping
		}
		if at.Kind != tree.Mapping {
			s.bad.Add(s.pos, "%s is %s, which has no keys", strings.Join(path[:i], "."), at)
			return
		}
		k := slices.IndexFunc(at.Keys, func(k tree.Key) bool { return k.Name == name })
		last := i == len(path)-1
		switch {
		case last && k >= 0:
			at.Keys[k] = tree.Key{Name: name, Pos: s.pos, Value: v}
		case last:
			at.Keys = append(at.Keys, tree.Key{Name: name, Pos: s.pos, Value: v})
		case k >= 0:
			at = at.Keys[k].Value
		case i == 0 || i == 2 && path[0] == "stages" && slices.Contains(stageKeys, name):
			made := &tree.Node{Pos: s.pos, Kind: tree.Mapping}
			at.Keys = append(at.Keys, tree.Key{Name: name, Pos: s.pos, Value: made})
			at = made
		default:
			names := keysOf(at)
			if i == 2 && path[0] == "stages" {
				names = stageKeys
			}
			s.bad.Add(s.pos, "there is no %q in %s%s", name, strings.Join(path[:i], "."), words.OrAll(name, names))
			return
		}
	}
}

// under goes down a path of keys; nil when it is not there.
func under(t *tree.Node, path ...string) *tree.Node {
	for _, name := range path {
		if t == nil {
			return nil
		}
		t = t.Get(name)
	}
	return t
}

func keysOf(t *tree.Node) []string {
	if t == nil {
		return nil
	}
	names := lists.Map(t.Keys, func(k tree.Key) string { return k.Name })
	return names
}
