package simulate

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/artifacts/encoding"
	"prgnn/dag/param"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/cohort"
	"prgnn/stages/stagetest"
)

// smallScanner is quick.
func smallScanner() Scanner {
	s := DefaultScanner()
	s.Grid, s.Volumes = 10, 20
	return s
}

func simulated(t *testing.T, change func(*Cohort)) *cohort.Roster {
	t.Helper()
	c := &Cohort{ASD: 3, HC: 2, Seed: 1, Sites: 1, Scanner: smallScanner()}
	if change != nil {
		change(c)
	}
	r := need.Value(c.Load(""))(t)
	return r
}

// The default is the paper's: 75 ASD, 43 HC, 146 volumes, TR 2 s, 84 regions.
func TestSimulatedCohortDefault(t *testing.T) {
	c := Source.New().(*Cohort)
	if c.Volumes != 146 || c.TR != 2 || c.Strength != 1 {
		t.Errorf("%+v", c)
	}
	r := need.Value(c.Load(""))(t)
	groups := need.Value(r.Participants.Strings("group"))(t)
	n := map[string]int{}
	for _, g := range groups {
		n[g]++
	}
	if !reflect.DeepEqual(n, map[string]int{"ASD": 75, "HC": 43}) || r.Nodes.Rows() != 84 || len(r.Subjects) != 118 {
		t.Errorf("groups %v, %d nodes, %d participants", n, r.Nodes.Rows(), len(r.Subjects))
	}
}

// Nothing can be taken for real data.
func TestSimulatedCohortSaysSo(t *testing.T) {
	r := simulated(t, nil)
	flags, err := r.Participants.Bools("simulated")
	if err != nil || slices.Contains(flags, false) {
		t.Errorf("column simulated: %v, %v", flags, err)
	}
	for _, s := range r.Subjects {
		if !strings.HasPrefix(s.ID, "sub-sim") {
			t.Errorf("a participant is called %s", s.ID)
		}
	}
	if len(wording.NoteTexts(r.Notes)) == 0 || !strings.Contains(wording.NoteTexts(r.Notes)[0], "simulated") {
		t.Errorf("notes: %q", wording.NoteTexts(r.Notes))
	}
	out := stagetest.MustRun(t, r.Make("sub-sim001"), nil)
	for _, port := range []string{"bold", "labels"} {
		in, err := nifti.NewReader(io.NopCloser(bytes.NewReader(stagetest.Encoded(t, out[port]))), port)
		need.NoError(t, err)
		need.Equal(t, string(bytes.TrimRight(in.Header.Descrip[:], "\x00")), "simulated", "the description of", port)
		in.Close()
	}
	if r.Extra["truth"].(*encoding.Table).Meta["simulated"] != "true" {
		t.Error("the truth does not say that it is simulated")
	}
}

// A scan is real NIfTI: four-dimensional, with its repetition time and the 84
// labels on the same grid.
func TestSimulatedScan(t *testing.T) {
	out := stagetest.MustRun(t, simulated(t, nil).Make("sub-sim002"), nil)
	bold, err := nifti.NewReader(io.NopCloser(bytes.NewReader(stagetest.Encoded(t, out["bold"]))), "bold")
	need.NoError(t, err)
	defer bold.Close()
	need.NoError(t, bold.CheckSeries())
	need.Equal(t, bold.Header.TR(), 2, "TR")
	r, err := nifti.NewReader(io.NopCloser(bytes.NewReader(stagetest.Encoded(t, out["labels"]))), "labels")
	need.NoError(t, err)
	labels, err := nifti.ReadLabels(r)
	need.NoError(t, err)
	if len(labels.Values()) != 84 || !labels.Grid.Same(bold.Header.Grid()) {
		t.Errorf("%d labels on %v, the scan on %v", len(labels.Values()), labels.Grid, bold.Header.Grid())
	}
	lines := strings.Split(strings.TrimSuffix(string(stagetest.Encoded(t, out["confounds"])), "\n"), "\n")
	if len(lines) != 21 || !strings.Contains(lines[0], "framewise_displacement") ||
		!strings.Contains(lines[1], "n/a") || strings.Contains(lines[2], "n/a") {
		t.Errorf("confounds: %d lines, the first %q", len(lines), lines[0])
	}
}

// What is planted, and that nothing is at strength 0.
func TestTruth(t *testing.T) {
	for _, strength := range []float64{0, 0.5, 1} {
		r := simulated(t, func(c *Cohort) { c.Strength = strength })
		truth := r.Extra["truth"].(*encoding.Table)
		difference := need.Value(truth.Floats("difference"))(t)
		for i, d := range difference {
			if (d > 0.05) != (strength > 0) || strength == 0 && d != 0 {
				t.Errorf("strength %g, edge %d: difference %v", strength, i, d)
			}
		}
		need.Equal(t, len(difference), 120, "planted edges")
	}
}

