package present

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/literature"
	"prgnn/stages/report"
)

// pipelineSettings are the parameters of the stages of a pipeline (pipeline.settings).
type pipelineSettings struct {
	pipeline string
	table    *encoding.Table // nil when they are not connected
	stages   []stageSettings // in the order of the file
}

type stageSettings struct {
	stage, kind string
	tasks       int32
	parameters  []string // in their order
	value       map[string]string
}

func readPipelineSettings(t *dag.Task) (*pipelineSettings, error) {
	s := &pipelineSettings{}
	if !t.Has("settings") {
		return s, nil
	}
	table, err := t.In("settings").Table()
	if err != nil {
		return nil, err
	}
	s.table, s.pipeline = table, table.Meta["pipeline"]
	rows, err := column.Read[settingRow](t.In("settings"))
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if n := len(s.stages); n == 0 || s.stages[n-1].stage != r.Stage {
			s.stages = append(s.stages, stageSettings{r.Stage, r.Kind, r.Tasks, nil, map[string]string{}})
		}
		last := &s.stages[len(s.stages)-1]
		last.parameters, last.value[r.Parameter] = append(last.parameters, r.Parameter), r.Value
	}
	return s, nil
}

// A settingRow is one parameter of one stage (pipeline.settings).
type settingRow struct {
	Stage     string `column:"stage"`
	Kind      string `column:"kind"`
	Tasks     int32  `column:"tasks,optional"`
	Parameter string `column:"parameter"`
	Value     string `column:"value"`
	Default   string `column:"default"`
}

// of is the first stage of a kind; nil when there is none.
func (s *pipelineSettings) of(kind string) *stageSettings {
	for i := range s.stages {
		if s.stages[i].kind == kind {
			return &s.stages[i]
		}
	}
	return nil
}

func (s *stageSettings) is(parameter, value string) bool { return s.value[parameter] == value }

// number is a parameter as a number, 0 when it is none (an axis has several).
func (s *stageSettings) number(parameter string) float64 {
	x, err := strconv.ParseFloat(s.value[parameter], 64)
	if err != nil {
		return 0
	}
	return x
}

// a methodsText is the paragraph while it is written, and the works that it cites.
type methodsText struct {
	sentences []string
	cited     []string // keys of literature
	pandoc    bool     // cite by key, as pandoc does, and not by number
}

func (m *methodsText) say(format string, args ...any) {
	m.sentences = append(m.sentences, fmt.Sprintf(format, args...))
}

// cite is "[3]" for a work of the literature, or "[@key]".
func (m *methodsText) cite(keys ...string) string {
	var numbers []string
	for _, k := range keys {
		if _, ok := literature.Works[k]; !ok {
			panic("stages: the literature has no " + k)
		}
		i := slices.Index(m.cited, k)
		if i < 0 {
			i = len(m.cited)
			m.cited = append(m.cited, k)
		}
		numbers = append(numbers, strconv.Itoa(i+1))
	}
	if m.pandoc {
		return "[@" + strings.Join(keys, "; @") + "]"
	}
	return "[" + strings.Join(numbers, ", ") + "]"
}

// methods writes the paragraphs from the parameters as they were.
func (a *author) methods() error {
	if a.run.table == nil {
		return nil
	}
	if err := a.readSilence(); err != nil {
		return err
	}
	m := &a.cited
	for _, part := range []struct {
		title string
		say   func(*methodsText)
	}{
		{"Participants and scans", func(m *methodsText) { a.methodsOfCohort(m); a.methodsOfScans(m) }}, {"Series, correlations and graphs", a.methodsOfGraphs},
		{"Model and training", a.methodsOfTraining}, {"Evaluation and regions", a.methodsOfEvaluation},
	} {
		m.sentences = nil
		part.say(m)
		if len(m.sentences) == 0 {
			continue
		}
		if len(a.section.Blocks) == 0 {
			a.add(report.Block{Note: "Written from the parameters of this run; it may be copied into a paper."})
		}
		a.heading(part.title)
		a.say("%s", strings.Join(m.sentences, " "))
	}
	return nil
}

// references lists the works that the methods cite.
func (a *author) references() error {
	var list []string
	for _, key := range a.cited.cited {
		list = append(list, literature.Works[key].String())
	}
	if list != nil {
		a.add(report.Block{References: list})
	}
	return nil
}
