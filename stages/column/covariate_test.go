package column

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

// Numbers are covariates, even where everybody differs, unless the name of the column says that they are names. Names
// of persons and families are identifiers though some repeat, or lack; few values that many share are not.
func TestIdentifies(t *testing.T) {
	distinct, twice, broken := []float64{20, 21, 22, 50103}, []float64{20, 21, 22, 20}, []float64{20, 21, 22, 22.5}
	missing := []float64{20, 21, 22, math.NaN()}
	for _, name := range []string{"id", "ID", "SUB_ID", "subId", "scanID", "subjectkey", "subject", "Participant",
		"index", "subject_number", "src_subject_id", "NDAR_GUID", "Subject ID"} {
		if !(CovariateColumn{Name: name, Number: distinct}).Identifies() {
			t.Errorf("%s is taken for a covariate", name)
		}
		for _, v := range [][]float64{twice, broken, missing} {
			person := name != "scanID" && name != "index" && v[3] != 22.5
			need.Equal(t, (CovariateColumn{Name: name, Number: v}).Identifies(), person, name, v)
		}
	}
	for _, name := range []string{"age", "body_mass_index", "thyroid", "amyloid", "monkey", "FIQ", "volumes",
		"scan_score", "", "covid"} {
		if (CovariateColumn{Name: name, Number: distinct}).Identifies() {
			t.Errorf("%s is taken for an identifier", name)
		}
	}
	halves := []string{"p1", "p1", "p2", "p2", "p3", "p3", "p4", "p4"}
	sexes := []string{"F", "F", "F", "F", "M", "M", "M", "M"}
	codes := []float64{0, 1, 1, 0, 0, 0, 1, 1}
	for _, name := range []string{"subject", "bids_id", "guid", "Family_ID", "famid", "pair"} {
		need.Equal(t, (CovariateColumn{Name: name, Text: halves}).Identifies(), true, name)
		need.Equal(t, (CovariateColumn{Name: name, Text: sexes}).Identifies(), false, name)
		need.Equal(t, (CovariateColumn{Name: name, Number: codes}).Identifies(), false, name)
	}
	need.Equal(t, (CovariateColumn{Name: "site_id", Text: halves}).Identifies(), false, "site_id")
	if !(CovariateColumn{Name: "age", Text: []string{"20", "21", "22", ">90"}}).Identifies() {
		t.Error("texts of which all differ are taken for a covariate")
	}
}

// Columns of families and persons are told from categories of the same name by how many share a value.
func TestCertain(t *testing.T) {
	for _, c := range []struct {
		names  string
		values int
		each   int // participants of each value
		want   bool
	}{
		{"family household pedigree sibship twin_pair FID guid rid IID eid Family_ID subject_id Mother_ID", 20, 2, true},
		{"family household pedigree sibship twin_pair FID guid rid Family_ID subject_id", 2, 3, true},
		{"family household pedigree sibship Family_ID", 2, 6, true},
		{"family pedigree FID Family_ID subject_id RID participant", 12, 9, true},
		{"Family_ID famid Mother_ID subject_id SUB_ID NDAR_subject_guid", 5, 10, true},
		{"family household pedigree sibship twin_pair FID guid rid", 2, 20, false},
		{"family household sibship twin_pair FID father participant person pair", 4, 10, false},
		{"household family_size", 6, 7, false},
		{"Family_ID subject_id subject_number", 2, 20, false},
		{"father mother pair sibling_group subject", 2, 3, false}, {"father mother", 9, 5, false},
		{"family Family_ID", 0, 0, false},
	} {
		members := map[string]int{}
		for v := range c.values {
			members[string(rune('a'+v))] = c.each
		}
		for _, name := range strings.Fields(c.names) {
			need.Equal(t, certain(name, members), c.want, name, c.values, c.each)
		}
	}
}

// A value that is missing relates nobody, nor does 0 as a parent.
func TestUnrelated(t *testing.T) {
	for _, v := range []string{"", " ", "n/a", "N/A", "NaN", "unknown", "Unknown "} {
		need.Equal(t, Unrelated(v), true, v)
		need.Equal(t, UnrelatedBy("Family_ID", v), true, v)
	}
	for _, name := range []string{"father", "mother", "PAT", "MAT", "Mother_ID", "PaternalID", "maternal_id"} {
		need.Equal(t, UnrelatedBy(name, "0"), true, name)
		need.Equal(t, UnrelatedBy(name, "0.0"), true, name)
		need.Equal(t, UnrelatedBy(name, "10"), false, name)
	}
	for _, name := range []string{"Family_ID", "pair", "PAT_ID", "subject_id"} {
		need.Equal(t, UnrelatedBy(name, "0"), false, name)
	}
	table := encoding.NewTable(encoding.Column{Name: "participant_id", Values: []string{"a", "b", "c", "d"}},
		encoding.Column{Name: "father", Values: []string{"0", "0", "F1", "unknown"}})
	need.Equal(t, Shares(table, "father"), false, "no father is no relative")
}

// Dates are days after the first one; of a date whose month is unknown nothing is guessed.
func TestDays(t *testing.T) {
	for _, c := range []struct{ of, want string }{
		{"2019-05-03,,2019-05-01,2020-05-01", "2 NaN 0 366"}, {"2019-05-01T12:00:00,2019-05-01 18:00:00.0,2019-05-01",
			"0.5 0.75 0"}, {"2019-05-01Z,2019-05-01T06:00:00Z", "0 0.25"}, {"2019-05-03,03/05/2019", ""}, {",", ""},
		{"2019-13-01", ""}, {"20190501", ""},
	} {
		need.Equal(t, strings.Trim(fmt.Sprint(Days(strings.Split(c.of, ","))), "[]"), c.want, c.of)
	}
	table := encoding.NewTable(encoding.Column{Name: "scanned", Values: []string{"2019-05-02", "n/a", "2019-05-01"}})
	got := need.Value(ReadCovariate(table, "scanned"))(t)
	need.Equal(t, fmt.Sprint(got.Number, got.Text == nil), "[1 NaN 0] true")
}
