package modelfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/cell"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// A Study is what a file that travels has of the study of its training. No number is that of one person.
type Study struct {
	Positive      string         `json:"positive,omitempty"`    // group whose sensitivity is meant
	Performance   []Measured     `json:"performance,omitempty"` // cross-validated
	Recalibration *Recalibration `json:"recalibration,omitempty"`
	Cohort        []Variable     `json:"cohort,omitempty"` // of the training participants
	// Questioned are the codes of the findings by which the report of the study questions the performance.
	Questioned []string `json:"questioned,omitempty"`
}

// A Measured is a cross-validated measure and its 95% interval, with the names of column.ValidationRow.
type Measured struct {
	Measure string   `json:"measure"`
	Value   float64  `json:"value"`
	Low     *float64 `json:"low,omitempty"`
	High    *float64 `json:"high,omitempty"`
}

// A Recalibration is logit P = intercept + slope · log odds of the second group, fitted to the held-out predictions of
// so many training participants.
type Recalibration struct {
	Intercept    float64 `json:"intercept"`
	Slope        float64 `json:"slope"`
	Participants int     `json:"participants"`
}

// A Variable describes participants: mean, SD, and the means of the five lowest and the five highest values of a
// number, or the shares of categories.
type Variable struct {
	Name   string             `json:"name"`
	N      int                `json:"n"`
	Mean   float64            `json:"mean,omitempty"`
	SD     float64            `json:"sd,omitempty"`
	Low    float64            `json:"low,omitempty"`
	Median float64            `json:"median,omitempty"`
	High   float64            `json:"high,omitempty"`
	Shares map[string]float64 `json:"shares,omitempty"`
}

// Participants below which nothing is described, in all and of a category; and how many extreme values are averaged.
const (
	fewestDescribed = 10
	extremes        = 5
)

// The columns of participants that a file describes, and those of the quality of their series.
var (
	ageColumn   = regexp.MustCompile(`(?i)^age(_at_scan|_years)?$`)
	sexColumn   = regexp.MustCompile(`(?i)^(sex|gender)$`)
	siteColumn  = regexp.MustCompile(`(?i)^site(_id)?$`)
	scanColumns = []string{column.MeanFD, "tr", "kept"}
)

// SameVariable reports whether two columns are the same variable by their names, or both an age, a sex or a site.
func SameVariable(one, other string) bool {
	return strings.EqualFold(column.Composed(one), column.Composed(other)) ||
		slices.ContainsFunc([]*regexp.Regexp{ageColumn, sexColumn, siteColumn}, func(of *regexp.Regexp) bool {
			return of.MatchString(one) && of.MatchString(other)
		})
}

// Scans are the numbers of these series, by column and participant.
type Scans map[string]map[string]float64

// Add adds those of a participant.
func (s Scans) Add(id string, quality *encoding.Table) {
	for _, name := range scanColumns {
		if v, err := quality.Floats(name); err == nil && len(v) == 1 {
			if s[name] == nil {
				s[name] = map[string]float64{}
			}
			s[name][id] = v[0]
		}
	}
}

// AddVolumes adds the number of volumes behind the matrices of a participant, of whose series no cleaning is known.
func (s Scans) AddVolumes(id string, quality *encoding.Table) {
	v, err := quality.Floats("volumes")
	if _, known := s["kept"][id]; known || err != nil || len(v) == 0 || !(v[0] > 0) {
		return
	}
	if s["kept"] == nil {
		s["kept"] = map[string]float64{}
	}
	s["kept"][id] = v[0]
}

// NotCompared are the variables that one of two cohorts has no value of, and how it was scanned where neither has.
func NotCompared(trained []Variable, values []Values) (lacksNew, lacksTraining []string) {
	for _, v := range trained {
		if at := Find(values, v.Name); at < 0 || len(values[at].Numbers)+len(values[at].Categories) == 0 {
			lacksNew = append(lacksNew, v.Name)
		}
	}
	for _, name := range []string{"tr", "kept"} {
		if !slices.ContainsFunc(trained, func(v Variable) bool { return v.Name == name }) {
			lacksTraining = append(lacksTraining, name)
		}
	}
	return lacksNew, lacksTraining
}

// Find is the place of a variable: of this name, or else an age, a sex or a site under another one; −1 if there is
// none.
func Find(all []Values, name string) int {
	at := slices.IndexFunc(all, func(v Values) bool { return v.Name == name })
	for _, of := range []*regexp.Regexp{ageColumn, sexColumn, siteColumn} {
		if at < 0 && of.MatchString(name) {
			at = slices.IndexFunc(all, func(v Values) bool { return of.MatchString(v.Name) })
		}
	}
	return at
}

