package column

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/cell"
	"prgnn/internal/pattern"
)

// UnusableRegions is the covariate of how many regions of a participant have no usable series: missing, or constant.
const UnusableRegions = "unusable_regions"

// UnusablePattern is the covariate of which regions these are.
const UnusablePattern = "unusable_pattern"

// LackedRegions is the metadata by which the table of covariates lists the regions that some participants lack, the one
// that differs most between the groups first: a JSON list of LackedRegion.
const LackedRegions = "lacked regions"

// A LackedRegion is a region without a usable series in some participants.
type LackedRegion struct {
	Region int         `json:"region"` // from 1
	Groups []LackingIn `json:"groups"`
}

// LackingIn is how many participants of a group lack a region.
type LackingIn struct {
	Group string `json:"group"`
	N     int    `json:"n"`
	Of    int    `json:"of"`
}

// A CovariateColumn is a covariate as it is read.
type CovariateColumn struct {
	Name   string
	Number []float64
	Text   []string // of a category, "" where it is not known; nil for numbers
}

// ReadCovariate reads a column as numbers, which dates are, too (Days), or as the categories of text and booleans.
func ReadCovariate(t *encoding.Table, name string) (CovariateColumn, error) {
	c := CovariateColumn{Name: name}
	column, _ := t.Column(name)
	var err error
	switch column.Values.(type) {
	case []string, []bool:
		var text []string
		if text, err = t.Strings(name); err != nil {
			return c, err
		}
		c.Text = slices.Clone(text)
		for i, v := range c.Text {
			if v = strings.TrimSpace(v); cell.Missing(v) {
				v = ""
			}
			c.Text[i] = v
		}
		if c.Number = Days(c.Text); c.Number != nil {
			c.Text = nil
		}
	default:
		c.Number, err = t.Floats(name)
	}
	return c, err
}

// Days are dates, or dates with times (2019-05-03T14:05:00; ISO 8601), as days after the first one, and NaN for "";
// nil if a value is none, as 03/05/2019, whose month is unknown.
func Days(values []string) []float64 {
	days, first := make([]float64, len(values)), math.Inf(1)
	for i, v := range values {
		days[i] = math.NaN()
		if v == "" {
			continue
		}
		form := "2006-01-02T15:04:05"
		if v = strings.Replace(v, " ", "T", 1); !strings.Contains(v, "T") {
			form = "2006-01-02"
		}
		t, err := time.Parse(form, strings.TrimSuffix(v, "Z"))
		if err != nil {
			return nil
		}
		days[i] = float64(t.Unix()) / (24 * 60 * 60)
		first = min(first, days[i])
	}
	if math.IsInf(first, 1) {
		return nil
	}
	for i := range days {
		days[i] -= first
	}
	return days
}

// AsCategories is a table whose columns of these names hold texts in place of numbers: a site that is called 1 is a
// name, and no quantity.
func AsCategories(t *encoding.Table, names ...string) *encoding.Table {
	out := *t
	out.Columns = slices.Clone(t.Columns)
	for i := range out.Columns {
		c := &out.Columns[i]
		switch c.Values.(type) {
		case []string, []bool:
			continue
		}
		if !slices.Contains(names, c.Name) {
			continue
		}
		texts, err := t.Strings(c.Name)
		if err != nil {
			continue // a second column of the name: whoever reads it says so
		}
		for i := range texts {
			if !c.Has(i) {
				texts[i] = ""
			}
		}
		c.Values = texts
	}
	return &out
}

// Empty reports whether no participant has a value.
func (c CovariateColumn) Empty() bool {
	return len(Known(c.Number)) == 0 && !slices.ContainsFunc(c.Text, func(text string) bool { return text != "" })
}