// One more participant changes nobody else's scan, and nobody's task but that of
// the one who changes the group.
func TestOneMoreParticipant(t *testing.T) {
	before, after := simulated(t, nil), simulated(t, func(c *Cohort) { c.HC++ })
	for _, s := range before.Subjects {
		if a, b := param.Values(before.Make(s.ID)), param.Values(after.Make(s.ID)); !slices.Equal(a, b) {
			t.Errorf("%s: %v became %v", s.ID, a, b)
		}
	}
	age := func(r *cohort.Roster) []float64 {
		v := need.Value(r.Participants.Floats("age"))(t)
		return v
	}
	if !slices.Equal(age(before), age(after)[:5]) {
		t.Error("ages moved")
	}
	changed := 0
	after = simulated(t, func(c *Cohort) { c.ASD++ })
	for _, s := range before.Subjects {
		if !slices.Equal(param.Values(before.Make(s.ID)), param.Values(after.Make(s.ID))) {
			changed++
		}
	}
	need.Equal(t, changed, 1, "one more ASD changes", "tasks")
}

// Age, sex and site tell nothing of the group: they do not know it.
func TestCovariatesDoNotKnowTheGroup(t *testing.T) {
	a := simulated(t, func(c *Cohort) { c.ASD, c.HC, c.Sites = 30, 0, 3 })
	b := simulated(t, func(c *Cohort) { c.ASD, c.HC, c.Sites = 0, 30, 3 })
	for _, column := range []string{"age", "sex", "site"} {
		x, _ := a.Participants.Strings(column)
		y, _ := b.Participants.Strings(column)
		if !slices.Equal(x, y) {
			t.Errorf("%s depends on the group", column)
		}
		if distinct := slices.Compact(slices.Sorted(slices.Values(x))); len(distinct) < 2 {
			t.Errorf("%s: only %v", column, distinct)
		}
	}
	ages, _ := a.Participants.Floats("age")
	if low, high := slices.Min(ages), slices.Max(ages); low < 7 || high >= 18 {
		t.Errorf("ages from %v to %v", low, high)
	}
}

func TestOrderOfAThousand(t *testing.T) {
	r := simulated(t, func(c *Cohort) { c.ASD, c.HC = 1000, 200 })
	ids, _ := r.Participants.Strings("participant_id")
	groups, _ := r.Participants.Strings("group")
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != 1200 {
		t.Error("ids are not sorted and distinct")
	}
	for i, id := range ids {
		want := "ASD"
		if number := strings.TrimPrefix(id, "sub-sim"); len(number) > 3 && number > "1000" {
			want = "HC"
		}
		if groups[i] != want || r.Make(id).(*Scan).Group != want {
			t.Errorf("%s is %s", id, groups[i])
		}
	}
}

// The group makes the difference, and the scanner one only where there are several.
func TestGroupAndSiteReachTheScan(t *testing.T) {
	r := simulated(t, nil)
	asd, hc := r.Make("sub-sim001").(*Scan), *r.Make("sub-sim001").(*Scan)
	hc.Group = "HC"
	if asd.Group != "ASD" || bytes.Equal(stagetest.Encoded(t, stagetest.MustRun(t, asd, nil)["bold"]),
		stagetest.Encoded(t, stagetest.MustRun(t, &hc, nil)["bold"])) {
		t.Error("the group makes no difference")
	}
	if asd.Site != 0 {
		t.Error("a single scanner has a character of its own")
	}
	several := simulated(t, func(c *Cohort) { c.Sites = 3 })
	sites, _ := several.Participants.Strings("site")
	for i, s := range several.Subjects {
		if made := several.Make(s.ID).(*Scan); fmt.Sprintf("simulated%d", made.Site) != sites[i] {
			t.Errorf("%s: site %d in the scan, %s in the table", s.ID, made.Site, sites[i])
		}
	}
}

func TestSimulatedFaults(t *testing.T) {
	r := simulated(t, func(c *Cohort) {
		c.Missing, c.Corrupt = []string{"sub-sim002:R.AC", "sub-sim002:L.FP"}, []string{"sub-sim004"}
	})
	out := stagetest.MustRun(t, r.Make("sub-sim002"), nil)
	in, err := nifti.NewReader(io.NopCloser(bytes.NewReader(stagetest.Encoded(t, out["labels"]))), "labels")
	need.NoError(t, err)
	labels, err := nifti.ReadLabels(in)
	if err != nil || len(labels.Values()) != 82 || slices.Contains(labels.Values(), 58) {
		t.Errorf("%d labels, %v", len(labels.Values()), err)
	}
	whole, cut := stagetest.MustRun(t, r.Make("sub-sim003"), nil)["bold"],
		stagetest.MustRun(t, r.Make("sub-sim004"), nil)["bold"]
	if n, m := len(stagetest.Encoded(t, whole)), len(stagetest.Encoded(t, cut)); m > 2*n/3 {
		t.Errorf("the corrupt scan has %d bytes, a whole one %d", m, n)
	}

	_, err = (&Cohort{ASD: 3, HC: 2, Sites: 1, Scanner: smallScanner(),
		Missing: []string{"R.AC", "sub-sim009:R.AC", "sub-sim001:R.ACC"}, Corrupt: []string{"sub-sim0"}}).Load("")
	want := `missing: "R.AC" is not of the form PARTICIPANT:ABBREVIATION, such as sub-sim001:R.AC
missing: there is no participant "sub-sim009"; available: sub-sim001 to sub-sim005
missing: there is no region "R.ACC" (did you mean "R.AC"?)
corrupt: there is no participant "sub-sim0"; available: sub-sim001 to sub-sim005`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, err := (&Cohort{Sites: 1}).Load(""); err == nil ||
		!strings.Contains(err.Error(), "no participants") {
		t.Errorf("an empty cohort: %v", err)
	}
}
