package pipelines

import (
	"slices"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
)

// readCombos reads a list of combinations. Those of include state every axis,
// and may bring new values; those of exclude name values that there are.
func (l *loader) readCombos(s *stage, axes []axis, t *tree.Node, what string) [][]int32 {
	if t == nil || t.Kind == tree.Empty || t.Bad {
		return nil
	}
	if t.Kind != tree.List {
		l.bad.Add(t.Pos, "stage %s: %s must be a list of combinations such as [{ %s: … }], not %s", s.name, what, axesExample(axes), t)
		return nil
	}
	var all [][]int32
	for _, item := range t.Items {
		if item.Bad {
			continue
		}
		if item.Kind != tree.Mapping {
			l.bad.Add(item.Pos, "stage %s: %s must hold combinations such as { %s: … }, not %s", s.name, what, axesExample(axes), item)
			continue
		}
		combo := slices.Repeat([]int32{-1}, len(axes))
		fine := true
		for _, k := range item.Keys {
			i := slices.IndexFunc(axes, func(a axis) bool { return a.name == k.Name })
			if i < 0 {
				l.bad.Add(k.Pos, "stage %s: %s: the matrix has no axis %q%s", s.name, what, k.Name, words.OrAll(k.Name, axisNames(axes)))
				fine = false
				continue
			}
			text, ok := wiring.ValueText(k.Value)
			place, known := axes[i].index[text]
			switch {
			case k.Value.Broken():
				fine = false
			case !ok:
				l.bad.Add(k.Value.Pos, "stage %s: %s: %s is not a value of an axis", s.name, what, k.Value)
				fine = false
			case !known && (what == "exclude" || axes[i].decision != nil):
				l.bad.Add(k.Value.Pos, "stage %s: %s: the axis %s has no value %s%s", s.name, what, k.Name, text,
					words.OrAll(text, axes[i].texts()))
				fine = false
			case !known:
				place = int32(len(axes[i].values))
				axes[i].index[text] = place
				axes[i].values = append(axes[i].values, axisValue{k.Value.Decoded(), text, k.Value.Pos})
			}
			combo[i] = place
		}
		if i := slices.Index(combo, -1); what == "include" && fine && i >= 0 {
			l.bad.Add(item.Pos, "stage %s: include: the combination lacks the axis %s", s.name, axes[i].name)
			continue
		}
		if fine {
			all = append(all, combo)
		}
	}
	return all
}

func axesExample(axes []axis) string {
	if len(axes) == 0 {
		return "AXIS"
	}
	return axes[0].name
}

func axisNames(axes []axis) []string {
	names := lists.Map(axes, func(a axis) string { return a.name })
	return names
}

func (a *axis) texts() []string {
	texts := lists.Map(a.values, func(v axisValue) string { return v.text })
	return texts
}
