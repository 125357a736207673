package pipelines

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/design"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/precheck"
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
	"prgnn/stages/builtin"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
	"prgnn/stages/role"
	"prgnn/stages/wording"
)

// A Pipeline is a pipeline file that has been read and found right.
type Pipeline struct {
	Graph   *dag.Graph
	Name    string
	File    string         // as the user gave it
	Builtin bool           // the file is one of those within the program
	Extends []string       // the files that it extends, the nearest first; a built-in one is called "built-in NAME"
	Dir     string         // of the file, or the working directory: where relative paths begin and the store goes
	Notes   []string       // for the person who runs it
	Here    []string       // likewise, of where the data lie: they stand in no result
	Shared  Shared         // what of the file and of --set is for others
	Roster  *cohort.Roster // the cohort without those who are excluded; nil when the file has none
	Paths   []string       // the values of the file and of --set that can be paths, absolute
	LeftOut []string       // the stages that --without leaves out
	Doomed  []Doom         // stages that will fail, as Notes say, too
	about   span           // the notes that are about the scans of all participants

	Universes *wiring.Universes // combinations of the decisions of the file; one without any

	Settings func() (*encoding.Table, error) // pipeline.settings, also where no stage takes it
}

// A Doom is a stage of which a task will fail whatever the stages before it make.
type Doom struct {
	Stage string
	Pos   dag.Pos
	Why   string
}

func (d Doom) String() string { return fmt.Sprintf("stage %s will fail: %s", d.Stage, d.Why) }

// A span is a part of a list, from its first element to the one behind its last.
type span struct{ from, to int }

// Sources are the pipeline file and the files that it extends now: the text of a recorded run names none.
func (p *Pipeline) Sources() []string {
	if p.Builtin {
		return nil
	}
	return layer.Sources(filepath.Join(p.Dir, filepath.Base(p.File)))
}

// NotesFor are the notes for a person who asked for these participants alone.
func (p *Pipeline) NotesFor(ids map[string]bool) []string {
	if p.Roster == nil || p.Roster.About == nil {
		return p.Notes
	}
	about, _ := p.Roster.About(ids)
	return slices.Concat(p.Notes[:p.about.from], wording.NoteTexts(about), p.Notes[p.about.to:])
}

// Load reads a pipeline file, sets what --set asks for ("density=0.2",
// "graphs.density=0.2", "stages.graphs.with.density=0.2", "seed=7"), loads the
// cohort and builds the graph. A file that is not there is looked for among the
// built-in pipelines when its name has no directory. Mistakes in the file or in
// sets are Errors.
func Load(file string, sets []string) (*Pipeline, error) {
	f, dir, err := layer.First(file)
	if err != nil {
		return nil, err
	}
	return buildFile(f, dir, sets, maxTasks)
}

// A loader is one reading of one file.
type loader struct {
	dir    string // absolute
	bad    *tree.Mistakes
	vars   *tree.Variables
	places *places
	seed   any // nil when the file has none
	seedAt dag.Pos
	limit  int     // of tasks
	left   int     // tasks that may still be made
	values int     // values of axes that may still be made
	texts  float64 // bytes of names and texts of tasks that may still be made
	roster *cohort.Roster
	notes  []column.Note
	doomed []Doom // stages that will fail
	about  span   // of notes: what the cohort says of the scans of its participants

	unchecked []column.Unchecked // stages that no leakage check sees
	holds     *holdings          // what outputs hold; nil before the graph

	timesApart []column.Note // on scans whose header and sidecar give different repetition times

	without map[string]precheck.Refusal // participants whom a stage refuses, who are left out

	cohortTree  *tree.Node
	cohortKind  string
	stages      []*stage // in the order of the file
	names       []string // of the stages
	byName      map[string]*stage
	tree        *tree.Node             // of the stages
	done        map[string]*stage      // those that have been read; nil while one is read
	producers   map[string][]*producer // the cohort has two
	cohortNodes *cohortGraph
	lists       map[string]string // outputs of the cohort that are node lists of files at inputs, by their paths
	build       *dag.Builder      // of the graph
	cohort      *cohort.Source    // its kind; nil until it is loaded
	cohortWork  cohort.Loader
	settings    *dag.StageNode // what a reference to the pipeline itself means
	itself      *cohortValues  // what its task gives; filled when all of the pipeline is known
	settled     bool           // there is such a reference
	drawn       bool           // there is one to its drawing

	apart   []apartFrom
	layers  *layer.Layers // the file, with what it extends and what is set
	unshown []string      // notes that no result has: the text kept with a run lacks what they depend on

	universes *wiring.Universes // the decisions of the file, and their combinations
	effective wiring.Effective  // what the options of decisions leave the stages with
	study     []column.Statement
}

