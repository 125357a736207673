package pipelines

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/selector"
	"prgnn/internal/lists"
	"prgnn/pipelines/design"
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
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
	used   bool // … or an input has it, or ${name} asks for it, or it is a decision that sets something here
	index  map[string]int32

	decision *wiring.Decision // the values are its options; nil: it is no decision
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
		l.bad.Add(t.Pos, "stage %s: each: %s needs a cohort, but the file has none%s", s.name, t.Text, cmp.Or(l.layers.Gone("cohort"), ": add cohort: { KIND: … }"))
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

func (l *loader) readMatrix(s *stage, t *tree.Node) (c wiring.Combos) {
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
		case "path":
			l.bad.Add(k.Pos, "stage %s: an axis cannot be named path: the table of a gathered input has a column path beside its axes; give the axis a different name", s.name)
			continue
		}
		if from == 2 && k.Name == s.axes[1].name {
			l.bad.Add(k.Pos, "stage %s: each: %[2]s has the axis %[2]s already", s.name, k.Name)
			continue
		}
		if !selector.IsName(k.Name) {
			l.bad.Add(k.Pos, "stage %s: an axis cannot be named %q: use %s", s.name, k.Name, selector.NameRule)
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
	c.Exclude = l.readCombos(s, own, t.Get("exclude"), "exclude")
	c.Include = l.readCombos(s, own, t.Get("include"), "include")
	return c
}

func (l *loader) readAxis(s *stage, a *axis, t *tree.Node) {
	if a.name == "fold" && isAll(t) {
		l.readAllFolds(s, a, t)
		return
	}
	if l.decisionAxis(s, a, t); a.decision != nil && isAll(t) {
		return
	}
	for _, item := range t.Each() {
		if item.Broken() {
			s.unknown = true
			continue
		}
		if lo, hi, ok, wrong := wiring.RangeOf(item); wrong != "" {
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
		} else if text, ok := wiring.ValueText(item); ok {
			l.addValue(s, a, axisValue{item.Decoded(), text, item.Pos})
		} else {
			l.bad.Add(item.Pos, "stage %s: a value of the axis %s must be a number, text, true or false, or a list of these, not %s", s.name, a.name, item)
			s.unknown = true
		}
	}
	l.values -= len(a.values)
	if len(t.Each()) == 0 {
		l.bad.Add(t.Pos, "stage %s: the axis %s has no values", s.name, a.name)
		s.unknown = true
	}
}

// isAll reports whether a matrix has the word all in place of the values of an axis.
func isAll(t *tree.Node) bool { return t.Kind == tree.Scalar && t.Plain && t.Text == "all" }

// readAllFolds gives the axis fold: all the folds of the division that is connected to the port folds, or else those of
// the stages that the stage takes its inputs from.
func (l *loader) readAllFolds(s *stage, a *axis, t *tree.Node) {
	n, from := 0, ""
	for _, r := range l.sourcesOf(s) {
		of, made, wrong := l.foldsOf(r)
		if wrong {
			s.unknown = true
			return
		}
		if made > 0 && n > 0 && made != n {
			l.bad.Add(t.Pos, "stage %s: fold: all has two meanings: %s has %d folds, and %s %d; write fold: [1..%[3]d] or fold: [1..%[5]d]",
				s.name, from, n, of, made)
			s.unknown = true
			return
		}
		if made > 0 {
			n, from = made, of
		}
	}
	if n == 0 {
		l.bad.Add(t.Pos, "stage %s: fold: all takes the number of folds from the stage split that is connected to its input folds, or from stages with an axis fold, and there is none whose number is known; write fold: [1..5]", s.name)
		s.unknown = true
		return
	}
	if n > min(l.values, l.left) {
		l.tooMany(s, t.Pos, float64(n))
		return
	}
	for v := 1; v <= n; v++ {
		l.addValue(s, a, axisValue{v, strconv.Itoa(v), t.Pos})
	}
	l.values -= n
}

// sourcesOf are the stages that a stage takes its folds from, or else its other inputs.
func (l *loader) sourcesOf(s *stage) (names []string) {
	var visit func(t *tree.Node)
	visit = func(t *tree.Node) {
		switch {
		case t == nil || t.Bad:
		case t.Kind == tree.List:
			for _, item := range t.Items {
				visit(item)
			}
		case t.Kind == tree.Scalar:
			end := strings.IndexAny(t.Text+".", "[.")
			names = append(names, strings.TrimSpace(t.Text[:end]))
		}
	}
	if s.in == nil || s.in.Kind != tree.Mapping {
		return nil
	}
	if visit(s.in.Get("folds")); names != nil {
		return names
	}
	for _, k := range s.in.Keys {
		visit(k.Value)
	}
	return names
}

// foldsOf is how many folds a stage makes, or has as its axis; 0 where that is not known. wrong: because of a mistake
// that is reported where it is.
func (l *loader) foldsOf(name string) (of string, n int, wrong bool) {
	at := slices.IndexFunc(l.tree.Keys, func(k tree.Key) bool { return k.Name == name && k.Value.Kind == tree.Mapping })
	if at < 0 {
		return name, 0, false
	}
	s := l.stageOf(l.tree.Keys[at])
	if s == nil || s.unknown || s.kind == nil { // nil: it is being read, which is a cycle
		return name, 0, true
	}
	var people *encoding.Table
	if l.roster != nil {
		people = l.roster.Participants
	}
	for _, work := range s.works {
		_, made := design.Divisions(work, people)
		n = max(n, made)
		if why := design.NoFolds(work, people); why != "" {
			l.bad.Add(placeOf(s.pos, s.with)("leave_out"), "stage %s: %s", s.name, why)
			return name, 0, true
		}
	}
	for _, a := range s.axes {
		if a.name == "fold" && n == 0 {
			n = len(a.values)
		}
	}
	return name, n, n == 0 && (s.works == nil || l.roster == nil && l.cohortTree != nil)
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

// fanOut lists the members of a stage: the product of its axes, the last one
// running fastest, without what exclude names, and then what include adds.
func (l *loader) fanOut(s *stage, c wiring.Combos) {
	if s.unknown {
		return
	}
	units, matrix := [][]int32{nil}, s.axes
	if s.units != nil {
		units, matrix = s.units, s.axes[len(s.units[0]):]
	}
	projected := l.projected(matrix)
	product := float64(len(units)) // exact as far as it matters
	for _, a := range matrix {
		if projected == nil || a.decision == nil {
			product *= float64(a.own)
		}
	}
	if projected != nil {
		product *= float64(len(projected))
	}
	product += float64(len(c.Include)) * float64(len(units))
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
	sizes := lists.Map(matrix, func(a axis) int { return a.own })
	rows := wiring.Rows(sizes, c, projected)
	for _, unit := range units {
		for _, row := range rows {
			s.picks = append(append(s.picks, unit...), row...)
			s.members++
		}
	}
	if projected != nil && len(l.universes.Rows) == 0 { // which is reported at the decisions
		s.unknown = true
	}
	if s.members == 0 && !s.unknown {
		by := "exclude"
		if projected != nil {
			by = "exclude, or not of the decisions,"
		}
		l.bad.Add(s.pos, "stage %s: %s leaves no task", s.name, by)
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
