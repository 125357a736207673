package cohort

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/artifacts"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/cohort/listed"
)

func TestRowsCohort(t *testing.T) {
	dir := testdir.Files(t, map[string]string{
		"data/books.csv": "book,file,words,note,where\n10,b.txt,7,\"a\tb\",/home/me/b\nmoby-dick,a.txt,1.50,n/a,\nÉmile,c.txt,3,x,\n",
		"data/a.txt":     "a", "data/b.txt": "b", "data/c.txt": "c", "scans/10.csv": "1",
	})
	c := &RowsCohort{File: "data/books.csv"}
	r, err := c.Load(dir)
	need.NoError(t, err)
	var ids []string
	for _, s := range r.Subjects {
		ids = append(ids, s.ID)
		if s.Problem != nil {
			t.Error(s.Problem)
		}
	}
	if want := []string{"10", "moby-dick", "Émile"}; !slices.Equal(ids, want) || r.AxisName() != "book" {
		t.Errorf("rows %v of the axis %s, want %v", ids, r.AxisName(), want)
	}
	if got := r.Subjects[1].Files["file"]; got != filepath.Join(dir, "data", "a.txt") ||
		r.Files["file"].Format != "text" {
		t.Errorf("file %s, ports %v", got, r.Files)
	}
	// The whole table has numbers; a row has the texts as they stand. Paths are in neither.
	var table strings.Builder
	need.NoError(t, r.Participants.WriteCSV(&table, '\t'))
	if want := "book\twords\tnote\n10\t7\t\"a\tb\"\nmoby-dick\t1.5\tn/a\nÉmile\t3\tx\n"; table.String() != want {
		t.Errorf("cohort.rows is\n%s\nwant\n%s", table.String(), want)
	}
	if _, err := r.Participants.Floats("words"); err != nil {
		t.Error(err)
	}
	if got, want := string(r.Subjects[1].Values["row"].(artifacts.Bytes).Data), "book\twords\tnote\nmoby-dick\t1.50\tn/a\n"; got != want {
		t.Errorf("cohort.row is\n%s\nwant\n%s", got, want)
	}
	if want := "the column where of the table holds paths and is left out of cohort.rows and cohort.row"; !slices.Contains(wording.NoteTexts(r.Notes), want) {
		t.Errorf("notes %q", wording.NoteTexts(r.Notes))
	}

	// Everything named, and a row chosen.
	c = &RowsCohort{File: "data/books.csv", ID: "words", Axis: "n", Files: []string{"series=scans/{book}.csv",
		"text=data/{file}"}, Root: ".", Select: "words > 5"}
	r, err = c.Load(dir)
	need.NoError(t, err)
	if s := r.Subjects; len(s) != 1 || s[0].ID != "7" || r.Axis != "n" || s[0].Files["series"] != filepath.Join(dir,
		"scans", "10.csv") || s[0].Files["text"] != filepath.Join(dir, "data", "b.txt") ||
		r.Files["series"].Format != "csv" || len(r.Left) != 2 {
		t.Errorf("%+v, %v", r.Subjects, r.Left)
	}
	if name, err := r.Participants.Strings("n"); err != nil || !slices.Equal(name, []string{"7"}) {
		t.Errorf("names %v, %v", name, err)
	}

	// A missing file is a matter of its row.
	c = &RowsCohort{File: "data/books.csv", Files: []string{"series=../scans/{book}.csv"}}
	if r, err = c.Load(dir); err != nil {
		t.Fatal(err)
	}
	want := "data/books.csv:3: row moby-dick: its series file: scans/moby-dick.csv: there is no such file (to continue without it: exclude: [moby-dick])"
	if got := r.Subjects[1].Problem; got == nil || inDir(dir, got.Error()) != want || r.Subjects[0].Problem != nil {
		t.Errorf("%v\nwant\n%s", got, want)
	}
}

