package dag

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// A typed stage has the ports that a test gives it.
type typed struct {
	Text string `param:"ports"`
}

func of(p Ports) *typed {
	b, _ := json.Marshal(p)
	return &typed{string(b)}
}

func (s *typed) Ports() (p Ports) {
	_ = json.Unmarshal([]byte(s.Text), &p) // "" has none
	return p
}
func (s *typed) Run(context.Context, *Task) (Outputs, error) { return nil, nil }

func in(name string, t Type, gather bool) Ports {
	return Ports{In: []Port{{Name: name, Type: t, Gather: gather}}, Out: []Port{{Name: "out", Type: Format("text")}}}
}

// A graph with mistakes is refused before anything runs, and all of them are listed.
func TestBuildRefuses(t *testing.T) {
	kind := &Kind{Name: "typed", New: func() Stage { return &typed{} }}
	text := func() *typed { return of(in("in", Format("text"), true)) }
	b := NewGraph("wrong")
	a := b.Stage("a", kind)
	b.Locate(a, Pos{"x.yaml", 3, 5})
	first := b.Task(a, of(Ports{Out: []Port{{Name: "out", Type: Format("text")}, {Name: "table",
		Type: Arrow("x")}}}))
	array := b.Task(b.Stage("array", kind), of(in("in", NPY("<f8"), false)))
	b.Connect(array, "in", first.Output("out"))
	column := b.Task(b.Stage("column", kind), of(in("in", Arrow("y"), false)))
	b.Connect(column, "in", first.Output("table"))
	loose := b.Task(b.Stage("loose", kind), text())
	b.Connect(loose, "im")
	two := b.Task(b.Stage("two", kind), of(in("in", Format("text"), false)))
	b.Connect(two, "in", first.Output("out"), first.Output("out"))
	twice := b.Task(b.Stage("twice", kind), text())
	b.Connect(twice, "in", first.Output("out"))
	b.Connect(twice, "in", first.Output("outt"))
	other := NewGraph("other")
	b.Connect(b.Task(b.Stage("apart", kind), text()), "in", other.Task(other.Stage("z", kind), text()).Output("out"))
	b.Connect(b.Task(b.Stage("nothing", kind), text()), "in", Source{})
	file := b.Task(b.Stage("file", kind), of(in("in", Arrow("y"), true)))
	b.Connect(file, "in", Source{File: "/x.arrow", Format: "arrow"}, Source{File: "/x.npy", Name: "x.npy",
		Format: "npy"},
		Source{File: "/any"}, Source{File: "/y.csv", Format: "csv"})
	_, err := b.Build()
	need.Equal(t, err.Error(), strings.Join([]string{
		"task array: its input in takes npy, not text: a.out does not fit",
		"task column: its input in needs the column y; available: x: a.table does not fit",
		"task loose has no input im (the only one is in)",
		"task loose: its input in is not connected",
		"task two: input in takes one source, not 2",
		"task twice: input in is connected twice",
		`task twice: its input in reads a.outt, and that task has no such output (did you mean "out"?)`,
		"task apart needs the task z, which is not in the graph",
		"task nothing: its input in is connected to no task and no file",
		"task file: its input in takes arrow, not npy: the file x.npy does not fit",
		"task file: its input in takes arrow, not csv: the file /y.csv does not fit",
	}, "\n"))

	// No mistake hides another one, and what follows from one is not listed.
	b = NewGraph("names")
	fan := b.Stage("fan", kind, "x", "y")
	b.Locate(fan, Pos{"x.yaml", 7, 3})
	b.Task(fan, text(), "1")
	b.Task(fan, text(), "1", "2")
	b.Task(fan, text(), "1", "2")
	b.Task(fan, text(), "2")
	empty := b.Task(fan, nil, "2", "2")
	b.Stage("fan", kind, "x", "y")
	b.Stage("axes", kind, "x", "y", "x")
	b.Stage("none", nil)
	b.Stage("", kind)
	other = NewGraph("other")
	gains := &Kind{Name: "gain", New: func() Stage { return &gain{typed: *text()} }}
	mixed := b.Task(b.Stage("mixed", gains), text())
	b.Connect(mixed, "im", other.Task(other.Stage("z", kind), text()).Output("out"))
	wide := b.Task(b.Stage("wide", gains), &gain{typed: *text(), Factor: 3})
	b.Connect(wide, "in", empty.Output("out"), mixed.Output("outt"), wide.Output("outt"))
	vague := b.Task(b.Stage("vague", gains), &gain{Factor: 3}) // with other ports than a new one has
	b.Connect(vague, "im", Source{})
	late := b.Task(b.Stage("late", kind), text())
	b.Connect(late, "in", vague.Output("any"))
	for range 2 {
		_, err = b.Build()
		need.Equal(t, err.Error(), strings.Join([]string{
			"x.yaml:7:3: stage fan: a task has the coordinates [1], and the axes of the stage are [x, y]",
			"x.yaml:7:3: stage fan: a task has the coordinates [2], and the axes of the stage are [x, y]",
			"stage axes has the axis x twice",
			"x.yaml:7:3: there are two tasks fan[x=1,y=2]",
			"x.yaml:7:3: task fan[x=2,y=2] has no instance of its kind",
			"there are two stages fan: give each stage a name of its own",
			"stage none has no kind",
			"a stage has no name",
			"task mixed: its instance is a *dag.typed, but the kind gain makes a *dag.gain",
			`task wide: parameter "factor" must be between 0 and 2, not 3`,
			`task vague: parameter "factor" must be between 0 and 2, not 3`,
			"x.yaml:7:3: task fan[1]: its input in is not connected",
			"x.yaml:7:3: task fan[x=1,y=2]: its input in is not connected",
			"x.yaml:7:3: task fan[x=1,y=2]: its input in is not connected",
			"x.yaml:7:3: task fan[2]: its input in is not connected",
			`task wide: its input in reads wide.outt, and that task has no such output (did you mean "out"?)`,
			"the tasks form a cycle: wide needs wide",
		}, "\n"))
	}

}

