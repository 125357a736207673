package column

import (
	"strings"

	"prgnn/internal/lists"
)

// A SettingRow is one value of one parameter of one stage (pipeline.settings): an axis has several. A value is a list,
// of one item where the parameter is none.
type SettingRow struct {
	Stage     string   `column:"stage"`
	Kind      string   `column:"kind"`
	Tasks     int32    `column:"tasks,optional"`
	Parameter string   `column:"parameter"`
	Value     []string `column:"value"`
	Default   []string `column:"default"`
	Unit      string   `column:"unit,optional"`
	Doc       string   `column:"doc,optional"`
	Of        []string `column:"of,optional" doc:"models that the parameter is of; none: all"`
	Zero      string   `column:"zero,optional" doc:"what a value of 0 stands for"`
}

// The metadata of pipeline.settings, in JSON: the connections of its stages, a list of Link, the code identity of each
// kind, by its name, and what analyses differ in, Decisions, if they do, without and with their models.
const (
	SettingLinks     = "inputs"
	SettingCodes     = "code"
	SettingDecisions = "decisions"
	SettingModels    = "decisions with models"
)

// Decisions are what the analyses of a pipeline file differ in: its decisions and universes, or axes of matrices.
type Decisions struct {
	Decisions []Decision `json:"decisions"`
	Universes [][]int32  `json:"universes"` // the place of an option for each decision
	Not       []Not      `json:"not,omitempty"`
	All       int        `json:"all,omitempty"`  // combinations, if not or sample leaves some out
	Left      int        `json:"left,omitempty"` // those that sample did not draw
	Seed      string     `json:"seed,omitempty"` // of the sample
}

// A Not is what universes have in common that make no sense.
type Not struct {
	Of      []NotOptions `json:"of"`
	Because string       `json:"because,omitempty"`
	Number  int          `json:"number"` // of universes, without those that one before it excludes
}

// NotOptions are options of a decision.
type NotOptions struct {
	Decision string   `json:"decision"`
	Options  []string `json:"options"`
}

// A Decision is one choice of an analysis.
type Decision struct {
	Name    string   `json:"name"`
	Options []Option `json:"options"`
}

// An Option has a value for each parameter that some option of its decision sets.
type Option struct {
	Name string      `json:"name"`
	Sets []OptionSet `json:"sets"`
}

// An OptionSet is the value of a parameter of a stage.
type OptionSet struct {
	Stage     string   `json:"stage"`
	Parameter string   `json:"parameter"`
	Value     []string `json:"value"`
}

// A Result is the output of a stage, "train.predictions" as text.
type Result struct{ Stage, Output string }

// Results reads texts, also those of references to some tasks of a stage, "train[fold=1].predictions". One without a
// point is of the stage's only output.
func Results(texts ...string) []Result { return lists.Map(texts, resultOf) }

func resultOf(text string) Result {
	before, behind, _ := strings.Cut(text, "[")
	if _, rest, selects := strings.Cut(behind, "]"); selects {
		before += rest
	}
	stage, output, _ := strings.Cut(before, ".")
	return Result{stage, output}
}

func (r Result) String() string { return r.Stage + "." + r.Output }

// MarshalText writes the text.
func (r Result) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads it.
func (r *Result) UnmarshalText(text []byte) error {
	*r = resultOf(string(text))
	return nil
}

// A Link is the connection of an input to the output of another stage.
type Link struct {
	Stage string `json:"stage"`
	Port  string `json:"port"`
	From  Result `json:"from"`
	Of    string `json:"of,omitempty"`    // the tasks of From's stage, as selections in brackets; "": its only one
	Aside bool   `json:"aside,omitempty"` // no prediction of the stage depends on it
	Fits  string `json:"fits,omitempty"`  // the parameter with the one group that From's stage is fitted to
	Data  string `json:"data,omitempty"`  // what From holds, a Data as text; "": unknown
}
