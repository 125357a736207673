package dag

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"prgnn/dag/internal/order"
	"prgnn/dag/param"
	"prgnn/dag/selector"
	"prgnn/internal/lists"
	"prgnn/internal/words"
)

// A Builder makes a Graph. After a Build without mistakes it panics. For files:
// Draft, Locate, Measure, Order, Sort, TaskNamed, Title and Universes.
type Builder struct {
	g     *Graph
	wrong []error
	done  bool
}

// NewGraph begins the graph of a pipeline of this name.
func NewGraph(name string) *Builder {
	return &Builder{g: &Graph{name: name, absent: map[string]string{}}}
}

// graph is what is built.
func (b *Builder) graph() *Graph {
	if b.done {
		panic("dag: a Builder is used after Build")
	}
	return b.g
}

// Title sets the name of the pipeline, and the path and text of its file.
func (b *Builder) Title(name, file, text string) {
	g := b.graph()
	g.name, g.file, g.source = name, file, text
}

// BareAxis sets the axis whose value stands alone in names: train[sub-003].
func (b *Builder) BareAxis(axis string) { b.graph().bare = axis }

// Universes sets what refuses DECISION=OPTION … of no universe (Select).
func (b *Builder) Universes(check func(universe string) error) { b.graph().universe = check }

// LeaveOut states why a stage or a member of a fan-out has no tasks.
func (b *Builder) LeaveOut(name, why string) { b.graph().absent[name] = why }

// Stage adds a stage, whose tasks (Task) have a value for each of its axes.
func (b *Builder) Stage(name string, k *Kind, axes ...string) *StageNode {
	s := &StageNode{name: name, kind: k, axes: axes, of: b}
	b.graph().stages = append(b.g.stages, s)
	for i, axis := range axes {
		if slices.Contains(axes[:i], axis) {
			b.mistake(s, "stage %s has the axis %s twice", name, axis)
		}
	}
	return s
}

// Locate sets where the file asks for a stage, for messages.
func (b *Builder) Locate(s *StageNode, pos Pos) {
	if b.owns(s, "Locate") {
		s.pos = pos
	}
}

// Require sets what a task of a stage needs, in place of the kind's statement.
func (b *Builder) Require(s *StageNode, n Needs) {
	if b.owns(s, "Require") {
		s.asked = n
	}
}

// Measure sets the largest sizes of the data of a task, for Kind.MemoryFor.
func (b *Builder) Measure(s *StageNode, sizes Sizes) {
	if b.owns(s, "Measure") {
		s.sizes = sizes
	}
}

// owns reports whether a stage belongs to this builder, and records a mistake otherwise.
func (b *Builder) owns(s *StageNode, caller string) bool {
	b.graph()
	switch {
	case s == nil:
		b.mistake(&StageNode{}, "%s is called without a stage", caller)
	case s.of != b:
		b.mistake(s, "%s is called with the stage %s, which belongs to another graph", caller, s.name)
	default:
		return true
	}
	return false
}

// ownsTask reports whether a task belongs to this builder, and records a mistake otherwise.
func (b *Builder) ownsTask(n *Node, caller string) bool {
	b.graph()
	switch {
	case n == nil || n.stage == nil:
		b.mistake(&StageNode{}, "%s is called without a task", caller)
	case n.stage.of != b:
		b.mistake(n.stage, "%s is called with the task %s, which belongs to another graph", caller, n.id)
	default:
		return true
	}
	return false
}

// Task adds a task with its parameters filled in; values are its coordinates.
func (b *Builder) Task(s *StageNode, instance Stage, values ...string) *Node {
	if !b.owns(s, "Task") {
		return b.stray(s, instance, values)
	}
	n := &Node{stage: s, instance: instance}
	if len(values) != len(s.axes) {
		n.id = fmt.Sprintf("%s[%s]", s.name, strings.Join(values, ","))
		b.mistake(s, "stage %s: a task has the coordinates [%s], and the axes of the stage are [%s]", s.name,
			strings.Join(values, ", "), strings.Join(s.axes, ", "))
	} else if len(values) > 0 {
		n.coords = make([]Coord, len(values))
		for i, v := range values {
			n.coords[i] = Coord{s.axes[i], v}
		}
	}
	n.id = cmp.Or(n.id, TaskID(s.name, n.coords, b.g.bare))
	return b.add(n)
}

