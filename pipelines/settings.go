package pipelines

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/pipelines/diagram"
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
	"prgnn/stages/role"
	"prgnn/stages/wording"
)

// settingsName is what a reference writes to get at the pipeline itself: pipeline.settings
// are the parameters of all its stages and the code identities of their kinds,
// pipeline.notes the notes of the loader, pipeline.excluded the participants that were left
// out, pipeline.unchecked the stages that no leakage check sees, pipeline.study what the authors
// state, pipeline.graph the drawing of its stages. A report needs them; nothing else of a file's text
// flows anywhere, and only what the authors state may name a path, a host or a user.
const settingsName = wiring.Settings

// An excludedRow is one participant who takes no part.
type excludedRow struct {
	ID       string `column:"participant_id"`
	Group    string `column:"group" doc:"empty where it is not known"`
	Reason   string `column:"reason"`
	Category string `column:"category" doc:"the reason without ids, files and advice"`
	Term     string `column:"criterion" doc:"the inclusion criterion that is not met; empty for another reason"`
	NoValue  bool   `column:"no_value" doc:"whether the criterion has no value"`
}

// settingsKindOf is no kind that a file could use; see cohortKindOf.
var settingsKindOf = &dag.Kind{
	Name: settingsName,
	Doc:  "the pipeline itself: the parameters of its stages, and notes from loading it",
	New:  func() dag.Stage { return &cohortValues{} },
	Code: "pipeline 1",
}

// settingsProducer is what a reference to the pipeline means. Its node is in the
// graph only where something refers to it: settled tells.
func (l *loader) settingsProducer() *producer {
	l.settings = l.build.Stage(settingsName, settingsKindOf)
	l.itself = &cohortValues{ports: l.settingsPorts()}
	node := l.build.Task(l.settings, l.itself)
	return &producer{
		name: settingsName, members: 1,
		outs: l.settingsPorts(),
		source: func(_ int, output string, _ bool, _ string) *dag.Source {
			l.settled = true
			l.drawn = l.drawn || output == "graph"
			return &dag.Source{Node: node, Output: output}
		},
	}
}

func (l *loader) settingsPorts() []dag.Port {
	ports := []dag.Port{
		{Name: "settings", Type: column.Type[column.SettingRow](), Doc: "every parameter of every stage"},
		{Name: "notes", Type: column.Type[column.Note](), Doc: "notes from loading the file"},
		{Name: "excluded", Type: dag.Arrow(l.excludedID(), "reason"), Doc: "excluded members of the cohort, with the reason"},
		{Name: column.UncheckedPort, Type: column.Type[column.Unchecked](), Doc: "stages that can read several participants: no leakage check covers what they do"},
		{Name: "graph", Type: dag.Format("svg"), Doc: "the stages as boxes, connected by arrows"},
	}
	if l.study != nil {
		ports = append(ports, dag.Port{Name: column.StudyPort, Type: column.Type[column.Statement](),
			Doc: "what the authors state in the block study"})
	}
	return ports
}

// addSettings adds the pipeline itself to its graph, now that all of it is known.
func (l *loader) addSettings(g *dag.Graph) error {
	l.build.Order(append([]*dag.StageNode{l.settings}, g.Stages()...)...)
	settings, err := l.settingsTable(g.Name())
	if err != nil {
		return err
	}
	excluded := []excludedRow{}
	notes := column.Table(wording.Notes(l.notes))
	if l.roster != nil {
		notes.Meta = l.roster.Scans().Meta()
		for _, o := range l.roster.Left {
			excluded = append(excluded, excludedRow{o.ID, o.Group, o.Why, o.Counted(), o.Unmet.Term, o.Unmet.NoValue})
		}
	}
	left := column.Table(excluded)
	left.Columns[0].Name = l.excludedID()
	values := map[string]artifacts.Value{"settings": settings, "notes": notes, "excluded": left,
		column.UncheckedPort: column.Table(l.unchecked)}
	if l.study != nil {
		values[column.StudyPort] = column.Table(l.study)
	}
	if l.drawn {
		var b bytes.Buffer
		diagram.Of(g, nil).Reduced().LightSVG(&b)
		values["graph"] = artifacts.Bytes{Kind: "svg", Data: b.Bytes()}
	}
	work, err := newCohortValues(&cohort.Roster{Extra: values})
	if err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	for _, described := range l.settingsPorts() {
		for i := range work.ports {
			if work.ports[i].Name == described.Name {
				work.ports[i].Doc = described.Doc
			}
		}
	}
	*l.itself = *work
	return nil
}

