package pipelines

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
	"prgnn/internal/testdir"

	"prgnn/nifti"
	"prgnn/pipelines/precheck"
	"prgnn/stages/cohort/listed"
)

// With incomplete: skip, whoever denoise of the built-in pipeline would refuse takes no part, with denoise's reason;
// else their tasks fail.
func TestRefusedAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) { t.Helper(); testdir.Write(t, filepath.Join(dir, name), text) }
	participants := "participant_id\tgroup\n"
	for i, volumes := range []int{40, 3, 40, 14} { // of which the third has n/a among its confounds
		id := fmt.Sprintf("sub-%d", i+1)
		participants += id + "\t" + []string{"A", "B"}[i%2] + "\n"
		img := &nifti.Image{Shape: []int{1, 1, 1, volumes}, TR: 2,
			Affine: nifti.Affine{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 1}},
			Data:   slices.Repeat([]int16{int16(i)}, volumes)}
		var b bytes.Buffer
		need.NoError(t, nifti.Encode(&b, img))
		stem := id + "/func/" + id + "_task-rest"
		write(stem+"_space-T1w_desc-preproc_bold.nii.gz", b.String())
		write(stem+"_space-T1w_desc-aparcaseg_dseg.nii.gz", b.String())
		var c strings.Builder
		c.WriteString("trans_x\ttrans_y\ttrans_z\trot_x\trot_y\trot_z\n")
		moves := rand.New(rand.NewPCG(uint64(i), 0)) // no two heads move alike
		for t := range volumes {
			v := moves.IntN(1000)
			first := fmt.Sprint(v * v % 7)
			if i == 2 && t == 20 {
				first = "n/a"
			}
			fmt.Fprintf(&c, "%s\t%d\t%d\t%d\t%d\t%d\n", first, v*v%11, v*v*v%13, v*v%5, v*v*v%17, v*v%19)
		}
		write(stem+"_desc-confounds_timeseries.tsv", c.String())
	}
	write("participants.tsv", participants)
	text := `
extends: biopoint.yaml
cohort: { simulate: null, bids: { dir: ., incomplete: %s }, exclude: [%s] }
stages:
  clean: { with: { regress: 6P } }
`
	load := func(incomplete, exclude string) *Pipeline {
		t.Helper()
		p, err := build("x.yaml", fmt.Appendf(nil, text, incomplete, exclude), dir, nil, maxTasks)
		need.NoError(t, err)
		return p
	}
	p := load("skip", "")
	check(t, "who takes part", strings.ReplaceAll(stageText(t, p, "clean"), dir, ""),
		strings.ReplaceAll(stageText(t, load("fail", "sub-2, sub-3, sub-4"), "clean"), dir, ""))
	addUp(t, flowOf(t, p), 4, 1)
	want := map[string]string{
		"sub-2": "clean: 3 of 3 volumes are kept, fewer than min_volumes (6)",
		"sub-3": "clean: sub-3/func/sub-3_task-rest_desc-confounds_timeseries.tsv: strategy 6P: column trans_x has no value in volume 21; only the first volume may lack one; choose another strategy with regress",
		"sub-4": "clean: 6 degrees of freedom are left (14 volumes kept − 6 regressors − 0 of the filter − 2 of mean and trend), fewer than min_dof (10)",
	}
	left := map[string]string{}
	for _, l := range p.Roster.Left {
		left[l.ID] = l.Why
		need.Equal(t, l.Counted(), listed.NotDenoised, l.ID, "is counted as")
	}
	if !maps.Equal(left, want) {
		t.Errorf("left out %q\nwant %q", left, want)
	}
	p = load("fail", "")
	if n := len(p.Roster.Subjects); n != 4 {
		t.Errorf("%d participants by default, want 4: their tasks fail", n)
	}
	for id, refused := range precheck.Refused(p.Roster, p.Graph) {
		need.Equal(t, refused, precheck.Refusal{Why: want[id], Category: listed.NotDenoised}, id, " is refused before a run")
		delete(want, id)
	}
	need.Equal(t, len(want), 0, "those who are not refused")
	if p := load("skip", "sub-1, sub-3"); len(p.Roster.Subjects) != 2 {
		t.Errorf("%d participants where nobody would be left, want 2: their tasks say why", len(p.Roster.Subjects))
	}
}

