package column

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/words"
)

// How something was made is kept in the metadata of its tables, under "made": a JSON object with the parameters of
// the stage and of those before it, "graph.density": 0.1. A trained model carries those of its graphs, so that it can
// refuse others.

// MadeBy describes how a stage makes its outputs: the description of its input, and the parameters of the
// stage, except for those that do not change the outputs.
func MadeBy(kind string, s dag.Stage, of string, except ...string) map[string]string {
	made := Made(of)
	for _, p := range param.Values(s) {
		if !slices.Contains(except, p.Name) {
			if !json.Valid([]byte(p.Text)) { // a text with control characters
				p.Text = JSON(p.Text)
			}
			made[kind+"."+p.Name] = json.RawMessage(p.Text)
		}
	}
	return map[string]string{"made": JSON(made)}
}

// MadeOf is the description of how an input was made; "" when the port is not connected.
func MadeOf(t *dag.Task, port string) (string, error) {
	if !t.Has(port) {
		return "", nil
	}
	table, err := t.In(port).Table()
	if err != nil {
		return "", err
	}
	return table.Meta["made"], nil
}

// FittedSuffix ends the names, in the metadata made, of what a stage applied that is fitted to training participants:
// residualize.fitted.
const FittedSuffix = ".fitted"

// MadeApart lists the parameters in which two descriptions differ.
func MadeApart(made, want string) []string {
	return lists.Map(MadeDiffers(made, want), func(d Difference) string { return d.Text })
}

// A Difference is one between data and those that a model was trained on.
type Difference struct {
	Key  string // by which a user accepts it: the parameter; "" where it cannot be accepted
	Text string
	Who  []string // participants that have it
}