// All cycles are listed, also those that share a task or lie behind another one.
func TestBuildListsCycles(t *testing.T) {
	kind := &Kind{Name: "typed", New: func() Stage { return &typed{} }}
	cyclic := func(names string, needs ...string) error {
		b, tasks := NewGraph("cycles"), map[byte]*Node{}
		for i := range len(names) {
			tasks[names[i]] = b.Task(b.Stage(names[i:i+1], kind), of(in("in", Format("text"), true)))
		}
		for _, n := range needs {
			var from []Source
			for i := range len(n[1:]) {
				from = append(from, tasks[n[1+i]].Output("out"))
			}
			b.Connect(tasks[n[0]], "in", from...)
		}
		_, err := b.Build()
		return err
	}
	need.Equal(t, cyclic("fxyzabu", "fu", "xyz", "yx", "zxf", "aby", "ba", "u").Error(), strings.Join([]string{
		"task u: its input in gathers nothing: what it is connected to has no tasks",
		"the tasks form a cycle: x needs y needs x",
		"the tasks form a cycle: x needs z needs x",
		"the tasks form a cycle: a needs b needs a",
	}, "\n"))
	names := "abcdefghijABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lines := strings.Split(cyclic(names, lists.Map(strings.Split(names, ""),
		func(n string) string { return n + n })...).Error(), "\n")
	need.Equal(t, len(lines), 21)
	need.Equal(t, lines[20], "there are more than 20 cycles of tasks: the rest is not listed")
}

// A gain has parameters with tags, and one rule between them.
type gain struct {
	typed
	Factor float64   `param:"factor" min:"0" max:"2"`
	Mode   string    `param:"mode" choices:"fast|exact"`
	Bands  []float64 `param:"bands" max:"1"`
	Steps  int       `param:"steps" min:"1"`
}

func (g *gain) Validate() []error {
	if g.Mode == "exact" && g.Factor == 1 {
		return []error{errors.New("mode exact needs another factor than 1")}
	}
	return nil
}

// A shifted stage is of another type.
type shifted struct{ typed }

// A task has an instance of its kind, with parameters that the kind accepts.
func TestBuildChecksInstances(t *testing.T) {
	kind := &Kind{Name: "gain", New: func() Stage { return &gain{Mode: "fast"} }}
	b := NewGraph("instances")
	for _, n := range []struct {
		stage string
		kind  *Kind
		work  Stage
	}{
		{"default", kind, &gain{Mode: "fast"}}, // of steps, 0 is the default
		{"other", kind, &shifted{}},
		{"value", kind, (*gain)(nil)},
		{"values", kind, &gain{Factor: -3, Mode: "slow", Bands: []float64{0, 2, math.NaN()}, Steps: -1}},
		{"infinite", kind, &gain{Factor: math.Inf(1), Mode: "fast"}},
		{"rule", kind, &gain{Factor: 1, Mode: "exact", Steps: 1}},
		{"nothing", &Kind{Name: "nothing"}, &shifted{}},
	} {
		b.Task(b.Stage(n.stage, n.kind), n.work)
	}
	b.TaskNamed(b.Stage("recorded", kind), &shifted{}, "recorded")
	_, err := b.Build()
	need.Equal(t, err.Error(), strings.Join([]string{
		"task other: its instance is a *dag.shifted, but the kind gain makes a *dag.gain",
		"task value has no instance of its kind",
		`task values: parameter "factor" must be between 0 and 2, not -3; parameter "mode" must be one of fast, exact, ` +
			`not "slow"; parameter "bands" element 2 must be at most 1, not 2; element 3 must be a number, not NaN; ` +
			`parameter "steps" must be at least 1, not -1`,
		`task infinite: parameter "factor" must be a number, not +Inf`,
		"task rule: mode exact needs another factor than 1",
		"the kind nothing of stage nothing has no New",
	}, "\n"))
}

