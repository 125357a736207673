package cohort

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
	"prgnn/stages/wording"
)

// A code for a missing value is no number: neither for select nor in the table of participants. As a group it is none.
func TestMissingCodes(t *testing.T) {
	var levels []string
	load := func(table, query string) (*Roster, error) {
		dir := testdir.Files(t, map[string]string{"people.csv": table, "x.csv": "1,2\n3,4\n"})
		people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx", Select: query, Levels: levels}
		return (&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir)
	}
	r, err := load("id,dx,iq\na,1,100\nb,2,-9999\nc,-9999,90\nd,1,120\n", "")
	need.NoError(t, err)
	iq, _ := r.Participants.Column("iq")
	if iq.Valid == nil || iq.Valid[1] || stagetest.Sure(r.Participants.Floats("iq"))[0] != 100 {
		t.Errorf("iq %v %v", iq.Values, iq.Valid)
	}
	if n := strings.Join(wording.NoteTexts(r.Notes), "\n"); !strings.Contains(n, "codes for missing values count as missing: iq (-9999, in 1 row)") {
		t.Errorf("notes %s", n)
	}
	need.Error(t, r.Subjects[2].Problem, "its group is -9999, a code for a missing value")
	// In a column of texts too, such as HANDEDNESS_CATEGORY of ABIDE; a number beside texts is one.
	r, err = load("id,dx,hand,ward\na,1,R,12\nb,2,-9999,a\nc,1,L,999\n", "")
	need.NoError(t, err)
	need.Equal(t, wording.NoteTexts(r.Notes)[0], "codes for missing values count as missing: hand (-9999, in 1 row)")
	hand, _ := r.Participants.Column("hand")
	need.Equal(t, fmt.Sprint(hand.Values, hand.Valid), "[R  L] [true false true]")
	need.Equal(t, strings.Join(stagetest.Sure(r.Participants.Strings("ward")), " "), "12 a 999")
	levels = []string{"1=ASD", "2=HC"} // they name no missing value
	if r, err = load("id,dx,iq\na,1,100\nb,2,90\nc,-9999,90\nd,1,120\n", ""); err != nil || r.Subjects[1].Problem != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	need.Error(t, r.Subjects[2].Problem, "its group is -9999, a code for a missing value")
	_, err = load("id,dx,iq\na,1,100\nb,3,90\nc,-9999,90\n", "")
	need.Error(t, err, `dx is "3" in 1 row, but levels has no name for it`)
	// levels name the values of the rows that select leaves.
	if r, err = load("id,dx,iq\na,1,100\nb,3,90\nc,2,110\n", "dx in [1, 2]"); err != nil || len(r.Subjects) != 2 ||
		r.Left[0].Group != "3" {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = load("id,dx,iq\na,1,100\nb,3,90\nc,2,110\nd,3,120\n", "iq < 115")
	need.Error(t, err, `dx is "3" in 1 row, but levels has no name for it`)
	levels = []string{"1=ASD", "-9999=HC"}
	if r, err = load("id,dx,iq\na,1,100\nb,-9999,90\n", ""); err != nil || r.Subjects[1].Problem != nil {
		t.Errorf("%+v, %v", r, err)
	}
	levels = nil
	if r, err = load("id,dx,iq\na,1,100\nb,2,-9999\nc,2,90\n", "iq < 95"); err != nil || len(r.Subjects) != 1 {
		t.Errorf("selected %v, %v", r, err)
	}
	if _, err = load("id,dx,iq\na,1,100\nb,2,1e300\n", ""); err == nil ||
		!strings.HasSuffix(err.Error(), "people.csv:3: iq of b is 1e300, beyond ±1e+100: correct it, or write n/a") {
		t.Errorf("%v", err)
	}
}

// A code is no group, unless levels names it.
func TestCodesAreNoGroups(t *testing.T) {
	for groups, want := range map[string]string{
		"1 2 -9":                "-9",
		"1 2 -77":               "-77",
		"1 2 -88.0":             "-88.0",
		"1 2 -99 -9":            "-99 -9",
		"1 2 999":               "999",
		"HC ASD .":              ".",
		"HC ASD ?":              "?",
		"HC ASD -9":             "-9",
		"HC ASD ??":             "??",
		"1 -1":                  "",
		"1 -9 -1":               "",
		"HC -6":                 "",
		"+ -":                   "",
		"HC ASD -":              "-",
		"HC ASD -- —":           "-- —",
		"HC ASD #REF!":          "#REF!",
		"HC A- A+":              "",
		"HC 9":                  "9",
		"HC ASD 999":            "999",
		"HC ASD 99 88":          "99 88",
		"HC ASD 5 9":            "",
		"1 2 9":                 "9",
		"1 2 99":                "99",
		"7 8 9":                 "",
		"A. A? -a 7":            "",
		"1 2 999 998":           "",
		"1 2 9 -9":              "9 -9",
		"1 2 9 99":              "9 99",
		"1 2 -9 9 99 88 77 -88": "-9 9 99 88 77 -88",
		"1 2 -88 -99 999":       "-88 -99 999",
		"7 8 9 99":              "99",
	} {
		load := func(levels ...string) *Roster {
			text := "id,dx\n"
			for i, g := range strings.Fields(groups + " " + groups) {
				text += fmt.Sprintf("a%02d,%s\n", i, g)
			}
			dir := testdir.Files(t, map[string]string{"people.csv": text, "x.csv": "1,2\n3,4\n"})
			people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx", Levels: levels}
			return need.Value((&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir))(t)
		}
		n, levels := 0, []string{}
		for i, s := range load().Subjects {
			g := strings.Fields(groups + " " + groups)[i]
			if code := slices.Contains(strings.Fields(want), g); code != (s.Problem != nil) {
				t.Errorf("%s: %s: %v", groups, g, s.Problem)
			} else if code {
				n++
				need.Error(t, s.Problem, "its group is "+g+", a code for a missing value (column")
			}
			levels = append(levels, g+"=g"+fmt.Sprint(len(g)))
		}
		need.Equal(t, n, 2*len(strings.Fields(want)), groups)
		for _, s := range load(levels[:len(levels)/2]...).Subjects {
			need.NoError(t, s.Problem, groups)
		}
	}
}

// The message about a code for a missing group has both remedies, and no level for it.
func TestCodeOfGroupRemedies(t *testing.T) {
	dir := testdir.Files(t, map[string]string{"people.csv": "id,dx\na,HC\nb,ASD\nc,999\n", "x.csv": "1,2\n3,4\n"})
	people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx"}
	r := need.Value((&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir))(t)
	need.Error(t, r.Subjects[2].Problem, `leave it out by select: dx != 999, or, if it is a group, name it in levels)`)
	people.Select = "dx != 999"
	r = need.Value((&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir))(t)
	need.Equal(t, len(r.Subjects), 2)
	people.Select, people.Levels = "", []string{"HC=control"}
	_, err := (&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir)
	need.Error(t, err, "name every value in levels: [ASD=ASD, HC=control]")
}

// Groups that a program saved with decimals are those that levels names.
func TestLevelsWithDecimals(t *testing.T) {
	dir := testdir.Files(t, map[string]string{"people.csv": "id,dx\na,1.0\nb,2.0\nc, 1 \n", "x.csv": "1,2\n3,4\n"})
	people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx", Levels: []string{"1=ASD", "2=TD", "3=X"}}
	r := need.Value((&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir))(t)
	need.Equal(t, strings.Join(wording.NoteTexts(r.Notes), "; "), "levels: no row has dx 3 (X)")
	need.Equal(t, strings.Join(stagetest.Sure(r.Participants.Strings("group")), " "), "ASD TD ASD")
}

// No displacement is negative: one counts as missing, with a caution, unless the name is that of a standardized column.
// A number far above all others that is written as a code is noted, and left to the user.
func TestImpossibleDisplacements(t *testing.T) {
	dir := testdir.Files(t, map[string]string{"x.csv": "1,2\n3,4\n",
		"people.csv": "id,dx,mean_fd,func_fd,z_fd,age,sex\na,HC,0.1,0.2,-1.5,20,F\nb,HC,-9,0.1,1,99,9\nc,ASD,0.2,99,0.5,64,M\n" +
			"d,ASD,-0.1,0.3,0.1,30,F\n"})
	people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx"}
	r := need.Value((&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir))(t)
	for name, want := range map[string]string{"mean_fd": "[0.1 0 0.2 0] [true false true false]",
		"func_fd": "[0.2 0.1 99 0.3] []", "z_fd": "[-1.5 1 0.5 0.1] []", "age": "[20 99 64 30] []", "sex": "[F 9 M F] []"} {
		c, _ := r.Participants.Column(name)
		need.Equal(t, fmt.Sprint(c.Values, c.Valid), want, name)
	}
	var doubts []string
	for _, note := range wording.Notes(r.Notes) {
		if note.Doubt != "" {
			doubts = append(doubts, note.Doubt)
		}
	}
	need.Equal(t, strings.Join(doubts, "; "), "negative displacement; codes in displacements; codes in covariates; codes in covariates")
	notes := strings.Join(wording.NoteTexts(r.Notes), "\n")
	for _, want := range []string{"mean_fd of sub-b (-9), mean_fd of sub-d (-0.1)", "func_fd (99, in 1 row); if they stand for missing values, set missing: [99]",
		"treated as numbers: age (99, in 1 row); if they stand for missing values, set missing: [99]", "treated as categories: sex (9, in 1 row)"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is missing in\n%s", want, notes)
		}
	}
	people.Select = "mean_fd < 0.3"
	r = need.Value((&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir))(t)
	need.Equal(t, len(r.Subjects), 2)
}

