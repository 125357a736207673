package finding

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/stages/column"
)

// A LockedPlan is what the analyses of a pipeline were to be, written down before its results (pipeline lock --plan).
type LockedPlan struct {
	Locked      string // when: UTC
	Program     string
	Trained     int // models with a result in the store at that time
	Lines       []Planned
	Digest      string           // SHA-256 of the file without its own line
	Differences []PlanDifference // between the plan and this run
}

// A Planned is one line of a plan.
type Planned struct {
	About       string // see below; "" for what another version states
	Option      string // of which the parameter is one: "motion=cut"
	Stage, Name string // the parameter or port
	Value       string // as the file has it; all of a line about no stage
}

// What a line of a plan is about.
const (
	PlannedStage     = "stage" // its kind
	PlannedParameter = "parameter"
	PlannedInput     = "input"
	PlannedUniverse  = "universe"
)

// A PlanDifference is a line of a run that is not in the plan, or the other way round, or has another value there.
type PlanDifference struct {
	How, About, Option, Stage, Name string
	Is, Was                         string
}

// How a run differs from its plan.
const (
	PlanChanged = "changed"
	PlanAdded   = "added"
	PlanMissing = "missing"
)

const (
	planHead    = "plan of a pipeline, version 1"
	planLocked  = "locked: "
	planProgram = "program: "
	planTrained = "models trained before: "
	planDigest  = "sha256: "
)

// String is the line.
func (p Planned) String() string {
	name := p.Stage + "." + p.Name
	switch {
	case p.About == PlannedStage:
		return p.Stage + isStage + p.Value
	case p.Option != "":
		return with + p.Option + ", " + name + isEqual + p.Value
	case p.About == PlannedParameter:
		return name + isEqual + p.Value
	case p.About == PlannedInput:
		return name + takes + p.Value
	}
	return p.Value
}

// What the lines begin with, and what stands between the name of something and its value.
const (
	universeOf = "universe "
	excluded   = "excluded: "
	because    = ", because: "
	with       = "with "
	isStage    = " is a stage of the kind "
	isEqual    = " = "
	takes      = " takes "
)

// readPlanned reads a line.
func readPlanned(line string) Planned {
	switch {
	case strings.HasPrefix(line, universeOf):
		return Planned{About: PlannedUniverse, Value: line}
	case strings.HasPrefix(line, excluded):
		return Planned{Value: line}
	}
	const values = `" | "`
	if name, value, is := strings.Cut(line, isEqual); is {
		p := Planned{About: PlannedParameter, Value: value}
		if option, is := strings.CutPrefix(name, with); is {
			at := max(0, strings.LastIndex(option, ", "))
			p.Option, name = option[:at], strings.TrimPrefix(option[at:], ", ")
		}
		p.Stage, p.Name, _ = strings.Cut(name, ".")
		if p.Option == "" { // plans of earlier versions had the order of the file
			of := strings.Split(strings.Trim(value, `"`), values)
			slices.Sort(of)
			p.Value = `"` + strings.Join(of, values) + `"`
		}
		return p
	}
	if stage, kind, is := strings.Cut(line, isStage); is {
		return Planned{About: PlannedStage, Stage: stage, Value: kind}
	}
	if name, value, is := strings.Cut(line, takes); is {
		p := Planned{About: PlannedInput, Value: value}
		p.Stage, p.Name, _ = strings.Cut(name, ".")
		return p
	}
	return Planned{Value: line}
}

