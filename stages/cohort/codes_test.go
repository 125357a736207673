package cohort

import (
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/stagetest"
)

// A code for a missing value is no number: neither for select nor in the table of participants. As a group it is none.
func TestMissingCodes(t *testing.T) {
	load := func(table, query string) (*Roster, error) {
		dir := testdir.Files(t, map[string]string{"people.csv": table, "x.csv": "1,2\n3,4\n"})
		people := listed{File: "people.csv", ID: "id", Group: "dx", Select: query}
		return (&TimeseriesCohort{listed: people, Series: "x.csv"}).Load(dir)
	}
	r, err := load("id,dx,iq\na,1,100\nb,2,-9999\nc,-9999,90\nd,1,120\n", "")
	need.NoError(t, err)
	iq, _ := r.Participants.Column("iq")
	if iq.Valid == nil || iq.Valid[1] || stagetest.Sure(r.Participants.Floats("iq"))[0] != 100 {
		t.Errorf("iq %v %v", iq.Values, iq.Valid)
	}
	if n := strings.Join(r.Notes, "\n"); !strings.Contains(n, "codes for missing values count as missing: iq (-9999, in 1 row)") {
		t.Errorf("notes %s", n)
	}
	need.Error(t, r.Subjects[2].Problem, "its group is -9999, a code for a missing value")
	if r, err = load("id,dx,iq\na,1,100\nb,2,-9999\nc,2,90\n", "iq < 95"); err != nil || len(r.Subjects) != 1 {
		t.Errorf("selected %v, %v", r, err)
	}
	if _, err = load("id,dx,iq\na,1,100\nb,2,1e300\n", ""); err == nil ||
		!strings.HasSuffix(err.Error(), "people.csv:3: iq of b is 1e300, beyond ±1e+100: correct it, or write n/a") {
		t.Errorf("%v", err)
	}
}

// Two people must not become one, and nobody another: names are refused rather than cut or folded.
func TestNamesAreNotCut(t *testing.T) {
	for people, want := range map[string]string{
		"a1,1\nA1,2\n":        `people.csv:3: "A1" and "a1" (line 2) differ only in case, and some file systems cannot tell their files apart: rename one of them`,
		"Müller,1\nMller,2\n": `people.csv:2: "Müller" has the character 'ü', but participant names consist of the letters a to z and digits: rename it, or set the parameter id to another column`,
		"x1,1\nx\u200b2,2\n":  `people.csv:3: "x\u200b2" has the character '\u200b', but participant names`,
		"а1,1\nb1,2\n":        `people.csv:2: "а1" has the character 'а', but participant names`, // Cyrillic
	} {
		dir := testdir.Files(t, map[string]string{"people.csv": "id,dx\n" + people, "x.csv": "1,2\n3,4\n"})
		names := listed{File: "people.csv", ID: "id", Group: "dx"}
		_, err := (&TimeseriesCohort{listed: names, Series: "x.csv"}).Load(dir)
		need.Error(t, err, want)
	}
}
