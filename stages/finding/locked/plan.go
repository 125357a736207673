// Package locked has plans that are locked before the results, and compares runs with them.
package locked

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
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/stages/column"
)

// A Plan is what the analyses of a pipeline were to be, written down before its results (pipeline lock --plan).
type Plan struct {
	Locked      string // when: UTC
	Program     string
	Trained     int // models with a result in the store at that time
	Lines       []Line
	Digest      string       // SHA-256 of the file without its own line
	Differences []Difference // between the plan and this run
}

// A Line is one line of a plan.
type Line struct {
	About       string // see below; "" for what another version states
	Option      string // of which the parameter is one: "motion=cut"
	Stage, Name string // the parameter or port
	Value       string // as the file has it; all of a line about no stage
}

// What a line of a plan is about.
const (
	AboutStage     = "stage" // its kind
	AboutParameter = "parameter"
	AboutInput     = "input"
	AboutUniverse  = "universe"
)

// A Difference is a line of a run that is not in the plan, or the other way round, or has another value there.
type Difference struct {
	How, About, Option, Stage, Name string
	Is, Was                         string
}

// How a run differs from its plan.
const (
	Changed = "changed"
	Added   = "added"
	Missing = "missing"
)

const (
	planHead    = "plan of a pipeline, version 1"
	planLocked  = "locked: "
	planProgram = "program: "
	planTrained = "models trained before: "
	planDigest  = "sha256: "
)