func newLoader(layers *layer.Layers, limit int) *loader {
	l := &loader{
		layers: layers, places: &places{}, lists: map[string]string{}, bad: layers.Bad, build: dag.NewGraph(""),
		limit: limit, left: limit, values: 4 * limit, texts: maxNames,
		byName: map[string]*stage{}, producers: map[string][]*producer{},
		effective: wiring.Effective{},
	}
	l.build.BareAxis(column.Subject)
	return l
}

// build makes a pipeline of a file's text.
func build(file string, text []byte, dir string, sets []string, limit int) (*Pipeline, error) {
	return buildFile(layer.File{Name: filepath.Base(file), Shown: file, Text: text}, dir, sets, limit)
}

func buildFile(f layer.File, dir string, sets []string, limit int) (*Pipeline, error) {
	return buildWithout(f, dir, sets, limit, nil)
}

// buildWithout leaves out the participants of that name, with the reason of each.
func buildWithout(f layer.File, dir string, sets []string, limit int,
	without map[string]precheck.Refusal) (*Pipeline, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("the directory of %s cannot be found: %w", f.Shown, err)
	}
	l := newLoader(layer.Read(f), limit)
	l.dir, l.without = start, without
	p := &Pipeline{File: f.Shown, Builtin: f.Builtin, Dir: dir}
	text := l.layers.Source()
	if root := l.layers.Root; root != nil {
		p.Extends = l.layers.Files[1:]
		l.read(root, sets, p)
	}
	if len(l.bad.List) > 0 {
		l.refuseInputs()
		return nil, l.bad.Sorted()
	}
	l.build.Title(p.Name, f.Shown, layer.WithSets(text, sets))
	l.build.Universes(l.universes.Check)
	l.graph()
	l.inform()
	l.refuseFisher()
	p.Graph = l.build.Draft()
	if without == nil && len(l.bad.List) == 0 && l.roster != nil && l.roster.Incomplete == "skip" {
		refused := precheck.Refused(l.roster, p.Graph)
		maps.DeleteFunc(refused, func(_ string, r precheck.Refusal) bool { return r.OtherUnit })
		if len(refused) > 0 && len(refused) < len(l.roster.Subjects) {
			return buildWithout(f, dir, sets, limit, refused)
		}
	}
	study := design.New(l.roster, lists.Map(l.stages, func(s *stage) *dag.StageNode { return s.node }),
		role.Own, l.sets)
	sites := l.nameSites(study)
	for _, s := range p.Graph.Stages() {
		l.build.Measure(s, precheck.Sizes(l.roster, s))
	}
	l.refuseLists(p.Graph)
	l.precheck(p.Graph)
	l.take(study.Check(sites))
	if l.settled {
		if err := l.addSettings(p.Graph); err != nil {
			return nil, err
		}
	}
	if len(l.bad.List) > 0 {
		return nil, l.bad.Sorted()
	}
	p.Roster, p.Notes, p.Doomed, p.about = l.roster, append(wording.NoteTexts(l.notes), l.unshown...),
		l.doomed, l.about
	p.LeftOut, p.Universes = slices.Concat(l.layers.LeftOut, l.layers.NotKept), l.universes
	p.Settings = func() (*encoding.Table, error) { return l.settingsTable(p.Name) }
	for _, stage := range l.layers.LeftOut {
		l.build.LeaveOut(stage, "--without leaves it out")
	}
	for _, stage := range l.layers.NotKept {
		l.build.LeaveOut(stage, "the selected stages do not need it")
	}
	if l.roster != nil {
		p.Here = l.roster.Here
		for _, left := range l.roster.Left {
			l.build.LeaveOut(left.ID, left.Why)
		}
	}
	if p.Graph, err = l.build.Build(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Shown, err)
	}
	p.Shared, p.Paths = l.places.shared(text, sets, start, l.roster), l.places.paths(start)
	return p, nil
}