// With runs.yaml, min_minutes is on what is joined: a short run with censored volumes is no fault where another run of
// the participant makes up for it.
func TestRunsAreRefusedTogether(t *testing.T) {
	dir := t.TempDir()
	participants := "participant_id\tgroup\n"
	for i, runs := range [][]int{{100, 40}, {70, 40}, {40, 40}, {100, 5}} {
		id := fmt.Sprintf("sub-%d", i+1)
		participants += id + "\t" + []string{"A", "B"}[i%2] + "\n"
		for r, volumes := range runs {
			img := &nifti.Image{Shape: []int{1, 1, 1, volumes}, TR: 2,
				Affine: nifti.Affine{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 1}},
				Data:   slices.Repeat([]int16{int16(2*i + r)}, volumes)}
			var b bytes.Buffer
			need.NoError(t, nifti.Encode(&b, img))
			stem := fmt.Sprintf("%s/func/%s_task-rest_run-%d", id, id, r+1)
			testdir.Write(t, filepath.Join(dir, stem+"_space-T1w_desc-preproc_bold.nii.gz"), b.String())
			testdir.Write(t, filepath.Join(dir, stem+"_space-T1w_desc-aparcaseg_dseg.nii.gz"), b.String())
			confounds := "framewise_displacement\n"
			for v := range volumes {
				moved := 0.1 + float64(i+v%3)/1000 // no two scans move alike
				if r == 1 && v == 3 && i != 2 {    // one volume of the second run; of the third participant none
					moved = 0.9
				}
				confounds += fmt.Sprintln(moved)
			}
			testdir.Write(t, filepath.Join(dir, stem+"_desc-confounds_timeseries.tsv"), confounds)
		}
	}
	testdir.Write(t, filepath.Join(dir, "participants.tsv"), participants)
	load := func(stages string) map[string]precheck.Refusal {
		p := need.Value(build("x.yaml", []byte("extends: runs.yaml\ncohort: { simulate: null, bids: { dir: ., group: group, runs: all } }\nstages:\n"+
			"  clean: { with: { regress: none, fd: 0.5 } }\n"+stages), dir, nil, maxTasks))(t)
		return precheck.Refused(p.Roster, p.Graph)
	}
	moved := func(why string) precheck.Refusal { return precheck.Refusal{Why: why, Category: listed.MuchMotion} }
	alone := moved("clean, run 2: censoring for motion keeps 4 of 5 volumes, fewer than min_volumes (6)")
	want := map[string]precheck.Refusal{"sub-4": alone,
		"sub-2": moved("joined: censoring for motion keeps 109 of 110 volumes in 2 runs, 3.6 minutes, less than min_minutes (4): censor fewer volumes (fd, dvars), or lower min_minutes")}
	if got := load(""); !maps.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	if got := load("  joined: { with: { min_minutes: 3 } }\n"); !maps.Equal(got, map[string]precheck.Refusal{"sub-4": alone}) {
		t.Errorf("with min_minutes: 3: %v", got)
	}
}

// A displacement in another unit is no fault of the participants that show it: incomplete: skip leaves none of them
// out,
// and no line excludes them.
func TestOtherUnitIsNotSkipped(t *testing.T) {
	dir := t.TempDir()
	participants := "participant_id\tgroup\n"
	for i := range 4 {
		id := fmt.Sprintf("sub-%d", i+1)
		participants += id + "\t" + []string{"A", "B"}[i%2] + "\n"
		img := &nifti.Image{Shape: []int{1, 1, 1, 40}, TR: 2,
			Affine: nifti.Affine{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 1}},
			Data:   slices.Repeat([]int16{int16(i)}, 40)}
		var b bytes.Buffer
		need.NoError(t, nifti.Encode(&b, img))
		stem := id + "/func/" + id + "_task-rest"
		testdir.Write(t, filepath.Join(dir, stem+"_space-T1w_desc-preproc_bold.nii.gz"), b.String())
		testdir.Write(t, filepath.Join(dir, stem+"_space-T1w_desc-aparcaseg_dseg.nii.gz"), b.String())
		scale := 1.0
		if i == 1 {
			scale = 0.1
		}
		text := "framewise_displacement\ttrans_x\ttrans_y\ttrans_z\trot_x\trot_y\trot_z\n"
		for v := range 40 {
			text += fmt.Sprintf("%g\t%g\t0\t0\t0\t0\t0\n", scale*math.Abs(float64(2*i+2*v-1))/100, float64((2*i+v)*v)/100)
		}
		testdir.Write(t, filepath.Join(dir, stem+"_desc-confounds_timeseries.tsv"), text)
	}
	testdir.Write(t, filepath.Join(dir, "participants.tsv"), participants)
	p := need.Value(build("x.yaml", []byte(`
extends: biopoint.yaml
cohort: { simulate: null, bids: { dir: ., incomplete: skip } }
stages:
  clean: { with: { regress: none, fd: 0.5, min_minutes: 0 } }
`), dir, nil, maxTasks))(t)
	need.Equal(t, len(p.Roster.Subjects), 4)
	unusable := precheck.Unusable(p.Roster, p.Graph)
	need.Equal(t, len(unusable), 1)
	need.Error(t, unusable["sub-2"], "framewise_displacement is 0.1 times that of trans and rot")
	need.Equal(t, strings.Contains(unusable["sub-2"].Error(), "exclude"), false)
}