// PlanOf are the lines of a plan: the parameters of all stages, their connections, and the universes. Data and places
// of files are no part of it.
func PlanOf(settings *encoding.Table) ([]Planned, error) {
	rows, err := column.Rows[Parameter](settings)
	if err != nil {
		return nil, err
	}
	var lines []Planned
	flat := func(text string) string { return strings.ReplaceAll(text, "\n", " ") }
	pages := map[string]bool{} // what they show is no part of the analysis
	for _, stage := range lists.By(rows, func(r Parameter) string { return r.Stage }) {
		lines = append(lines, Planned{About: PlannedStage, Stage: stage.Key, Value: stage.All[0].Kind})
		pages[stage.Key] = stage.All[0].Kind == "report" || stage.All[0].Kind == "summary"
		for _, p := range lists.By(stage.All, func(r Parameter) string { return r.Parameter }) {
			if p.Key != "" {
				values := lists.Map(p.All, func(r Parameter) string {
					return strconv.Quote(strings.Join(r.Value, ", "))
				})
				slices.Sort(values) // options have no order
				lines = append(lines, Planned{About: PlannedParameter, Stage: stage.Key, Name: p.Key,
					Value: strings.Join(values, " | ")})
			}
		}
	}
	links, err := column.MetaOf[[]column.Link](settings.Meta, column.SettingLinks)
	if err != nil {
		return nil, err
	}
	for _, of := range lists.By(links, func(l column.Link) Planned {
		return Planned{About: PlannedInput, Stage: l.Stage, Name: l.Port}
	}) {
		if !pages[of.Key.Stage] {
			of.Key.Value = flat(strings.Join(lists.Map(of.All,
				func(l column.Link) string { return l.From.String() + l.Of }), ", "))
			lines = append(lines, of.Key)
		}
	}
	d, err := column.MetaOf[column.Decisions](settings.Meta, column.SettingDecisions)
	if err != nil {
		return nil, err
	}
	planned, err := column.MetaOf[column.Decisions](settings.Meta, column.SettingModels)
	if err != nil {
		return nil, err
	}
	if planned.Decisions == nil {
		planned = d
	}
	var universes, sets []Planned // options have no order
	for _, universe := range planned.Universes {
		parts := make([]string, len(universe))
		for i, at := range universe {
			parts[i] = planned.Decisions[i].Name + "=" + planned.Decisions[i].Options[at].Name
		}
		universes = append(universes, Planned{About: PlannedUniverse,
			Value: flat(universeOf + strings.Join(parts, " "))})
	}
	for _, decision := range planned.Decisions {
		for _, o := range decision.Options {
			for _, set := range o.Sets {
				sets = append(sets, Planned{PlannedParameter, flat(decision.Name + "=" + o.Name), set.Stage,
					set.Parameter, strconv.Quote(strings.Join(set.Value, ", "))})
			}
		}
	}
	var not []Planned
	for _, n := range d.Not {
		of := lists.Map(n.Of, func(o column.NotOptions) string {
			return o.Decision + "=" + strings.Join(slices.Sorted(slices.Values(o.Options)), "|")
		})
		slices.Sort(of)
		text := excluded + strings.Join(of, " ")
		if n.Because != "" {
			text += because + n.Because
		}
		not = append(not, Planned{Value: flat(text)})
	}
	for _, part := range [][]Planned{universes, sets, not} {
		slices.SortFunc(part, func(a, b Planned) int { return strings.Compare(a.String(), b.String()) })
		lines = append(lines, part...)
	}
	if d.Left > 0 {
		lines = append(lines, Planned{Value: fmt.Sprintf("sample: %d of %d universes not drawn, seed %s", d.Left, d.All,
			d.Seed)})
	}
	return lines, nil
}

// Text is the file.
func (p *LockedPlan) Text() []byte {
	head := []string{planHead, planLocked + p.Locked, planProgram + p.Program, planTrained + strconv.Itoa(p.Trained)}
	lines := append(head, lists.Map(p.Lines, Planned.String)...)
	digest := planDigest + digestOf(lines)
	return []byte(strings.Join(slices.Insert(lines, len(head), digest, ""), "\n") + "\n")
}

func digestOf(lines []string) string {
	d := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(d[:])
}

// ReadPlan reads the file, and refuses one that was changed.
func ReadPlan(text []byte) (*LockedPlan, error) {
	lines := strings.Split(strings.TrimRight(string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))), "\n"), "\n")
	if lines[0] != planHead || len(lines) < 6 {
		return nil, fmt.Errorf("the file does not begin with %q: pipeline lock --plan FILE writes a plan", planHead)
	}
	p := &LockedPlan{}
	for i, field := range []struct {
		key string
		to  *string
	}{{planLocked, &p.Locked}, {planProgram, &p.Program}, {planTrained, nil}, {planDigest, &p.Digest}} {
		value, is := strings.CutPrefix(lines[i+1], field.key)
		if field.to == nil {
			n, err := strconv.Atoi(value)
			p.Trained, is = n, is && err == nil
		} else {
			*field.to = value
		}
		if !is {
			return nil, fmt.Errorf("line %d should begin with %q", i+2, field.key)
		}
	}
	p.Lines = lists.Map(lines[6:], readPlanned)
	if digestOf(slices.Concat(lines[:4], lines[6:])) != p.Digest {
		return nil, fmt.Errorf("the plan was changed after it was locked on %s: its SHA-256 is not that of its text", p.Locked)
	}
	return p, nil
}