// precheck notes which repetition times count where scans contradict their sidecars, and refuses
// strategies for other scans, and parameters that do not fit what is connected.
func (l *loader) precheck(g *dag.Graph) {
	for _, s := range g.Stages() {
		for _, err := range precheck.Parameters(l.roster, s) {
			l.bad.Stage(s.Pos(), s.Name(), err)
		}
		for _, m := range precheck.Origins(s) {
			l.bad.Stage(l.givenAt(s, m.Port), s.Name(), m.Err)
		}
	}
	if l.roster == nil {
		return
	}
	if l.timesApart != nil {
		if used := precheck.Times(g); used != nil {
			l.note("repetition time: %s", strings.Join(used, ", "))
		}
		for _, s := range g.Stages() {
			if why := precheck.Contradicted(g, s, l.roster.Time); why != "" {
				l.bad.Add(s.Pos(), "%s; %s", strings.Join(wording.NoteTexts(l.timesApart), "; "), why)
			}
		}
	}
	for _, s := range g.Stages() {
		mistakes, notes := precheck.Shared(l.roster, s)
		for _, n := range notes {
			l.add(n)
		}
		for _, m := range slices.Concat(mistakes, precheck.Models(s)) {
			at := l.givenAt(s, m.Port)
			if of := l.byName[s.Name()]; m.Port == "" && of != nil {
				at = placeOf(s.Pos(), of.with)(m.Err.Error())
			}
			l.bad.Stage(at, s.Name(), m.Err)
		}
	}
}

// sets reports whether the file sets a parameter of a stage.
func (l *loader) sets(stage, parameter string) bool {
	with := l.byName[stage].with
	return with != nil && with.Get(parameter) != nil
}

// nameSites makes texts of the numbers by which columns name sites, as a table is read before anything is known of its
// use. It returns the columns that name sites, or that stages read as categories.
func (l *loader) nameSites(study *design.Study) []string {
	names, codes := study.Sites()
	if len(codes) == 0 {
		return names
	}
	l.roster.Participants = column.AsCategories(l.roster.Participants, codes...)
	if err := l.renewCohort(); err != nil {
		l.bad.Add(l.cohortNodes.values.Pos(), "%v", err)
	}
	return names
}

// renewCohort gives the cohort's task the values of the roster, which have changed.
func (l *loader) renewCohort() error {
	work, err := newCohortValues(l.roster)
	if err == nil {
		*l.cohortNodes.values.Tasks()[0].Instance().(*cohortValues) = *work
	}
	return err
}