// stray is a task that no graph has, as its stage is none of this builder.
func (b *Builder) stray(s *StageNode, instance Stage, values []string) *Node {
	name := ""
	if s != nil {
		name = s.name
	}
	id := name
	if values != nil {
		id = fmt.Sprintf("%s[%s]", name, strings.Join(values, ","))
	}
	return &Node{id: id, stage: &StageNode{of: b, name: name}, instance: instance}
}

// TaskNamed adds a task of this name, such as one of a recorded run.
func (b *Builder) TaskNamed(s *StageNode, instance Stage, id string) *Node {
	if !b.owns(s, "TaskNamed") {
		return b.stray(s, instance, nil)
	}
	return b.add(&Node{id: id, stage: s, instance: instance, named: true})
}

func (b *Builder) add(n *Node) *Node {
	if n.stage.listed {
		b.mistake(n.stage, "task %s is added after Outputs has listed the tasks of stage %s: call Outputs after the last "+
			"Task, or list the outputs of single tasks (Node.Output)", n.id, n.stage.name)
	}
	n.stage.tasks = append(n.stage.tasks, n)
	return n
}

// Connect connects a port to a source, or one that gathers to several.
func (b *Builder) Connect(n *Node, port string, from ...Source) {
	if b.ownsTask(n, "Connect") {
		n.inputs = append(n.inputs, Binding{port, from})
	}
}

// Refuse states why a task cannot run. Its inputs may be incomplete.
func (b *Builder) Refuse(n *Node, why error) {
	if b.ownsTask(n, "Refuse") {
		n.problem = why
	}
}

// Order puts the stages in an order, and removes all others.
func (b *Builder) Order(stages ...*StageNode) {
	b.graph().stages = slices.DeleteFunc(slices.Clone(stages), func(s *StageNode) bool { return !b.owns(s, "Order") })
}

// Sort puts the tasks of a stage in an order.
func (b *Builder) Sort(s *StageNode, compare func(x, y *Node) int) {
	switch {
	case !b.owns(s, "Sort"):
	case compare == nil:
		b.mistake(s, "Sort is called for the stage %s without an order", s.name)
	default:
		slices.SortStableFunc(s.tasks, compare)
	}
}

// Draft is the graph as far as it is built.
func (b *Builder) Draft() *Graph { return b.graph() }

// Build checks and copies what it was given. Its error lists all mistakes.
func (b *Builder) Build() (*Graph, error) {
	c := check{b: b, ports: map[*Node]*Ports{}, lists: map[listUse]bool{}, makes: map[*Kind][2]Stage{},
		tasks: map[Stage]*Node{}}
	before := len(b.wrong)
	c.names()
	for n := range b.graph().Tasks() {
		c.inputs(n)
	}
	_, err := order.New(slices.Collect(b.g.Tasks()), (*Node).ID, func(n *Node, yield func(*Node) bool) {
		for src := range n.Upstream() {
			if _, there := c.ports[src.Node]; there && !yield(src.Node) {
				return
			}
		}
	})
	if err != nil {
		b.wrong = append(b.wrong, err)
	}
	if err := errors.Join(b.wrong...); err != nil {
		b.wrong = b.wrong[:before] // those of Task, which remain
		return nil, err
	}
	copies := copies{map[listUse][]Source{}, map[*Coord][]Coord{}}
	for n := range b.g.Tasks() {
		if _, known := n.instance.(Precomputed); known && !n.named { // its recipe has what it gives
			n.instance = param.Copy(n.instance)
		} else if !n.named { // nothing but parameters is in its recipe
			n.instance = param.Onto(c.makes[n.stage.kind][0], n.instance)
		}
		for i := range n.inputs {
			n.inputs[i].Sources = copies.of(n, n.inputs[i].Sources)
		}
	}
	b.done = true
	return b.g, nil
}