// A windowed stage has parameters of types that none can have.
type windowed struct {
	typed
	Window time.Duration `param:"window"`
	Hidden int
	Limits map[string]int `param:"limits"`
}

// TestRegisterChecksDeclarations: all mistakes in the declaration of a kind are listed when it is registered, and by
// Build for one that is not.
func TestRegisterChecksDeclarations(t *testing.T) {
	const types = ": a parameter is a bool, int, int64, uint64, float64 or string, or a slice of int, float64 or string"
	wrong := []string{
		`parameter "window" of dag.windowed has the type time.Duration` + types + `; for a time, use float64 and the tag unit:"s"`,
		"field Hidden of dag.windowed has no param tag",
		`parameter "limits" of dag.windowed has the type map[string]int` + types,
	}
	kind := &Kind{Name: "windowed", New: func() Stage { return &windowed{} }}
	for _, c := range []struct {
		kind *Kind
		want string
	}{
		{kind, "dag: the kind windowed: " + strings.Join(wrong, "\n")},
		{&Kind{Name: "nothing"}, "dag: the kind nothing has no New"},
		{&Kind{New: kind.New}, "dag: a kind has no name"},
	} {
		func() {
			defer func() { need.Equal(t, fmt.Sprint(recover()), c.want) }()
			Register(c.kind)
		}()
		if _, there := Lookup(c.kind.Name); there {
			t.Errorf("%s is registered", c.kind.Name)
		}
	}
	b := NewGraph("windows")
	s := b.Stage("s", kind, "n")
	b.Task(s, &windowed{}, "1")
	b.Task(s, &windowed{}, "2")
	_, err := b.Build()
	need.Equal(t, err.Error(), "the kind windowed of stage s: "+strings.Join(wrong, "; "))
}

// Whatever is done to an instance after Build, the graph has the parameters that were checked.
func TestBuildCopiesInstances(t *testing.T) {
	b := NewGraph("copies")
	work := &gain{Mode: "fast", Factor: 1, Bands: []float64{0.5}, typed: *of(Ports{Out: []Port{{Name: "out"}}})}
	n := b.Task(b.Stage("s", &Kind{Name: "gain", New: func() Stage { return &gain{Mode: "fast"} }}), work)
	need.Value(b.Build())(t)
	work.Factor, work.Bands[0], work.Text = 7, 7, ""
	got := n.Instance().(*gain)
	need.Equal(t, fmt.Sprint(got.Factor, got.Bands, got.Mode, got.Ports().Out[0].Name), "1 [0.5]fastout")
}

// What Build checked of the sources does not change afterwards, members are sorted by coordinates, and each has its own
// coordinates once.
func TestBuildGathers(t *testing.T) {
	kind := &Kind{Name: "typed", New: func() Stage { return &typed{} }}
	build := func(from func(b *Builder, s *StageNode, tasks []*Node) []Source) (*Node, []Source, error) {
		b := NewGraph("gathers")
		s := b.Stage("s", kind, "n", "a")
		var tasks []*Node
		for _, v := range []string{"10", "2", "1"} {
			tasks = append(tasks, b.Task(s, of(Ports{Out: []Port{{Name: "out", Type: Format("text")}}}), v, "x"))
		}
		sources := from(b, s, tasks)
		all := b.Stage("all", kind)
		n := b.Task(all, of(in("in", Format("text"), true)))
		b.Connect(n, "in", sources...)
		same := b.Task(b.Stage("same", kind), of(in("in", Format("text"), true)))
		b.Connect(same, "in", sources...)
		_, err := b.Build()
		if err == nil && &n.Inputs()[0].Sources[0] != &same.Inputs()[0].Sources[0] {
			t.Error("the tasks that read one list have a copy each")
		}
		return n, sources, err
	}
	shown := func(n *Node) (text string) {
		for _, src := range n.Inputs()[0].Sources {
			text += fmt.Sprint(src.Node.ID(), src.Coords)
		}
		return text
	}
	const want = "s[n=1,a=x][{a x} {n 1}]s[n=2,a=x][{a x} {n 2}]s[n=10,a=x][{a x} {n 10}]"
	for _, from := range []func(b *Builder, s *StageNode, tasks []*Node) []Source{
		func(_ *Builder, s *StageNode, _ []*Node) []Source { return s.Outputs("out") },
		func(_ *Builder, _ *StageNode, tasks []*Node) []Source {
			return []Source{tasks[0].Output("out"), tasks[1].Output("out"), tasks[2].Output("out")}
		},
	} {
		n, sources, err := build(from)
		need.NoError(t, err)
		need.Equal(t, shown(n), want)
		sources[0].Coords[1].Value = "9"
		sources[0], sources[1] = sources[1], sources[0]
		need.Equal(t, shown(n), want)
	}
	_, _, err := build(func(_ *Builder, s *StageNode, tasks []*Node) []Source {
		forged := tasks[0].Output("out")
		forged.Coords = []Coord{{"a", "x"}, {"n", "3"}}
		alien := tasks[1].Output("out")
		alien.Coords = []Coord{{"b", "x"}}
		return append(s.Outputs("out"), forged, alien, tasks[2].Output("out"))
	})
	need.Equal(t, err.Error(), strings.Join([]string{
		"task all: its input in reads s[n=10,a=x].out as [a=x,n=3]: that task has the coordinates [n=10,a=x]",
		"task all: its input in reads s[n=2,a=x].out as [b=x]: that task has the coordinates [n=2,a=x]",
		"task all: its input in reads s[n=1,a=x].out twice",
		"task same: its input in reads s[n=10,a=x].out as [a=x,n=3]: that task has the coordinates [n=10,a=x]",
		"task same: its input in reads s[n=2,a=x].out as [b=x]: that task has the coordinates [n=2,a=x]",
		"task same: its input in reads s[n=1,a=x].out twice",
	}, "\n"))
}

