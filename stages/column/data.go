package column

import (
	"fmt"
	"strings"
)

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
			return Data{Measure: Mixed}
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

var measureTexts = map[string]string{Pearson: "Pearson correlations", Partial: "partial correlations",
	Covariances: "covariances", Precision: "precision matrices", Tangent: "tangent vectors", Variability: "standard deviations over windows",
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

// DataKeys are the names under which allow accepts differences of data.
func DataKeys() []string { return []string{"measure", "denoised", "estimator"} }

// DataDiffers are the differences of data from those of a training, by the names under which allow accepts them. made
// are the parameters that differ: what they state is not stated twice.
func DataDiffers(is, was Data, made []Difference) (all []Difference) {
	if is.Text() != was.Text() {
		all = append(all, Difference{Key: "measure", Text: fmt.Sprintf("the inputs are %s, not %s (measure)", is.Text(),
			was.Text())})
	}
	stated := func(prefix string) bool {
		for _, m := range made {
			if strings.HasPrefix(m.Key, prefix) {
				return true
			}
		}
		return false
	}
	known := func(d Data) string {
		if d.Series == AsGiven {
			return "series of unknown processing"
		}
		return d.SeriesText()
	}
	if is.Series != was.Series && !stated("denoise.") {
		all = append(all, Difference{Key: "denoised", Text: fmt.Sprintf("they come of %s, not of %s (denoised)", known(is),
			known(was))})
	}
	if is.Measure == was.Measure && is.Estimator != was.Estimator && is.Estimator != "" && was.Estimator != "" &&
		!stated("connectivity.") && !stated("matrices.") {
		all = append(all, Difference{Key: "estimator", Text: fmt.Sprintf("the estimator is %s, not %s (estimator)",
			is.Estimator, was.Estimator)})
	}
	return all
}
