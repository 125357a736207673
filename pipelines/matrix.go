package pipelines

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/internal/pattern"
	"prgnn/pipelines/tree"
)

// maxTasks bounds what a file can ask for by a slip such as [1..1000000000].
const maxTasks = 1_000_000

// An axis is one direction of a fan-out.
type axis struct {
	name   string
	pos    dag.Pos
	values []axisValue // those of include: stand after the first own ones
	own    int
	param  bool // it fills the parameter of its name
	used   bool // … or an input has it, or ${name} asks for it
	index  map[string]int32
}

type axisValue struct {
	value any
	text  string // as it stands in the names of tasks and in key columns
	pos   dag.Pos
}

// eachNames are the words that each: takes: what a member of the cohort is called first. They are
// nil where the cohort is wrong, and its axis not known.
func (l *loader) eachNames() []string {
	switch {
	case l.roster == nil && l.cohortTree != nil:
		return nil
	case l.roster != nil && l.roster.Axis != "":
		return []string{l.roster.Axis}
	}
	return []string{"subject", "run", "session"}
}

// memberAxis is the axis of the cohort's members.
func (l *loader) memberAxis() string {
	if names := l.eachNames(); names != nil {
		return names[0]
	}
	return "subject"
}

func (l *loader) readEach(s *stage, t *tree.Node) {
	if t == nil || t.Kind == tree.Empty {
		return
	}
	l.vars.Resolve(t, nil)
	names := l.eachNames()
	a := axis{name: l.memberAxis(), pos: t.Pos, used: true}
	part := axis{name: t.Text, pos: t.Pos, used: true} // run or session
	switch {
	case t.Bad:
	case t.Kind != tree.Scalar || names != nil && !slices.Contains(names, t.Text):
		l.bad.Add(t.Pos, "stage %s: each must be %s, not %s; write other axes under matrix", s.name, strings.Join(names, " or "), t)
	case l.cohortTree == nil:
		l.bad.Add(t.Pos, "stage %s: each: %s needs a cohort, but the file has none%s", s.name, t.Text, cmp.Or(l.gone("cohort"), ": add cohort: { KIND: … }"))
	case l.roster != nil && l.roster.PerRun && t.Text != a.name && t.Text != l.roster.PartAxis():
		l.bad.Add(t.Pos, "stage %s: the cohort has %[2]ss for each participant: write each: %[2]s", s.name, l.roster.PartAxis())
	case l.roster != nil: // or else what is wrong with the cohort has been said
		for i, sub := range l.roster.Subjects {
			a.values = append(a.values, axisValue{sub.ID, sub.ID, t.Pos})
			if t.Text == a.name {
				s.units = append(s.units, []int32{int32(i)})
				continue
			}
			for _, name := range sub.RunNames() {
				at := slices.Index(part.texts(), name)
				if at < 0 {
					at = len(part.values)
					part.values = append(part.values, axisValue{name, name, t.Pos})
				}
				s.units = append(s.units, []int32{int32(i), int32(at)})
			}
		}
	}
	a.own, part.own = len(a.values), len(part.values)
	s.unknown = a.own == 0
	s.axes = append(s.axes, a)
	if t.Text == "run" || t.Text == "session" {
		s.axes = append(s.axes, part)
	}
}