// String is the line.
func (p Line) String() string {
	name := p.Stage + "." + p.Name
	switch {
	case p.About == AboutStage:
		return p.Stage + isStage + p.Value
	case p.Option != "":
		return with + p.Option + ", " + name + isEqual + p.Value
	case p.About == AboutParameter:
		return name + isEqual + p.Value
	case p.About == AboutInput:
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

// readLine reads a line.
func readLine(line string) Line {
	switch {
	case strings.HasPrefix(line, universeOf):
		return Line{About: AboutUniverse, Value: line}
	case strings.HasPrefix(line, excluded):
		return Line{Value: line}
	}
	const values = `" | "`
	if name, value, is := strings.Cut(line, isEqual); is {
		p := Line{About: AboutParameter, Value: value}
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
		return Line{About: AboutStage, Stage: stage, Value: kind}
	}
	if name, value, is := strings.Cut(line, takes); is {
		p := Line{About: AboutInput, Value: value}
		p.Stage, p.Name, _ = strings.Cut(name, ".")
		return p
	}
	return Line{Value: line}
}

// Of are the lines of a plan: the parameters of all stages, their connections, and the universes. Data and places
// of files are no part of it.
func Of(settings *encoding.Table) ([]Line, error) {
	rows, err := column.Rows[column.SettingRow](settings)
	if err != nil {
		return nil, err
	}
	var lines []Line
	flat := func(text string) string { return strings.ReplaceAll(text, "\n", " ") }
	pages := map[string]bool{} // what they show is no part of the analysis
	for _, stage := range lists.By(rows, func(r column.SettingRow) string { return r.Stage }) {
		lines = append(lines, Line{About: AboutStage, Stage: stage.Key, Value: stage.All[0].Kind})
		pages[stage.Key] = stage.All[0].Kind == "report" || stage.All[0].Kind == "summary"
		for _, p := range lists.By(stage.All, func(r column.SettingRow) string { return r.Parameter }) {
			if p.Key != "" {
				values := lists.Map(p.All, func(r column.SettingRow) string {
					return strconv.Quote(strings.Join(r.Value, ", "))
				})
				slices.Sort(values) // options have no order
				lines = append(lines, Line{About: AboutParameter, Stage: stage.Key, Name: p.Key,
					Value: strings.Join(values, " | ")})
			}
		}
	}
	links, err := column.MetaOf[[]column.Link](settings.Meta, column.SettingLinks)
	if err != nil {
		return nil, err
	}
	for _, of := range lists.By(links, func(l column.Link) Line {
		return Line{About: AboutInput, Stage: l.Stage, Name: l.Port}
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
	var universes, sets []Line // options have no order
	for _, universe := range planned.Universes {
		parts := make([]string, len(universe))
		for i, at := range universe {
			parts[i] = planned.Decisions[i].Name + "=" + planned.Decisions[i].Options[at].Name
		}
		universes = append(universes, Line{About: AboutUniverse,
			Value: flat(universeOf + strings.Join(parts, " "))})
	}
	for _, decision := range planned.Decisions {
		for _, o := range decision.Options {
			for _, set := range o.Sets {
				sets = append(sets, Line{AboutParameter, flat(decision.Name + "=" + o.Name), set.Stage,
					set.Parameter, strconv.Quote(strings.Join(set.Value, ", "))})
			}
		}
	}
	var not []Line
	for _, n := range d.Not {
		of := lists.Map(n.Of, func(o column.NotOptions) string {
			return o.Decision + "=" + strings.Join(slices.Sorted(slices.Values(o.Options)), "|")
		})
		slices.Sort(of)
		text := excluded + strings.Join(of, " ")
		if n.Because != "" {
			text += because + n.Because
		}
		not = append(not, Line{Value: flat(text)})
	}
	for _, part := range [][]Line{universes, sets, not} {
		slices.SortFunc(part, func(a, b Line) int { return strings.Compare(a.String(), b.String()) })
		lines = append(lines, part...)
	}
	if d.Left > 0 {
		lines = append(lines, Line{Value: fmt.Sprintf("sample: %d of %d universes not drawn, seed %s", d.Left, d.All,
			d.Seed)})
	}
	return lines, nil
}

// Text is the file.
func (p *Plan) Text() []byte {
	head := []string{planHead, planLocked + p.Locked, planProgram + p.Program, planTrained + strconv.Itoa(p.Trained)}
	lines := append(head, lists.Map(p.Lines, Line.String)...)
	digest := planDigest + digestOf(lines)
	return []byte(strings.Join(slices.Insert(lines, len(head), digest, ""), "\n") + "\n")
}

func digestOf(lines []string) string {
	d := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(d[:])
}

// Read reads the file, and refuses one that was changed.
func Read(text []byte) (*Plan, error) {
	lines := strings.Split(strings.TrimRight(string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))), "\n"), "\n")
	if lines[0] != planHead || len(lines) < 6 {
		return nil, fmt.Errorf("the file does not begin with %q: pipeline lock --plan FILE writes a plan", planHead)
	}
	p := &Plan{}
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
	p.Lines = lists.Map(lines[6:], readLine)
	if digestOf(slices.Concat(lines[:4], lines[6:])) != p.Digest {
		return nil, fmt.Errorf("the plan was changed after it was locked on %s: its SHA-256 is not that of its text", p.Locked)
	}
	return p, nil
}

// Compare lists what differs in other lines: values of parameters and connections by name, and what only one of both
// has. Of a stage that only one has, nothing else is listed. What not excludes and sample draws comes first, then other
// universes; what inputs select follows from these.
func (p *Plan) Compare(now []Line) (all []Difference) {
	lines, now := decided(p.Lines, now), decided(now, p.Lines)
	was, is := byName(lines), byName(now)
	only := func(how string, lines []Line, in map[Line]string) {
		for _, l := range lines {
			nested := l.Option == "" && (l.About == AboutParameter || l.About == AboutInput)
			_, stage := in[Line{About: AboutStage, Stage: l.Stage}]
			if _, there := in[l.named()]; !there && (stage || !nested) {
				all = append(all, Difference{how, l.About, l.Option, l.Stage, l.Name, l.Value, ""})
			}
		}
	}
	for _, l := range now {
		if before, there := was[l.named()]; there && before != l.Value {
			d := Difference{Changed, l.About, l.Option, l.Stage, l.Name, l.Value, before}
			if l.About == AboutInput {
				d.Is, d.Was = apart(d.Is, d.Was)
			}
			all = append(all, d)
		}
	}
	only(Added, now, was)
	only(Missing, lines, is)
	if slices.Equal(headlines(lines), headlines(now)) {
		all = slices.DeleteFunc(all, func(d Difference) bool { return d.Name == headline && d.Option == "" })
	}
	universe := func(d Difference) bool { return d.About == AboutUniverse }
	others := slices.ContainsFunc(all, universe)
	all = slices.DeleteFunc(all, func(d Difference) bool {
		return others && d.How == Changed && d.About == AboutInput &&
			unselected(was[Line{d.About, d.Option, d.Stage, d.Name, ""}]) ==
				unselected(is[Line{d.About, d.Option, d.Stage, d.Name, ""}])
	})
	place := map[string]int{"": -2, AboutUniverse: -1}
	slices.SortStableFunc(all, func(a, b Difference) int { return cmp.Compare(place[a.About], place[b.About]) })
	return all
}

// decided are lines without the decisions that have one option here and are in no universe of the others: they make no
// universe another, and what the option sets is compared itself.
func decided(lines, others []Line) (all []Line) {
	decisions, universes, with := map[string]bool{}, 0, map[string]int{}
	decision := func(option string) string { name, _, _ := strings.Cut(option, "="); return name }
	for _, l := range others {
		for _, option := range l.options() {
			decisions[decision(option)] = true
		}
	}
	for _, l := range lines {
		options := l.options()
		universes += min(1, len(options))
		for _, option := range options {
			with[option]++
		}
	}
	alone := func(option string) bool { return !decisions[decision(option)] && with[option] == universes }
	for _, l := range lines {
		options := l.options()
		own := slices.DeleteFunc(slices.Clone(options), alone)
		switch {
		case l.Option != "" && universes > 0 && alone(l.Option), options != nil && len(own) == 0:
			continue
		case options != nil:
			l.Value = universeOf + strings.Join(own, " ")
		}
		all = append(all, l)
	}
	return all
}

// options are those of a universe.
func (p Line) options() []string {
	if p.About != AboutUniverse {
		return nil
	}
	return strings.Fields(strings.TrimPrefix(p.Value, universeOf))
}

// headline is the parameter of stages that have one.
const headline = "headline"

// headlines are those of all stages, each once: coordinates have no order, and some of them may fit one universe.
func headlines(lines []Line) (all []string) {
	for _, l := range lines {
		coords := strings.Split(strings.Trim(l.Value, `"`), ", ")
		if l.About != AboutParameter || l.Option != "" || l.Name != headline || coords[0] == "" {
			continue
		}
		slices.Sort(coords)
		fits := slices.DeleteFunc(slices.Clone(lines), func(u Line) bool {
			options := u.options()
			return slices.ContainsFunc(coords, func(c string) bool { return !slices.Contains(options, c) })
		})
		if len(fits) == 1 {
			coords = fits[0].options()
		}
		all = append(all, strings.Join(coords, " "))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// unselected is a connection without its selections: the results that it takes.
func unselected(text string) string { return selection.ReplaceAllString(text, "") }

var selection = pattern.New(`\[[^\]]*\]`)

// named is what a line is about, without its value.
func (p Line) named() Line {
	if p.Stage != "" {
		p.Value = ""
	}
	return p
}

func byName(lines []Line) map[Line]string {
	all := map[Line]string{}
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
func (p *Plan) Values() map[string]any {
	universes := slices.ContainsFunc(p.Lines, func(l Line) bool { return l.About == AboutUniverse })
	rules, others := 0, 0
	for _, d := range p.Differences {
		if d.About == "" {
			rules++ // which are all listed
		} else if d.About == AboutUniverse {
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
func (p *Plan) Keeps(stage, parameter string) bool {
	return !slices.ContainsFunc(p.Differences, func(d Difference) bool {
		return d.Option == "" && d.Stage == stage && (d.Name == parameter || d.Name == "")
	})
}

// Redefines reports whether a universe is another analysis than in the plan, where its options have the same names:
// something differs in a stage that is not beside the analysis, other than options that the universe does not have.
func (p *Plan) Redefines(universe []string, beside func(stage string) bool) bool {
	differ := func(d Difference) bool {
		set := func(option, stage, name string) bool { // by options, whose values are compared
			return option != "" && stage == d.Stage && strings.TrimPrefix(name, "in.") == d.Name
		}
		decision, _, _ := strings.Cut(d.Option, "=")
		switch {
		case d.Stage == "" || beside(d.Stage):
			return false
		case d.Option == "":
			return !slices.ContainsFunc(p.Lines, func(l Line) bool { return set(l.Option, l.Stage, l.Name) }) &&
				!slices.ContainsFunc(p.Differences, func(o Difference) bool { return set(o.Option, o.Stage, o.Name) })
		}
		return d.How != Missing && !slices.ContainsFunc(universe, func(option string) bool {
			return strings.HasPrefix(option, decision+"=") && option != d.Option
		})
	}
	return slices.ContainsFunc(p.Differences, differ)
}
