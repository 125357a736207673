package pipelines

import (
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// Rows are members of the cohort as participants are, and their axis has their own name.
func TestRows(t *testing.T) {
	dir := testdir.Files(t, map[string]string{
		"t.tsv": "plant\tfile\theight\n10\ta.txt\t3\n9\tb.txt\t4\noak\tc.txt\t5\n", "a.txt": "", "b.txt": "", "c.txt": "",
	})
	const head = "cohort: { rows: { file: t.tsv } }\n"
	const stages = `
stages:
  count: { use: exec, each: plant, in: { text: cohort.file, row: cohort.row, all: cohort.rows }, with: { command: [wc], inputs: [text=text, row=tsv, all=arrow], outputs: [n=text] } }
  sum: { use: exec, in: { all: "count[*]" }, with: { command: [cat], inputs: ["all*=text"], outputs: [n=text] } }
  one: { use: echo, in: { input: "count[oak]" } }
`
	load := func(text string) (*Pipeline, error) { return build("x.yaml", []byte(text), dir, nil, maxTasks) }
	p, err := load(head + stages)
	need.NoError(t, err)
	for stage, want := range map[string]string{
		"sum": "all<-count[plant=9].n{plant=9}+count[plant=10].n{plant=10}+count[plant=oak].n{plant=oak}",
		"one": "input<-count[plant=oak].n{plant=oak}",
	} {
		if got := stageText(t, p, stage); !strings.HasSuffix(got, want) {
			t.Errorf("%s is\n%s\nwant at its end\n%s", stage, got, want)
		}
	}
	first := strings.ReplaceAll(strings.SplitN(stageText(t, p, "count"), "\n", 2)[0], dir, "")
	if want := "text<-/a.txt:text{plant=10} row<-cohort[plant=10].row{plant=10} all<-cohort.rows"; !strings.HasPrefix(first, "count[plant=10] ") || !strings.HasSuffix(first, want) {
		t.Errorf("count is\n%s\nwant at its end\n%s", first, want)
	}

	if p, err = load(strings.Replace(head, " }\n", ", exclude: [oak], limit: 1 }\n", 1) + "stages: { a: { use: echo, each: plant, in: { input: cohort.row } } }"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Notes, "; "); got != "1 row excluded by name: oak; limit: 1 of 2 rows, spread evenly over the list" || p.Roster.Participants.Rows() != 1 {
		t.Errorf("notes %q, %d rows", got, p.Roster.Participants.Rows())
	}

	for text, want := range map[string]string{
		head + "stages: { a: { use: echo, each: subject } }":                                "stage a: each must be plant, not the text \"subject\"; write other axes under matrix",
		head + "stages: { a: { use: echo, each: run } }":                                    "stage a: each must be plant, not the text \"run\"; write other axes under matrix",
		head + "stages: { a: { use: echo, matrix: { plant: [1..2] } } }":                    "stage a: write the axis plant as each: plant",
		head + "stages: { a: { use: echo, in: { input: cohort.file } } }":                   "(add each: plant)",
		head + "stages: { a: { use: echo, in: { input: cohort.participants } } }":           `cohort has no output "participants"`,
		strings.Replace(head, " }\n", ", exclude: [ok] }\n", 1):                             `there is no row "ok" (did you mean "oak"?)`,
		strings.Replace(head, " }\n", ", exclude: [oak, 9, 10] }\n", 1):                     "the cohort has no rows left after exclude",
		"stages: { a: { use: echo, each: plant } }":                                         "stage a: each must be subject or run or session, not the text \"plant\"; write other axes under matrix",
		"cohort: { t-files: { people: 2 } }\nstages: { a: { use: echo, each: plant } }":     "stage a: each must be subject or run or session, not the text \"plant\"; write other axes under matrix",
		strings.Replace(head, "file:", "fil:", 1) + "stages: { a: { use: echo, each: x } }": `cohort rows has no parameter "fil"`,
	} {
		if _, err := load(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(text, "fil:") &&
			strings.Contains(err.Error(), "each") {
			t.Errorf("%s\nsaid %v\nwant %s", text, err, want)
		}
	}
}
