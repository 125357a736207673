package layer

import (
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
)

// A setter puts values of --set into the tree of a file.
type setter struct {
	root *tree.Node
	pos  dag.Pos // of the setting
	bad  *tree.Mistakes
}

// set puts a value where its path says.
func (s setter) set(path []string, v *tree.Node) {
	full := s.full(path)
	if full == nil {
		return
	}
	if len(full) == 4 && full[0] == "stages" && full[2] == "matrix" && len(path) == 2 && v.Kind != tree.List {
		v = &tree.Node{Pos: s.pos, Kind: tree.List, Items: []*tree.Node{v}}
	}
	s.walk(full, v)
}

// full understands the short forms NAME, STAGE.PARAMETER and cohort.PARAMETER, and else takes the path as the file
// has it. It is nil after a mistake.
func (s setter) full(path []string) []string {
	switch first := path[0]; {
	case len(path) == 1:
		return s.single(first)
	case len(path) == 2 && first == "cohort":
		cohort := s.root.Get("cohort")
		if cohort != nil && cohort.Get(path[1]) == nil && !slices.Contains(CohortKeys, path[1]) {
			if kinds := CohortKinds(cohort); len(kinds) == 1 {
				return []string{"cohort", kinds[0].Name, path[1]}
			}
		}
		return path
	case slices.Contains(FileKeys, first):
		return path
	case !s.hasStage(first, "cohort"):
		return nil
	case len(path) == 2 && s.root.Under("stages", first, "matrix", path[1]) != nil:
		return []string{"stages", first, "matrix", path[1]}
	case len(path) == 2:
		return []string{"stages", first, "with", path[1]}
	default:
		return append([]string{"stages"}, path...)
	}
}

// hasStage reports whether the file has a stage, and says so where it has not; others are names to propose.
func (s setter) hasStage(name string, others ...string) bool {
	if s.root.Under("stages", name) != nil {
		return true
	}
	names := append(s.root.Get("stages").Names(), others...)
	s.bad.Add(s.pos, "there is no stage %q%s", name, words.OrAll(name, names))
	return false
}

// single finds a variable, the seed or the name.
func (s setter) single(name string) []string {
	switch {
	case s.root.Under("vars", name) != nil:
		return []string{"vars", name}
	case name == "extends":
		s.bad.Add(s.pos, "extends cannot be set: which file is extended is part of the pipeline file")
	case name == "seed" || name == "pipeline":
		return []string{name}
	case slices.Contains(FileKeys, name):
		s.bad.Add(s.pos, "%s as a whole cannot be set: name what is in it, such as %[1]s.NAME=value", name)
	default:
		var owners []string
		if all := s.root.Get("stages"); all != nil {
			for _, k := range all.Keys {
				if wiring.HasParameter(k.Value, name) {
					owners = append(owners, k.Name+"."+name)
				}
			}
		}
		if len(owners) > 0 {
			s.bad.Add(s.pos, "there is no variable %q (did you mean %s?)", name, words.Some(owners, 5))
			return nil
		}
		s.bad.Add(s.pos, "there is no variable %q%s", name, words.OrAll(name, append(s.root.Get("vars").Names(), "seed")))
	}
	return nil
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
		case i == 0 || i == 2 && path[0] == "stages" && slices.Contains(StageKeys, name):
			made := &tree.Node{Pos: s.pos, Kind: tree.Mapping}
			at.Keys = append(at.Keys, tree.Key{Name: name, Pos: s.pos, Value: made})
			at = made
		default:
			names := at.Names()
			if i == 2 && path[0] == "stages" {
				names = StageKeys
			}
			s.bad.Add(s.pos, "there is no %q in %s%s", name, strings.Join(path[:i], "."), words.OrAll(name, names))
			return
		}
	}
}