func (b *Builder) mistake(s *StageNode, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s.pos != (Pos{}) {
		text = s.pos.String() + ": " + text
	}
	b.wrong = append(b.wrong, errors.New(text))
}

// A check is one Build.
type check struct {
	b     *Builder
	ports map[*Node]*Ports // of the tasks of the graph; nil where a mistake leaves them unknown
	lists map[listUse]bool // that have been checked: many tasks share one list
	tasks map[Stage]*Node  // by instance
	// What Kind.New returns, twice; nil where it cannot be compared with instances.
	makes map[*Kind][2]Stage
}

// A listUse is a list of sources on the port of a stage's tasks.
type listUse struct {
	first *Source
	n     int
	of    *StageNode
	ports *Ports
	port  string
}

// copies are what connected lists become. Tasks that share a list share its copy.
type copies struct {
	lists  map[listUse][]Source
	coords map[*Coord][]Coord
}

// of is a list in the order of CompareCoords; that of a recorded task is as it was.
func (c *copies) of(n *Node, list []Source) []Source {
	if len(list) == 0 {
		return nil
	}
	use := listUse{first: &list[0], n: len(list)}
	if len(list) > 1 && c.lists[use] != nil {
		return c.lists[use]
	}
	own := slices.Clone(list)
	for i := range own {
		if was := own[i].Coords; len(was) > 0 {
			if len(c.coords[&was[0]]) != len(was) {
				c.coords[&was[0]] = slices.Clone(was)
			}
			own[i].Coords = c.coords[&was[0]]
		}
	}
	if len(list) > 1 {
		if !n.named {
			slices.SortStableFunc(own, func(a, b Source) int { return CompareCoords(a.Coords, b.Coords) })
		}
		c.lists[use] = own
	}
	return own
}

// names checks what needs no connection.
func (c *check) names() {
	stages, kinds, tasks := map[string][]*StageNode{}, map[string]*StageNode{}, map[string]bool{}
	if name := c.b.graph().name; strings.Contains(name, "\n") {
		c.b.mistake(&StageNode{}, "the name of the pipeline must be on one line, not %q", name)
	}
	for _, s := range c.b.g.stages {
		c.stage(s)
		if slices.ContainsFunc(stages[s.name], func(twin *StageNode) bool { return !c.together(twin, s) }) {
			c.b.mistake(s, "there are two stages %s: give each stage a name of its own", s.name)
		}
		stages[s.name] = append(stages[s.name], s)
		if s.kind != nil && s.kind.Name != "" {
			if first := kinds[s.kind.Name]; first == nil {
				kinds[s.kind.Name] = s
			} else if what := c.differ(first, s); what != "" {
				c.b.mistake(s, "stages %s and %s have different kinds %s: %s; results are stored by the name of the kind: "+
					"give each kind a name of its own", first.name, s.name, s.kind.Name, what)
			}
			c.elsewhere(s)
		}
		var last *Ports
		for _, n := range s.tasks {
			if n.named && (n.id == "" || strings.Contains(n.id, "\n")) {
				c.b.mistake(s, "a task of stage %s cannot be named %q", s.name, n.id)
			}
			for i, co := range n.coords {
				if !utf8.ValidString(co.Value) {
					c.b.mistake(s, "stage %s: the value %q of the axis %s is not UTF-8", s.name, co.Value, s.axes[i])
				}
			}
			if tasks[n.id] {
				c.b.mistake(s, "there are two tasks %s", n.id)
			}
			tasks[n.id], c.ports[n] = true, nil
			if v := reflect.ValueOf(n.instance); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
				c.b.mistake(s, "task %s has no instance of its kind", n.id)
				continue
			}
			if !c.instance(n) {
				continue
			}
			p, err := portsOf(n.instance)
			if err != nil {
				c.b.mistake(s, "task %s: %v", n.id, err)
				continue
			}
			if last == nil || !last.equal(p) {
				last = &p
				c.repeats(n, p)
			}
			c.ports[n] = last
		}
	}
}