func (l *loader) readMatrix(s *stage, t *tree.Node) (c combos) {
	if t == nil || t.Kind == tree.Empty {
		return c
	}
	l.vars.Resolve(t, nil)
	if t = l.wantMapping(t, "matrix of stage "+s.name+" must be a mapping of axes to values"); t == nil {
		s.unknown = true
		return c
	}
	from, named := len(s.axes), 0
	for _, k := range t.Keys {
		if k.Name != "include" && k.Name != "exclude" {
			named++
		}
		switch k.Name {
		case "include", "exclude":
			continue
		case l.memberAxis():
			l.bad.Add(k.Pos, "stage %s: write the axis %[2]s as each: %[2]s", s.name, k.Name)
			continue
		case "stage":
			l.bad.Add(k.Pos, "stage %s: an axis cannot be named stage: gathered lists of references have that coordinate", s.name)
			continue
		}
		if from == 2 && k.Name == s.axes[1].name {
			l.bad.Add(k.Pos, "stage %s: each: %[2]s has the axis %[2]s already", s.name, k.Name)
			continue
		}
		if !tree.IsName(k.Name) {
			l.bad.Add(k.Pos, "stage %s: an axis cannot be named %q: use letters, digits, _ and -, beginning with a letter", s.name, k.Name)
			continue
		}
		a := axis{name: k.Name, pos: k.Pos, index: map[string]int32{}}
		l.readAxis(s, &a, k.Value)
		a.own = len(a.values)
		s.axes = append(s.axes, a)
	}
	own := s.axes[from:]
	if named == 0 {
		l.bad.Add(t.Pos, "stage %s: the matrix has no axes", s.name)
	}
	s.unknown = s.unknown || len(own) < max(named, 1)
	c.exclude = l.readCombos(s, own, t.Get("exclude"), "exclude")
	c.include = l.readCombos(s, own, t.Get("include"), "include")
	return c
}

func (l *loader) readAxis(s *stage, a *axis, t *tree.Node) {
	items := []*tree.Node{t}
	if t.Kind == tree.List {
		items = t.Items
	}
	for _, item := range items {
		if item.Broken() {
			s.unknown = true
			continue
		}
		if lo, hi, ok, wrong := rangeOf(item); wrong != "" {
			l.bad.Add(item.Pos, "stage %s: %s", s.name, wrong)
			s.unknown = true
		} else if ok {
			if n := len(a.values) + hi - lo + 1; n > min(l.values, l.left) {
				l.tooMany(s, item.Pos, float64(n))
				return
			}
			a.values = slices.Grow(a.values, hi-lo+1)
			if len(a.index) == 0 {
				a.index = make(map[string]int32, hi-lo+1)
			}
			for v := lo; v <= hi; v++ {
				l.addValue(s, a, axisValue{v, strconv.Itoa(v), item.Pos})
			}
		} else if text, ok := valueText(item); ok {
			l.addValue(s, a, axisValue{item.Decoded(), text, item.Pos})
		} else {
			l.bad.Add(item.Pos, "stage %s: a value of the axis %s must be a number, text, true or false, or a list of these, not %s", s.name, a.name, item)
			s.unknown = true
		}
	}
	l.values -= len(a.values)
	if len(items) == 0 {
		l.bad.Add(t.Pos, "stage %s: the axis %s has no values", s.name, a.name)
		s.unknown = true
	}
}

func (l *loader) addValue(s *stage, a *axis, v axisValue) {
	if _, twice := a.index[v.text]; twice {
		l.bad.Add(v.pos, "stage %s: the axis %s has the value %s twice", s.name, a.name, v.text)
		return
	}
	a.index[v.text] = int32(len(a.values))
	a.values = append(a.values, v)
}

func (l *loader) tooMany(s *stage, pos dag.Pos, n float64) {
	l.bad.Add(pos, "stage %s fans out into %s tasks, but a pipeline may have at most %d in total", s.name, strconv.FormatFloat(n, 'f', -1, 64), l.limit)
	s.unknown = true
}

var rangeForm = pattern.New(`^(-?[0-9]+)\.\.(-?[0-9]+)$`)

