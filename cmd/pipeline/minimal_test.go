package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// numbersIn reads a table of numbers behind a line of names.
func numbersIn(t *testing.T, path string) (rows [][]float64) {
	t.Helper()
	b := need.Value(os.ReadFile(path))(t)
	_, text, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	for line := range strings.Lines(text) {
		var row []float64
		for _, cell := range strings.Split(strings.TrimSpace(line), "\t") {
			row = append(row, need.Value(strconv.ParseFloat(cell, 64))(t))
		}
		rows = append(rows, row)
	}
	return rows
}

// TestMinimalDerivatives: from an empty directory to series of a dataset of --level minimal. The message about the
// dataset states what to write, and the series follow the planted signals as docs/fmriprep.md has it, the same with any
// number of workers.
func TestMinimalDerivatives(t *testing.T) {
	fixture := need.Shared(t, "fixtures", "doors", "minimal")
	s := &study{t: t, dir: t.TempDir()}
	s.home = s.dir
	nodes := "index\tid\tname\n"
	for i, code := range []int{1002, 1015, 1022, 1028, 2002, 2015, 2022, 2028} {
		nodes += fmt.Sprintf("%d\t%d\tregion %d\n", i+1, code, i+1)
	}
	testdir.Write(t, filepath.Join(s.dir, "nodes.tsv"), nodes)
	write := func(more string) {
		testdir.Write(t, filepath.Join(s.dir, "study.yaml"), "connect: usual\ncohort:\n  bids:\n    dir: "+
			filepath.ToSlash(filepath.Join(fixture, "derivatives"))+"\n    nodes: nodes.tsv\n"+more+
			"stages:\n  parcels: { use: parcellate, each: subject }\n  series: { use: bootstrap, with: { draws: 3 }, each: subject }\n")
	}
	const space = "    space: minimal\n    confounds: false\n"
	write("")
	if said := s.pipeline(2, "run", "study.yaml"); !strings.Contains(said, "set space: minimal and confounds: false") ||
		!strings.Contains(said, "1 run with transforms of head motion") || !strings.Contains(said, "(1 of 1 found") {
		t.Errorf("the message does not state what to write:\n%s", said)
	}
	// Without connect: usual, what takes scan and labels to each other is not left out in silence.
	whole := string(need.Value(os.ReadFile(filepath.Join(s.dir, "study.yaml")))(t))
	testdir.Write(t, filepath.Join(s.dir, "open.yaml"), strings.Replace(whole, "connect: usual\n", "", 1))
	said := s.pipeline(2, "run", "open.yaml", "--set", "cohort.space=minimal", "--set", "cohort.confounds=false")
	for _, want := range []string{
		"stage parcels: the labels of this cohort (bids) and its scans are in different spaces: connect the transform (in: { registration: cohort.registration, reference: cohort.reference })",
		"stage series: the scans of this cohort (bids) are raw: connect their transforms (in: { realignment: cohort.realignment, fieldmap: cohort.fieldmap, fieldmap_transform: cohort.fieldmap_transform })",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it lacks: %s\n%s", want, said)
		}
	}
	s.planPage(fixture)
	write(space)
	text := s.pipeline(0, "run", "study.yaml", "--jobs", "1")
	if !strings.Contains(text, "distortion by field maps for 1 of 1 run") {
		t.Errorf("no note:\n%s", text)
	}
	export := func(name string) string {
		path := filepath.Join(s.dir, name)
		s.pipeline(0, "export", "study.yaml", "series.series", "-o", path)
		return string(need.Value(os.ReadFile(path))(t))
	}
	series := export("one.tsv")
	need.NoError(t, os.RemoveAll(filepath.Join(s.dir, ".pipeline")))
	s.pipeline(0, "run", "study.yaml", "--jobs", "4")
	if export("four.tsv") != series {
		t.Error("four jobs make other series than one")
	}
	own := [8][]float64{} // of draw 0
	for line := range strings.Lines(series) {
		cell := strings.Split(strings.TrimSpace(line), "\t") // subject, draw, time, roi, value
		if cell[1] == "0" {
			roi := need.Value(strconv.Atoi(cell[3]))(t) - 1
			own[roi] = append(own[roi], need.Value(strconv.ParseFloat(cell[4], 64))(t))
		}
	}
	planted := numbersIn(t, filepath.Join(fixture, "oracle", "planted.tsv"))
	mean, least := 0.0, 1.0
	for roi, x := range own {
		if len(x) != 40 {
			t.Fatalf("%d volumes", len(x))
		}
		r := correlationOf(x, func(v int) float64 { return planted[v][roi] })
		mean, least = mean+r/8, min(least, r)
	}
	page := string(need.Value(os.ReadFile(filepath.Join("..", "..", "docs", "fmriprep.md")))(t))
	claim := fmt.Sprintf("correlate with the planted signals at %.3f on average (least %.3f)", mean, least)
	if least < 0.99 || !strings.Contains(strings.Join(strings.Fields(page), " "), claim) {
		t.Errorf("docs/fmriprep.md lacks: %s", claim)
	}
}

// planPage plans the block of docs/fmriprep.md, and the same with the stage that it leaves out.
func (s *study) planPage(fixture string) {
	s.t.Helper()
	page := string(need.Value(os.ReadFile(filepath.Join("..", "..", "docs", "fmriprep.md")))(s.t))
	_, block, _ := strings.Cut(page, "<!-- not run: TestMinimalDerivatives does -->\n```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	block = strings.NewReplacer("dir: fmriprep\n", "dir: "+filepath.ToSlash(filepath.Join(fixture, "derivatives"))+"\n",
		"raw: fmriprep/sourcedata/raw ", "raw: "+filepath.ToSlash(filepath.Join(fixture, "raw"))+" ",
		"group: diagnosis", "group: group").Replace(block)
	file := filepath.Join(s.dir, "page.yaml")
	testdir.Write(s.t, file, block)
	if plan := s.pipeline(0, "plan", "page.yaml", "--until", "connectivity"); !strings.Contains(plan, "series[sub") {
		s.t.Errorf("the plan of the page:\n%s", plan)
	}
	testdir.Write(s.t, file, strings.Replace(block, "background: null", "", 1))
	const want = "stage background: mean-volume takes preprocessed scans, but the scans of this cohort (bids) are raw; remove the stage (background: null)"
	if said := s.pipeline(2, "plan", "page.yaml", "--until", "connectivity"); !strings.Contains(said, want) {
		s.t.Errorf("it lacks: %s\n%s", want, said)
	}
}

func correlationOf(x []float64, y func(i int) float64) float64 {
	var mx, my, xx, yy, xy float64
	for i := range x {
		mx, my = mx+x[i]/float64(len(x)), my+y(i)/float64(len(x))
	}
	for i := range x {
		a, b := x[i]-mx, y(i)-my
		xx, yy, xy = xx+a*a, yy+b*b, xy+a*b
	}
	return xy / math.Sqrt(xx*yy)
}