// Numbers of sites are categories, and are not treated as numbers.
func TestNumbersOfSites(t *testing.T) {
	rows := "id,dx,%s,bmi\n"
	for i := range 12 {
		rows += fmt.Sprintf("p%d,%s,%d,%d\n", i, []string{"HC", "ASD"}[i%2], 1+i%3, 1+i%2)
	}
	for name, site := range map[string]bool{"site": true, "SITE_ID": true, "stage": false} {
		dir := testdir.Files(t, map[string]string{"x.csv": "1,2\n3,4\n",
			"people.csv": fmt.Sprintf(rows, name) + "x,HC,99,9\n"})
		r := need.Value((&TimeseriesCohort{Parameters: listed.Parameters{File: "people.csv", ID: "id", Group: "dx"},
			Series: "x.csv"}).Load(dir))(t)
		got := strings.Join(wording.NoteTexts(r.Notes), "; ")
		need.Equal(t, strings.Contains(got, "a column of sites may not be sites: "+name+" (99, in 1 row); if they "+
			"stand for missing values, set missing: ["), site, got)
		need.Equal(t, strings.Contains(got, "treated as numbers: "+name), !site, got)
	}
}

// Points that may separate thousands have a caution; columns with other decimals have none.
func TestPointsInATable(t *testing.T) {
	dir := testdir.Files(t, map[string]string{"x.csv": "1,2\n3,4\n", "people.csv": "id,dx,icv,score,iq\n" +
		"a,HC,1.234,1.5,100\nb,HC,987,1.234,101\nc,ASD,1.100,987,102\nd,ASD,n/a,12,103\n"})
	people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx"}
	r := need.Value((&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir))(t)
	got := strings.Join(wording.NoteTexts(r.Notes), "; ")
	need.Equal(t, strings.Contains(got, "read as decimal points: icv (1.100, 987); write"), true, got)
}

// A number far from few whole ones may be a category, or a code for a missing value; codes 1, 2 and 9 have no caution.
func TestNumbersFarFromCategories(t *testing.T) {
	rows := "id,dx,stage,hand\n"
	for i := range 12 {
		rows += fmt.Sprintf("p%d,%s,%d,%d\n", i, []string{"HC", "ASD"}[i%2], 1+i%4, 1+i%2)
	}
	dir := testdir.Files(t, map[string]string{"x.csv": "1,2\n3,4\n", "people.csv": rows + "x,HC,20,9\ny,ASD,2,1\n"})
	r := need.Value((&TimeseriesCohort{Parameters: listed.Parameters{File: "people.csv", ID: "id", Group: "dx"},
		Series: "x.csv"}).Load(dir))(t)
	got := strings.Join(wording.NoteTexts(r.Notes), "; ")
	need.Equal(t, strings.Contains(got, "person: stage of x (20, where all others are 1, 2, 3, 4: a category, or a code for a "+
		"missing value); if a value is wrong, correct"), true, got)
}

// A number far from all others has a caution by participant, in covariates and in the target alike.
func TestNumbersFarFromAllOthers(t *testing.T) {
	rows := "id,dx,age,iq\n"
	for i := range 12 {
		rows += fmt.Sprintf("p%d,%s,%d,%d\n", i, []string{"HC", "ASD"}[i%2], 8+i, 90+3*i)
	}
	dir := testdir.Files(t, map[string]string{"x.csv": "1,2\n3,4\n", "people.csv": rows + "x,HC,127,420\ny,ASD,21,101\n"})
	for _, people := range []listed.Parameters{{File: "people.csv", ID: "id", Group: "dx"},
		{File: "people.csv", ID: "id", Target: "iq"}} {
		r := need.Value((&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir))(t)
		got := strings.Join(wording.NoteTexts(r.Notes), "; ")
		need.Equal(t, strings.Contains(got, "impossible as the age of a person: age of x (127), iq of x (420); if a value is wrong, correct"), true, got)
	}
}