// No mistake hides another, and nil is a mistake, not a panic.
func TestBuildListsAll(t *testing.T) {
	kind := &Kind{Name: "typed", New: func() Stage { return &typed{} }}
	b, other := NewGraph("all"), NewGraph("other")
	b.Stage("one", kind, "x")
	b.Stage("one", kind, "x", "x")
	apart := other.Stage("apart", kind)
	away := other.Task(apart, of(in("in", Format("text"), true)))
	b.Task(apart, &typed{})
	b.Task(nil, &typed{}, "1", "2")
	n := b.Task(b.Stage("reads", kind), of(in("in", Format("text"), true)))
	b.Locate(nil, Pos{})
	b.Require(nil, Needs{})
	b.Measure(nil, nil)
	b.Sort(nil, nil)
	b.TaskNamed(nil, &typed{}, "named")
	b.Order(append(slices.Clone(b.Draft().Stages()), nil)...)
	b.Connect(nil, "in", away.Output("out"))
	b.Connect(&Node{}, "in", away.Output("out"))
	b.Refuse(nil, io.EOF)
	b.Locate(apart, Pos{"x.yaml", 1, 1})
	b.Require(apart, Needs{Threads: 2})
	b.Measure(apart, Sizes{"rows": 2})
	b.Sort(apart, func(x, y *Node) int { return 0 })
	b.TaskNamed(apart, &typed{}, "named")
	b.Connect(away, "in", away.Output("out"))
	b.Refuse(away, io.EOF)
	b.Sort(n.Stage(), nil)
	b.Connect(n, "in", away.Output("nothere"))
	_, err := b.Build()
	need.Equal(t, err.Error(), strings.Join([]string{
		"stage one has the axis x twice",
		"Task is called with the stage apart, which belongs to another graph",
		"Task is called without a stage",
		"Locate is called without a stage",
		"Require is called without a stage",
		"Measure is called without a stage",
		"Sort is called without a stage",
		"TaskNamed is called without a stage",
		"Order is called without a stage",
		"Connect is called without a task",
		"Connect is called without a task",
		"Refuse is called without a task",
		"Locate is called with the stage apart, which belongs to another graph",
		"Require is called with the stage apart, which belongs to another graph",
		"Measure is called with the stage apart, which belongs to another graph",
		"Sort is called with the stage apart, which belongs to another graph",
		"TaskNamed is called with the stage apart, which belongs to another graph",
		"Connect is called with the task apart, which belongs to another graph",
		"Refuse is called with the task apart, which belongs to another graph",
		"Sort is called for the stage reads without an order",
		"there are two stages one: give each stage a name of its own",
		"task reads needs the task apart, which is not in the graph",
		"task reads: its input in reads apart.nothere, and that task has no such output (the only one is out)",
	}, "\n"))
	need.Equal(t, fmt.Sprint(len(apart.Tasks()), apart.Pos(), apart.Needs().Threads, apart.Sizes(), away.Inputs(),
		away.Problem()), "1  1 map[] [] <nil>")
}

// second is another type with the ports and parameters of typed.
type second struct{ typed }

// foreknown has its outputs before it runs.
type foreknown struct{ typed }

func (*foreknown) KnownOutputs() artifacts.Refs { return nil }

