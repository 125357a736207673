package describe

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/pipelines"
	"prgnn/stages/cohort"
	"prgnn/stages/role"
)

// Kinds lists the stage kinds and the cohort kinds.
func Kinds(a *console.Console) {
	if a.JSON {
		for _, k := range dag.Kinds() {
			a.Object("kind", kindJSON(k))
		}
		for _, c := range cohort.Kinds() {
			a.Object("cohort", cohortJSON(c))
		}
		return
	}
	topics := map[string][]*dag.Kind{}
	for _, k := range dag.Kinds() {
		topics[topic(k)] = append(topics[topic(k)], k)
	}
	fmt.Fprintln(a.Out, "stage kinds by topic (use: KIND)")
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		fmt.Fprintf(a.Out, "\n%s\n", name)
		g := console.Grid{Indent: "  ", Wide: a.Wide()}
		for _, k := range topics[name] {
			g.Add(k.Name, summary(k.Doc))
		}
		g.Print(a.Out)
	}
	g := console.Grid{Indent: "  ", Wide: a.Wide()}
	for _, c := range cohort.Kinds() {
		g.Add(c.Name, summary(c.Doc))
	}
	if len(g.Rows) > 0 {
		fmt.Fprintln(a.Out, "\ncohort kinds (cohort: { KIND: … })")
		g.Print(a.Out)
	}
	fmt.Fprintln(a.Out, "\npipeline stages NAME describes one.")
}

// topic is the package that has a kind: that in stages of our own (stages/prepare/extract is prepare), else the last
// element of its path.
func topic(k *dag.Kind) string {
	of := reflect.TypeOf(k.New())
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	own, ours := strings.CutPrefix(of.PkgPath(), "prgnn/stages/")
	if ours {
		name, _, _ := strings.Cut(own, "/")
		return name
	}
	return path.Base(own)
}

// Kind describes one stage kind or cohort kind: its documentation, parameters and ports.
func Kind(a *console.Console, name string) error {
	names := lists.Map(dag.Kinds(), func(k *dag.Kind) string { return k.Name })
	k, isKind := dag.Lookup(name)
	var found *cohort.Source
	for _, c := range cohort.Kinds() {
		names = append(names, c.Name)
		if c.Name == name {
			found = &c
		}
	}
	if !isKind && found == nil {
		slices.Sort(names)
		return exit.Wrongf("%v", pipelines.UnknownKind(name, slices.Compact(names)))
	}
	if isKind {
		if a.JSON {
			a.Object("kind", kindJSON(k))
		} else {
			printKind(a, k)
		}
	}
	if found != nil {
		if a.JSON {
			a.Object("cohort", cohortJSON(*found))
		} else {
			if isKind {
				fmt.Fprintln(a.Out)
			}
			printCohort(a, *found)
		}
	}
	return nil
}

func printKind(a *console.Console, k *dag.Kind) {
	s := k.New()
	fmt.Fprintf(a.Out, "%s\n%s\n", a.Page.Bold(k.Name), paragraphs(a, k.Doc))
	printParams(a, param.Of(s))
	ports := s.Ports()
	for i := range ports.In {
		ports.In[i].Doc += usually(k.Name, ports.In[i].Name)
	}
	printPorts(a, "inputs (in:)", ports.In, role.Port(s, role.Checks))
	printPorts(a, "outputs; the first is the default", ports.Out, "")
}

// usually ends the description of a port with what it usually takes.
func usually(kind, port string) string {
	u := role.UsualOf(kind, port)
	switch {
	case len(u.From) == 0:
		return ""
	case u.All:
		return "; usually all of " + strings.Join(u.From, ", ")
	}
	text := "; usually " + strings.Join(u.From, ", else ")
	if u.Rivals != nil {
		text += ", but by hand beside " + strings.Join(u.Rivals, " or ")
	}
	return text
}

func printCohort(a *console.Console, c cohort.Source) {
	fmt.Fprintf(a.Out, "%s (cohort)\n%s\n", a.Page.Bold(c.Name), paragraphs(a, c.Doc))
	printParams(a, cohortParams(c))
	fmt.Fprintf(a.Out, "\n%s\n", paragraphs(a, "With any kind, under cohort: exclude: [sub-003] excludes participants (or rows); limit: 20 takes 20 of them, each group in proportion (at least one), spread evenly over the list."))
}

// cohortParams are the parameters of a cohort kind: it is tagged like a stage.
func cohortParams(c cohort.Source) []param.Param { return param.Of(c.New()) }

func paragraphs(a *console.Console, doc string) string {
	lines := strings.Split(strings.TrimSpace(doc), "\n")
	if w := a.Wide(); w > 0 {
		for i, l := range lines {
			lines[i] = console.Wrapped(l, "", w)
		}
	}
	return strings.Join(lines, "\n")
}

