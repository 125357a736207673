package pipelines

import (
	"slices"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/tree"
)

// combos are the include and exclude lists of a matrix, one value an axis;
// −1 in exclude stands for any.
type combos struct {
	include, exclude [][]int32
}

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
			text, ok := valueText(k.Value)
			place, known := axes[i].index[text]
			switch {
			case k.Value.Broken():
				fine = false
			case !ok:
				l.bad.Add(k.Value.Pos, "stage %s: %s: %s is not a value of an axis", s.name, what, k.Value)
				fine = false
			case !known && what == "exclude":
				l.bad.Add(k.Value.Pos, "stage %s: exclude: the axis %s has no value %s%s", s.name, k.Name, text, words.OrAll(text, axes[i].texts()))
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

// matrixRows lists the combinations of a matrix; one empty one when there is no
// axis.
func matrixRows(axes []axis, c combos) [][]int32 {
	excluded := newComboSets(c.exclude)
	n := 1
	for _, a := range axes {
		n *= a.own
	}
	flat := make([]int32, 0, n*len(axes))
	rows := make([][]int32, 0, n+len(c.include))
	row := make([]int32, len(axes))
	for range n {
		if !excluded.match(row) {
			from := len(flat)
			flat = append(flat, row...)
			rows = append(rows, flat[from:len(flat):len(flat)])
		}
		for i := len(axes) - 1; i >= 0; i-- {
			if row[i]++; int(row[i]) < axes[i].own {
				break
			}
			row[i] = 0
		}
	}
	if len(c.include) > 0 {
		there := newComboSets(rows)
		for _, row := range c.include {
			if !there.match(row) {
				rows = append(rows, row)
				there.add(row)
			}
		}
	}
	return rows
}

// comboSets finds combinations in one step for each set of axes that they
// state, however many there are.
type comboSets map[string]map[string]bool // which axes → which values

func newComboSets(all [][]int32) comboSets {
	sets := comboSets{}
	for _, c := range all {
		sets.add(c)
	}
	return sets
}

func (sets comboSets) add(c []int32) {
	which := make([]byte, len(c))
	for i, v := range c {
		if v >= 0 {
			which[i] = 1
		}
	}
	if sets[string(which)] == nil {
		sets[string(which)] = map[string]bool{}
	}
	sets[string(which)][comboKey(c, string(which))] = true
}

func (sets comboSets) match(row []int32) bool {
	for which, set := range sets {
		if set[comboKey(row, which)] {
			return true
		}
	}
	return false
}

func comboKey(c []int32, which string) string {
	b := make([]byte, 0, 4*len(c))
	for i, v := range c {
		if which[i] == 1 {
			b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
	}
	return string(b)
}