// A name stands for one kind and one stage. Only values known before a run have the name of their fan-out.
func TestBuildRefusesTwins(t *testing.T) {
	makes := func(s Stage) *Kind {
		return &Kind{Name: "k", Code: "1", New: func() Stage { return param.Copy(s) }}
	}
	out := Ports{Out: []Port{{Name: "o", Type: Format("text")}}}
	changed := func(change func(k *Kind)) *Kind {
		k := makes(&typed{})
		change(k)
		return k
	}
	for name, tt := range map[string]struct {
		kind *Kind
		fine bool
	}{
		"the same":      {makes(&typed{}), true},
		"other needs":   {changed(func(k *Kind) { k.Threads, k.Memory = 8, 1<<30 }), true},
		"type":          {makes(&second{}), false},
		"ports":         {makes(of(out)), false},
		"default":       {makes(&gain{Factor: 1}), false},
		"code":          {changed(func(k *Kind) { k.Code = "2" }), false},
		"documentation": {changed(func(k *Kind) { k.Doc = "halves" }), false},
	} {
		b := NewGraph("kinds")
		b.Stage("a", makes(&typed{}))
		b.Stage("b", tt.kind) // without tasks, too
		if _, err := b.Build(); (err == nil) != tt.fine {
			t.Errorf("kinds of one name, %s: %v", name, err)
		}
	}
	b := NewGraph("defaults")
	b.Stage("a", makes(&gain{Factor: 1}))
	b.Stage("b", makes(&gain{Factor: 2}))
	if _, err := b.Build(); err == nil {
		t.Error("kinds of one name have different defaults")
	}

	kind, known := &Kind{Name: "typed", New: func() Stage { return &typed{} }},
		&Kind{Name: "known", New: func() Stage { return &foreknown{} }}
	for name, tt := range map[string]struct {
		first, next *Kind
		axes        [2][]string
		fine        bool
	}{
		"kinds":              {kind, &Kind{Name: "more", New: kind.New}, [2][]string{{"n"}, {"n"}}, false},
		"axes":               {kind, kind, [2][]string{{"n"}, {"m"}}, false},
		"kinds and axes":     {kind, &Kind{Name: "more", New: kind.New}, [2][]string{nil, {"n"}}, false},
		"without a kind":     {nil, nil, [2][]string{nil, {"n"}}, false},
		"values and fan-out": {known, kind, [2][]string{nil, {"n"}}, true},
		"values twice":       {known, kind, [2][]string{{"n"}, {"n"}}, false},
	} {
		b := NewGraph("stages")
		b.Task(b.Stage("a", tt.first, tt.axes[0]...), &typed{}, tt.axes[0]...)
		b.Stage("a", tt.next, tt.axes[1]...)
		_, err := b.Build()
		if twice := err != nil && strings.Contains(err.Error(), "two stages a"); twice == tt.fine {
			t.Errorf("stages of one name, different %s: %v", name, err)
		}
	}
	b = NewGraph("three")
	b.Stage("a", kind, "n")
	b.Stage("a", known)
	b.Stage("a", kind, "m")
	if _, err := b.Build(); err == nil {
		t.Error("the third stage of a name is not compared with the first")
	}
}

// weighted has a weight that is in no recipe, and a function.
type weighted struct {
	typed
	weight int
	f      func()
}

// Kinds of two graphs that make different stages and would share results are refused, as in one graph.
func TestBuildRefusesLaterTwins(t *testing.T) {
	build := func(code string, make func() Stage) error {
		b := NewGraph("twins")
		b.Stage("a", &Kind{Name: "twin", Code: code, New: make})
		_, err := b.Build()
		return err
	}
	one := func() Stage { return &weighted{weight: 1, f: func() {}} }
	need.NoError(t, build("1", one))
	need.NoError(t, build("1", func() Stage { return &weighted{weight: 1, f: func() {}} }))
	const refused = "an earlier graph of this program has a different kind twin: "
	need.Error(t, build("1", func() Stage { return &weighted{weight: 2} }), refused+
		"weight, which is not a parameter, has another value; results are stored by the name of the kind")
	need.NoError(t, build("2", func() Stage { return &weighted{weight: 2} }))
	need.NoError(t, build("1", func() Stage { return &gain{Factor: 1} })) // of another type: its own recipes
	need.NoError(t, build("1", func() Stage { return &gain{Factor: 2} })) // a parameter is in the recipe
	need.NoError(t, build("kind twin 12", one))
	need.Error(t, build("kind twin 12", func() Stage { return &gain{} }), refused+"it made a *dag.weighted there, and makes a *dag.gain here")
}