// Displacements are skewed: a participant who moved much, or little, has no caution, one in other units has.
func TestDisplacementsFarFromOthers(t *testing.T) {
	rows := "id,dx,mean_fd\n"
	for i := range 12 {
		rows += fmt.Sprintf("p%d,%s,%g\n", i, []string{"HC", "ASD"}[i%2], 0.1+float64(i)*0.005)
	}
	for fd, want := range map[string]bool{"0.3722343834": false, "37.2": true, "0.031": false, "0.00021": true} {
		dir := testdir.Files(t, map[string]string{"x.csv": "1,2\n3,4\n", "people.csv": rows + "x,HC," + fd + "\n"})
		r := need.Value((&TimeseriesCohort{Parameters: listed.Parameters{File: "people.csv", ID: "id", Group: "dx"},
			Series: "x.csv"}).Load(dir))(t)
		got := strings.Join(wording.NoteTexts(r.Notes), "; ")
		need.Equal(t, strings.Contains(got, "mean_fd of x ("+fd+"); if a value is wrong"), want, got)
	}
}

// Ages in months beside ages in years have a caution; other columns with such numbers have none.
func TestAgesInTwoUnits(t *testing.T) {
	dir := testdir.Files(t, map[string]string{"x.csv": "1,2\n3,4\n", "people.csv": "id,dx,age,score\n" +
		"a,HC,8,8\nb,HC,120,120\nc,ASD,11,11\nd,ASD,150,150\ne,HC,14,14\nf,ASD,n/a,1\ng,ASD,180,180\n"})
	people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx"}
	r := need.Value((&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir))(t)
	need.Equal(t, strings.Join(wording.NoteTexts(r.Notes), "; "),
		"ages may be in two units: age (3 from 8 to 14, as in years, and 3 from 120 to 180, as in months); give all ages in one unit")
}

// A group that may be a missing value is neither a group nor left out: it is asked for.
func TestGroupsThatMayBeMissing(t *testing.T) {
	for _, v := range []string{"none", "None", "unknown", "n.a.", "na", "not available"} {
		load := func(levels ...string) *Roster {
			dir := testdir.Files(t, map[string]string{"people.csv": "id,dx\na,HC\nb,ASD\nc," + v + "\nd," + v + "\n", "x.csv": "1,2\n3,4\n"})
			people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx", Levels: levels}
			return need.Value((&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir))(t)
		}
		need.Error(t, load().Subjects[2].Problem, fmt.Sprintf("its group is %q, which may be a missing value or a group "+
			"(column \"dx\": write n/a where a value is missing, or name it in levels: [ASD=ASD, HC=HC, %[1]s=%[1]s])", v)[:60])
		r := load("HC=HC", "ASD=ASD", v+"=rest")
		need.NoError(t, r.Subjects[2].Problem)
		need.Equal(t, strings.Join(stagetest.Sure(r.Participants.Strings("group")), " "), "HC ASD rest rest")
	}
}

// In covariates, signs count as missing, and words do among numbers; among texts they are categories, with a note.
func TestCovariatesThatMayBeMissing(t *testing.T) {
	dir := testdir.Files(t, map[string]string{"x.csv": "1,2\n3,4\n", "people.csv": "id;dx;age;iq;site;apoe;dose;score\n" +
		"a;HC;30,5;100;-;+;1;1\nb;HC;-;unknown;NYU;-;none;2\nc;ASD;22;90;unknown;+;2;?\nd;ASD;?;n.a.;UCLA;-;3;3\n"})
	people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx"}
	r := need.Value((&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir))(t)
	for name, want := range map[string]string{
		"age": "[30.5 0 22 0] [true false true false]", "iq": "[100 0 90 0] [true false true false]",
		"site": "[ NYU unknown UCLA] [false true true true]", "apoe": "[+ - + -] []", "dose": "[1 none 2 3] []",
		"score": "[1 2 0 3] [true true false true]",
	} {
		c, _ := r.Participants.Column(name)
		need.Equal(t, fmt.Sprint(c.Values, c.Valid), want, name)
	}
	notes := strings.Join(wording.NoteTexts(r.Notes), "\n")
	for _, want := range []string{"codes for missing values count as missing: age (-, in 1 row), age (?, in 1 row), iq (n.a., in 1 row), iq (unknown, in 1 row), site (-, in 1 row), score (?, in 1 row)",
		"treated as categories, although they may stand for missing values: site (unknown, in 1 row), dose (none, in 1 row); if they do, list them in missing"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is missing in\n%s", want, notes)
		}
	}
}

// A word in the place of a family is none: whoever has it is kept together with nobody.
func TestWordsThatAreNoFamilies(t *testing.T) {
	for name, want := range map[string]string{"family_id": "[F1 F1   ] [true true false false false]",
		"mother": "[F1 F1 none none unknown] []"} { // may be her education
		dir := testdir.Files(t, map[string]string{"x.csv": "1,2\n3,4\n", "people.csv": "id,dx," + name +
			"\na,HC,F1\nb,HC,F1\nc,ASD,none\nd,ASD,none\ne,HC,unknown\n"})
		people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx"}
		r := need.Value((&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir))(t)
		c, _ := r.Participants.Column(name)
		need.Equal(t, fmt.Sprint(c.Values, c.Valid), want, name)
		notes := strings.Join(wording.NoteTexts(r.Notes), "\n")
		for text, said := range map[string]bool{"codes for missing values count as missing: " + name + " (none, in 2 rows)": name == "family_id",
			"treated as categories": name == "mother", "keep_together counts them as missing": name == "mother"} {
			need.Equal(t, strings.Contains(notes, text), said, name+": "+text+"\n"+notes)
		}
	}
}