// take has what the checks of the design found, at its places in the file.
func (l *loader) take(found design.Outcome) {
	place := func(m design.Mistake) (stage, at dag.Pos) {
		s := l.byName[m.Stage]
		return s.pos, placeOf(s.pos, s.with)(m.Place)
	}
	for _, m := range found.Mistakes {
		stage, pos := place(m)
		another := func(o design.Mistake) bool { // that states the headline which this stage has from there
			before, at := place(o)
			return o.Text == m.Text && at == pos && before.Line <= at.Line &&
				(stage.Line > pos.Line || stage.Line < before.Line)
		}
		if !slices.ContainsFunc(found.Mistakes, another) {
			l.bad.Stage(pos, m.Stage, m.Err())
		}
	}
	for _, m := range found.Doomed {
		l.doomed = append(l.doomed, Doom{m.Stage, l.byName[m.Stage].pos, m.Err().Error()})
	}
	for _, n := range found.Notes {
		l.add(n)
	}
	if l.unchecked = found.Unchecked; l.unchecked != nil {
		l.connectPages(column.UncheckedPort, "")
	}
	if l.study != nil {
		l.connectPages(column.StudyPort, "")
	}
	divided := func(n column.Note) bool { return n.Stages != "" && n.Doubt != column.DoubtPermuted }
	chooses := func(s *stage) bool { return role.Port(s.work, role.OuterFolds) != "" }
	if slices.ContainsFunc(found.Notes, divided) || slices.ContainsFunc(l.stages, chooses) {
		l.connectPages("settings", "evaluation") // which division results come from
		l.connectPages("settings", "regression")
	}
	l.connectPages("settings", "permutation")
	l.connectPages("settings", "nested")
	l.connectPages("settings", "confound_summary") // whose edges these are
	if slices.ContainsFunc(l.stages, (*stage).takesTargets) {
		l.connectPages("settings", "regression")
	}
	if slices.ContainsFunc(l.stages, func(s *stage) bool { return role.FitsGroup(s.works) != "" }) {
		l.connectEvaluations()
		l.connectPages("settings", "evaluation") // they withdraw the p of such models
		l.connectPages("settings", "regression")
	}
	if slices.ContainsFunc(l.stages, l.leavesPartial) {
		l.connectPages("settings", "connectivity")
		l.connectPages("settings", "warnings")
	}
}

// givenAt is where the files at a port of a stage are given: in the cohort, or in the stage.
func (l *loader) givenAt(s *dag.StageNode, port string) dag.Pos {
	of := l.byName[s.Name()]
	if of == nil {
		return s.Pos()
	}
	for _, k := range of.links {
		if k.port.Name != port {
			continue
		}
		if kinds := layer.CohortKinds(l.cohortTree); k.from[0].stage == "cohort" && len(kinds) > 0 {
			if given := kinds[0].Value.Get(port); given != nil {
				return given.Pos
			}
		}
		return k.from[0].pos
	}
	return s.Pos()
}

// LoadText is Load for the text of a file that lies elsewhere: in a lock, or in
// the record of a run. file is its name in messages, dir where its relative
// paths begin.
func LoadText(file, text, dir string, sets []string) (*Pipeline, error) {
	return build(file, []byte(text), dir, sets, maxTasks)
}

// read goes through the file from its top. It never stops at a mistake: what
// cannot be known is left out, and nothing is said of what depends on it.
func (l *loader) read(root *tree.Node, sets []string, p *Pipeline) {
	switch root.Kind {
	case tree.Empty:
		l.bad.Add(root.Pos, "the file is empty; pipeline init writes one to start from")
		return
	case tree.Scalar, tree.List:
		l.bad.Add(root.Pos, "a pipeline file is a mapping with the key stages, not %s", root)
		return
	}
	l.places.sets = l.layers.Apply(sets)
	wiring.Connect(root, "", l.layers.Removed, l.bad) // what they add or open
	wiring.Forget(root)
	l.only(root, "a pipeline file", layer.FileKeys)
	l.vars = tree.ReadVars(root.Get("vars"), layer.FileKeys, l.bad)
	l.vars.Gone = func(name string) string { return l.layers.Gone("vars", name) }
	l.places.vars = l.vars
	p.Name = l.name(root)
	l.readSeed(root.Get("seed"))
	l.readDecisions(root)
	l.study = column.Statements(root.Get("study").Texts("study", column.StudyKeys(), l.bad))
	l.readCohort(root.Get("cohort"))
	if l.layers.LeftOut != nil {
		l.note("stages left out: %s", strings.Join(l.layers.LeftOut, ", "))
	}
	l.unshown = wiring.Unshown(root, l.layers.Removed)
	l.readStages(root)
	l.unshown = append(l.unshown, l.vars.Unused(l.layers.OwnVars)...)
	l.vars.All()
	l.connect()
	l.checkOptions()
	l.places.settle(root, l.bad)
}

// only reports the keys of a mapping that mean nothing there.
func (l *loader) only(t *tree.Node, what string, known []string) {
	for _, k := range t.Keys {
		l.known(k, what, known)
	}
}

func (l *loader) known(k tree.Key, what string, known []string) {
	if !slices.Contains(known, k.Name) {
		l.bad.Add(k.Pos, "%s has no key %q%s", what, k.Name, words.OrAll(k.Name, known))
	}
}