// Outputs of a nil task and stage are mistakes where they are connected, and no method of one panics.
func TestNilNodes(t *testing.T) {
	var task *Node
	var stage *StageNode
	b := NewGraph("nil")
	kind := &Kind{Name: "typed", New: func() Stage { return &typed{} }}
	for _, from := range [][]Source{{task.Output("out")}, stage.Outputs("out"), {{Node: &Node{}, Output: "out"}},
		{{}}} {
		name := fmt.Sprintf("reads%d", len(b.Draft().Stages()))
		b.Connect(b.Task(b.Stage(name, kind), of(in("in", Format("text"), true))), "in", from...)
	}
	_, err := b.Build()
	need.Equal(t, err.Error(), strings.Join([]string{
		"task reads0: its input in is connected to the output out of a nil task or stage",
		"task reads1: its input in is connected to the output out of a nil task or stage",
		"task reads2 needs the task , which is not in the graph",
		"task reads3: its input in is connected to no task and no file",
	}, "\n"))
	for _, of := range []any{task, stage, &Node{}, &StageNode{}, b.Stage("none", nil)} {
		v := reflect.ValueOf(of)
		for i := range v.NumMethod() {
			switch m := v.Method(i); m.Type().NumIn() {
			case 0:
				m.Call(nil)
			default:
				m.Call([]reflect.Value{reflect.ValueOf("out")})
			}
		}
	}
	for range task.Upstream() {
		t.Error("a nil task reads something")
	}
}

// A mistake of all members of a stage stands once, and a port that needs members has some.
func TestBuildMembers(t *testing.T) {
	b := NewGraph("gathers")
	kind := &Kind{Name: "typed", New: func() Stage { return &typed{} }}
	fan, none := b.Stage("fan", kind, "x"), b.Stage("none", kind, "x")
	for i := range 5 {
		b.Task(fan, of(Ports{Out: []Port{{Name: "out", Type: Format("text")}}}), fmt.Sprint(i))
	}
	takes := Ports{In: []Port{{Name: "in", Type: Format("npy"), Gather: true},
		{Name: "more", Gather: true, Optional: true}}}
	n := b.Task(b.Stage("reads", kind), of(takes))
	b.Connect(n, "in", fan.Outputs("out")...)
	b.Connect(n, "more", append(fan.Outputs("absent"), fan.Outputs("gone")...)...)
	n = b.Task(b.Stage("empty", kind), of(takes))
	b.Connect(n, "in", none.Outputs("out")...)
	b.Connect(n, "more", none.Outputs("out")...)
	_, err := b.Build()
	need.Equal(t, err.Error(), strings.Join([]string{
		"task reads: its input in takes npy, not text: fan[x=0].out does not fit",
		"task reads: its input more reads fan[x=0].absent, and that task has no such output (the only one is out)",
		"task reads: its input more reads fan[x=0].gone, and that task has no such output (the only one is out)",
		"task empty: its input in gathers nothing: what it is connected to has no tasks",
	}, "\n"))
}

// Names can stand on a command line, in a recipe and in a record; values are any text.
func TestBuildChecksNames(t *testing.T) {
	kind := func(name string, p Ports) *Kind {
		return &Kind{Name: name, New: func() Stage { return of(p) }}
	}
	fits := kind("fits", Ports{})
	b := NewGraph("two\nlines")
	for _, name := range []string{"bad name[", "*", "a,b", " ", "", "new\nline", "1st", strings.Repeat("x", 101),
		"a_B-1"} {
		b.Stage(name, fits)
	}
	b.Stage("axes", fits, "", "a b", "fold", "x]", "path", "stage")
	for _, name := range []string{"", "two words", "three\nlines", "one.word"} {
		b.Stage("kind"+strings.Repeat("x", len(name)), kind(name, Ports{}))
	}
	values := b.Stage("values", fits, "v")
	for _, v := range []string{"", "a b/c", "a,b", "new\nline", "no\xffUTF"} {
		b.Task(values, &typed{}, v)
	}
	b.TaskNamed(b.Stage("recorded", fits), &typed{}, "new\nline")
	b.Require(b.Stage("needs", &Kind{Name: "fits", New: fits.New, Threads: -2, MaxThreads: -3, Memory: -5}),
		Needs{Threads: -1, Memory: -4, Time: -time.Second})
	twice := Ports{In: []Port{{Name: "in"}, {Name: "in"}, {}}, Out: []Port{{Name: "out"}, {Name: "in"}, {Name: "out"}}}
	n := b.Task(b.Stage("twice", kind("twice", twice)), of(twice))
	b.Connect(n, "")
	file := Ports{In: []Port{{Name: "in"}}}
	b.Connect(b.Task(b.Stage("file", kind("file", file)), of(file)), "in", Source{File: "x/y.csv"})
	_, err := b.Build()
	const rule = ": use letters, digits, _ and -, beginning with a letter, at most 100"
	need.Equal(t, err.Error(), strings.Join([]string{
		`the name of the pipeline must be on one line, not "two\nlines"`,
		`a stage cannot be named "bad name["` + rule,
		`a stage cannot be named "*"` + rule,
		`a stage cannot be named "a,b"` + rule,
		`a stage cannot be named " "` + rule,
		"a stage has no name",
		`a stage cannot be named "new\nline"` + rule,
		`a stage cannot be named "1st"` + rule,
		`a stage cannot be named "` + strings.Repeat("x", 101) + `"` + rule,
		`stage axes: an axis cannot be named ""` + rule,
		`stage axes: an axis cannot be named "a b"` + rule,
		`stage axes: an axis cannot be named "x]"` + rule,
		"stage axes: an axis cannot be named path: a gathered input has a column of this name beside its axes",
		"stage axes: an axis cannot be named stage: a gathered input has a column of this name beside its axes",
		"the kind of stage kind has no name",
		`the kind of stage kindxxxxxxxxx cannot be named "two words": a name is one word`,
		`the kind of stage kindxxxxxxxxxxx cannot be named "three\nlines": a name is one word`,
		`stage values: the value "no\xffUTF" of the axis v is not UTF-8`,
		`a task of stage recorded cannot be named "new\nline"`,
		"stage needs: its Needs.Threads must not be negative, but is -1",
		"stage needs: its Needs.Memory must not be negative, but is -4",
		"stage needs: its Needs.Time must not be negative, but is -1000000000",
		"stage needs: its Kind.Threads must not be negative, but is -2",
		"stage needs: its Kind.MaxThreads must not be negative, but is -3",
		"stage needs: its Kind.Memory must not be negative, but is -5",
		"task twice: its kind has two inputs in",
		"task twice: an input of its kind has no name",
		"task twice: its kind has two outputs out",
		"task twice: input  takes one source, not 0",
		"task twice: its input in is not connected",
		"task file: its input in reads the file x/y.csv, which is not an absolute path",
	}, "\n"))
}