// stage checks the names and the needs of a stage.
func (c *check) stage(s *StageNode) {
	if s.name == "" {
		c.b.mistake(s, "a stage has no name")
	} else if !selector.IsName(s.name) {
		c.b.mistake(s, "a stage cannot be named %q: use %s", s.name, selector.NameRule)
	}
	for _, axis := range distinct(s.axes) {
		if !selector.IsName(axis) {
			c.b.mistake(s, "stage %s: an axis cannot be named %q: use %s", s.name, axis, selector.NameRule)
		} else if axis == "stage" || axis == "path" {
			c.b.mistake(s, "stage %s: an axis cannot be named %s: a gathered input has a column of this name beside its axes",
				s.name, axis)
		}
	}
	switch {
	case s.kind == nil:
		c.b.mistake(s, "stage %s has no kind", s.name)
	case s.kind.Name == "":
		c.b.mistake(s, "the kind of stage %s has no name", s.name)
	case strings.ContainsFunc(s.kind.Name, unicode.IsSpace):
		c.b.mistake(s, "the kind of stage %s cannot be named %q: a name is one word", s.name, s.kind.Name)
	}
	type need struct {
		name  string
		value int64
	}
	needs := []need{{"Needs.Threads", int64(s.asked.Threads)}, {"Needs.Memory", s.asked.Memory},
		{"Needs.Time", int64(s.asked.Time)}}
	if k := s.kind; k != nil {
		needs = append(needs, need{"Kind.Threads", int64(k.Threads)}, need{"Kind.MaxThreads", int64(k.MaxThreads)},
			need{"Kind.Memory", k.Memory})
		if k.MemoryFor != nil {
			var memory int64
			if err := guarded("Kind.MemoryFor", func() { memory = s.Memory() }); err != nil {
				c.b.mistake(s, "stage %s: its %v", s.name, err)
			}
			needs = append(needs, need{"Kind.MemoryFor", memory})
		}
	}
	for _, n := range needs {
		if n.value < 0 {
			c.b.mistake(s, "stage %s: its %s must not be negative, but is %d", s.name, n.name, n.value)
		}
	}
}

// repeats checks that each port of a task has a name of its own.
func (c *check) repeats(n *Node, p Ports) {
	for _, side := range []struct {
		what  string
		ports []Port
	}{{"input", p.In}, {"output", p.Out}} {
		names := portNames(side.ports)
		for i, name := range names {
			if name == "" {
				c.b.mistake(n.stage, "task %s: an %s of its kind has no name", n.id, side.what)
			} else if slices.Contains(names[:i], name) {
				c.b.mistake(n.stage, "task %s: its kind has two %ss %s", n.id, side.what, name)
			}
		}
	}
}

// distinct are axes without those that stand twice, which are a mistake of their own.
func distinct(axes []string) (once []string) {
	for _, axis := range axes {
		once = lists.Add(once, axis)
	}
	return once
}

// instance checks that a task has a stage of its kind, which its parameters suit, and reports whether its ports are
// those that it is to have. The parameters of a recorded task are those of the program that ran it.
func (c *check) instance(n *Node) bool {
	k := n.stage.kind
	if n.named || k == nil {
		return true
	}
	standard := c.standard(n.stage)
	if standard == nil {
		return true
	}
	if reflect.TypeOf(n.instance) != reflect.TypeOf(standard) {
		c.b.mistake(n.stage, "task %s: its instance is a %T, but the kind %s makes a %T", n.id, n.instance, k.Name, standard)
		return false
	}
	c.own(n, standard)
	err := param.Check(n.instance, standard)
	if v, ok := n.instance.(Validator); ok && err == nil {
		var wrong []error
		err = guarded("Validate", func() { wrong = v.Validate() })
		err = cmp.Or(err, errors.Join(wrong...))
	}
	if err == nil {
		return true
	}
	c.b.mistake(n.stage, "task %s: %s", n.id, strings.ReplaceAll(err.Error(), "\n", "; "))
	ports, err := portsOf(n.instance)
	usual, other := portsOf(standard)
	return err == nil && other == nil && ports.equal(usual) // else they may follow from the parameters
}

