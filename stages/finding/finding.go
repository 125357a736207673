// Package finding judges the results of a run. Its rules take typed rows and give findings: values without a sentence,
// a rounding or a list inside a text. "Is it above chance?" has its one answer here.
package finding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/column"
)

// A Weight is what a finding can do to the conclusions of a page; findings are in this order.
type Weight int

const (
	Overturns Weight = iota // a conclusion may be wrong
	Limits                  // a conclusion holds within limits
	Notes                   // a reader should know it
)

// String is the weight in tables.
func (w Weight) String() string { return [...]string{"overturns", "limits", "notes"}[w] }

// A Finding is one judgment. Its code is the entry of the catalog that writes it.
type Finding struct {
	Code    string
	Weight  Weight
	Subject Subject
	Numbers any // a struct of the code, whose fields the entry uses; nil for none
}

// Kind is what a finding judges: its code up to the period.
func (f Finding) Kind() string {
	kind, _, _ := strings.Cut(f.Code, ".")
	return kind
}

// A Subject is what a finding is about; the fields that do not apply are empty.
type Subject struct {
	Classifier   string      // for people
	Setting      []dag.Coord // of the classifier
	Participants []string
	Stage        string
	Only         Part   // of the settings, where it is not about all
	Results      string // that alone a note concerns: OtherResults, EdgeChanges; "" for all
}

// The results that alone a note of the loader concerns.
const (
	OtherResults = "others" // than the answer of the page
	EdgeChanges  = "edge changes"
)

// A List is findings in the order of their weights, those that question the answer of a page first; others of one
// weight are in the order in which they were found.
type List []Finding

// Add adds findings; the same one is there once.
func (l *List) Add(all ...Finding) {
	for _, f := range all {
		if slices.ContainsFunc(*l, f.equal) {
			continue
		}
		at := len(*l)
		for at > 0 && (*l)[at-1].rank() > f.rank() {
			at--
		}
		*l = slices.Insert(*l, at, f)
	}
}

// rank orders findings: what questions what a model is given, what all lack because one group does, then by weight.
func (f Finding) rank() int {
	if f.Questions() {
		return -2
	} else if f.Code == "covariate.missing-regions-differ" {
		return -1
	}
	return int(f.Weight)
}

// ofResults are the kinds of findings about tests and rankings, whose sentences have their own answer.
var ofResults = []string{"accuracy", "auc", "permutation", "ranking", "regression", "sensitivity"}

// Questions reports whether a finding overturns what a model shows by what it is given: data, groups, or participants.
func (f Finding) Questions() bool {
	return f.Weight == Overturns && f.Subject.Results != OtherResults && (f.Code == "accuracy.near-perfect" ||
		!slices.Contains(ofResults, f.Kind()) && f.Code != "training.stuck")
}

// OverturnsModels reports whether a finding of a study overturns a conclusion from some models of it, or is about what
// their performance contains beside the groups, and whether it questions their performance: of reports whether a
// setting is theirs, behind whether a stage made what they take.
func (f Finding) OverturnsModels(of func(setting []dag.Coord) bool,
	behind func(stage string) bool) (is, questions bool) {
	switch {
	case f.Code == nullAboveChance:
		differ, _ := f.Values()["Differ"].(bool)
		is = differ && of(f.Subject.Setting)
		return is, is
	case f.Weight != Overturns:
	case f.Subject.Setting != nil:
		is = of(f.Subject.Setting)
	case f.Code == "fit.one-group":
		stage, _ := f.Values()["Stage"].(string)
		is = behind(stage)
	default:
		is = f.Questions() && f.OfModels(behind)
	}
	return is, is && f.Questions()
}

// OfModels reports whether a finding that questions a result concerns models of the page at all; behind reports
// whether a stage made what they take.
func (f Finding) OfModels(behind func(stage string) bool) bool {
	switch kind := f.Kind(); {
	case kind == "edges", f.Subject.Results == EdgeChanges, kind == "reliability", kind == "applied",
		kind == "validation":
		return false
	case f.Code == "leakage.unchecked-program":
		return behind(f.Subject.Stage)
	}
	return true
}

// values are numbers by their names.
type values = map[string]any

// Study adds a finding about the study.
func (l *List) Study(code string, weight Weight, numbers any) {
	l.Add(Finding{code, weight, Subject{}, numbers})
}

// Among adds a finding about some participants, or scans.
func (l *List) Among(ids []string, code string, weight Weight, numbers any) {
	l.Add(Finding{code, weight, Subject{Participants: ids}, numbers})
}