// one has one output.
type one struct{}

func (*one) Ports() Ports {
	return Ports{In: []Port{{Name: "in", Optional: true}}, Out: []Port{{Name: "out"}}}
}
func (*one) Run(context.Context, *Task) (Outputs, error) { return nil, nil }

// A graph does not change after Build.
func TestBuilderEnds(t *testing.T) {
	k := &Kind{Name: "one", Code: "1", New: func() Stage { return &one{} }}
	b := NewGraph("one")
	s := b.Stage("a", k)
	n := b.Task(s, &one{})
	need.Value(b.Build())(t)
	for name, change := range map[string]func(){
		"Stage": func() { b.Stage("b", k) }, "Task": func() { b.Task(s, &one{}) },
		"Connect": func() { b.Connect(n, "in", n.Output("out")) },
		"Refuse":  func() { b.Refuse(n, io.EOF) }, "Order": func() { b.Order() }, "Title": func() {
			b.Title("",
				"", "")
		},
		"Locate": func() { b.Locate(s, Pos{}) }, "Require": func() { b.Require(s, Needs{}) },
		"Measure":  func() { b.Measure(s, nil) },
		"LeaveOut": func() { b.LeaveOut("a", "b") }, "BareAxis": func() { b.BareAxis("a") },
		"Sort": func() { b.Sort(s, nil) }, "Build": func() { b.Build() }, "Draft": func() { b.Draft() },
		"TaskNamed": func() { b.TaskNamed(s, nil, "a") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s changes a graph that is built", name)
				}
			}()
			change()
		}()
	}
}

// secret has state that is no parameter.
type secret struct {
	Level  int `param:"level"`
	hidden int
	table  map[string]int
	scale  func(int) int
	unset  func()
}

func (*secret) Ports() Ports                                { return Ports{Out: []Port{{Name: "out"}}} }
func (*secret) Run(context.Context, *Task) (Outputs, error) { return nil, nil }

// TestBuildRefusesHiddenState: nothing but parameters of an instance reaches Run, and an instance that has more is
// refused.
func TestBuildRefusesHiddenState(t *testing.T) {
	double := func(n int) int { return 2 * n }
	k := &Kind{Name: "secret", Code: "1", New: func() Stage {
		return &secret{Level: 1, table: map[string]int{"a": 1}, scale: double}
	}}
	b := NewGraph("hidden")
	none := func(int) int { return 0 }
	fine := b.Task(b.Stage("fine", k), &secret{Level: 3, table: map[string]int{"a": 1}, scale: none})
	b.Task(b.Stage("usual", k), k.New())
	need.Value(b.Build())(t)
	built := fine.Instance().(*secret)
	need.Equal(t, fmt.Sprint(built.Level, built.scale(2)), "3 4", "the function is that of New")

	b = NewGraph("hidden")
	for i, s := range []*secret{{hidden: 7, table: map[string]int{"a": 1}}, {table: map[string]int{"a": 2}},
		{table: map[string]int{"a": 1}, unset: func() {}}} {
		b.Task(b.Stage(fmt.Sprint("s", i), k), s)
	}
	_, err := b.Build()
	const rest = ", which is not a parameter and so never reaches Run: make it a parameter (exported, with a param tag), or " +
		"set it in the New of the kind secret"
	need.Equal(t, err.Error(), strings.Join([]string{
		"task s0: its instance differs from a new *dag.secret in the field hidden" + rest,
		"task s1: its instance differs from a new *dag.secret in the field table" + rest,
		"task s2: its instance differs from a new *dag.secret in the field unset" + rest,
	}, "\n"))
}