// Values are the numbers or categories of a variable, participant by participant; unknown ones are left out.
type Values struct {
	Name       string
	Numbers    []float64
	Categories []string
}

// ValuesOf are age, sex, site, motion, repetition time and number of volumes of some participants of a table.
func ValuesOf(ids []string, people *encoding.Table, scans Scans) (all []Values, err error) {
	who, err := people.Strings("participant_id")
	if err != nil {
		return nil, err
	}
	for _, c := range people.Columns {
		v := Values{Name: c.Name}
		switch {
		case ageColumn.MatchString(c.Name), c.Name == column.MeanFD:
			numbers, err := people.Floats(c.Name)
			if err != nil {
				continue // texts: no ages
			}
			for i, x := range numbers {
				if x-x == 0 && slices.Contains(ids, who[i]) {
					v.Numbers = append(v.Numbers, x)
				}
			}
		case sexColumn.MatchString(c.Name), siteColumn.MatchString(c.Name):
			of, err := column.AsCategories(people, c.Name).Strings(c.Name)
			if err != nil {
				continue
			}
			for i, x := range of {
				if !cell.Missing(x) && slices.Contains(ids, who[i]) {
					v.Categories = append(v.Categories, x)
				}
			}
		default:
			continue
		}
		all = append(all, v)
	}
	for _, name := range scanColumns {
		if slices.ContainsFunc(all, func(v Values) bool { return v.Name == name }) {
			continue // the motion of the table
		}
		v := Values{Name: name}
		for _, id := range ids {
			if x, known := scans[name][id]; known && x-x == 0 {
				v.Numbers = append(v.Numbers, x)
			}
		}
		all = append(all, v)
	}
	return all, nil
}

// Describe describes the variables of which enough participants are known.
func Describe(all []Values) (of []Variable) {
	for _, v := range all {
		d := Variable{Name: v.Name, N: len(v.Numbers) + len(v.Categories)}
		if d.N < fewestDescribed {
			continue
		}
		if v.Categories != nil {
			count := map[string]int{}
			for _, c := range v.Categories {
				count[c]++
			}
			d.Shares = map[string]float64{}
			few := false
			for c, n := range count {
				d.Shares[c] = float64(n) / float64(d.N)
				few = few || n < fewestDescribed
			}
			if few { // the other shares would give it, too
				continue
			}
		} else {
			x := slices.Sorted(slices.Values(v.Numbers))
			d.Mean, d.SD = exact.MeanSD(x)
			d.Low = max(x[0], exact.Mean(x[:extremes])) // of equal numbers, such as a repetition time, without rounding
			d.High = min(x[len(x)-1], exact.Mean(x[len(x)-extremes:]))
			middle := (len(x) - extremes) / 2
			d.Median = exact.Mean(x[middle:][:extremes])
		}
		of = append(of, d)
	}
	return of
}

// A Heldout is the held-out prediction for a training participant: mean probability of the second group.
type Heldout struct {
	Probability float64
	Second      bool
}

// Recalibrated fits a recalibration; nil where it cannot be estimated.
func Recalibrated(all []Heldout) *Recalibration {
	var lp []float64
	var outcome []bool
	count := [2]int{}
	for _, h := range all {
		lp, outcome = append(lp, logOdds(h.Probability)), append(outcome, h.Second)
		count[map[bool]int{true: 1}[h.Second]]++
	}
	if min(count[0], count[1]) < fewestDescribed {
		return nil
	}
	r := inference.Recalibrate(lp, outcome)
	if r.Slope-r.Slope != 0 || r.Intercept-r.Intercept != 0 {
		return nil
	}
	return &Recalibration{r.Intercept, r.Slope, len(all)}
}

// Apply is the recalibrated probability.
func (r *Recalibration) Apply(p float64) float64 {
	return 1 / (1 + exact.Exp(-(r.Intercept + float64(r.Slope*logOdds(p)))))
}

func logOdds(p float64) float64 { return max(-708, min(708, exact.Log(p)-exact.Log(1-p))) }

// check refuses what no study can have, of a file that may come from anywhere.
func (s *Study) check() error {
	if s == nil {
		return nil
	}
	for _, v := range s.Cohort {
		if v.SD < 0 || v.Low > v.High {
			return fmt.Errorf("model.json: study: %.40q has SD %v and the range %v to %v", v.Name, v.SD, v.Low, v.High)
		}
	}
	return nil
}
