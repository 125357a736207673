package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/dag"
	"prgnn/stages"
	"prgnn/stages/cohort"
)

func (a *app) stagesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stages [NAME]",
		Short: "the stage kinds; one kind's parameters and ports",
		Long: `Lists the stage kinds that a pipeline file may use, and the cohort kinds. With a NAME: what
it does, its parameters with defaults, types, units and allowed values, and its ports.`,
		Example: `  pipeline stages
  pipeline stages graph`,
		Args:              between(0, 1),
		ValidArgsFunction: completeKind,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				a.stageList()
				return nil
			}
			return a.stage(args[0])
		},
	}
}

func (a *app) stageList() {
	if a.json {
		for _, k := range stages.Kinds() {
			a.object(kindJSON(k))
		}
		for _, c := range stages.Cohorts() {
			a.object(cohortJSON(c))
		}
		return
	}
	g := grid{indent: "  ", wide: a.wide()}
	for _, k := range stages.Kinds() {
		g.add(k.Name, summary(k.Doc))
	}
	fmt.Fprintln(a.out, "stage kinds (use: KIND)")
	g.print(a.out)
	g = grid{indent: "  ", wide: a.wide()}
	for _, c := range stages.Cohorts() {
		g.add(c.Name, summary(c.Doc))
	}
	if len(g.rows) > 0 {
		fmt.Fprintln(a.out, "\ncohort kinds (cohort: { KIND: … })")
		g.print(a.out)
	}
	fmt.Fprintln(a.out, "\npipeline stages NAME tells more about one.")
}

func (a *app) stage(name string) error {
	var names []string
	for _, k := range stages.Kinds() {
		names = append(names, k.Name)
	}
	k, isKind := stages.Lookup(name)
	var cohort *cohort.Source
	for _, c := range stages.Cohorts() {
		names = append(names, c.Name)
		if c.Name == name {
			cohort = &c
		}
	}
	if !isKind && cohort == nil {
		slices.Sort(names)
		return wrongf("there is no stage kind %q%s", name, meant(name, slices.Compact(names)))
	}
	if isKind {
		if a.json {
			a.object(kindJSON(k))
		} else {
			a.printKind(k)
		}
	}
	if cohort != nil {
		if a.json {
			a.object(cohortJSON(*cohort))
		} else {
			if isKind {
				fmt.Fprintln(a.out)
			}
			a.printCohort(*cohort)
		}
	}
	return nil
}

func (a *app) printKind(k *dag.Kind) {
	s := k.New()
	fmt.Fprintf(a.out, "%s\n%s\n", a.page.bold(k.Name), a.paragraphs(k.Doc))
	a.printParams(dag.Params(s))
	ports := s.Ports()
	a.printPorts("inputs (in:)", ports.In)
	a.printPorts("outputs; the first is meant when none is named", ports.Out)
}

func (a *app) printCohort(c cohort.Source) {
	fmt.Fprintf(a.out, "%s (cohort)\n%s\n", a.page.bold(c.Name), a.paragraphs(c.Doc))
	a.printParams(cohortParams(c))
	fmt.Fprintf(a.out, "\n%s\n", a.paragraphs("Beside any kind, under cohort: exclude: [sub-003] leaves participants out; limit: 20 takes 20 of them, each group in proportion (at least one), spread evenly over the list."))
}

// cohortParams are the parameters of a cohort kind: it is tagged like a stage.
func cohortParams(c cohort.Source) []dag.Param { return dag.Params(c.New()) }

// wide is how many columns a terminal has; 0 when stdout is none, and lines stay whole.
func (a *app) wide() int {
	if !a.page.is() {
		return 0
	}
	w, _ := a.page.size()
	return w
}

// paragraphs are those of a doc, each wrapped.
func (a *app) paragraphs(doc string) string {
	lines := strings.Split(strings.TrimSpace(doc), "\n")
	if w := a.wide(); w > 0 {
		for i, l := range lines {
			lines[i] = wrapped(l, "", w)
		}
	}
	return strings.Join(lines, "\n")
}

func (a *app) printParams(params []dag.Param) {
	if len(params) == 0 {
		return
	}
	fmt.Fprintln(a.out, "\nparameters (with:)")
	g := grid{indent: "  ", wide: a.wide()}
	for _, p := range params {
		g.add(p.Name, valueText(p.Default), typeText(p), p.Doc)
	}
	g.print(a.out)
}

func (a *app) printPorts(title string, ports []dag.Port) {
	if len(ports) == 0 {
		return
	}
	fmt.Fprintf(a.out, "\n%s\n", title)
	g := grid{indent: "  ", wide: a.wide()}
	for _, p := range ports {
		doc := p.Doc
		if len(p.Type.Columns) > 0 {
			doc += "; columns: " + strings.Join(p.Type.Columns, ", ")
		}
		g.add(p.Name, portText(p), doc)
	}
	g.print(a.out)
}

// typeText is type, unit, choices and range of a parameter.
func typeText(p dag.Param) string {
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

func portText(p dag.Port) string {
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
	if p.Gate != "" {
		t += ", connected by itself to every stage of the kind " + p.Gate
	} else if p.Optional {
		t += ", optional"
	}
	return t
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
	Event      string      `json:"event"` // "kind" or "cohort"
	Name       string      `json:"name"`
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
	return stageJSON{"kind", k.Name, k.Doc, code, paramsJSON(dag.Params(s)), portsJSON(ports.In), portsJSON(ports.Out)}
}

func cohortJSON(c cohort.Source) stageJSON {
	return stageJSON{Event: "cohort", Name: c.Name, Doc: c.Doc, Parameters: paramsJSON(cohortParams(c))}
}

func paramsJSON(params []dag.Param) []paramJSON {
	out := []paramJSON{}
	for _, p := range params {
		out = append(out, paramJSON{p.Name, p.Type, p.Default, p.Unit, p.Choices, p.Min, p.Max, p.Doc})
	}
	return out
}

func portsJSON(ports []dag.Port) []portJSON {
	out := []portJSON{}
	for _, p := range ports {
		out = append(out, portJSON{p.Name, p.Type.Format, p.Type.DType, p.Type.Axes, p.Type.Columns, p.Gather, p.Optional, p.Doc})
	}
	return out
}