// broken panics in the method that a test gives it.
type broken struct {
	Where string `param:"where"`
}

func (s *broken) fail(where string) {
	if s.Where == where {
		panic("of " + where)
	}
}
func (s *broken) Ports() Ports                                { s.fail("ports"); return Ports{} }
func (s *broken) Validate() []error                           { s.fail("validate"); return nil }
func (s *broken) Run(context.Context, *Task) (Outputs, error) { return nil, nil }

// TestBuildReportsPanics: a panic in the code of a kind is a mistake of its stage or task.
func TestBuildReportsPanics(t *testing.T) {
	fine := func() Stage { return &broken{} }
	one := &typed{}
	b := NewGraph("panics")
	for _, n := range []struct {
		stage string
		kind  *Kind
		work  Stage
	}{
		{"new", &Kind{Name: "new", New: func() Stage { panic("no memory") }}, &broken{}},
		{"same", &Kind{Name: "same", New: func() Stage { return one }}, &typed{}},
		{"none", &Kind{Name: "none", New: func() Stage { return nil }}, &broken{}},
		{"ports", &Kind{Name: "broken", New: fine}, &broken{"ports"}},
		{"validate", &Kind{Name: "broken", New: fine}, &broken{"validate"}},
		{"memory", &Kind{Name: "memory", New: fine, MemoryFor: func(Sizes) int64 { panic(io.EOF) }}, &broken{}},
		{"few", &Kind{Name: "few", New: fine, MemoryFor: func(Sizes) int64 { return -1 }}, &broken{}},
	} {
		b.Task(b.Stage(n.stage, n.kind), n.work)
	}
	_, err := b.Build()
	got := regexp.MustCompile(`_test.go:[0-9]+`).ReplaceAllString(err.Error(), "_test.go:1")
	need.Equal(t, got, strings.Join([]string{
		"the kind new of stage new: New panicked: no memory (build_test.go:1)",
		"the kind same of stage same: New returns the same stage again: it must return a new one each time",
		"the kind none of stage none: stage <nil> is nil, or not a pointer to a struct",
		"task ports: Ports panicked: of ports (build_test.go:1)",
		"task validate: Validate panicked: of validate (build_test.go:1)",
		"stage memory: its Kind.MemoryFor panicked: EOF (build_test.go:1)",
		"stage few: its Kind.MemoryFor must not be negative, but is -1",
	}, "\n"))
}

// TestBuildRefusesLateTasks: a list of outputs has all tasks of its stage, and each task has its own instance.
func TestBuildRefusesLateTasks(t *testing.T) {
	b := NewGraph("late")
	kind := &Kind{Name: "secret", New: func() Stage { return &secret{} }}
	fan := b.Stage("fan", kind, "n")
	work := &secret{Level: 1}
	b.Task(fan, work, "1")
	fan.Outputs("out")
	work.Level = 2
	b.Task(fan, work, "2")
	_, err := b.Build()
	need.Equal(t, err.Error(), strings.Join([]string{
		"task fan[n=2] is added after Outputs has listed the tasks of stage fan: call Outputs after the last Task, or list " +
			"the outputs of single tasks (Node.Output)",
		"tasks fan[n=1] and fan[n=2] have the same instance: give each task an instance of its own",
	}, "\n"))
}

// TestCodeByHand: kinds of one name and one Code that was not generated are distinguished by their types; values that
// are known before a run are distinguished by their digests.
func TestCodeByHand(t *testing.T) {
	digest := func(code string, s Stage) string {
		return need.Value((&Kind{Name: "k", Code: code, New: func() Stage { return param.Copy(s) }}).CodeDigest())(t)
	}
	for _, code := range []string{"1", ""} {
		if digest(code, &typed{}) == digest(code, &second{}) {
			t.Errorf("code %q: two types have one identity", code)
		}
		need.Equal(t, digest(code, &typed{}), digest(code, &typed{Text: "x"}), code)
	}
	need.Equal(t, digest("1", &foreknown{}), artifacts.DigestOf([]byte("1")).String())
}