// own checks that nothing but parameters distinguishes an instance from others of its kind and type, and that no other
// task has it.
func (c *check) own(n *Node, standard Stage) {
	if other := c.tasks[n.instance]; other != nil {
		c.b.mistake(n.stage, "tasks %s and %s have the same instance: give each task an instance of its own", other.id, n.id)
	} else if reflect.TypeOf(standard).Elem().Size() > 0 { // else all of them may have one address
		c.tasks[n.instance] = n
	}
	if _, known := n.instance.(Precomputed); known {
		return
	}
	if names := param.Hidden(n.instance, standard, c.makes[n.stage.kind][1]); names != nil {
		c.b.mistake(n.stage, "task %s: its instance differs from a new %T in the field %s, which is not a parameter and so "+
			"never reaches Run: make it a parameter (exported, with a param tag), or set it in the New of the kind %s", n.id,
			standard, strings.Join(names, ", "), n.stage.kind.Name)
	}
}

// together reports whether two stages may have one name: values that are known before a run, and their fan-out.
func (c *check) together(a, b *StageNode) bool {
	known := func(s *StageNode) (is bool) {
		if s.kind != nil {
			_, is = c.standard(s).(Precomputed)
		}
		return is
	}
	return !slices.Equal(distinct(a.axes), distinct(b.axes)) && (known(a) || known(b))
}

// differ states how the kinds of two stages differ beyond what a task needs of a machine; "" if they do not.
func (c *check) differ(a, b *StageNode) string {
	if a.kind == b.kind {
		return ""
	}
	x, y := c.standard(a), c.standard(b)
	if x == nil || y == nil {
		return ""
	}
	ports, err := portsOf(x)
	others, otherErr := portsOf(y)
	if err != nil || otherErr != nil {
		return "" // which is a mistake of their tasks
	}
	switch {
	case reflect.TypeOf(x) != reflect.TypeOf(y):
		return fmt.Sprintf("one makes a %T, the other a %T", x, y)
	case !reflect.DeepEqual(x, y):
		return "they have different defaults"
	case !ports.equal(others):
		return "they have different ports"
	case a.kind.Code != b.kind.Code:
		return "they have different code identities"
	case a.kind.Doc != b.kind.Doc:
		return "they have different documentation"
	}
	return ""
}

// built are what kinds make, by what the recipes of their tasks have of them.
var built sync.Map // [kindKey] → [2]Stage

type kindKey struct {
	name, code string
	of         reflect.Type // nil where code was generated: see Kind.CodeDigest
}

// elsewhere checks that no kind in a graph that was built before has the recipes of this one and makes other stages.
func (c *check) elsewhere(s *StageNode) {
	if _, known := c.standard(s).(Precomputed); known || c.makes[s.kind][0] == nil {
		return
	}
	made, typ := c.makes[s.kind], reflect.TypeOf(c.makes[s.kind][0])
	key := kindKey{s.kind.Name, s.kind.Code, typ}
	if strings.HasPrefix(key.code, "kind ") {
		key.of = nil
	}
	v, _ := built.LoadOrStore(key, made)
	before, what := v.([2]Stage), ""
	if first := reflect.TypeOf(before[0]); first != typ {
		what = fmt.Sprintf("it made a %s there, and makes a %s here", first, typ)
	} else if names := param.Hidden(made[0], before[0], before[1]); names != nil {
		what = fmt.Sprintf("%s, which is not a parameter, has another value", strings.Join(names, ", "))
	}
	if what != "" {
		c.b.mistake(s, "an earlier graph of this program has a different kind %s: %s; results are stored by the name of the "+
			"kind: give each kind a name of its own", s.kind.Name, what)
	}
}

