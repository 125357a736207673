package protocol

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/wording"
)

// A property that goes with the group in part is listed with its counts.
func TestAssociatedWithTheGroup(t *testing.T) {
	scans := func(a, b, of int) (values, owners map[string]string) { // GE in so many of each group, of so many
		values, owners = map[string]string{}, map[string]string{}
		for i := range 2 * of {
			who, n := fmt.Sprintf("sub-%d", i), []int{a, b}[i/of]
			values[who], owners[who] = "Siemens", []string{"A", "B"}[i/of]
			if i%of < n {
				values[who] = "GE"
			}
		}
		return values, owners
	}
	for _, c := range []struct {
		a, b, of int
		want     string
	}{
		{14, 3, 16, "A GE (14 of 16), Siemens (2 of 16); B GE (3 of 16), Siemens (13 of 16); p 0.00024"},
		{16, 3, 16, "A GE (16 of 16); B GE (3 of 16), Siemens (13 of 16); p 3.2e-06"},
		{10, 6, 16, "A GE (10 of 16), Siemens (6 of 16); B GE (6 of 16), Siemens (10 of 16); p 0.29"},
		{16, 16, 16, "; p 1"},
	} {
		values, owners := scans(c.a, c.b, c.of)
		association := func() string {
			by, least, _ := associated(values, owners)
			var texts []string
			for _, o := range by {
				texts = append(texts, need.Value(wording.Text("noted.owner", o))(t))
			}
			return fmt.Sprintf("%s; p %.2g", strings.Join(texts, "; "), least)
		}
		need.Equal(t, association(), c.want, c)
		for i := range c.of { // two runs count once
			values[fmt.Sprintf("sub-%d 2", i)] = values[fmt.Sprintf("sub-%d", i)]
			owners[fmt.Sprintf("sub-%d 2", i)] = "A"
		}
		need.Equal(t, association(), c.want, c)
	}
}

// madeScans are those of participants of the groups A and B by turns, in the sessions 1 and 2.
func madeScans(participants int, value func(i, session int) string) (of map[string]string, owners Owners) {
	of, owners = map[string]string{}, Owners{map[string]string{}, map[string]string{}, "session"}
	for i := range participants {
		for session := range 2 {
			who := fmt.Sprintf("sub-%d %d", i, session+1)
			of[who], owners.Groups[who] = value(i, session), []string{"A", "B"}[i%2]
			owners.Parts[who] = fmt.Sprint(session + 1)
		}
	}
	return of, owners
}

// Properties that go with the session, or with the group in a session, in part are noted with their counts.
func TestAssociatedInPart(t *testing.T) {
	pick := func(yes bool) string { return map[bool]string{true: "rest", false: "movie"}[yes] }
	for _, c := range []struct {
		value func(i, session int) string
		want  string
	}{
		{func(i, session int) string { return pick(session == 0 || i == 0) },
			"the task is associated with the session: 1 rest (24 of 24); 2 movie (23 of 24), rest (1 of 24); exact test within participants, p = 4.8e-07 after Holm's correction; a change between sessions may come from the acquisition"},
		{func(i, session int) string { return pick((session == 0) != (i == 0)) },
			"the task is associated with the session: 1 movie (1 of 24), rest (23 of 24); 2 movie (23 of 24), rest (1 of 24); exact test within participants, p = 8.9e-06 after Holm's correction; a change between sessions may come from the acquisition"},
		{func(i, session int) string { return pick(i%2 == 0 || i == 1 || session == 0) },
			"the task in session 2 is associated with the group: A rest (12 of 12); B movie (11 of 12), rest (1 of 12); Fisher's exact test, p = 1.9e-05 after Holm's correction; a classifier may learn the acquisition instead of the group difference"},
		{func(i, _ int) string { return pick(i/2%2 == 0) }, ""},             // of the participant
		{func(i, session int) string { return pick(i/2%2 == session) }, ""}, // each has both
	} {
		of, owners := madeScans(24, c.value)
		notes := Notes([]Property{{Name: "task", Doubt: column.DoubtEntity, Of: of}}, owners)
		got := strings.Join(wording.NoteTexts(notes), "\n")
		if !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Where nothing goes with the group or the session, at most 5% of cohorts have a caution: of fields that belong to the
// participant, to the scan, and of which each participant has both in either order, two of each, half of them of
// anything.
func TestFewFalseCautions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, participants := range []int{12, 20, 40} {
		const cohorts = 200
		found := 0
		for range cohorts {
			var all []Property
			var owners Owners
			for k := range 6 {
				own := 0
				p := Property{Name: fmt.Sprint("field ", k), Doubt: column.DoubtEntity, other: k%2 == 1}
				p.Of, owners = madeScans(participants, func(_, session int) string {
					if session == 0 || k/2 == 1 {
						own = random.IntN(2)
					} else if k/2 == 2 {
						own = 1 - own
					}
					return []string{"GE", "Siemens"}[own]
				})
				all = append(all, p)
			}
			if Notes(all, owners) != nil {
				found++
			}
		}
		t.Logf("%d participants: a caution in %d of %d cohorts", participants, found, cohorts)
		if found > cohorts/20 {
			t.Errorf("%d participants: a caution in %d of %d cohorts", participants, found, cohorts)
		}
	}
}

// Fields of sidecars of which each scan has its own value, dates and numbers, are compared as halves; what separates
// the groups nearly as well as the label itself overturns a result, complete or not.
func TestHalves(t *testing.T) {
	for _, c := range []struct {
		name   string
		value  func(i int) string // of 32 scans, the first 16 of A
		strays int                // scans of A with a value of B
		want   string
	}{
		{"dates", func(i int) string { return fmt.Sprintf("2015-%02d-03", 1+i%12) }, 0, column.DoubtEntity},
		{"dates", func(i int) string { return fmt.Sprintf("2015-%02d-03", 1+i%12) }, 2, column.DoubtEntity},
		{"numbers", func(i int) string { return fmt.Sprint(0.125 + float64(i)) }, 0, column.DoubtEntity},
		{"numbers", func(i int) string { return fmt.Sprint(0.125 + float64(i)) }, 12, ""},
		{"texts", func(i int) string { return fmt.Sprint("x", i) }, 0, ""},
		{"two makers", func(i int) string { return "GE" }, 2, column.DoubtEntity},
		{"two makers", func(i int) string { return "GE" }, 7, column.DoubtProcessing},
	} {
		of, owners := map[string]string{}, Owners{Groups: map[string]string{}}
		for i := range 32 {
			who := fmt.Sprintf("sub-%02d", i)
			owners.Groups[who] = "A"
			own := i
			if i >= 16 {
				owners.Groups[who] = "B"
			} else if i < c.strays {
				own += 16
			}
			if of[who] = c.value(own); own >= 16 {
				switch c.name {
				case "dates":
					of[who] = strings.Replace(of[who], "2015", fmt.Sprint(2000+own), 1)
				case "two makers":
					of[who] = "Siemens"
				}
			}
		}
		got := ""
		field := Property{Name: "sidecar field X", Doubt: column.DoubtEntity, Of: of, other: true}
		for _, n := range Notes([]Property{field}, owners) {
			got = n.Doubt
		}
		need.Equal(t, got, c.want, c.name, c.strays)
	}
}