// equal reports whether two findings are the same; NaN is NaN.
func (f Finding) equal(g Finding) bool {
	return f.Code == g.Code && f.Subject.Classifier == g.Subject.Classifier &&
		reflect.DeepEqual(f.Subject, g.Subject) && reflect.DeepEqual(plain(f.Numbers), plain(g.Numbers))
}

// A Group is a finding about one subject, and others of the same code and weight about further classifiers.
type Group struct {
	Finding
	Findings []Finding // all of them
	Also     []string  // further classifiers
	Seeds    int       // further seeds of the first one's training
}

// Grouped puts the findings about several classifiers together.
func (l List) Grouped() (groups []Group) {
	for _, f := range l {
		at := slices.IndexFunc(groups, func(g Group) bool {
			return f.Subject.Classifier != "" && g.Code == f.Code && g.Weight == f.Weight
		})
		switch {
		case at < 0:
			groups = append(groups, Group{Finding: f})
			at = len(groups) - 1
		case column.HasSeed(f.Subject.Setting) && slices.Equal(column.WithoutSeed(f.Subject.Setting),
			column.WithoutSeed(groups[at].Subject.Setting)):
			groups[at].Seeds++
		default:
			groups[at].Also = append(groups[at].Also, f.Subject.Classifier)
		}
		groups[at].Findings = append(groups[at].Findings, f)
	}
	return groups
}

// Apart is the AUC from which something that alone separates the groups may explain a high accuracy.
const Apart = 0.8

// The codes of the findings about series that the groups, or those with lower and higher values of the number to
// predict, have different before denoising.
const (
	SeriesDiffer = "covariate.series-differ"
	SeriesFollow = "covariate.series-follow"
)

// ofSeries reports whether a finding is about such series.
func (f Finding) ofSeries() bool { return f.Code == SeriesDiffer || f.Code == SeriesFollow }

// Linked gives findings what others of the list explain: a nearly perfect accuracy the most separating of what alone
// separates the groups, as another order of the regions does wholly, and motion before what motion can change; series
// that differ the motion, behind whose finding theirs is; and scans with far volumes no participants to exclude where
// these volumes differ between the groups.
func (l List) Linked() List {
	var cause values
	apart := false // far volumes
	predicts := func(names ...any) int {
		return slices.IndexFunc(l, func(f Finding) bool {
			return (f.Code == "covariate.predicts-group" || f.Code == "covariate.predicts-number") && f.Weight == Overturns &&
				slices.Contains(names, Values(f.Numbers)["Name"])
		})
	}
	moved, length := predicts(column.MeanFD), predicts("volumes", "kept", "volumes_both")
	for _, f := range l {
		of, _ := plain(f.Values()).(values)
		auc, _ := of["AUC"].(float64)
		switch area := f.Kind(); {
		case f.Code == "leakage.region-order":
			auc = 1
		case f.Weight != Overturns || area != "covariate" && area != "matrices":
			auc = 0
		}
		after := f.Code == SeriesDiffer && moved >= 0
		if auc >= Apart && !after && (cause == nil || auc > cause["AUC"].(float64)) {
			// A lower AUC cannot give such an accuracy.
			cause = values{"Code": f.Code, "Name": of["Name"], "Port": of["Port"], "AUC": auc,
				"Whole": auc >= nearPerfect}
		}
		if f.ofSeries() {
			apart = slices.ContainsFunc(of["Facts"].([]any), func(fact any) bool {
				name := fact.(values)["Name"]
				return name == "first_distance" || name == "far_distance"
			})
		}
	}
	linked := slices.Clone(l)
	last := max(moved, length)
	for i, f := range linked {
		if f.ofSeries() && i < last && f.Weight == Overturns {
			copy(linked[i:last], linked[i+1:last+1])
			linked[last] = f
			break
		}
	}
	for i, f := range linked {
		numbers := Values(f.Numbers)
		switch f.Code {
		case "accuracy.near-perfect":
			numbers["Cause"] = cause
		case SeriesDiffer, SeriesFollow:
			numbers["Motion"], numbers["Length"] = moved >= 0, length >= 0
		case "scans.first-volumes", "scans.far-volumes":
			if apart {
				numbers["Exclude"] = []string(nil)
			}
		default:
			continue
		}
		linked[i].Numbers = numbers
	}
	return linked
}

// Values are the numbers and the subject by their names.
func (f Finding) Values() values {
	all := Values(f.Subject)
	maps.Copy(all, Values(f.Numbers))
	return all
}

