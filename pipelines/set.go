package pipelines

import (
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/words"
	"prgnn/stages"
)

// applySets puts the values of --set over those of the file, before anything is
// checked: a wrong name or value is then found like any other, and reported at
// the --set that it came from. It returns the value of each set.
func applySets(root *tree, sets []string, bad *mistakes) map[string]*tree {
	values := map[string]*tree{} // by set
	for _, set := range sets {
		pos := dag.Pos{File: "--set " + set}
		path, text, ok := strings.Cut(set, "=")
		if !ok {
			bad.add(pos, "this sets nothing: it takes NAME=value")
			continue
		}
		v := parse([]byte(text), func(int, int) dag.Pos { return pos }, bad)
		if v == nil {
			continue
		}
		if v.kind == empty && strings.TrimSpace(text) == "" {
			v = &tree{pos: pos, kind: scalar, value: ""}
		}
		values[set] = v
		s := setter{root, pos, bad}
		s.set(strings.Split(strings.TrimSpace(path), "."), v)
	}
	return values
}

type setter struct {
	root *tree
	pos  dag.Pos
	bad  *mistakes
}

// set understands the short forms NAME, STAGE.PARAMETER and cohort.PARAMETER,
// and else takes the path as the file has it.
func (s setter) set(path []string, v *tree) {
	stageOf := func(name string) *tree { return under(s.root, "stages", name) }
	switch first := path[0]; {
	case len(path) == 1:
		s.single(first, v)
	case len(path) == 2 && first == "cohort":
		cohort := s.root.get("cohort")
		if cohort != nil && cohort.get(path[1]) == nil && !slices.Contains(cohortKeys, path[1]) {
			if kinds := kindsIn(cohort); len(kinds) == 1 {
				path = []string{"cohort", kinds[0].name, path[1]}
			}
		}
		s.walk(path, v)
	case slices.Contains(ownKeys, first):
		s.walk(path, v)
	case stageOf(first) == nil:
		names := append(keysOf(s.root.get("stages")), "cohort")
		s.bad.add(s.pos, "there is no stage %q%s", first, words.OrAll(first, names))
	case len(path) == 2 && under(stageOf(first), "matrix", path[1]) != nil:
		if v.kind != list {
			v = &tree{pos: s.pos, kind: list, items: []*tree{v}}
		}
		s.walk([]string{"stages", first, "matrix", path[1]}, v)
	case len(path) == 2:
		s.walk([]string{"stages", first, "with", path[1]}, v)
	default:
		s.walk(append([]string{"stages"}, path...), v)
	}
}

// single sets a variable, the seed or the name.
func (s setter) single(name string, v *tree) {
	switch {
	case under(s.root, "vars", name) != nil:
		s.walk([]string{"vars", name}, v)
	case name == "extends":
		s.bad.add(s.pos, "extends cannot be set: which file is extended is part of the pipeline file")
	case name == "seed" || name == "pipeline":
		s.walk([]string{name}, v)
	default:
		var owners []string
		if all := s.root.get("stages"); all != nil {
			for _, k := range all.keys {
				if hasParam(k.value, name) {
					owners = append(owners, k.name+"."+name)
				}
			}
		}
		if len(owners) > 0 {
			s.bad.add(s.pos, "there is no variable %q (did you mean %s?)", name, words.Some(owners, 5))
			return
		}
		s.bad.add(s.pos, "there is no variable %q%s", name, words.OrAll(name, append(keysOf(s.root.get("vars")), "seed")))
	}
}

func hasParam(stage *tree, name string) bool {
	use := stage.get("use")
	if use == nil {
		return false
	}
	k, ok := stages.Lookup(use.text)
	return ok && slices.ContainsFunc(param.Of(k.New()), func(p param.Param) bool { return p.Name == name })
}

// walk goes down to where the value belongs. What a stage may have, it makes on
// the way; a last key that is not allowed is found when the file is checked.
func (s setter) walk(path []string, v *tree) {
	at := s.root
	for i, name := range path {
		if name == "" {
			s.bad.add(s.pos, "a name is missing in the path")
			return
		}
		if at.kind == empty {
			at.kind = mapping
		}
		if at.kind != mapping {
			s.bad.add(s.pos, "%s is %s and has no parts", strings.Join(path[:i], "."), at)
			return
		}
		k := slices.IndexFunc(at.keys, func(k key) bool { return k.name == name })
		last := i == len(path)-1
		switch {
		case last && k >= 0:
			at.keys[k] = key{name, s.pos, v}
		case last:
			at.keys = append(at.keys, key{name, s.pos, v})
		case k >= 0:
			at = at.keys[k].value
		case i == 0 || i == 2 && path[0] == "stages" && slices.Contains(stageKeys, name):
			made := &tree{pos: s.pos, kind: mapping}
			at.keys = append(at.keys, key{name, s.pos, made})
			at = made
		default:
			names := keysOf(at)
			if i == 2 && path[0] == "stages" {
				names = stageKeys
			}
			s.bad.add(s.pos, "there is no %q in %s%s", name, strings.Join(path[:i], "."), words.OrAll(name, names))
			return
		}
	}
}

// under goes down a path of keys; nil when it is not there.
func under(t *tree, path ...string) *tree {
	for _, name := range path {
		if t == nil {
			return nil
		}
		t = t.get(name)
	}
	return t
}

func keysOf(t *tree) []string {
	if t == nil {
		return nil
	}
	names := make([]string, len(t.keys))
	for i, k := range t.keys {
		names[i] = k.name
	}
	return names
}