func printParams(a *console.Console, params []param.Param) {
	if len(params) == 0 {
		return
	}
	fmt.Fprintln(a.Out, "\nparameters (with:)")
	g := console.Grid{Indent: "  ", Wide: a.Wide()}
	for _, p := range params {
		g.Add(p.Name, valueText(p.Default), typeText(p), p.Doc)
	}
	g.Print(a.Out)
}

// printPorts prints ports; checks is the one at which the stage waits for checks.
func printPorts(a *console.Console, title string, ports []dag.Port, checks string) {
	if len(ports) == 0 {
		return
	}
	fmt.Fprintf(a.Out, "\n%s\n", title)
	g := console.Grid{Indent: "  ", Wide: a.Wide()}
	for _, p := range ports {
		doc := p.Doc
		if len(p.Type.Columns) > 0 {
			doc += "; columns: " + strings.Join(p.Type.Columns, ", ")
		}
		g.Add(p.Name, portText(p, p.Name == checks), doc)
	}
	g.Print(a.Out)
}

// typeText is type, unit, choices and range of a parameter.
func typeText(p param.Param) string {
	t := p.Type
	if len(p.Choices) > 0 {
		t = strings.Join(p.Choices, " | ")
	}
	if p.Unit != "" {
		t += " (" + p.Unit + ")"
	}
	switch {
	case p.Min != "" && p.Max != "":
		t += ", " + p.Min + " to " + p.Max
	case p.Min != "":
		t += ", at least " + p.Min
	case p.Max != "":
		t += ", at most " + p.Max
	}
	return t
}

func portText(p dag.Port, checks bool) string {
	t := p.Type.Format
	if t == "" {
		t = "anything"
	}
	if p.Type.DType != "" {
		t += " " + p.Type.DType
	}
	if len(p.Type.Axes) > 0 {
		t += " [" + strings.Join(p.Type.Axes, ", ") + "]"
	}
	if p.Gather {
		t += ", gathers"
	}
	if checks {
		t += ", connected automatically to every stage of the kind " + strings.Join(checkKinds(), " or ")
	} else if p.Optional {
		t += ", optional"
	}
	return t
}

// checkKinds are the kinds that other stages wait for.
func checkKinds() (names []string) {
	for _, k := range dag.Kinds() {
		if _, ok := k.New().(role.Check); ok {
			names = append(names, k.Name)
		}
	}
	return names
}

// valueText is a parameter's value the way YAML would have it.
func valueText(v any) string {
	switch x := v.(type) {
	case string:
		if x == "" {
			return `""`
		}
		return x
	case []string:
		return "[" + strings.Join(x, ", ") + "]"
	case []int, []float64:
		return strings.ReplaceAll(fmt.Sprint(x), " ", ", ")
	}
	return fmt.Sprint(v)
}

func summary(doc string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(doc), "\n")
	return first
}

type paramJSON struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Default any      `json:"default"`
	Unit    string   `json:"unit,omitempty"`
	Choices []string `json:"choices,omitempty"`
	Min     string   `json:"min,omitempty"`
	Max     string   `json:"max,omitempty"`
	Doc     string   `json:"doc"`
}

type portJSON struct {
	Name     string   `json:"name"`
	Format   string   `json:"format"`
	DType    string   `json:"dtype,omitempty"`
	Axes     []string `json:"axes,omitempty"`
	Columns  []string `json:"columns,omitempty"`
	Gather   bool     `json:"gather,omitempty"`
	Optional bool     `json:"optional,omitempty"`
	Doc      string   `json:"doc"`
}

type stageJSON struct {
	Name       string      `json:"name"`
	Topic      string      `json:"topic,omitempty"`
	Doc        string      `json:"doc"`
	Code       string      `json:"code,omitempty"`
	Parameters []paramJSON `json:"parameters"`
	In         []portJSON  `json:"in,omitempty"`
	Out        []portJSON  `json:"out,omitempty"`
}

func kindJSON(k *dag.Kind) stageJSON {
	s := k.New()
	ports := s.Ports()
	code, _ := k.CodeDigest() // "" where even the program's own file cannot be read
	return stageJSON{k.Name, topic(k), k.Doc, code, paramsJSON(param.Of(s)), portsJSON(ports.In),
		portsJSON(ports.Out)}
}

func cohortJSON(c cohort.Source) stageJSON {
	return stageJSON{Name: c.Name, Doc: c.Doc, Parameters: paramsJSON(cohortParams(c))}
}

func paramsJSON(params []param.Param) []paramJSON {
	out := []paramJSON{}
	for _, p := range params {
		out = append(out, paramJSON{p.Name, p.Type, p.Default, p.Unit, p.Choices, p.Min, p.Max, p.Doc})
	}
	return out
}

func portsJSON(ports []dag.Port) []portJSON {
	out := []portJSON{}
	for _, p := range ports {
		out = append(out, portJSON{p.Name, p.Type.Format, p.Type.DType, p.Type.Axes, p.Type.Columns, p.Gather,
			p.Optional, p.Doc})
	}
	return out
}