// Values are the fields of a struct by their names, those of an embedded struct as its own; of a map it is a copy.
func Values(of any) values {
	all := values{}
	if of == nil {
		return all
	}
	v := reflect.Indirect(reflect.ValueOf(of))
	if v.Kind() == reflect.Map {
		for m := v.MapRange(); m.Next(); {
			all[m.Key().String()] = m.Value().Interface()
		}
		return all
	}
	if v.Kind() != reflect.Struct {
		return all
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous {
			maps.Copy(all, Values(v.Field(i).Interface()))
		} else if f.IsExported() {
			all[f.Name] = v.Field(i).Interface()
		}
	}
	return all
}

// Meta is the metadata of a table that has findings, a JSON list.
const Meta = "findings"

// written is a finding in JSON.
type written struct {
	Code    string     `json:"code"`
	Weight  string     `json:"weight"`
	Subject *writtenTo `json:"subject,omitempty"`
	Numbers values     `json:"numbers,omitempty"`
}

type writtenTo struct {
	Classifier   string            `json:"classifier,omitempty"`
	Setting      map[string]string `json:"setting,omitempty"`
	Participants []string          `json:"participants,omitempty"`
	Stage        string            `json:"stage,omitempty"`
	Only         Part              `json:"only,omitempty"`
	Results      string            `json:"results,omitempty"`
}

// MarshalJSON writes code, weight, subject and numbers; NaN is null.
func (f Finding) MarshalJSON() ([]byte, error) { return json.Marshal(f.written()) }

// JSON is the subject and the numbers as JSON objects; "" for none.
func (f Finding) JSON() (subject, numbers string) {
	w := f.written()
	if w.Subject != nil {
		subject = column.JSON(w.Subject)
	}
	if len(w.Numbers) > 0 {
		numbers = column.JSON(w.Numbers)
	}
	return subject, numbers
}

func (f Finding) written() written {
	w := written{Code: f.Code, Weight: f.Weight.String()}
	if s := f.Subject; !reflect.ValueOf(s).IsZero() {
		w.Subject = &writtenTo{Classifier: s.Classifier, Participants: s.Participants, Stage: s.Stage, Only: s.Only,
			Results: s.Results}
		for _, c := range s.Setting {
			if w.Subject.Setting == nil {
				w.Subject.Setting = map[string]string{}
			}
			w.Subject.Setting[c.Axis] = c.Value
		}
	}
	w.Numbers, _ = plain(f.Numbers).(values)
	return w
}

// plain is a value for JSON: structs are maps of their fields, and what is no number is nil.
func plain(v any) any {
	switch of := reflect.Indirect(reflect.ValueOf(v)); of.Kind() {
	case reflect.Struct, reflect.Map:
		all := Values(v)
		for name, x := range all {
			all[name] = plain(x)
		}
		return all
	case reflect.Slice:
		all := make([]any, of.Len())
		for i := range all {
			all[i] = plain(of.Index(i).Interface())
		}
		return all
	case reflect.Float64:
		if x := of.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	}
	return v
}

// UnmarshalJSON reads what MarshalJSON wrote; the numbers are values by their names.
func (f *Finding) UnmarshalJSON(b []byte) error {
	var w written
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*f = Finding{Code: w.Code}
	at := slices.Index([]string{Overturns.String(), Limits.String(), Notes.String()}, w.Weight)
	if at < 0 {
		return fmt.Errorf("finding %s has an unknown weight, %q", w.Code, w.Weight)
	}
	f.Weight = Weight(at)
	if w.Numbers != nil {
		f.Numbers = w.Numbers
	}
	if s := w.Subject; s != nil {
		f.Subject = Subject{Classifier: s.Classifier, Participants: s.Participants, Stage: s.Stage, Only: s.Only,
			Results: s.Results}
		for axis, value := range s.Setting {
			f.Subject.Setting = append(f.Subject.Setting, dag.Coord{Axis: axis, Value: value})
		}
		slices.SortFunc(f.Subject.Setting, func(a, b dag.Coord) int { return strings.Compare(a.Axis, b.Axis) })
	}
	return nil
}

// Parse is the finding of a row of the summary's findings, whose subject and numbers are those of JSON.
func Parse(code, weight, subject, numbers string) (f Finding, err error) {
	object := func(s string) json.RawMessage { return json.RawMessage(cmp.Or(s, "null")) }
	err = json.Unmarshal([]byte(column.JSON(map[string]any{"code": code, "weight": weight, "subject": object(subject),
		"numbers": object(numbers)})), &f)
	return f, err
}

// Of are the findings in the metadata of a table.
func Of(meta map[string]string) (List, error) { return column.MetaOf[List](meta, Meta) }

// Written are findings as the metadata of a table; "" for none.
func Written(all List) string {
	if len(all) == 0 {
		return ""
	}
	return column.JSON(all)
}