func TestRowsCohortMistakes(t *testing.T) {
	long := strings.Repeat("x", maxRowName+1)
	dir := testdir.Files(t, map[string]string{
		"t.tsv":     "book id\tfile\ta\nx\ta.txt\t1\n",
		"names.tsv": "id\tn\n../etc\t1\na/../b\t1\na$b\t1\na{b\t1\na\\b\t1\na\u200bb\t1\n\t1\nx\t1\nX\t1\nx\t1\nn/a\t1\n" + long + "\t1\n" + "e\u0301\t1\n.\t1\n",
		"mixed.tsv": "id\tfile\na\ta.txt\nb\tb.csv\n",
		"a.txt":     "", "b.csv": "", "paths.tsv": "path\tv\na\t1\n",
	})
	for _, c := range []struct {
		cohort RowsCohort
		want   string
	}{
		{RowsCohort{}, "file is not set: the table of rows"},
		{RowsCohort{File: "tt.tsv"}, "file: tt.tsv: there is no such file (did you mean \"t.tsv\"?)"},
		{RowsCohort{File: "t.tsv"}, `axis: the column "book id" of t.tsv cannot name the axis: set the parameter axis to another name`},
		{RowsCohort{File: "t.tsv", Axis: "path"}, `axis: "path" has another meaning: choose another name`},
		{RowsCohort{File: "paths.tsv"}, `axis: the column "path" of paths.tsv cannot name the axis: set the parameter axis to another name`},
		{RowsCohort{File: "t.tsv", Axis: "a b"}, `axis: "a b" is not a valid name: use letters, digits, _ and -, beginning with a letter, at most 100`},
		{RowsCohort{File: "t.tsv", Axis: "run", ID: "ab", Files: []string{"row=file", "x", "y=/tmp/{a}",
			"z={b}", "w=none.txt"}},
			`id: t.tsv has no column "ab"; its columns are book id, file, a (set the parameter id to one of them)
axis: "run" has another meaning: choose another name
files: cohort.row is taken already: choose another name in "row=file"
files: "x" is not of the form NAME=COLUMN or NAME=PATH, such as text=texts/{ab}.txt
files: the path in "y=/tmp/{a}" must be relative; set its start by the parameter root
files: z: in "{b}", {b} is not a column of t.tsv; its columns are book id, file, a
files: w: "none.txt" is neither a column of t.tsv nor a file (none.txt)`},
		{RowsCohort{File: "mixed.tsv"}, "files: mixed.tsv: a.txt of row a and b.csv of row b have different extensions, but cohort.file has one format: use one column per format"},
		{RowsCohort{File: "t.tsv", Axis: "book", Select: "group == x"}, "select: "},
		{RowsCohort{File: "names.tsv"}, `names.tsv:2: column "id": "../etc" cannot name a row: a name has no { } $ \, no combining or invisible character, no space at its ends, and no part . or .. between /; rename the row, or set the parameter id to another column
names.tsv:3: column "id": "a/../b" cannot name a row: a name has no { } $ \, no combining or invisible character, no space at its ends, and no part . or .. between /; rename the row, or set the parameter id to another column
names.tsv:4: column "id": "a$b" cannot name a row: a name has no { } $ \, no combining or invisible character, no space at its ends, and no part . or .. between /; rename the row, or set the parameter id to another column
names.tsv:5: column "id": "a{b" cannot name a row: a name has no { } $ \, no combining or invisible character, no space at its ends, and no part . or .. between /; rename the row, or set the parameter id to another column
names.tsv:6: column "id": "a\\b" cannot name a row: a name has no { } $ \, no combining or invisible character, no space at its ends, and no part . or .. between /; rename the row, or set the parameter id to another column
names.tsv:7: column "id": "a\u200bb" cannot name a row: a name has no { } $ \, no combining or invisible character, no space at its ends, and no part . or .. between /; rename the row, or set the parameter id to another column
names.tsv:8: column "id": the row has no name
names.tsv:10: column "id": "X" and "x" (line 9) differ only in case, which some file systems ignore: rename one of them
names.tsv:11: column "id": row x is already in line 9
names.tsv:12: column "id": the row has no name
names.tsv:13: column "id": a name of 101 bytes is too long (at most 100): set the parameter id to another column
names.tsv:14: column "id": "é" cannot name a row: a name has no { } $ \, no combining or invisible character, no space at its ends, and no part . or .. between /; rename the row, or set the parameter id to another column
names.tsv:15: column "id": "." cannot name a row: a name has no { } $ \, no combining or invisible character, no space at its ends, and no part . or .. between /; rename the row, or set the parameter id to another column`},
	} {
		_, err := c.cohort.Load(dir)
		if err == nil {
			t.Errorf("%+v: no error, want\n%s", c.cohort, c.want)
			continue
		}
		if got := inDir(dir, err.Error()); got != c.want && !(c.want == "select: " && strings.HasPrefix(got, c.want) &&
			strings.Contains(got, "group")) {
			t.Errorf("%+v said\n%s\nwant\n%s", c.cohort, got, c.want)
		}
	}
}

// Names of rows that the names of tasks, lists of YAML and names of files have to quote are taken.
func TestRowNames(t *testing.T) {
	names := []string{"#1", "*", "-n", "/a", "100%", "A & B", "O'Hare", "Saint-Étienne (Loire)", "a:b", "a=b", "x, y", "[b]", "x|y?", "“q”"}
	slices.Sort(names)
	dir := testdir.Files(t, map[string]string{"stations.tsv": "station\tv\n" + strings.Join(names, "\t1\n") + "\t1\n"})
	r := need.Value((&RowsCohort{File: "stations.tsv", Files: []string{"f={station}.txt"}}).Load(dir))(t)
	var excluded []string
	for i, s := range r.Subjects {
		need.Equal(t, s.ID, names[i])
		_, list, _ := strings.Cut(s.Problem.Error(), "(to continue without it: exclude: ")
		excluded = append(excluded, strings.TrimSuffix(list, ")"))
	}
	need.Equal(t, strings.Join(excluded, " "), `["#1"] ["*"] ["-n"] ["/a"] ["100%"] ["A & B"] `+
		`[O'Hare] [Saint-Étienne (Loire)] ["[b]"] [a:b] ["a=b"] ["x, y"] ["x|y?"] ["“q”"]`)
	r.Left = []listed.LeftOut{{ID: "x, y", Why: listed.ExcludedByName}}
	need.Equal(t, r.CompleteExclude(`exclude: ["#1", b]`), `exclude: ["#1", "x, y", b]`)
}

// A text column of rows has one caution about categories in several ways.
func TestRowsOfOneCategoryInSeveralWays(t *testing.T) {
	dir := testdir.Files(t, map[string]string{"x.csv": "plant,sex,kind\na,M,oak\nb,F,Oak\nc,1,ash\n" +
		"d,2,ash\ne,M,oak\nf,F,ash\n"})
	r := need.Value((&RowsCohort{File: "x.csv"}).Load(dir))(t)
	need.Equal(t, strings.Join(wording.NoteTexts(r.Notes), "\n"), "column sex: one category is written in several ways: F, M beside 1, 2; "+
		"write it in one way, because each spelling is a separate category\n"+
		"column kind: Oak and oak differ only in case: if they are one, write them alike in the table")
}