// A person under two spellings of a name, and a session under two, are noted: a spreadsheet drops zeros. The note is a
// caution of the report by its words.
func TestNamesThatAreAlike(t *testing.T) {
	for rows, want := range map[string]string{
		"1,HC,1\n01,HC,2\n01,HC,3\n":              "the participants 01 (line 3) and 1 (line 2) have similar names: if two are one person, scans of that person may be in training and test data; write each in one way in column id",
		"007,HC,1\n7,ASD,1\nb,HC,1\n":             "the participants 007 (line 2) and 7 (line 3) have similar names",
		"sub-P01,HC,1\nP1,ASD,1\n":                "the participants sub-P01 (line 2) and P1 (line 3) have similar names",
		"sub_1,HC,1\n1,ASD,1\n":                   "the participants 1 (line 3) and sub_1 (line 2) have similar names",
		"sub02,HC,1\n2,ASD,1\nb,HC,1\n":           "the participants 2 (line 3) and sub02 (line 2) have similar names",
		"sub_1,HC,1\nsub-1,ASD,1\nSubj 01,HC,1\n": "the participants sub-1 (line 3) and Subj 01 (line 4), sub-1 (line 3) and sub_1 (line 2) have similar names",
		"subway,HC,1\nsub-way1,ASD,1\n":           "",
		"a,HC,1\na,HC,01\nb,ASD,01\n":             "the sessions 1 (line 2) and 01 (line 3) of sub-a have similar names: if two are one session, it counts twice; write each in one way in column visit",
		"a,HC,1\nb,ASD,01\nc1,HC,1\nc11,HC,1\n":   "",
	} {
		dir := testdir.Files(t, map[string]string{"people.csv": "id,dx,visit\n" + rows, "x.csv": "1,2\n3,4\n"})
		people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx"}
		c := &TimeseriesCohort{Parameters: people, Series: "x.csv", Sessions: []string{"visit"}}
		r, err := c.Load(dir)
		need.NoError(t, err)
		notes := strings.Join(wording.NoteTexts(r.Notes), "\n")
		if !strings.Contains(notes, want) || strings.Contains(notes, "have similar names") != (want != "") {
			t.Errorf("%s: %s, want %s", rows, notes, want)
		}
	}
}

// Two people must not become one, and nobody another: names are refused rather than cut or folded.
func TestNamesAreNotCut(t *testing.T) {
	for people, want := range map[string]string{
		"a1,1\nA1,2\n":         `people.csv:3: "A1" and "a1" (line 2) differ only in case, and some file systems cannot distinguish their files: if they are one person, remove one row; if they are two, rename one`,
		"sub-08,1\nSUB-08,2\n": `people.csv:3: "SUB-08" and "sub-08" (line 2) would both be named sub-08: if they are one person, remove one row; if they are two, rename one`,
		"Sub-08,1\n08,2\n":     `people.csv:3: "08" and "Sub-08" (line 2) would both be named sub-08: if they are one person, remove one row; if they are two, rename one`,
		"Müller,1\nMller,2\n":  `people.csv:2: "Müller" has the character 'ü', but participant names consist of the letters a to z and digits: rename it, or set the parameter id to another column`,
		"１２,1\nb1,2\n":         `people.csv:2: "１２" has the character '１', but participant names`, // full-width digits
		"x1,1\nx\u200b2,2\n":   `people.csv:3: "x\u200b2" has the character '\u200b', but participant names`,
		"а1,1\nb1,2\n":         `people.csv:2: "а1" has the character 'а', but participant names`, // Cyrillic
	} {
		dir := testdir.Files(t, map[string]string{"people.csv": "id,dx\n" + people, "x.csv": "1,2\n3,4\n"})
		names := listed.Parameters{File: "people.csv", ID: "id", Group: "dx"}
		_, err := (&TimeseriesCohort{Parameters: names, Series: "x.csv"}).Load(dir)
		need.Error(t, err, want)
	}
}

// Many names with one mistake are a few lines.
func TestManyWrongNames(t *testing.T) {
	rows := "id,dx\n"
	for i := range 40 {
		rows += fmt.Sprintf("Müller%d,a\n", i)
	}
	names := listed.Parameters{File: "p.csv", ID: "id", Group: "dx"}
	dir := testdir.Files(t, map[string]string{"p.csv": rows, "x.csv": "1,2\n3,4\n"})
	_, err := (&TimeseriesCohort{Parameters: names, Series: "x.csv"}).Load(dir)
	need.Error(t, err, "p.csv:2: \"Müller0\" has", "p.csv:4: \"Müller2\" has", "(likewise in 37 other rows: lines 5, 6, ")
	need.Equal(t, strings.Count(err.Error(), "\n"), 2)
}

// A whole number that was saved with decimals is that number, and a name that may be two is refused.
func TestNumbersAsNames(t *testing.T) {
	load := func(people string, change func(*listed.Parameters)) (*Roster, error) {
		files := map[string]string{"people.csv": "id,dx\n" + people}
		for _, name := range strings.Fields("1 2 3.0 1e5 4 4.0") {
			files[name+".csv"] = "1,2\n3,4\n"
		}
		p := listed.Parameters{File: "people.csv", ID: "id", Group: "dx"}
		change(&p)
		return (&TimeseriesCohort{Parameters: p, Series: "{id}.csv"}).Load(testdir.Files(t, files))
	}
	asItIs := func(*listed.Parameters) {}
	r, err := load("1.0,HC\n2.0,ASD\n3.0,HC\n1e5,HC\n4.0,HC\n", asItIs)
	need.NoError(t, err)
	got := lists.Map(r.Subjects, func(s Subject) string { return s.ID + " " + filepath.Base(s.Files["series"]) })
	need.Equal(t, strings.Join(got, ", "), "sub-1 1.csv, sub-1e5 1e5.csv, sub-2 2.csv, sub-3 3.0.csv, sub-4 .")
	need.Error(t, r.Subjects[4].Problem, "its series file may be 4.0.csv or 4.csv, because people.csv has whole numbers with decimals; write them without decimals")
	if notes := strings.Join(wording.NoteTexts(r.Notes), "\n"); !strings.Contains(notes, "participant names saved with decimals, as pandas does, "+
		"are read as whole numbers: 1.0 is sub-1, 2.0 is sub-2, 3.0 is sub-3, 4.0 is sub-4") {
		t.Error(notes)
	}
	for people, want := range map[string]string{
		"1.0,HC\n1,ASD\n":                `people.csv:3: "1" and "1.0" (line 2) would both be named sub-1: if they are one person, remove one row; if they are two, rename one`,
		"1.000,HC\n":                     `people.csv:2: "1.000" may be 1 or 1000: write participants as whole numbers without separators`,
		"\"2,000\",HC\n":                 `"2,000" may be 2 or 2000`,
		"1E+05,HC\n":                     `"1E+05" is a number in scientific notation, whose last digits may be lost: write participants as whole numbers`,
		"123456789012345680.0,HC\nb,A\n": `"123456789012345680.0" is a number with decimals and more than 15 digits, whose last digits may be lost: write participants as whole numbers`,
		"1.23457E+11,HC\n1,A\n":          `"1.23457E+11" is a number in scientific notation`,
		"1.0,HC\n01,HC\n01.0,HC":         `"01.0" and "01" (line 3) would both be named sub-01`,
	} {
		_, err := load(people, asItIs)
		need.Error(t, err, want)
	}
	for _, x := range []struct{ table, exclude, query, want string }{
		{"1.0,HC\n2.0,ASD\n10.0,HC\n", "1.0", "", "sub-10 sub-2"}, // as the table has it
		{"1.0,HC\n2.0,ASD\n10.0,HC\n", "1", "", "sub-10 sub-2"},
		{"1,HC\n2,ASD\n", "1.0", "", "sub-2"},
		{"1,HC\n2,ASD\n10,HC\n", "1.0", "", `"1.0" may be sub-1 or sub-10: write one of the two`},
		{"A_1,HC\n2,ASD\n", "A_1", "", "sub-2"},
		{"A_1,HC\n2,ASD\n", "sub-A1", "", "sub-2"},
		{"A_1,HC\n2,ASD\n", "A.1", "", `there is no participant "A.1" (did you mean "sub-A1"?)`},
		{"01,HC\n2,ASD\n", "1.0", "", `there is no participant "1.0" (did you mean "sub-01"?)`},
		{"1.0,HC\n2.0,ASD\n", "", "id not in [1]", "sub-2"},
		{"1e5,HC\n100000,ASD\n", "1E5", "", `there is no participant "1E5" (did you mean "sub-100000" or "sub-1e5"?)`},
		{"01,HC\nA2,ASD\n", "", "id not in [1]", "select: no participant is named 1 in column id (did you mean 01?)"},
		{"1,HC\n2,ASD\n", "", "id not in [7]", "select: no participant is named 7 in column id"},
		{"01,HC\nA2,ASD\n", "", "participant_id != sub-1", `select: there is no participant sub-1 (did you mean "sub-01"?)`},
	} {
		r, err := load(x.table, func(p *listed.Parameters) {
			if p.Select = x.query; x.exclude != "" {
				p.Exclude = []string{x.exclude}
			}
		})
		if !strings.HasPrefix(x.want, "sub-") {
			need.Error(t, err, x.want)
			continue
		}
		need.NoError(t, err, x)
		need.Equal(t, strings.Join(slices.Sorted(maps.Keys(r.IDs())), " "), x.want, x)
	}
}