// MadeDiffers are the parameters in which two descriptions differ.
func MadeDiffers(made, want string) (out []Difference) {
	a, b := Made(made), Made(want)
	names := slices.Collect(maps.Keys(a))
	for n := range b {
		if _, both := a[n]; !both {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	written := func(v json.RawMessage) string { return cmp.Or(string(v), "absent") }
	for _, n := range names {
		if is, was := written(a[n]), written(b[n]); is != was {
			out = append(out, Difference{Key: n, Text: fmt.Sprintf("%s is %s, not %s", n, is, was)})
		}
	}
	return out
}

// NotMade refuses names under allow in which no inputs can differ: they are neither others nor parameters in the
// metadata made of any inputs.
func NotMade(allow, made []string, others ...string) (wrong []error) {
	parameters := map[string]bool{}
	for _, text := range made {
		for name := range Made(text) {
			parameters[name] = true
		}
	}
	known := slices.Concat(others, slices.Sorted(maps.Keys(parameters)))
	for _, name := range allow {
		if !slices.Contains(known, name) {
			wrong = append(wrong, words.Refuse("%s: %q is no difference from the training data that can be accepted%s", words.Setting{Parameter: "allow"}, name, words.OrAll(name, known)))
		}
	}
	return wrong
}

// Differences are all of some participants, each once, in the order in which they were found.
type Differences []Difference

// Add adds the differences of a participant. Those of a text are one; each further one of a key of one is left to the
// first, whose text is its example.
func (all *Differences) Add(id string, one bool, more ...Difference) {
	for _, d := range more {
		at := slices.IndexFunc(*all, func(o Difference) bool { return o.Key == d.Key && (one || o.Text == d.Text) })
		if at < 0 {
			at, *all = len(*all), append(*all, d)
		}
		if o := &(*all)[at]; !slices.Contains(o.Who, id) {
			o.Who = append(o.Who, id)
		}
	}
}

// Texts are the differences, with the participants of those that not all of so many have.
func (all Differences) Texts(of int) []string {
	return lists.Map(all, func(d Difference) string {
		if len(d.Who) == of {
			return d.Text
		}
		return d.Text + " (" + words.Some(d.Who, 6) + ")"
	})
}

// Made are the parameters in the metadata made, by their names. A text that a program of the user's wrote is one.
func Made(text string) map[string]json.RawMessage {
	made := map[string]json.RawMessage{}
	if text != "" && json.Unmarshal([]byte(text), &made) != nil {
		made = map[string]json.RawMessage{"made": json.RawMessage(JSON(text))}
	}
	return made
}

// MadeValue is the value of a parameter in the metadata made; the zero value where it has none of this type.
func MadeValue[T any](made, name string) (v T) {
	if json.Unmarshal(Made(made)[name], &v) != nil {
		return *new(T)
	}
	return v
}

type nameRow struct {
	Name string `column:"name"`
}

// NodeNames are the names of a list of nodes, in order; nil when it is not connected.
func NodeNames(t *dag.Task) ([]string, error) {
	if !t.Has("nodes") {
		return nil, nil
	}
	rows, err := Read[nameRow](t.In("nodes"))
	if err != nil {
		return nil, err
	}
	names := lists.Map(rows, func(r nameRow) string { return r.Name })
	return names, nil
}

// WithMeta adds metadata to a table.
func WithMeta(t *encoding.Table, meta map[string]string) *encoding.Table {
	t.Meta = meta
	return t
}

// NewSites are sites of new participants whose effects were removed by a ComBat fit to other sites.
type NewSites struct {
	Controls   bool     // estimated on controls that are not tested; else on the tested participants
	Groups     []string `json:",omitempty"` // of the controls, where they are known: "20 HC"
	Column     string   // of the participants
	Sites      []string
	Sizes      []int32  // participants on whose matrices each was estimated
	Covariates []string // whose effects were preserved
}

// What the numbers of an output are (Data.Measure).
const (
	Pearson     = "pearson"     // correlations
	Partial     = "partial"     // partial correlations
	Covariances = "covariance"  // covariances
	Precision   = "precision"   // inverses of covariances
	Tangent     = "tangent"     // tangent vectors, of the matrices Data.Of
	Variability = "variability" // standard deviations of the matrices Data.Of over sliding windows
	Occupancies = "occupancy"   // the time in connectivity states of the matrices Data.Of
	TimeSeries  = "series"
	Profiles    = "profile" // of the degrees in a graph
	Identities  = "identity"
	Mixed       = "mixed" // several of these
)

// How series were made that data come of (Data.Series).
const (
	Denoised = "denoised"
	Raw      = "raw" // means of voxels
	AsGiven  = ""    // series or matrices of files: unknown
)

// Data are what the numbers of an output are: those of a connection, in the plan, by the output that is connected. The
// zero value is unknown: of a program or a file of the user's. It is the one source of every description.
type Data struct {
	Measure   string // "": unknown
	Of        string // the measure that a Tangent, a Variability or Occupancies come of
	Estimator string // of matrices: empirical, ledoit-wolf …; "": unknown
	FisherZ   bool   // as Fisher's z
	Series    string // that they come of, or are
}

// String is the text by which parameters and metadata have it: "measure=partial estimator=ridge series=denoised"; "" of
// what is unknown.
func (d Data) String() string {
	var parts []string
	for _, p := range [][2]string{{"measure", d.Measure}, {"of", d.Of}, {"estimator", d.Estimator},
		{"fisher_z", map[bool]string{true: "true"}[d.FisherZ]}, {"series", d.Series}} {
		if p[1] != "" {
			parts = append(parts, p[0]+"="+p[1])
		}
	}
	return strings.Join(parts, " ")
}

// ParseData reads the text of String.
func ParseData(text string) (d Data) {
	for _, part := range strings.Fields(text) {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "measure":
			d.Measure = value
		case "of":
			d.Of = value
		case "estimator":
			d.Estimator = value
		case "fisher_z":
			d.FisherZ = value == "true"
		case "series":
			d.Series = value
		}
	}
	return d
}

// Correlations reports whether the values are correlations, so that |r| ≤ 1 and Fisher's transform apply.
func (d Data) Correlations() bool {
	return (d.Measure == Pearson || d.Measure == Partial) && !d.FisherZ
}

// Before are the matrices of which these are tangent vectors: what a stored model is applied to.
func (d Data) Before() Data {
	if d.Measure == Tangent {
		d.Measure, d.Of = d.Of, ""
	}
	return d
}

// Join are the data of several outputs that one input gathers.
func Join(all ...Data) (d Data) {
	for i, other := range all {
		if i == 0 {
			d = other
			continue
		}
		if d.Measure != other.Measure || d.Of != other.Of || d.FisherZ != other.FisherZ {
			d = Data{Measure: Mixed, Series: d.Series}
		}
		if d.Estimator != other.Estimator {
			d.Estimator = ""
		}
		if d.Series != other.Series {
			d.Series = AsGiven
		}
	}
	return d
}

// Unlike reports whether other data are known to be of another kind: of another measure, or by another estimator.
func (d Data) Unlike(other Data) bool {
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	return differ(d.Measure, other.Measure) || d.Of != other.Of || differ(d.Estimator, other.Estimator)
}

var measureTexts = map[string]string{Pearson: "Pearson correlations", Partial: "partial correlations",
	Covariances: "covariances", Precision: "precision matrices", Tangent: "tangent vectors",
	Variability: "standard deviations over windows",
	Occupancies: "features of connectivity states", TimeSeries: "time series", Profiles: "degree profiles",
	Identities: "identities of regions", Mixed: "values of several kinds", "": "values of unknown kind"}

// Text describes the data in an error.
func (d Data) Text() string {
	text := measureTexts[d.Measure]
	if text == "" {
		text = d.Measure
	}
	if d.Of != "" {
		text += " of " + measureTexts[d.Of]
	}
	if d.FisherZ {
		text += " as Fisher's z"
	}
	return text
}

// SeriesText describes the series that the data come of, in an error.
func (d Data) SeriesText() string {
	return map[string]string{Denoised: "denoised series", Raw: "series that were not denoised"}[d.Series]
}