// The strategy ica_aroma is refused for scans that ICA-AROMA has not denoised.
func TestDescriptionOfAROMA(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"participants.tsv": "participant_id\tgroup\nsub-1\tA\n", "x.npy": "",
		"sub-1/func/sub-1_task-rest_space-MNI152NLin6Asym_desc-smoothAROMAnonaggr_bold.nii.gz": "", "sub-1/func/sub-1_task-rest_space-MNI152NLin6Asym_desc-preproc_bold.nii.gz": "",
	} {
		testdir.Write(t, filepath.Join(dir, name), text)
	}
	for description, refused := range map[string]bool{"preproc": true, "smoothAROMAnonaggr": false} {
		text := "cohort: { bids: { dir: ., confounds: false, description: " + description + " } }\nstages:\n" +
			"  clean: { use: denoise, each: subject, matrix: { regress: [simple, ica_aroma] }, in: { series: { file: x.npy } } }\n"
		_, err := build("x.yaml", []byte(text), dir, nil, maxTasks)
		if said := err != nil && strings.Contains(err.Error(), "stage clean: regress: ica_aroma does not remove motion;"); said != refused {
			t.Errorf("%s: %v", description, err)
		}
	}
}

// Whoever moved too much is called so, with the run, and counted as such.
func TestMotionIsTheReason(t *testing.T) {
	dir := t.TempDir()
	participants := "participant_id\tgroup\n"
	for i := range 4 {
		id := fmt.Sprintf("sub-%d", i+1)
		participants += id + "\t" + []string{"A", "B"}[i%2] + "\n"
		img := &nifti.Image{Shape: []int{1, 1, 1, 40}, TR: 2,
			Affine: nifti.Affine{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 1}},
			Data:   slices.Repeat([]int16{int16(i)}, 40)}
		var b bytes.Buffer
		need.NoError(t, nifti.Encode(&b, img))
		var c strings.Builder
		c.WriteString("trans_x\ttrans_y\ttrans_z\trot_x\trot_y\trot_z\n")
		for v := range 40 {
			fmt.Fprintf(&c, "%d\t0\t0\t0\t0\t0\n", map[bool]int{true: v % 2}[i == 1]) // mm: sub-2 jumps
		}
		stem := filepath.Join(dir, id, "func", id+"_task-rest_run-1")
		testdir.Write(t, stem+"_space-T1w_desc-preproc_bold.nii.gz", b.String())
		testdir.Write(t, stem+"_space-T1w_desc-aparcaseg_dseg.nii.gz", b.String())
		testdir.Write(t, stem+"_desc-confounds_timeseries.tsv", c.String())
	}
	testdir.Write(t, filepath.Join(dir, "participants.tsv"), participants)
	p, err := build("x.yaml", []byte(`
extends: runs.yaml
cohort: { simulate: null, bids: { dir: ., runs: all, incomplete: skip } }
stages:
  clean: { with: { regress: 6P, fd: 0.5, min_minutes: 0 } }
`), dir, nil, maxTasks)
	need.NoError(t, err)
	addUp(t, flowOf(t, p), 4, 3)
	need.Equal(t, len(p.Roster.Left), 1, "left out")
	l := p.Roster.Left[0]
	need.Equal(t, l.Why, "clean, run 1: censoring for motion keeps 1 of 40 volumes, fewer than min_volumes (6)", l.ID)
	need.Equal(t, l.Counted(), listed.MuchMotion, "counted as")
}