// Where directories have the participants' names, nobody is found by leaving out characters, and no number is one of
// two people.
func TestNumbersAsDirectories(t *testing.T) {
	for _, x := range []struct{ dirs, table, want string }{
		{"1 10 2 20", "1.0,A\n2,B\n", `participants.tsv:2: "1.0" may be sub-1 or sub-10: each has a directory`},
		{"1 10 2 20", "1.0,A\n2.0,B\n10.0,A\n20.0,B\n", "sub-1 sub-10 sub-2 sub-20"}, // each has its own row
		{"1 2", "1.0,A\n2.0,B\n", "sub-1 sub-2"},
		{"10 2", "1.0,A\n2.0,B\n", "sub-1! sub-2"}, // sub-1 is not there
		{"01 001 2", "1,A\n2,B\n", `"1" may be sub-001 or sub-01`},
		{"1 01 2", "1,A\n2,B\n", `"1" may be sub-01 or sub-1`},
		{"1 01 2", "1,A\n01,B\n2,B\n", "sub-01 sub-1 sub-2"},
		{"1 01 2", "sub-1,A\n2,B\n", "sub-1 sub-2"}, // no spreadsheet changes it
		{"01 2", "1,A\n2,B\n", "sub-1! sub-2"},
		{"11G1 2", "11G_1,A\n2,B\n", `"11G_1" cannot name a directory, and nobody is found by leaving out characters: if it is sub-11G1, write that`},
		{"100000 2", "1E+05,A\n2,B\n", `"1E+05" is a number in scientific notation, whose last digits may be lost: write participants as whole numbers (did you mean sub-100000?)`},
		{"1E5 100000", "1E5,A\n", `"1E5" may be sub-100000 or sub-1E5`},
		{"1000 2", "\"1 000\",A\n2,B\n", `"1 000" cannot name a directory`},
	} {
		for _, series := range []bool{false, true} {
			d := newDataset(t, "participant_id,group\n"+x.table)
			for _, id := range strings.Fields(x.dirs) {
				d.list("legacy.txt", "sub-01", "sub-"+id)
				d.write("sub-"+id+"/func/sub-"+id+"_task-rest_atlas-A_timeseries.tsv", "a\tb\n1\t2\n3\t4\n")
			}
			var r *Roster
			var err error
			if series {
				r, err = (&TimeseriesCohort{Parameters: listed.Defaults(), Dir: "."}).Load(d.dir)
			} else {
				r, err = d.load(func(*BIDSCohort) {})
			}
			if !strings.HasPrefix(x.want, "sub-") {
				need.Error(t, err, x.want)
				continue
			}
			need.NoError(t, err, x)
			var got []string
			for _, s := range r.Subjects {
				got = append(got, s.ID+map[bool]string{true: "!"}[s.Problem != nil])
			}
			need.Equal(t, strings.Join(got, " "), x.want, x)
		}
	}
}

// What is no number to predict is said before anything runs: the same for all, two groups, an identifier.
func TestDoubtfulTargets(t *testing.T) {
	for values, want := range map[string]string{
		"7 7 7 7":                      "error: target: y is 7 for all 4 participants: there is nothing to predict",
		"0 1 1 0":                      "target: y has two values only (0, 1): they are groups rather than a number; group: y compares them",
		"3 5 4 6 7 8 9 10 12 11":       "target: the values of y are the integers from 3 to 12, each once",
		"3 5 4 6 7 8 9 10 12 12":       "",
		"3.5 5 4 6 7 8 9 10 12 11":     "",
		"30 50 41 62 73 80 91 11 5 17": "",
	} {
		text := "id,y\n"
		for i, v := range strings.Fields(values) {
			text += fmt.Sprintf("a%02d,%s\n", i, v)
		}
		dir := testdir.Files(t, map[string]string{"people.csv": text, "x.csv": "1,2\n3,4\n"})
		people := listed.Parameters{File: "people.csv", ID: "id", Group: "group", Target: "y"}
		r, err := (&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir)
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = strings.Join(wording.NoteTexts(r.Notes), "\n")
		}
		if !strings.Contains(got, want) || want == "" && strings.Contains(got, "target:") {
			t.Errorf("%s: %s, want %s", values, got, want)
		}
	}
}

// many are rows of so many participants of a group.
func many(group string, n int) (rows string) {
	for i := range n {
		rows += fmt.Sprintf("m%d,%s,\n", i, group)
	}
	return rows
}

// others are n more rows of a group.
func others(group string, n int) string { return strings.ReplaceAll(many(group, n), "m", "o") }

// named are n more rows of another group.
func named(group string, n int) string { return strings.ReplaceAll(many(group, n), "m", "p") }

// alone is the note of groups of one participant beside three of nine.
func alone(who string) string { return "groups of one participant: " + who + "; all groups: " }