// excludedID is the column that names who takes no part.
func (l *loader) excludedID() string {
	if l.roster != nil {
		return l.roster.IDColumn()
	}
	return "participant_id"
}

func (l *loader) settingsTable(name string) (*encoding.Table, error) {
	var rows []column.SettingRow
	add := func(stage, kind string, n int, p param.Param, values ...[]string) {
		for _, value := range values {
			rows = append(rows, column.SettingRow{Stage: stage, Kind: kind, Tasks: int32(n), Parameter: p.Name,
				Value:   value,
				Default: wiring.Texts(p.Default), Unit: p.Unit, Doc: p.Doc, Of: p.Of, Zero: p.Zero})
		}
	}
	if l.cohort != nil {
		standard := param.Of(l.cohort.New())
		for i, p := range param.Of(l.cohortWork) {
			if p.Place == param.PlaceNever {
				add("cohort", l.cohort.Name, len(l.roster.Subjects), standard[i], wiring.Texts(p.Default))
			}
		}
	}
	if l.roster != nil {
		for _, row := range l.selected() {
			at := slices.IndexFunc(rows, func(r column.SettingRow) bool { return r.Parameter == row.Parameter })
			if at < 0 {
				at, rows = len(rows), append(rows, row)
			}
			rows[at].Value = row.Value
		}
		for _, a := range l.roster.Atlas {
			add("cohort", l.cohort.Name, len(l.roster.Subjects), param.Param{Name: a.Name, Doc: a.Doc},
				[]string{a.Value})
		}
	}
	for _, s := range l.stages {
		set, values := false, s.values()
		for i, p := range param.Of(s.kind.New()) {
			if p.Name != "subject" && p.Name != role.DataParameter && !s.perPart(p.Name) {
				add(s.name, s.kind.Name, s.members, p, values[i]...)
				set = true
			}
		}
		if !set { // its kind is stated all the same
			add(s.name, s.kind.Name, s.members, param.Param{}, nil)
		}
	}
	t := column.Table(rows)
	codes := map[string]string{}
	for _, s := range l.stages {
		code, err := s.kind.CodeDigest()
		if err != nil {
			return nil, err
		}
		codes[s.kind.Name] = code[:min(16, len(code))]
	}
	t.Meta = map[string]string{"pipeline": name, column.SettingCodes: column.JSON(codes),
		column.SettingLinks: column.JSON(l.inputs())}
	of, planned := l.decided(false), l.decided(true)
	if of.Not, of.Left = l.universes.Not, l.universes.Left; of.Left > 0 {
		of.Seed = fmt.Sprint(l.seed)
	}
	if of.Not != nil || of.Left > 0 {
		of.All = len(l.universes.Rows) + l.universes.Excluded() + of.Left
	}
	if of.Decisions != nil || of.All > 0 {
		t.Meta[column.SettingDecisions] = column.JSON(of)
	}
	if len(planned.Decisions) > len(of.Decisions) {
		t.Meta[column.SettingModels] = column.JSON(planned)
	}
	return t, nil
}

// selected are the participants that the file leaves out by id or rating, and limit, where it has them.
func (l *loader) selected() (rows []column.SettingRow) {
	add := func(name, doc string, value []string) {
		rows = append(rows, column.SettingRow{Stage: "cohort", Kind: l.cohort.Name,
			Tasks: int32(len(l.roster.Subjects)), Parameter: name, Value: value, Doc: doc})
	}
	var out []string
	for _, left := range l.roster.Left {
		if left.Why == listed.ExcludedByName || left.Why == listed.RatedFail {
			out = append(out, left.ID)
		}
	}
	if out != nil {
		add("exclude", "participants to exclude", out)
	}
	if n := l.cohortTree.Get("limit"); n != nil && n.Kind != tree.Empty {
		add("limit", "how many participants are kept", []string{n.Text})
	}
	return rows
}