// A wrong header concerns its participant, also where one label image is for everybody: the command
// cohort counts as unusable whose task fails, and the pipeline file is taken.
func TestUnusableByHeaders(t *testing.T) {
	dir := t.TempDir()
	img := &nifti.Image{Shape: []int{4, 4, 4, 8}, TR: 2, Code: 1, Data: make([]int16, 512),
		Affine: nifti.Affine{{4, 0, 0, -8}, {0, 4, 0, -8}, {0, 0, 4, -8}, {0, 0, 0, 1}}}
	var b bytes.Buffer
	need.NoError(t, nifti.Encode(&b, img))
	whole := need.Value(io.ReadAll(need.Value(gzip.NewReader(&b))(t)))(t)
	write := func(name string, change func(header []byte)) {
		scan := bytes.Clone(whole)
		change(scan)
		testdir.Write(t, filepath.Join(dir, name), string(scan))
	}
	write("ok.nii", func([]byte) {})
	write("nowhere.nii", func(h []byte) { clear(h[252:256]) }) // qform_code, sform_code
	write("metre.nii", func(h []byte) { h[123] = 1 | 8 })      // xyzt_units
	img.Shape, img.Data = []int{4, 4, 4}, slices.Repeat([]int16{1, 2}, 32)
	b.Reset()
	need.NoError(t, nifti.Encode(&b, img))
	testdir.Write(t, filepath.Join(dir, "labels.nii.gz"), b.String())
	testdir.Write(t, filepath.Join(dir, "nodes.tsv"), "index\tname\n1\tone\n2\ttwo\n")
	testdir.Write(t, filepath.Join(dir, "p.tsv"), "participant_id\tgroup\tbold\n"+
		"ok\tA\tok.nii\nnowhere\tB\tnowhere.nii\nmetre\tA\tmetre.nii\n")
	p, err := build("x.yaml", []byte(`
pipeline: x
cohort:
  table: { file: p.tsv, group: group, bold: bold, labels: labels.nii.gz, nodes: nodes.tsv, space: phantom }
stages:
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
`), dir, nil, maxTasks)
	need.NoError(t, err)
	unusable := precheck.Unusable(p.Roster, p.Graph)
	need.Equal(t, len(unusable), 2)
	for _, want := range []string{"participant sub-nowhere: parcels: ", "the position of the scan is unknown", "exclude: [sub-nowhere]"} {
		need.Error(t, unusable["sub-nowhere"], want)
	}
	need.Error(t, unusable["sub-metre"], "one of the headers is wrong")
}

// Series that are too short to be cleaned concern their participant before a run, in text and npy files, by the
// function that the run calls; whole numbers decide the header line only at the end.
func TestRefusedSeries(t *testing.T) {
	dir, table := t.TempDir(), "participant_id,group,file\n"
	rows := func(n int, row string) string { return "a\tb\n" + strings.Repeat(row, n) }
	array := func(volumes int) string {
		var b bytes.Buffer
		need.NoError(t, encoding.NewArray(make([]float64, 2*volumes), volumes, 2).Encode(&b))
		return b.String()
	}
	for i, f := range []struct{ name, text string }{
		{"long.tsv", rows(30, "1.5\t2\n")}, {"short.tsv", rows(5, "1.5\t2\n")}, {"short.npy", array(4)},
		{"long.npy", array(30)}, {"whole.tsv", rows(4, "1\t2\n") + "\n# end\n"}, {"faulty.tsv", rows(30, "1.5\tx\n")},
	} {
		table += fmt.Sprintf("sub-%d,%s,%s\n", i+1, []string{"A", "B"}[i%2], f.name)
		testdir.Write(t, filepath.Join(dir, f.name), f.text)
	}
	testdir.Write(t, filepath.Join(dir, "p.csv"), table)
	p := need.Value(build("x.yaml", []byte(`
cohort: { timeseries: { file: p.csv, group: group, series: file } }
stages:
  series: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  clean: { use: denoise, each: subject, in: { series: series, scan: series.scan }, with: { regress: none } }
`), dir, nil, maxTasks))(t)
	want := map[string]string{
		"sub-2": "clean: 5 of 5 volumes are kept, fewer than min_volumes (6)",
		"sub-3": "clean: 4 of 4 volumes are kept, fewer than min_volumes (6)",
		"sub-5": "clean: 4 of 4 volumes are kept, fewer than min_volumes (6)",
		"sub-6": "series: faulty.tsv: line 2, column 2: there is a text, not a number",
	}
	got := precheck.Refused(p.Roster, p.Graph)
	for id, refusal := range got {
		need.Equal(t, refusal.Why, want[id], id)
	}
	need.Equal(t, len(got), len(want), "refused")
}