// rangeOf reads 1..5, both ends included. In quotes it is a text.
func rangeOf(t *tree.Node) (lo, hi int, ok bool, wrong string) {
	if t.Kind != tree.Scalar || !t.Plain {
		return 0, 0, false, ""
	}
	m := rangeForm.FindStringSubmatch(t.Text)
	if m == nil {
		return 0, 0, false, ""
	}
	lo, errLo := strconv.Atoi(m[1])
	hi, errHi := strconv.Atoi(m[2])
	switch {
	case errLo != nil || errHi != nil || max(lo, -lo) > math.MaxInt32 || max(hi, -hi) > math.MaxInt32:
		return 0, 0, false, fmt.Sprintf("the range %s goes beyond ±%d", t.Text, math.MaxInt32)
	case lo > hi:
		return 0, 0, false, fmt.Sprintf("the range %s counts down; write it %d..%d", t.Text, hi, lo)
	}
	return lo, hi, true, ""
}

// valueText is the canonical text of an axis value: numbers in their shortest
// form, the elements of a list joined by -.
func valueText(t *tree.Node) (string, bool) {
	switch t.Kind {
	case tree.Scalar:
		x, isFloat := t.Value.(float64)
		return scalarText(t.Value), !isFloat || !math.IsNaN(x) && !math.IsInf(x, 0)
	case tree.List:
		texts := make([]string, len(t.Items))
		for i, item := range t.Items {
			text, ok := valueText(item)
			if !ok || item.Kind != tree.Scalar {
				return "", false
			}
			texts[i] = text
		}
		return strings.Join(texts, "-"), len(texts) > 0
	}
	return "", false
}

func scalarText(v any) string {
	if x, ok := v.(float64); ok {
		return strconv.FormatFloat(x+0, 'g', -1, 64) // −0 + 0 is 0
	}
	return fmt.Sprint(v)
}

// textual gives a parameter that takes a text the text of a number, rather than
// refuse it: as an axis, value: [1..10] is as good as value: ["1", "2", …].
func textual(typ string, value any, text string) any {
	elements, isList := value.([]any)
	switch {
	case typ == "text" && !isList:
		return text
	case typ == "list of texts" && isList:
		all := make([]any, len(elements))
		for i, e := range elements {
			all[i] = scalarText(e)
		}
		return all
	}
	return value
}

// fanOut lists the members of a stage: the product of its axes, the last one
// running fastest, without what exclude names, and then what include adds.
func (l *loader) fanOut(s *stage, c combos) {
	if s.unknown {
		return
	}
	units, matrix := [][]int32{nil}, s.axes
	if s.units != nil {
		units, matrix = s.units, s.axes[len(s.units[0]):]
	}
	product := float64(len(units)) // exact as far as it matters
	for _, a := range matrix {
		product *= float64(a.own)
	}
	product += float64(len(c.include)) * float64(len(units))
	if product > float64(l.left) {
		pos := s.pos
		if len(matrix) > 0 {
			pos = matrix[0].pos
		}
		l.tooMany(s, pos, product)
		return
	}
	l.left -= int(product)
	if !l.fits(s, s.pos, product, s.nameWidth()) {
		s.unknown = true
		return
	}
	rows := matrixRows(matrix, c)
	for _, unit := range units {
		for _, row := range rows {
			s.picks = append(append(s.picks, unit...), row...)
			s.members++
		}
	}
	if s.members == 0 && !s.unknown {
		l.bad.Add(s.pos, "stage %s: exclude leaves no task", s.name)
		s.unknown = true
	}
}

// at is a coordinate of a member.
func (s *stage) at(member, axis int) *axisValue {
	return &s.axes[axis].values[s.picks[member*len(s.axes)+axis]]
}

func (s *stage) coordinate(member int, axis string) (any, string) {
	for i := range s.axes {
		if s.axes[i].name == axis {
			v := s.at(member, i)
			return v.value, v.text
		}
	}
	return nil, ""
}

// coords are the coordinates of a member, in the order of the axes.
func (s *stage) coords(member int) []dag.Coord {
	coords := make([]dag.Coord, len(s.axes))
	for a := range coords {
		coords[a] = dag.Coord{Axis: s.axes[a].name, Value: s.at(member, a).text}
	}
	return coords
}