// Groups that nothing can be learnt of are named before anything runs.
func TestDoubtfulGroups(t *testing.T) {
	for rows, want := range map[string]string{
		"a,1,x\nb,1,x\nc,2,x\nd,2,y\n":                     "",
		"a,1,x\nb,1,y\n":                                   "every participant is in the group 1, so groups cannot be compared",
		"a,1,x\nb,1,x\nc,2,\nd,2,\ne,n/a,x\n":              "",
		"a,contol,\nb,ASD,\nc,ASD,\n" + many("control", 8): "the groups contol (1 participant, line 2) and control (8) have similar names: if they are one, give them one name in levels: [ASD=ASD, contol=control, control=control]",
		"a,contol,\nb,ASD,\nc,ASD,\n" + many("control", 7): "groups of one participant: contol (line 2); all groups: ASD (2), contol (1), control (7)", // as many may be a group of its own
		"a,H C,\nb,H C,\nc,HC,\nd,HC,\n":                   "the groups HC (2 participants, lines 4, 5) and H C (2) have similar names: if they are one, give them one name in levels: [H C=H C, HC=H C]",
		"a,ASD1,\nb,MCI-A,\nc,GroupA,\n" + many("ASD2", 9) + others("MCI-B", 9) + named("GroupB", 9): alone("ASD1 (line 2), GroupA (line 4), MCI-A (line 3)"), // levels
		"a,TC,\nb,BD I,\nc,T1D,\n" + many("TD", 9) + others("BD II", 9) + named("T2D", 9):            "the groups TC (1 participant, line 2) and TD (9) both have the name of a control group: if they are one, give them one name in levels: [BD I=BD I, BD II=BD II, T1D=T1D, T2D=T2D, TC=TD, TD=TD]\n" + alone("BD I (line 3), T1D (line 4)"),
		many("HC", 9) + others("ASD", 20) + named("control", 9):                                      "the groups control (9 participants) and HC (9) both have the name of a control group: if they are one, give them one name in levels: [ASD=ASD, HC=HC, control=HC]",
		many("0", 9) + others("1", 20) + named("2", 9):                                               "the 3 groups are numbers (0: 9 participants, 1: 20 participants, 2: 9 participants): if two are one group, or one is a code for a missing value, name them or leave them out in levels: [0=NAME, 1=NAME, 2=NAME]",
		"a,APOE-,\nb,APOE-,\nc,APOE+,\nd,APOE+,\n":                                                   "",
		"a,A-S.D,\nb,A-S.D,\nc,asd,\nd,asd,\n":                                                       "the groups asd (2 participants, lines 4, 5) and A-S.D (2) have similar names: if they are one, give them one name in levels: [A-S.D=A-S.D, asd=A-S.D]",
		"a,Z\u00fcrich,\nb,Z\u00fcrich,\nc,Zu\u0308rich,\nd,Zu\u0308rich,\ne,HC,\nf,HC,\n":           `the groups Zu\u0308rich (2 participants, lines 4, 5) and Zürich (2) have similar names: if they are one, give them one name in levels: [HC=HC, "Zu\u0308rich=Zürich", Zürich=Zürich]`,
		"a,-0,\nb,-0,\nc,0,\nd,0,\n":                                                                 "the groups 0 (2 participants, lines 4, 5) and -0 (2) have similar names: if they are one, give them one name in levels: [\"-0=-0\", 0=-0]",
		"a,01,\nb,01,\nc,1,\nd,1,\n":                                                                 "the groups 1 (2 participants, lines 4, 5) and 01 (2) have similar names: if they are one, give them one name in levels: [01=01, 1=01]",
		many("TD", 30) + others("ASD", 21) + "x,PDD,\ny,PDD,\n":                                      "the group PDD is very rare (2 participants, and ASD has 21), and the study has 3 groups: if it is one of the other groups under a different name, replace GROUP by that group in levels: [ASD=ASD, PDD=GROUP, TD=TD]; select: dx != PDD leaves it out",
		many("TD", 30) + others("ASD", 20) + "x,PDD,\ny,PDD,\n":                                      "",
		many("TD", 30) + others("ASD", 21) + "x,not ASD,\n":                                          "the group not ASD is very rare (1 participant, and ASD has 21), and the study has 3 groups: if it is one of the other groups under a different name, replace GROUP by that group in levels: [ASD=ASD, TD=TD, not ASD=GROUP]; select: dx != \"not ASD\" leaves it out",
		many("TD", 30) + "x,ASD,\ny,ASD,\n":                                                          "", // two groups
		many("TD", 30) + others("ASD", 21) + "x,PDD,\ny,Autism,\n": "the group Autism is very rare (1 participant, and ASD has 21), and the study has 4 groups: if it is one of the other groups under a different name, replace GROUP by that group in levels: [ASD=ASD, Autism=GROUP, PDD=GROUP, TD=TD]; select: dx != Autism leaves it out\n" +
			"the group PDD is very rare (1 participant, and ASD has 21), and the study has 4 groups: if it is one of the other groups under a different name, replace GROUP by that group in levels: [ASD=ASD, Autism=GROUP, PDD=GROUP, TD=TD]; select: dx != PDD leaves it out",
	} {
		dir := testdir.Files(t, map[string]string{"people.csv": "id,dx,site\n" + rows, "x.csv": "1,2\n3,4\n"})
		people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx"}
		r, err := (&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir)
		need.NoError(t, err)
		got := strings.Join(wording.NoteTexts(r.Notes), "\n")
		if strings.HasSuffix(want, "all groups: ") {
			got, _, _ = strings.Cut(got, "ASD1 (1)")
			got, _, _ = strings.Cut(got, "BD I (1)")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", rows, got, want)
		}
	}
}

// A column whose name is another spelling of the one that is predicted is a doubt where it has other values.
func TestOtherColumnOfTheLabel(t *testing.T) {
	for rows, want := range map[string]string{
		"a,1,x,1\nb,1,x,1\nc,2,x,2\nd,2,x,\n":  "",
		"a,1,x,2\nb,1,x,1\nc,2,x,2\nd,2,x,1\n": "the columns dx, which is predicted, and DX differ in 2 rows (sub-a: 1 and 2, sub-d: 2 and 1): remove the wrong one, or rename it",
	} {
		dir := testdir.Files(t, map[string]string{"people.csv": "id,dx,site,DX\n" + rows, "x.csv": "1,2\n3,4\n"})
		r := need.Value((&TimeseriesCohort{Parameters: listed.Parameters{File: "people.csv", ID: "id", Group: "dx"},
			Series: "x.csv"}).Load(dir))(t)
		need.Equal(t, strings.Join(wording.NoteTexts(r.Notes), "\n"), want)
	}
}

