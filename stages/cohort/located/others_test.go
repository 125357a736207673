package located

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// A file whose name has the id of another participant, and not that of its own, is of the other. Numbers of another
// scheme, dates and runs are no ids.
func TestFilesOfOtherParticipants(t *testing.T) {
	rows := func(format string, of func(i int) int) (files []Named) {
		for i := range 24 {
			name := strings.ReplaceAll(format, "N", fmt.Sprintf("%02d", of(i)+1))
			files = append(files, Named{fmt.Sprintf("sub-%02d", i+1), name})
		}
		return files
	}
	own := func(i int) int { return i }
	swapped := func(i int) int { return [...]int{1, 0}[i%2] + i/2*2 }
	two := func(i int) int {
		if i < 2 {
			return swapped(i)
		}
		return i
	}
	shifted := func(i int) int { return (i + 1) % 24 }
	many := func(i int) int {
		if i < 12 {
			return swapped(i)
		}
		return i
	}
	named := func(of string, files []Named) []Named {
		for i := range files {
			files[i].ID = "sub-" + of + files[i].ID[4:]
		}
		return files
	}
	for _, c := range []struct {
		what  string
		files []Named

		others int
	}{
		{"own", rows("sub-N.tsv", own), 0},
		{"two swapped", rows("sub-N.tsv", two), 2},
		{"all shifted", rows("sub-N.tsv", shifted), 24},
		{"in directories", rows("sub-N/ses-1/rest.tsv", shifted), 24},
		{"by numbers, two swapped", rows("sN_bl.tsv", two), 2},
		{"by other numbers", rows("scanN.tsv", shifted), 24},
		{"dates", rows("2024-11-N_rest.tsv", shifted), 24},
		{"runs beside ids", rows("sN_run-1_03.tsv", own), 0},
		{"letters and digits", named("AB", rows("ABN_rest.1D", shifted)), 24},
		{"five digits", named("500", rows("NYU_500N_rest.1D", two)), 2},
		{"five digits, all shifted", named("500", rows("NYU_00500N_rest.1D", shifted)), 24},
		{"five digits, many wrong beside others", slices.Concat(named("500", rows("NYU_00500N_rest.1D", many)),
			[]Named{{"sub-99", "rest.tsv"}, {"sub-98", "NYU_0077777.1D"}}), 12},
		{"letters, zeros and five digits", named("NYU500", rows("NYU_00500N_rest.1D", many)), 12},
		{"a number of two", append(named("A500", rows("50001_rest.tsv", own)), Named{"sub-B50001", "rest.tsv"}), 0},
		{"numbers of others before the own", named("500", rows("50001_500N_rest.1D", own)), 0},
		{"a file of two", rows("sub-N_with_sub-05.tsv", own), 0},
		{"names without ids", rows("rest.tsv", own), 0},
	} {
		got, _ := OfOthers(c.files, nil)
		if len(got) != c.others {
			t.Errorf("%s: %v", c.what, got)
		} else if c.others > 0 {
			need.Equal(t, got[0].Whose, c.files[1].ID)
		}
	}
	// Words of letters, and of parts of the name, are ids where they are no words of the names of several.
	words := func(format string, ids ...string) (files []Named) {
		for _, pair := range ids {
			id, of, _ := strings.Cut(pair, "=")
			files = append(files, Named{"sub-" + id, strings.ReplaceAll(format, "N", of)})
		}
		return files
	}
	for _, c := range []struct {
		what  string
		files []Named
		want  []pair
	}{
		{"own", words("d/N.tsv", "anna=anna", "clara=clara", "emil=emil"), nil},
		{"exchanged", words("d/N.tsv", "anna=anna", "clara=emil", "emil=clara"),
			[]pair{{1, "sub-emil"}, {2, "sub-clara"}}},
		{"all shifted", words("d/N.tsv", "A=B", "B=C", "C=A"), []pair{{0, "sub-B"}, {1, "sub-C"}, {2, "sub-A"}}},
		{"in another case", words("d/N.tsv", "Cx=ex", "Ex=cx", "Fx=fx"), []pair{{0, "sub-Ex"}, {1, "sub-Cx"}}},
		{"parts", words("d/N_ts.tsv", "P1c=P2_a", "P1d=P1_d", "P2a=P1_c"), []pair{{0, "sub-P2a"}, {2, "sub-P1c"}}},
		{"a part of a word", words("N.tsv", "an=annabel", "anna=annalena", "berta=b"), nil},
		{"a word of all names", words("rest/N_a.tsv", "rest=1", "a=2", "berta=3", "clara=4"), nil},
		{"the own beside it", words("N.tsv", "anna=anna_emil", "emil=emil"), nil},
		{"one number in two groups", words("N_ts.tsv", "HC01=PT01", "HC02=HC02", "HC03=HC03", "HC04=HC04", "PT01=HC01",
			"PT02=PT02", "PT03=PT03", "PT04=PT04"), []pair{{0, "sub-PT01"}, {4, "sub-HC01"}}},
		{"numbers in runs", words("N.tsv", "01=02_01", "02=01_02", "03=07"), nil},
		// A word of several names does not show who is meant.
		{"own, one of them a word of all", words("N_rest.tsv", "anna=anna", "berta=berta", "clara=clara", "emil=emil",
			"rest=rest"), nil},
		{"exchanged with a word of all", words("N_rest.tsv", "anna=rest", "berta=berta", "clara=clara", "emil=emil",
			"fritz=fritz", "rest=anna"), []pair{{0, "sub-rest"}, {5, "sub-anna"}}},
		{"runs of one in two others", words("N.tsv", "anna=anna_1", "berta=anna_2", "clara=anna_3", "emil=emil",
			"fritz=fritz", "hans=hans", "ida=ida", "jan=jan", "karl=karl", "lea=lea"),
			[]pair{{1, "sub-anna"}, {2, "sub-anna"}}},
		{"numbers, exchanged with a word of all", words("N_rest.tsv", "01=01", "02=02", "03=03", "04=04", "05=rest",
			"06=06", "07=07", "rest=05"), []pair{{4, "sub-rest"}, {7, "sub-05"}}},
		{"a word of all where few have their own", words("N_rest.tsv", "anna=1", "berta=2", "clara=clara", "emil=emil",
			"fritz=fritz", "hans=hans", "rest=4"), nil},
	} {
		got, _ := OfOthers(c.files, nil)
		need.Equal(t, fmt.Sprint(pairs(got)), fmt.Sprint(c.want), c.what)
	}

	// The other may be excluded. Of many excluded participants any number is an id, so numbers in the names are none.
	var excluded []string
	for i := range 200 {
		excluded = append(excluded, fmt.Sprintf("sub-%03d", i+1))
	}
	without := func(at int, files []Named) []Named { return slices.Delete(files, at, at+1) }
	for _, c := range []struct {
		what     string
		files    []Named
		excluded []string
		want     []pair
	}{
		{"a word", without(0, rows("sub-N.tsv", two)), []string{"sub-01"}, []pair{{0, "sub-01"}}},
		{"a number at the place of the own", without(0, rows("sN_bl.tsv", two)), []string{"sub-01"},
			[]pair{{0, "sub-01"}}},
		{"two with one number, one of them included", without(0, rows("sub-N.tsv", two)),
			[]string{"sub-01", "sub-02", "A01"}, []pair{{0, "sub-01"}}},
		{"a word of two", without(0, named("A500", rows("50001_rest.tsv", own))[:2]), []string{"A50001", "B50001"},
			nil},
		{"numbers of scans", rows("scan1N.tsv", shifted), excluded[99:], nil},
		{"nobody in the table", without(0, rows("sub-N.tsv", two)), nil, []pair{{0, "sub-01, who is not in the table,"}}},
		{"another beside the own", rows("sub-N/N.tsv", own)[:12], nil, nil},
	} {
		got, _ := OfOthers(c.files, c.excluded)
		need.Equal(t, fmt.Sprint(pairs(got)), fmt.Sprint(c.want), c.what)
	}
	shift := without(4, rows("scanN.tsv", shifted))
	got, _ := OfOthers(shift, []string{"sub-05"})
	need.Equal(t, len(got), 23, "all shifted")
}

type pair struct {
	at    int
	whose string
}

func pairs(others []Other) []pair {
	return lists.Map(others, func(o Other) pair { return pair{o.At, o.Whose} })
}