// decided are the axes on which analyses differ: decisions of the file, and parameters of stages that train no model,
// in the order of their names. The values of an option are those of the first task that has it. Decisions about
// models, and those with one option, are left out for sentences that list the models.
func (l *loader) decided(models bool) (all column.Decisions) {
	options := map[string][]string{}
	for _, s := range l.stages {
		for i, a := range s.axes {
			if s.decides(a, models) == nil && !s.choosesInputs(a) {
				continue
			}
			for m := range s.works {
				if text := s.at(m, i).text; !slices.Contains(options[a.name], text) {
					options[a.name] = append(options[a.name], text)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		d := column.Decision{Name: name}
		for _, option := range options[name] {
			o := column.Option{Name: option}
			for _, s := range l.stages {
				o.Sets = append(o.Sets, s.setBy(name, option, models)...)
			}
			d.Options = append(d.Options, o)
		}
		if (models || len(d.Options) > 1) && len(d.Options[0].Sets) > 0 {
			all.Decisions = append(all.Decisions, d)
		}
	}
	if all.Universes = l.analyses(all.Decisions); all.Universes == nil {
		return column.Decisions{}
	}
	return all
}

// mostAnalyses is how many the methods of a report describe.
const mostAnalyses = 1000

// analyses are the combinations of options that agree with the tasks of every stage; none for more than mostAnalyses.
func (l *loader) analyses(decisions []column.Decision) [][]int32 {
	if decisions == nil {
		return nil
	}
	const open = -1
	rows := [][]int32{slices.Repeat([]int32{open}, len(decisions))}
	for _, s := range l.stages {
		var own [][]int32
		for m := range s.works {
			row := slices.Repeat([]int32{open}, len(decisions))
			for d := range decisions {
				if at := slices.IndexFunc(s.axes, func(a axis) bool { return a.name == decisions[d].Name }); at >= 0 {
					text := s.at(m, at).text
					row[d] = int32(slices.IndexFunc(decisions[d].Options,
						func(o column.Option) bool { return o.Name == text }))
				}
			}
			if !slices.ContainsFunc(own, func(r []int32) bool { return slices.Equal(r, row) }) {
				own = append(own, row)
			}
		}
		var both [][]int32
		for _, row := range rows {
			for _, of := range own {
				joined, agree := slices.Clone(row), true
				for d, at := range of {
					agree = agree && (at == open || row[d] == open || row[d] == at)
					joined[d] = max(row[d], at)
				}
				if agree {
					both = append(both, joined)
				}
			}
		}
		if rows = both; len(rows) > mostAnalyses {
			return nil
		}
	}
	slices.SortFunc(rows, slices.Compare)
	return rows
}

// decides are the parameters that an axis sets as part of the analysis; nil for none. A choice of the model alone is
// one only with models: otherwise all of them are described together.
func (s *stage) decides(a axis, models bool) (parameters []string) {
	_, trains := s.work.(role.Trainer)
	for _, p := range param.Of(s.work) {
		switch {
		case a.decision != nil && a.decision.Sets(s.name, p.Name),
			a.decision == nil && a.param && (!trains || p.Name == "model") && p.Name == a.name &&
				!slices.Contains(numbering, a.name):
			parameters = append(parameters, p.Name)
		}
	}
	if !models && slices.Equal(parameters, []string{"model"}) {
		return nil
	}
	return parameters
}

// choosesInputs reports whether an axis is a decision about inputs of the stage.
func (s *stage) choosesInputs(a axis) bool {
	return a.decision != nil && slices.ContainsFunc(a.decision.Options,
		func(o wiring.Option) bool { return o.InputsOf(s.name) != nil })
}

// numbering are parameters that number the tasks of a stage, and are not choices of an analysis.
var numbering = []string{column.Subject, "run", "session", "fold", "repeat", "permutation", "outer", "inner", "seed",
	"covariate"} // of a test for each covariate

// setBy are the values of what an axis decides in a stage, in its tasks with one option; in its first one where none
// has it.
func (s *stage) setBy(name, option string, models bool) (sets []column.OptionSet) {
	at := slices.IndexFunc(s.axes, func(a axis) bool { return a.name == name })
	if at < 0 || len(s.works) == 0 {
		return nil
	}
	parameters := s.decides(s.axes[at], models)
	member := 0
	for m := range slices.Backward(s.works) {
		if s.at(m, at).text == option {
			member = m
		}
	}
	for _, p := range param.Of(s.works[member]) {
		if slices.Contains(parameters, p.Name) {
			sets = append(sets, column.OptionSet{Stage: s.name, Parameter: p.Name, Value: wiring.Texts(p.Default)})
		}
	}
	if d := s.axes[at].decision; d != nil && d.Option(option) >= 0 {
		for _, p := range s.ports.In { // the same of each option
			if slices.Contains(role.Ports(s.work, role.Aside), p.Name) ||
				!slices.ContainsFunc(d.Options, func(o wiring.Option) bool { return o.Input(s.name, p.Name) != nil }) {
				continue
			}
			ref := d.Options[d.Option(option)].Input(s.name, p.Name)
			if ref == nil {
				ref = s.in.Get(p.Name)
			}
			sets = append(sets, column.OptionSet{Stage: s.name, Parameter: "in." + p.Name,
				Value: wiring.References(ref)})
		}
	}
	return sets
}

// inputs are the connections of inputs to other stages, sorted.
func (l *loader) inputs() (links []column.Link) {
	for _, s := range l.stages {
		for _, k := range s.links {
			for i := range k.from {
				if p := k.from[i].producer; p != nil && p.of != nil {
					links = append(links, column.Link{Stage: s.name, Port: k.port.Name,
						From:  column.Result{Stage: p.name, Output: k.from[i].output},
						Of:    k.from[i].taken(l.memberAxis()),
						Fits:  role.FitsGroup(p.of.works),
						Aside: slices.Contains(role.Ports(s.work, role.Aside), k.port.Name),
						Data:  l.made(p.of, k.from[i].output)})
				}
			}
		}
	}
	slices.SortFunc(links, func(x, y column.Link) int {
		return cmp.Or(cmp.Compare(x.Stage, y.Stage), cmp.Compare(x.Port, y.Port), cmp.Compare(x.From.String(),
			y.From.String()))
	})
	return links
}

// taken are the tasks of the producer that the stage takes an output of, over all participants.
func (src *source) taken(member string) string {
	p := src.producer
	var axes []int
	for i, name := range p.axes {
		if !slices.Contains([]string{member, "run", "session"}, name) {
			axes = append(axes, i)
		}
	}
	used, seen, rows := make([]bool, len(src.groups)), map[string]bool{}, [][]string(nil)
	for m, g := range src.group {
		if used[g] || src.only != nil && !src.only[m] {
			continue
		}
		used[g] = true
		for _, from := range src.groups[g] {
			var key []byte
			for _, a := range axes {
				key = appendInt(key, p.value(int(from), a))
			}
			if !seen[string(key)] {
				seen[string(key)] = true
				rows = append(rows, lists.Map(axes, func(a int) string { return p.text(int(from), a) }))
			}
		}
	}
	return wiring.Selections(lists.Map(axes, func(a int) string { return p.axes[a] }), rows)
}

// perPart reports whether a parameter is the run or the session of a task, by each: run or each: session.
func (s *stage) perPart(name string) bool {
	return (name == "run" || name == "session") &&
		slices.ContainsFunc(s.axes, func(a axis) bool { return a.name == name && a.param })
}

// values are, of each parameter, the different values that the tasks of a stage
// have, in their order.
func (s *stage) values() [][][]string {
	const most = 40
	all := make([][][]string, len(param.Of(s.work)))
	for _, work := range s.works {
		for i, p := range param.Of(work) {
			value := wiring.Texts(p.Default)
			if len(all[i]) <= most && !slices.ContainsFunc(all[i],
				func(v []string) bool { return slices.Equal(v, value) }) {
				all[i] = append(all[i], value)
			}
		}
	}
	for _, values := range all {
		if len(values) > most {
			values[most] = []string{"…"}
		}
	}
	return all
}