// standard is what the kind of a stage makes; nil where its type has mistakes.
func (c *check) standard(s *StageNode) Stage {
	made, seen := c.makes[s.kind]
	if !seen {
		var err error
		if made, err = s.kind.make(); err != nil {
			c.b.mistake(s, "the kind %s of stage %s%s", s.kind.Name, s.name, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		c.makes[s.kind] = made
	}
	return made[0]
}

// make returns two new stages of the kind, or its mistakes; the error reads on after the name of the kind.
func (k *Kind) make() (made [2]Stage, err error) {
	if k.New == nil {
		return made, errors.New(" has no New")
	}
	if err := guarded("New", func() { made = [2]Stage{k.New(), k.New()} }); err != nil {
		return made, fmt.Errorf(": %w", err)
	}
	if err := param.Declared(made[0]); err != nil {
		return [2]Stage{}, fmt.Errorf(": %w", err)
	}
	if made[0] == made[1] && reflect.TypeOf(made[0]).Elem().Size() > 0 {
		return [2]Stage{}, errors.New(": New returns the same stage again: it must return a new one each time")
	}
	return made, nil
}

// portsOf are the ports of a stage.
func portsOf(s Stage) (p Ports, err error) {
	err = guarded("Ports", func() { p = s.Ports() })
	return p, err
}

// guarded calls a method of a stage or a kind. A panic in it is an error.
func guarded(name string, call func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s panicked: %v%s", name, v, panickedAt())
		}
	}()
	call()
	return nil
}