// One group in several ways is refused, with levels to paste, which is a note where these keep them apart; a covariate
// in several ways is a caution.
func TestSynonymsInTables(t *testing.T) {
	load := func(groups, sexes string, levels ...string) (*Roster, error) {
		people, sex := "id,dx,sex\n", strings.Fields(sexes)
		for i, g := range strings.Fields(groups) {
			people += fmt.Sprintf("s%d,%s,%s\n", i, g, sex[i])
		}
		p := listed.Parameters{File: "people.csv", ID: "id", Group: "dx", Levels: levels}
		dir := testdir.Files(t, map[string]string{"people.csv": people, "x.csv": "1,2\n3,4\n"})
		return (&TimeseriesCohort{Parameters: p, Series: "x.csv"}).Load(dir)
	}
	doubts := func(r *Roster) (n int) {
		return lists.Count(r.Notes, func(note column.Note) bool { return note.Doubt == column.DoubtAlike })
	}
	_, err := load("0 1 TRUE 0 FALSE", "M M F M F")
	need.Error(t, err, "1 (1 row, first in line 3) and TRUE (1 row, first in line 4); 0 (2 rows, first in line 2) and FALSE "+
		"(1 row, first in line 6); give each one name in levels: [0=0, 1=1, FALSE=0, TRUE=1]")
	r := need.Value(load("0 1 TRUE 0 FALSE", "M M F M F", "0=0", "1=TRUE", "FALSE=0", "TRUE=TRUE"))(t)
	need.Equal(t, doubts(r), 0)
	r = need.Value(load("0 1 TRUE 0 FALSE", "M M F M F", "0=no", "1=1", "FALSE=0", "TRUE=TRUE"))(t)
	need.Equal(t, doubts(r), 1)
	_, err = load("asd ASD HC ASD hc", "M M F M F")
	need.Error(t, err, "seems to have one group in several ways: ASD (2 rows, first in line 3) and asd (1 row, first in line 2); "+
		"HC (1 row, first in line 4) and hc (1 row, first in line 6); give each one name in levels: [ASD=ASD, HC=HC, asd=ASD, hc=HC]")
	r = need.Value(load("asd ASD HC ASD HC", "M M F M F", "asd=case", "ASD=ASD", "HC=HC"))(t)
	need.Equal(t, doubts(r), 0)
	r = need.Value(load("A A B B A", "M male F F M"))(t)
	need.Equal(t, doubts(r), 1)
}

// The levels that a note or a mistake names are those of the whole table, with all slips, and can be pasted.
func TestLevelsToPaste(t *testing.T) {
	const rows = "id,dx,age\na,asd,9\nb,Asd,9\nc,hc,9\nd,\"x, y\",9\ne,OTHER,3\nf,n/a,9\n"
	const levels = `[ASD=ASD, Asd=ASD, HC=HC, OTHER=OTHER, asd=ASD, hc=HC, "x, y=x, y"]`
	dir := testdir.Files(t, map[string]string{"x.csv": "1,2\n3,4\n",
		"people.csv": rows + strings.ReplaceAll(many("ASD", 8), ",\n", ",9\n") +
			strings.NewReplacer("m", "n", ",\n", ",9\n").Replace(many("HC", 9))})
	people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx", Select: "age > 5"}
	_, err := (&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir)
	need.Error(t, err, "ASD (8 rows, first in line 8) and Asd (1 row, first in line 3) and asd (1 row, first in line 2); "+
		"HC (9 rows, first in line 16) and hc (1 row, first in line 4); give each one name in levels: "+levels)
	people.Levels = []string{"ASD=ASD", "Asd=ASD", "HC=HC", "OTHER=OTHER", "asd=ASD", "hc=HC", "x, y=x, y"}
	r, err := (&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir)
	need.NoError(t, err)
	need.Equal(t, len(wording.NoteTexts(r.Notes)), 3, "%q", wording.NoteTexts(r.Notes))
	people.Levels = []string{"ASD=ASD", "asd=ASD"}
	_, err = (&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir)
	need.Error(t, err, `dx is "HC" in 9 rows, but levels has no name for it: name every value in levels: `+
		strings.NewReplacer("Asd=ASD", "Asd=Asd", "hc=HC", "hc=hc").Replace(levels))
}

// A whole number with decimals in a column that names files is noted with the file that was found.
func TestDecimalsInPaths(t *testing.T) {
	r := need.Value((&TimeseriesCohort{Parameters: listed.Parameters{File: "people.csv", ID: "id", Group: "dx"},
		Series: "{f}.csv"}).Load(testdir.Files(t, map[string]string{"people.csv": "id,dx,f\na,A,1.0\nb,B,2\n",
		"1.csv": "1,2\n3,4\n", "2.csv": "1,2\n3,5\n"})))(t)
	want := `series: whole numbers saved with decimals, as pandas does, are read without them in "{f}.csv": sub-a (1.csv)`
	if notes := wording.NoteTexts(r.Notes); !slices.Contains(notes, want) {
		t.Errorf("%q is missing in\n%s", want, strings.Join(notes, "\n"))
	}
}

// Numbers are written with a point, or all with commas; every other form is a text, which a note lists.
func TestFormsOfNumbers(t *testing.T) {
	load := func(age string) *Roster {
		dir := testdir.Files(t, map[string]string{"x.csv": "1,2\n3,4\n",
			"people.tsv": "id\tdx\tage\na\tA\t" + age + "\nb\tB\t20.5\nc\tB\t31\n"})
		return need.Value((&TimeseriesCohort{Parameters: listed.Parameters{File: "people.tsv", ID: "id", Group: "dx"},
			Series: "x.csv"}).Load(dir))(t)
	}
	for age, want := range map[string]float64{"30": 30, "-1.5": -1.5, "+2": 2, ".5": 0.5, "25.": 25, "1e-3": 1e-3} {
		need.Equal(t, need.Value(load(age).Participants.Floats("age"))(t)[0], want, age)
	}
	for _, age := range []string{"1 234", "1.234,5", "1'234", "1_000", "0x10", "25%", "<25", "inf", "−5", "２５", "٢٥"} {
		r := load(age)
		_, err := r.Participants.Strings("age")
		need.NoError(t, err)
		want := fmt.Sprintf("column age: 2 numbers and 1 text (%q of sub-a): taken as text", age)
		if notes := strings.Join(wording.NoteTexts(r.Notes), "\n"); !strings.Contains(notes, want) {
			t.Errorf("%q is missing in\n%s", want, notes)
		}
	}
}

