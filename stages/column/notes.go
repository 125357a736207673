package column

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Note is what the loader notes on the data, for a person (pipeline.notes). The text of a note with a code is that of
// package wording.
type Note struct {
	Text    string `column:"note"`
	Doubt   string `column:"doubt,optional" doc:"why the note may spoil the result; empty where it does not"`
	Stages  string `column:"stages,optional" doc:"stages whose results alone the note concerns, with spaces between; empty: all"`
	Code    string `column:"code,optional" doc:"the kind of the note; empty for one in words of its own"`
	Numbers string `column:"numbers,optional" doc:"the values of the note, JSON"`
}

// Concerns reports whether a note concerns results of stages that divide the participants; nil where these are unknown.
func (n Note) Concerns(stages []string) bool {
	of := strings.Fields(n.Stages)
	return len(of) == 0 || stages == nil ||
		slices.ContainsFunc(of, func(name string) bool { return slices.Contains(stages, name) })
}

// Doubts are why notes may spoil the result.
const (
	DoubtVolumes       = "few volumes"
	DoubtCodes         = "codes in confounds"
	DoubtUnits         = "units of confounds"
	DoubtTimes         = "repetition times contradict"
	DoubtFamily        = "large family"
	DoubtRelated       = "relatives"
	DoubtMatched       = "matched pairs divided"
	DoubtIndependence  = "not independent"
	DoubtPermuted      = "permuted as independent"
	DoubtHalves        = "relatives in both halves"
	DoubtTR            = "repetition time by group"
	DoubtLength        = "volumes by group"
	DoubtEntity        = "acquisition by group"
	DoubtProcessing    = "processing differs"
	DoubtLabels        = "labels without a region"
	DoubtNames         = "names unverified"
	DoubtTissues       = "confounds as regions"
	DoubtNegative      = "negative displacement"
	DoubtDisplacements = "codes in displacements"
	DoubtCase          = "names differ in case"
	DoubtAlike         = "names are alike"
	DoubtTexts         = "numbers as text"
	DoubtCategories    = "missing values as categories"
	DoubtValues        = "codes in covariates"
	DoubtOfRuns        = "covariates of runs"
	DoubtSite          = "site"
	DoubtExclusions    = "exclusions by group"
	DoubtRareGroup     = "rare group"
	DoubtOneGroup      = "site of one group"
	DoubtTraining      = "training unchecked"
	DoubtMotion        = "motion contradicts"
	DoubtMotionFilled  = "motion filled in"
	DoubtSliceTiming   = "slice timing"
	DoubtSessions      = "group by session"
	DoubtBySession     = "acquisition by session"
	DoubtUnharmonized  = "sites not harmonized"
	DoubtTied          = "removed with the label"
	DoubtEvents        = "events of others"
	DoubtNumbered      = "files numbered otherwise"
	DoubtWords         = "files with different words"
	DoubtSessionSites  = "sites as sessions"
)

// ProtocolDoubts are the doubts about the covariates that are properties of a scan's acquisition.
var ProtocolDoubts = map[string]string{"tr": DoubtTR, "volumes": DoubtLength}

// Notef is a note without a doubt.
func Notef(format string, args ...any) Note { return Note{Text: fmt.Sprintf(format, args...)} }

// Values are the values of a note by their names.
type Values = map[string]any

// Doubtful is a note that may spoil the result. The code is that of its entry in package wording.
func Doubtful(doubt, code string, values Values) Note {
	for name, v := range values {
		if _, err := json.Marshal(v); err != nil { // no number, of a damaged header
			values[name] = fmt.Sprint(v)
		}
	}
	return Note{Doubt: doubt, Code: code, Numbers: JSON(values)}
}

// With is a note with one value more.
func (n Note) With(name string, value any) Note {
	values := n.Values()
	values[name] = value
	n.Numbers = JSON(values)
	return n
}

// Values are the values of a note with a code.
func (n Note) Values() Values {
	values := Values{}
	if json.Unmarshal([]byte(n.Numbers), &values) != nil || values == nil { // none
		return Values{}
	}
	return values
}