// readLocked reads a plan, and compares it with the settings of a run.
func readLocked(in dag.Input, settings *encoding.Table) (*LockedPlan, error) {
	text, err := in.Bytes()
	if err != nil {
		return nil, err
	}
	p, err := ReadPlan(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	now, err := PlanOf(settings)
	p.Differences = p.Compare(now)
	return p, err
}

// Compare lists what differs in other lines: values of parameters and connections by name, and what only one of both
// has. Of a stage that only one has, nothing else is listed. What not excludes and sample draws comes first, then other
// universes; what inputs select follows from these.
func (p *LockedPlan) Compare(now []Planned) (all []PlanDifference) {
	was, is := byName(p.Lines), byName(now)
	only := func(how string, lines []Planned, in map[Planned]string) {
		for _, l := range lines {
			nested := l.Option == "" && (l.About == PlannedParameter || l.About == PlannedInput)
			_, stage := in[Planned{About: PlannedStage, Stage: l.Stage}]
			if _, there := in[l.named()]; !there && (stage || !nested) {
				all = append(all, PlanDifference{how, l.About, l.Option, l.Stage, l.Name, l.Value, ""})
			}
		}
	}
	for _, l := range now {
		if before, there := was[l.named()]; there && before != l.Value {
			d := PlanDifference{PlanChanged, l.About, l.Option, l.Stage, l.Name, l.Value, before}
			if l.About == PlannedInput {
				d.Is, d.Was = apart(d.Is, d.Was)
			}
			all = append(all, d)
		}
	}
	only(PlanAdded, now, was)
	only(PlanMissing, p.Lines, is)
	universe := func(d PlanDifference) bool { return d.About == PlannedUniverse }
	others := slices.ContainsFunc(all, universe)
	all = slices.DeleteFunc(all, func(d PlanDifference) bool {
		return others && d.How == PlanChanged && d.About == PlannedInput &&
			unselected(was[Planned{d.About, d.Option, d.Stage, d.Name, ""}]) ==
				unselected(is[Planned{d.About, d.Option, d.Stage, d.Name, ""}])
	})
	place := map[string]int{"": -2, PlannedUniverse: -1}
	slices.SortStableFunc(all, func(a, b PlanDifference) int { return cmp.Compare(place[a.About], place[b.About]) })
	return all
}

// unselected is a connection without its selections: the results that it takes.
func unselected(text string) string { return selection.ReplaceAllString(text, "") }

var selection = pattern.New(`\[[^\]]*\]`)

// named is what a line is about, without its value.
func (p Planned) named() Planned {
	if p.Stage != "" {
		p.Value = ""
	}
	return p
}

func byName(lines []Planned) map[Planned]string {
	all := map[Planned]string{}
	for _, l := range lines {
		all[l.named()] = l.Value
	}
	return all
}

// apart are two connections by what differs: of one selection each ([band=all,fold=1|2]) the axes that do, of more
// selections the first two.
func apart(is, was string) (string, string) {
	pairs := func(text string) []string {
		_, inner, _ := strings.Cut(strings.TrimSuffix(text, "]"), "[")
		return strings.Split(inner, ",")
	}
	only := func(text, other string) string {
		from, _, selects := strings.Cut(text, "[")
		switch {
		case !selects:
		case strings.Count(text+other, "[") == 2 && len(pairs(text)) == len(pairs(other)):
			differ := slices.DeleteFunc(pairs(text), func(p string) bool { return slices.Contains(pairs(other), p) })
			if len(differ) > 0 {
				return from + "[" + strings.Join(differ, ",") + "]"
			}
			return from
		case strings.Count(text, "][") > 1:
			return strings.Join(strings.SplitN(text, "][", 3)[:2], "][") + "][…]"
		}
		return text
	}
	return only(is, was), only(was, is)
}

// Values are what its sentences use.
func (p *LockedPlan) Values() map[string]any {
	universes := slices.ContainsFunc(p.Lines, func(l Planned) bool { return l.About == PlannedUniverse })
	rules, others := 0, 0
	for _, d := range p.Differences {
		if d.About == "" {
			rules++ // which are all listed
		} else if d.About == PlannedUniverse {
			others++
		}
	}
	if others < 3 { // which are listed
		others = 0
	}
	return map[string]any{"Locked": p.Locked, "Trained": p.Trained, "Digest": p.Digest, "Differences": p.Differences,
		"Universes": universes, "Others": others, "Shown": rules + 6, "Listed": rules + 12}
}

// Keeps reports whether a parameter of a stage is as the plan states it.
func (p *LockedPlan) Keeps(stage, parameter string) bool {
	return !slices.ContainsFunc(p.Differences, func(d PlanDifference) bool {
		return d.Option == "" && d.Stage == stage && (d.Name == parameter || d.Name == "")
	})
}

// When a parameter of a kind was stated, beside the results; "" where no plan shows it.
const (
	StatedBefore = "before"
	StatedAfter  = "after" // it is not that of the plan
)

// Stated is when a parameter of a kind was stated.
func (s *Settings) Stated(kind, parameter string) string {
	plan, stage := s.Locked, s.Of(kind)
	switch {
	case plan == nil || stage == nil:
		return ""
	case !plan.Keeps(stage.Stage, parameter):
		return StatedAfter
	case plan.Trained > 0:
		return ""
	}
	return StatedBefore
}

// Limits are what limits an analysis that does not follow its plan.
func (p *LockedPlan) Limits() (all List) {
	if len(p.Differences) > 0 {
		all.Study("plan.differs", Limits, p.Values())
	}
	if p.Trained > 0 {
		all.Study("plan.late", Limits, p.Values())
	}
	return all
}