// panickedAt is where the code is that panicked, for a function that recovers.
func panickedAt() string {
	at := make([]uintptr, 64)
	frames, inside := runtime.CallersFrames(at[:runtime.Callers(0, at)]), false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			inside = true
		case inside && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Sprintf(" (%s:%d)", filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

// inputs checks what a task reads.
func (c *check) inputs(n *Node) {
	ports, connected := c.ports[n], map[string]bool{}
	if ports == nil {
		return
	}
	for _, in := range n.inputs {
		at := slices.IndexFunc(ports.In, func(p Port) bool { return p.Name == in.Port })
		switch {
		case at < 0:
			c.b.mistake(n.stage, "task %s has no input %s%s", n.id, in.Port, words.OrAll(in.Port, portNames(ports.In)))
			continue
		case connected[in.Port]:
			c.b.mistake(n.stage, "task %s: input %s is connected twice", n.id, in.Port)
		case !ports.In[at].Gather && len(in.Sources) != 1:
			c.b.mistake(n.stage, "task %s: input %s takes one source, not %d", n.id, in.Port, len(in.Sources))
		}
		if connected[in.Port] = true; len(in.Sources) == 0 {
			if p := ports.In[at]; p.Gather && !p.Optional && !n.named && n.problem == nil {
				c.b.mistake(n.stage, "task %s: its input %s gathers nothing: what it is connected to has no tasks", n.id, p.Name)
			}
			continue
		}
		use := listUse{&in.Sources[0], len(in.Sources), n.stage, ports, in.Port}
		if !c.lists[use] {
			c.lists[use] = true
			c.sources(n, &ports.In[at], in.Sources)
		}
	}
	if n.problem != nil {
		return
	}
	for _, p := range ports.In {
		if !p.Optional && !connected[p.Name] {
			connected[p.Name] = true
			c.b.mistake(n.stage, "task %s: its input %s is not connected", n.id, p.Name)
		}
	}
}

// sources checks that what is connected to a port exists and fits.
func (c *check) sources(n *Node, p *Port, from []Source) {
	if p.Gather && !n.named {
		c.members(n, p, from)
	}
	type unfit struct {
		of          *StageNode
		output, why string
	}
	reported := map[unfit]bool{} // a mistake of a stage once, not for each member
	once := func(src *Source, why string) bool {
		at := unfit{src.Node.stage, src.Output, why}
		was := reported[at]
		reported[at] = true
		return !was
	}
	for i := range from {
		src := &from[i]
		if src.Node == nil {
			if src.File == "" && src.Output != "" {
				c.b.mistake(n.stage, "task %s: its input %s is connected to the output %s of a nil task or stage", n.id,
					p.Name, src.Output)
			} else if src.File == "" {
				c.b.mistake(n.stage, "task %s: its input %s is connected to no task and no file", n.id, p.Name)
			} else if !filepath.IsAbs(src.File) {
				c.b.mistake(n.stage, "task %s: its input %s reads the file %s, which is not an absolute path", n.id,
					p.Name, src.File)
			} else if err := Fits(Format(src.Format), p.Type); err != nil {
				c.b.mistake(n.stage, "task %s: its input %s %v: the file %s does not fit", n.id, p.Name, err,
					cmp.Or(src.Name, src.File))
			}
			continue
		}
		up, there := c.ports[src.Node]
		if src.Node.problem != nil {
			continue // it gives nothing, and the run reports why
		}
		if !there {
			c.b.mistake(n.stage, "task %s needs the task %s, which is not in the graph", n.id, src.Node.id)
			if of := src.Node.instance; of != nil && !reflect.ValueOf(of).IsZero() {
				if ports, err := portsOf(of); err == nil {
					up = &ports
				}
			}
		}
		if up == nil {
			continue
		}
		at := slices.IndexFunc(up.Out, func(out Port) bool { return out.Name == src.Output })
		if at < 0 && once(src, "") {
			c.b.mistake(n.stage, "task %s: its input %s reads %s.%s, and that task has no such output%s", n.id, p.Name,
				src.Node.id, src.Output, words.OrAll(src.Output, portNames(up.Out)))
		} else if at < 0 {
		} else if err := Fits(up.Out[at].Type, p.Type); err != nil && once(src, err.Error()) {
			c.b.mistake(n.stage, "task %s: its input %s %v: %s.%s does not fit", n.id, p.Name, err, src.Node.id, src.Output)
		}
	}
}

// members checks that a gathered output stands once in its list, with no coordinates but those of its task and the
// axes stage and output.
func (c *check) members(n *Node, p *Port, from []Source) {
	type output struct {
		of   *Node
		name string
	}
	seen := make(map[output]bool, len(from))
	for _, src := range from {
		of := src.Node
		if of == nil || of.named || of.problem != nil {
			continue
		}
		if slices.ContainsFunc(src.Coords, func(own Coord) bool {
			return !slices.Contains(of.coords, own) && own != Coord{"stage", of.stage.name} &&
				own != Coord{"output", src.Output}
		}) {
			c.b.mistake(n.stage, "task %s: its input %s reads %s.%s as %s: that task has the coordinates %s", n.id, p.Name,
				of.id, src.Output, TaskID("", src.Coords, ""), TaskID("", of.coords, ""))
		} else if at := (output{of, src.Output}); seen[at] {
			c.b.mistake(n.stage, "task %s: its input %s reads %s.%s twice", n.id, p.Name, of.id, src.Output)
		}
		seen[output{of, src.Output}] = true
	}
}

func portNames(ports []Port) []string {
	names := make([]string, len(ports))
	for i := range ports {
		names[i] = ports[i].Name
	}
	return names
}

// equal reports whether ports are the same for the checks of a graph.
func (p *Ports) equal(q Ports) bool {
	same := func(a, b Port) bool {
		return a.Name == b.Name && a.Gather == b.Gather && a.Optional == b.Optional && a.Type.Format == b.Type.Format &&
			a.Type.DType == b.Type.DType && slices.Equal(a.Type.Axes, b.Type.Axes) &&
			slices.Equal(a.Type.Columns, b.Type.Columns)
	}
	return slices.EqualFunc(p.In, q.In, same) && slices.EqualFunc(p.Out, q.Out, same)
}

// Output is an output of the task, for Connect. Build reports a nil task.
func (n *Node) Output(name string) Source {
	coords := slices.Clone(n.self().coords)
	slices.SortFunc(coords, func(a, b Coord) int { return strings.Compare(a.Axis, b.Axis) })
	return Source{Node: n, Output: name, Coords: coords}
}

// Outputs are an output of all tasks, to be gathered. No Task may follow.
func (s *StageNode) Outputs(name string) []Source {
	if s == nil {
		return []Source{{Output: name}}
	}
	if s.of != nil && !s.of.done {
		s.listed = true
	}
	all := lists.Map(s.tasks, func(n *Node) Source { return n.Output(name) })
	slices.SortStableFunc(all, func(a, b Source) int { return CompareCoords(a.Coords, b.Coords) })
	return all
}
