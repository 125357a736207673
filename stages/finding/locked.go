package finding

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
)

// A LockedPlan is what the analyses of a pipeline were to be, written down before its results (pipeline lock --plan).
type LockedPlan struct {
	Locked      string // when: UTC
	Program     string
	Trained     int // models with a result in the store at that time
	Lines       []string
	Digest      string   // SHA-256 of the file without its own line
	Differences []string // between the plan and this run
}

const (
	planHead    = "plan of a pipeline, version 1"
	planLocked  = "locked: "
	planProgram = "program: "
	planTrained = "models trained before: "
	planDigest  = "sha256: "
)

// PlanOf are the lines of a plan: the parameters of all stages, their connections, and the universes. Data and places
// of files are no part of it.
func PlanOf(settings *encoding.Table) ([]string, error) {
	rows, err := column.Rows[Parameter](settings)
	if err != nil {
		return nil, err
	}
	var lines []string
	pages := map[string]bool{} // what they show is no part of the analysis
	for _, stage := range lists.By(rows, func(r Parameter) string { return r.Stage }) {
		lines = append(lines, stage.Key+isStage+stage.All[0].Kind)
		pages[stage.Key] = stage.All[0].Kind == "report" || stage.All[0].Kind == "summary"
		for _, p := range lists.By(stage.All, func(r Parameter) string { return r.Parameter }) {
			if p.Key != "" {
				values := lists.Map(p.All, func(r Parameter) string {
					return strconv.Quote(strings.Join(r.Value, ", "))
				})
				lines = append(lines, stage.Key+"."+p.Key+isEqual+strings.Join(values, " | "))
			}
		}
	}
	links, err := column.MetaOf[[]column.Link](settings.Meta, column.SettingLinks)
	if err != nil {
		return nil, err
	}
	for _, of := range lists.By(links, func(l column.Link) string { return l.Stage + "." + l.Port }) {
		if !pages[of.All[0].Stage] {
			lines = append(lines, of.Key+takes+strings.Join(lists.Map(of.All,
				func(l column.Link) string { return l.From.String() + l.Of }), ", "))
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
	for _, universe := range planned.Universes {
		parts := make([]string, len(universe))
		for i, at := range universe {
			parts[i] = planned.Decisions[i].Name + "=" + planned.Decisions[i].Options[at].Name
		}
		lines = append(lines, "universe "+strings.Join(parts, " "))
	}
	for _, decision := range planned.Decisions {
		for _, o := range decision.Options {
			for _, set := range o.Sets {
				lines = append(lines, fmt.Sprintf("with %s=%s, %s.%s = %q", decision.Name, o.Name, set.Stage, set.Parameter,
					strings.Join(set.Value, ", ")))
			}
		}
	}
	for _, not := range d.Not {
		lines = append(lines, "excluded: "+strings.Join(lists.Map(not.Of, func(o column.NotOptions) string {
			return o.Decision + "=" + strings.Join(o.Options, "|")
		}), " "))
	}
	if d.Left > 0 {
		lines = append(lines, fmt.Sprintf("sample: %d of %d universes not drawn, seed %s", d.Left, d.All, d.Seed))
	}
	return lists.Map(lines, func(line string) string { return strings.ReplaceAll(line, "\n", " ") }), nil
}

// Text is the file.
func (p *LockedPlan) Text() []byte {
	head := []string{planHead, planLocked + p.Locked, planProgram + p.Program, planTrained + strconv.Itoa(p.Trained)}
	lines := append(head, p.Lines...)
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
	p.Lines = lines[6:]
	if digestOf(slices.Concat(lines[:4], p.Lines)) != p.Digest {
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
// has.
func (p *LockedPlan) Compare(now []string) (all []string) {
	was, is := byKey(p.Lines), byKey(now)
	only := func(lines []string, in map[string]string) (keys []string) {
		for _, line := range lines {
			key, _ := keyed(line)
			stage, _, _ := strings.Cut(key, " ")
			stage, _, nested := strings.Cut(stage, ".")
			if _, there := in[key]; !there && !(nested && in[stage+isStage] == "") {
				keys = append(keys, strings.TrimSuffix(key, isStage))
			}
		}
		return keys
	}
	for _, line := range now {
		key, value := keyed(line)
		if before, there := was[key]; there && before != value {
			is, was := bare(value), bare(before)
			if strings.HasPrefix(value, takes) {
				is, was = apart(is, was)
			}
			all = append(all, fmt.Sprintf("%s is %s instead of %s", strings.TrimSuffix(key, isStage), is, was))
		}
	}
	for _, key := range only(now, was) {
		if value := is[key]; strings.HasPrefix(value, isEqual) {
			key += value
		}
		all = append(all, key+" is not in the plan")
	}
	for _, key := range only(p.Lines, is) {
		all = append(all, key+" is missing")
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
	universes := slices.ContainsFunc(p.Lines, func(line string) bool { return strings.HasPrefix(line, "universe ") })
	return map[string]any{"Locked": p.Locked, "Trained": p.Trained, "Digest": p.Digest, "Differences": p.Differences,
		"Universes": universes}
}

// Keeps reports whether a parameter of a stage is as the plan states it.
func (p *LockedPlan) Keeps(stage, parameter string) bool {
	return !slices.ContainsFunc(p.Differences, func(d string) bool {
		return strings.HasPrefix(d, stage+"."+parameter+" ") || strings.HasPrefix(d, stage+" ")
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

// What stands between the name of something and its value.
const (
	isStage = " is a stage of the kind "
	isEqual = " = "
	takes   = " takes "
)

// keyed divides a line into what it is about and the rest.
func keyed(line string) (key, value string) {
	if strings.HasPrefix(line, "universe ") || strings.HasPrefix(line, "excluded: ") {
		return line, " "
	}
	for _, by := range []string{isEqual, isStage, takes} {
		if at := strings.Index(line, by); at >= 0 {
			if by == isStage {
				return line[:at] + isStage, line[at+len(by):]
			}
			return line[:at], line[at:]
		}
	}
	return line, " "
}

// bare is a value without the word before it.
func bare(value string) string {
	return strings.TrimPrefix(strings.TrimPrefix(value, isEqual), takes)
}

func byKey(lines []string) map[string]string {
	all := map[string]string{}
	for _, line := range lines {
		key, value := keyed(line)
		all[key] = value
	}
	return all
}