// Identifies reports whether the values are names rather than properties: texts of which
// more than half differ, whole numbers of which all do, in a column whose name says so
// (ages in years, too, may all differ), names of persons or families, or those of
// small sets of participants.
func (c CovariateColumn) Identifies() bool {
	texts := c.Text
	if texts != nil {
		if _, names := Numbered(texts); 2*len(names) > len(texts) {
			return true
		}
	}
	for _, v := range c.Number {
		switch {
		case math.IsNaN(v):
		case v != math.Trunc(v):
			return false
		default:
			texts = append(texts, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	members := counted(c.Name, texts)
	if (NamesPerson(c.Name) || NamesFamily(c.Name)) && len(members) > 2 && certain(c.Name, members) {
		return true
	}
	if inSmallSets(c.Name, members) {
		return true
	}
	return c.Text == nil && len(members) == len(c.Number) && len(c.Number) > 2 && namesIdentifier(c.Name)
}

var (
	humps = pattern.New(`([a-z0-9])([A-Z])`)
	// identifierName is the name of a column of identifiers, words joined by underscores.
	identifierName = pattern.New(`^(.*_)?(id|ids|identifier|guid|uid|uuid|rid|mrn|key)$|` +
		`^(sub|subj|subject|participant|patient|person|row|record|scan)_?(id|index|idx|key|no|nr|num|number)$|` +
		`^(sub|subj|subject|participant|patient|person|row|index)$`)
)

// namesIdentifier reports whether a column is named as one of identifiers: SUB_ID, subjectkey, scanID.
func namesIdentifier(name string) bool {
	return identifierName.MatchString(wordsOf(name))
}

// MeanFD is the covariate that cleaning has.
const MeanFD = "mean_fd"

// Covariates reads columns of the participants; site and the categories are texts. mean_fd is the motion where the
// table has no such column.
func Covariates(people *encoding.Table, names, categories []string, motion map[string]float64) ([]CovariateColumn,
	error) {
	ids, err := people.Strings("participant_id")
	if err != nil {
		return nil, err
	}
	people = AsCategories(people, append([]string{"site"}, categories...)...)
	var all []CovariateColumn
	for _, name := range names {
		_, ok := people.Column(name)
		switch {
		case !ok && name == MeanFD && motion == nil:
			return nil, errors.New("covariates: mean_fd is no column of the participants, and no quality of denoise at cleaning has it: connect cleaning of scans with a table of confounds, or leave mean_fd out")
		case !ok && name == MeanFD:
			c := CovariateColumn{Name: name}
			for _, id := range ids {
				v, known := motion[id]
				if !known {
					v = math.NaN()
				}
				c.Number = append(c.Number, v)
			}
			all = append(all, c)
			continue
		case !ok:
			_, err := people.Strings(name)
			return nil, err
		}
		c, err := ReadCovariate(people, name)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// UsualCovariateNames are the columns that stages take where a file lists none.
var UsualCovariateNames = []string{"age", "sex", "site", MeanFD}

// UsualCovariates are those of them that the participants have; motion is as in Covariates.
func UsualCovariates(people *encoding.Table, motion map[string]float64) (names []string) {
	for _, name := range UsualCovariateNames {
		if _, there := people.Column(name); there || name == MeanFD && motion != nil {
			names = append(names, name)
		}
	}
	return names
}

// MotionOf is the mean framewise displacement of each participant at a port; nil where that is not connected, or no
// scan has one.
func MotionOf(t *dag.Task, port string) (map[string]float64, error) {
	if !t.Has(port) {
		return nil, nil
	}
	type run struct {
		FD float64 `column:"mean_fd,missing"`
	}
	motion, known := map[string]float64{}, false
	for _, in := range t.All(port) {
		row, err := One[run](in)
		if err != nil {
			return nil, err
		}
		id := in.Coord(Subject)
		if _, twice := motion[id]; twice {
			return nil, fmt.Errorf("%s is a second table of %s: for participants with several runs or sessions, connect join's quality", in.Name, id)
		}
		motion[id], known = row.FD, known || !math.IsNaN(row.FD)
	}
	if !known {
		return nil, nil
	}
	return motion, nil
}
