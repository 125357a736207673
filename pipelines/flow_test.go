package pipelines

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/present"
)

// flowOf is what the report of a pipeline states of the flow of its participants, for readers who do not see it.
func flowOf(t *testing.T, p *Pipeline) string {
	t.Helper()
	page := need.Value((&present.Report{Top: 20}).Page(dag.NewTask(map[string][]dag.Input{
		"participants": {dag.InputOf(p.Roster.Participants)},
		"excluded":     {dag.InputOf(outputOf(t, p.Graph, "pipeline", "excluded"))},
	})))(t)
	for _, b := range page.Sections[0].Blocks {
		if b.Figure != nil && b.Figure.Number == "1" {
			return b.Figure.Alt
		}
	}
	t.Fatal("the section on the participants does not begin with their flow")
	return ""
}

// addUp checks that everybody in the table is included or excluded, each for one reason.
func addUp(t *testing.T, flow string, table, included int) {
	t.Helper()
	number := func(pattern string) (n int) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(flow, -1) {
			n += need.Value(strconv.Atoi(m[1]))(t)
		}
		return n
	}
	of := [4]int{number(`(\d+) participants? in the table`), number(`(\d+) excluded`), number(`, (\d+): `),
		number(`(\d+) participants? included`)}
	if want := [4]int{table, table - included, table - included, included}; of != want {
		t.Errorf("table, excluded, by reason, included: %d, want %d\n%s", of, want, flow)
	}
}

// Every way in which the cohort leaves out somebody is in the flow, and its numbers add up to the table.
func TestFlowAddsUp(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	const n = 24
	series := "a\tb\tc\n"
	for v := range 40 {
		series += fmt.Sprintf("%d\t%d\t%d\n", v*v%7, v*v*v%11, v*v%13)
	}
	table := "participant_id\tgroup\tage\tscanner\tweight\n"
	for i := 1; i <= n; i++ {
		id, group, age, weight := fmt.Sprintf("sub-%02d", i), []string{"A", "B"}[i%2], fmt.Sprint(20+i),
			fmt.Sprint(60+i)
		switch i {
		case 3, 4:
			age = "5" // not selected
		case 5:
			age = "n/a" // not selected: no value
		case 6:
			group = "n/a" // skipped: no group
		case 10:
			weight = "n/a" // refused by combat
		}
		table += strings.Join([]string{id, group, age, []string{"x", "y"}[i/2%2], weight}, "\t") + "\n"
		if i != 7 { // skipped: no file
			write(id+".tsv", series)
		}
	}
	write("participants.tsv", table)
	write("ratings.tsv", "participant_id\trating\nsub-09\tfail\nsub-03\tfail\n")
	file := `
extends: timeseries.yaml
cohort:
  timeseries: { file: participants.tsv, series: "{participant_id}.tsv", select: age > 18, incomplete: skip,
    exclude: [sub-01] }
  exclude: [sub-01, sub-02, sub-04, { file: ratings.tsv }]
stages:
  combat: { use: combat, matrix: { fold: all }, with: { site: scanner, preserve: [weight] },
    in: { matrices: "connectivity[*].pearson", folds: folds, participants: cohort.participants } }
`
	for limit, reasons := range map[int][]string{0: {"2: excluded by name", "2: missing or unusable data", "1: rated fail",
		"2: inclusion criterion age > 18 not met", "1: no value for the inclusion criterion age > 18",
		"1: no value of weight"}, 12: {"3: beyond limit", "2: excluded by name", "1: other reasons"}} {
		var sets []string
		if limit > 0 {
			sets = []string{fmt.Sprint("cohort.limit=", limit)}
		}
		p := need.Value(build("x.yaml", []byte(file), dir, sets, maxTasks))(t)
		flow := flowOf(t, p)
		addUp(t, flow, n, cmp.Or(limit, 15))
		for _, want := range reasons {
			if !strings.Contains(flow, want) {
				t.Errorf("%q is missing in %s", want, flow)
			}
		}
	}
}