func (l *loader) name(root *tree.Node) string {
	name, pos := layer.Name(l.layers.Files[0]), root.Pos
	if t := root.Get("pipeline"); t != nil && t.Kind != tree.Empty {
		l.vars.Resolve(t, nil)
		if !t.Bad && t.Kind != tree.Scalar {
			l.bad.Add(t.Pos, "pipeline must be a name, not %s", t)
		}
		name, pos = t.Text, t.Pos
	}
	if strings.Contains(name, "\n") { // the record of a run has it on one line
		l.bad.Add(pos, "pipeline must be a name on one line, not %q", name)
	}
	return name
}

func (l *loader) readSeed(t *tree.Node) {
	if t == nil || t.Kind == tree.Empty {
		return
	}
	l.vars.Resolve(t, nil)
	if t.Bad {
		return
	}
	l.seedAt = t.Pos
	var of struct {
		Seed uint64 `param:"seed"`
	}
	if err := param.Set(&of, "seed", t.Decoded()); err != nil {
		l.bad.Add(t.Pos, "seed %s", strings.TrimPrefix(err.Error(), `parameter "seed" `))
		return
	}
	l.seed = of.Seed
}

// fill sets the parameters of a stage or a cohort kind from a mapping. owner
// names it in errors. The seed of the pipeline is filled in where there is a
// parameter for it, unless the mapping or taken has it.
func (l *loader) fill(target any, t *tree.Node, owner string, taken func(name string) bool) {
	params := param.Of(target)
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
		if p.Name == "seed" && l.seed != nil && !taken("seed") && (t == nil || t.Get("seed") == nil) {
			if err := param.Set(target, "seed", l.seed); err != nil {
				l.bad.Add(l.seedAt, "%s: the pipeline's seed does not fit: %v", owner, err)
			}
		}
	}
	if t == nil {
		return
	}
	for _, k := range t.Keys {
		i := slices.Index(names, k.Name)
		if i < 0 {
			remedy := words.OrAll(k.Name, names)
			if _, of := target.(cohort.Loader); of {
				remedy = cmp.Or(precheck.KindWith(k.Name, builtin.Names()), remedy)
			}
			l.bad.Add(k.Pos, "%s has no parameter %q%s", owner, k.Name, remedy)
			continue
		}
		if _, user := target.(role.DataUser); user && k.Name == role.DataParameter {
			l.bad.Add(k.Pos, "%s: %s is set from the connected outputs and cannot be changed: remove it", owner, k.Name)
			continue
		}
		if k.Value.Broken() || k.Value.Open() != nil {
			continue
		}
		if params[i].Place != param.PlaceNever {
			l.places.add(k.Value, params[i].Place)
		}
		if dir := k.Value.Get("dir"); dir != nil && slices.Contains(params[i].Keys, "dir") {
			l.places.add(dir, param.PlaceAlways)
		}
		if err := param.Set(target, k.Name, k.Value.Parameter(params[i].Type)); err != nil {
			l.bad.Add(k.Value.Pos, "%s: %s", owner, oneLine(err))
		}
	}
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// placeOf finds where an error about parameters belongs: at the first parameter
// that it mentions, or else at the whole.
func placeOf(whole dag.Pos, maps ...*tree.Node) func(text string) dag.Pos {
	return func(text string) dag.Pos {
		at, place := len(text), whole
		for _, t := range maps {
			if t == nil {
				continue
			}
			for _, k := range t.Keys {
				if i := indexWord(text, k.Name); i >= 0 && i < at {
					at, place = i, k.Value.Pos
				}
			}
		}
		return place
	}
}

// indexWord finds name in text where it stands as a word.
func indexWord(text, name string) int {
	letter := func(i int) bool {
		return i >= 0 && i < len(text) &&
			(text[i] == '_' || text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' || text[i] >= '0' && text[i] <= '9')
	}
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 || name == "" {
			return -1
		}
		i += from
		if !letter(i-1) && !letter(i+len(name)) {
			return i
		}
		from = i + 1
	}
}