// What a table holds in the place of numbers is told, or read as what it is.
func TestTablesOfSpreadsheets(t *testing.T) {
	load := func(table string, people listed.Parameters) (*Roster, error) {
		dir := testdir.Files(t, map[string]string{"people.csv": table, "x.csv": "1,2\n3,4\n"})
		people.File, people.ID = "people.csv", "id"
		return (&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir)
	}
	const rows = "id,dx,age,mean_fd,iq\na,1,30,\"0,1646\",~100\nb,2,-77,\"0,2\",~90\nc,1,25,\"0,31\",~80\n"
	r, err := load(rows, listed.Parameters{Group: "dx"})
	need.NoError(t, err)
	if fd := stagetest.Sure(r.Participants.Floats("mean_fd")); fd[0] != 0.1646 || fd[2] != 0.31 {
		t.Errorf("motion %v", fd)
	}
	notes := strings.Join(wording.NoteTexts(r.Notes), "\n")
	for _, want := range []string{"decimal commas are read as decimal points: mean_fd",
		"negative values in otherwise positive columns are treated as numbers: age (-77, in 1 row); if they stand for missing values, set missing: [-77]",
		`column iq: no value is a number ("~100" of sub-a and 2 more)`} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is missing in\n%s", want, notes)
		}
	}
	r, err = load(rows, listed.Parameters{Group: "dx", Missing: []string{"-77.0", "~90", "unknown"}})
	need.NoError(t, err)
	for _, name := range []string{"age", "iq"} {
		if c, _ := r.Participants.Column(name); c.Valid == nil || c.Valid[1] || !c.Valid[0] {
			t.Errorf("%s %v %v", name, c.Values, c.Valid)
		}
	}
	if notes := strings.Join(wording.NoteTexts(r.Notes), "\n"); strings.Contains(notes, "otherwise positive") ||
		!strings.Contains(notes, "missing: values that count as missing: age (1 value), iq (1 value)\nmissing: no cell of the table holds unknown") {
		t.Errorf("notes %s", notes)
	}
	_, err = load("id,dx\n../../etc/passwd,1\nb,2\n", listed.Parameters{Group: "dx"})
	need.Error(t, err, `people.csv:2: "../../etc/passwd" has a slash and cannot name a participant`)
	_, err = load("id,dx\na,1\n#b,2\n#c,1\nd,2\n", listed.Parameters{Group: "dx"})
	need.Error(t, err, `people.csv:3: "#b" begins with #, but tables have no comments, so the row would be a participant: remove the row, or the # of the name`)
	many := "id,iq\n"
	for i := range 30 {
		many += fmt.Sprintf("a%02d,%d\n", i, 80+i)
	}
	for what, levels := range map[string][]string{"levels has no name for": {"1=ASD"}, "are numbers": nil} {
		_, err = load(many, listed.Parameters{Group: "iq", Levels: levels})
		need.Error(t, err, "has 30 values that "+what+", and a classification needs a few groups; target: iq (in place of group) predicts a number")
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one mistake: %v", err)
		}
	}
	dir := testdir.Files(t, map[string]string{"people.csv": "id,dx,f\na,1,../x\nb,2,x\n", "x.csv": "1,2\n3,4\n"})
	r, err = (&TimeseriesCohort{Parameters: listed.Parameters{File: "people.csv", ID: "id", Group: "dx"},
		Series: "{f}.csv"}).Load(dir)
	need.NoError(t, err)
	need.Error(t, r.Subjects[0].Problem, `column "f" is "../x", which leads out of the directory of its series file; correct it`)
}

// A value with = in it is named by the values of the table, or in quotation marks; the message has what to paste.
func TestLevelsWithEqualsSigns(t *testing.T) {
	for _, c := range []struct {
		levels       []string
		want, groups string
	}{
		{[]string{"IQ=high=H", "IQ=low = L", "b=B"}, "", "H L B"},
		{[]string{`"IQ=high"=H=1`, `"IQ=low"=L`, "b=B"}, "", "H=1 L B"},
		{[]string{"IQ=high=H", "b=B"}, `name every value in levels: ['"IQ=high"=H', '"IQ=low"=IQ=low', b=B]`, ""},
		{[]string{"IQ=middle=M"}, `levels has no name for it`, ""},
	} {
		dir := testdir.Files(t, map[string]string{"people.csv": "id,dx\na,IQ=high\nc,IQ=low\nd,b\n", "x.csv": "1,2\n3,4\n"})
		people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx", Levels: c.levels}
		r, err := (&TimeseriesCohort{Parameters: people, Series: "x.csv"}).Load(dir)
		if c.want != "" {
			need.Error(t, err, c.want)
			continue
		}
		need.NoError(t, err)
		need.Equal(t, strings.Join(stagetest.Sure(r.Participants.Strings("group")), " "), c.groups)
	}
}

// A file whose name has zeros that the table lacks is proposed, and not taken.
func TestLostZeros(t *testing.T) {
	files := map[string]string{"people.csv": "id,dx\n1,HC\n2,ASD\n3,HC\n"}
	for _, name := range strings.Fields("001 01 002 20 3") {
		files["ts/"+name+"_x0.csv"] = "1,2\n3,4\n"
	}
	dir := testdir.Files(t, files)
	people := listed.Parameters{File: "people.csv", ID: "id", Group: "dx"}
	r := need.Value((&TimeseriesCohort{Parameters: people, Series: "ts/{id}_x0.csv"}).Load(dir))(t)
	need.Error(t, r.Subjects[0].Problem, "ts/1_x0.csv: there is no such file, but 001_x0.csv or 01_x0.csv exists: did a "+
		"spreadsheet remove leading zeros from the table?")
	need.Error(t, r.Subjects[1].Problem, "no such file, but 002_x0.csv exists: did")
	need.NoError(t, r.Subjects[2].Problem)
	testdir.Write(t, filepath.Join(dir, "decimals.csv"), "id,dx\n1.00,HC\n2.0,ASD\n3.00,HC\n4.0,HC\n")
	decimals := listed.Parameters{File: "decimals.csv", ID: "id", Group: "dx"}
	for _, series := range []string{"ts/{id}_x0.csv", "ts/{id}_*.csv"} {
		r = need.Value((&TimeseriesCohort{Parameters: decimals, Series: series}).Load(dir))(t)
		need.Error(t, r.Subjects[0].Problem, ", but 001_x0.csv or 01_x0.csv exists: did a spreadsheet remove leading zeros")
		need.Error(t, r.Subjects[1].Problem, ", but 002_x0.csv exists: did")
		need.NoError(t, r.Subjects[2].Problem)
		need.Error(t, r.Subjects[3].Problem, "4.0_")
	}
	for _, series := range []string{"ts/{id}_*.csv", "*/{id}_x?.c*"} {
		r = need.Value((&TimeseriesCohort{Parameters: people, Series: series}).Load(dir))(t)
		for i, want := range []string{"001_x0.csv or", "002_x0.csv exists: did a spreadsheet remove leading zeros"} {
			need.Error(t, r.Subjects[i].Problem, "no file matches ")
			need.Error(t, r.Subjects[i].Problem, want)
		}
		need.NoError(t, r.Subjects[2].Problem)
	}
}
