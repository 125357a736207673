package simulate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/cohort"
	"prgnn/stages/prepare/extract"
	"prgnn/stages/stagetest"
)

// Simulated participants, laid out as fMRIPrep does, are read back as they were:
// the same people, and from the same files, byte for byte, the same series.
func TestBIDSReadsWhatWasSimulated(t *testing.T) {
	simulated := simulated(t, func(c *Cohort) { c.ASD, c.HC, c.Sites = 2, 2, 2 })
	columns := []string{"participant_id", "group", "sex", "site"}
	text := lists.Map(columns, func(c string) []string { return stagetest.Sure(simulated.Participants.Strings(c)) })
	ages := stagetest.Sure(simulated.Participants.Floats("age"))
	table := strings.Join(columns, "\t") + "\tage\n"
	for i := range simulated.Subjects {
		for c := range columns {
			table += text[c][i] + "\t"
		}
		table += fmt.Sprint(ages[i]) + "\n"
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		need.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o644)))
	}
	write("participants.tsv", table)
	made := map[string]dag.Outputs{}
	for i, s := range simulated.Subjects {
		out := stagetest.MustRun(t, simulated.Make(s.ID), nil)
		made[s.ID] = out
		scan := s.ID + "/func/" + s.ID + "_task-rest"
		labels := scan + "_space-T1w_desc-aparcaseg_dseg.nii.gz" // up to 23.1
		if i%2 == 1 {
			labels = s.ID + "/anat/" + s.ID + "_desc-aparcaseg_dseg.nii.gz" // from 25.2
		}
		write(scan+"_space-T1w_desc-preproc_bold.nii.gz", string(stagetest.Encoded(t, out["bold"])))
		write(labels, string(stagetest.Encoded(t, out["labels"])))
		write(scan+"_desc-confounds_timeseries.tsv", string(stagetest.Encoded(t, out["confounds"])))
	}
	i := slices.IndexFunc(cohort.Sources, func(c cohort.Source) bool { return c.Name == "bids" })
	read := cohort.Sources[i].New().(*cohort.BIDSCohort)
	read.Dir = dir
	r := need.Value(read.Load(t.TempDir()))(t)
	for c, name := range columns {
		if got := stagetest.Sure(r.Participants.Strings(name)); !slices.Equal(got, text[c]) {
			t.Errorf("%s %v, want %v", name, got, text[c])
		}
	}
	if got := stagetest.Sure(r.Participants.Floats("age")); !slices.Equal(got, ages) {
		t.Errorf("ages %v, want %v", got, ages)
	}
	if len(r.Subjects) != len(simulated.Subjects) {
		t.Fatalf("%d participants, want %d", len(r.Subjects), len(simulated.Subjects))
	}
	series := func(bold, labels dag.Input) []byte {
		nodes := dag.InputOf(r.Nodes)
		parcels := stagetest.MustRun(t, stagetest.NewStage[*extract.Parcellate](t, "parcellate"),
			map[string][]dag.Input{"bold": {bold}, "labels": {labels}, "nodes": {nodes}})["parcels"]
		b := stagetest.NewStage[*extract.Bootstrap](t, "bootstrap")
		b.Draws = 2
		return stagetest.Encoded(t, stagetest.MustRun(t, b, map[string][]dag.Input{"bold": {bold},
			"parcels": {dag.InputOf(parcels)}, "nodes": {nodes}})["series"])
	}
	for _, s := range r.Subjects {
		if s.Problem != nil {
			t.Fatal(s.Problem)
		}
		out := made[s.ID]
		want := series(dag.InputOf(out["bold"]), dag.InputOf(out["labels"]))
		if got := series(stagetest.FileInput(s.Files["bold"]),
			stagetest.FileInput(s.Files["labels"])); !slices.Equal(got, want) {
			t.Errorf("%s: other series than from the simulated files", s.ID)
		}
		if got, want := stagetest.Sure(stagetest.FileInput(s.Files["confounds"]).Bytes()),
			stagetest.Encoded(t, out["confounds"]); !slices.Equal(got, want) {
			t.Errorf("%s: %s is not what was simulated", s.ID, filepath.Base(s.Files["confounds"]))
		}
	}
}

// Where no directory can be made, one error says so, and not one for each file.
func TestWriteBIDSNowhere(t *testing.T) {
	at := filepath.Join(t.TempDir(), "dangling")
	if err := os.Symlink("nowhere", at); err != nil {
		t.Skip(err)
	}
	people := simulated(t, func(c *Cohort) { c.ASD, c.HC = 2, 2 })
	err := WriteBIDS(t.Context(), people, at, 1, nil)
	need.Error(t, err, "is a link that leads nowhere", "a dangling link")
	file := filepath.Join(t.TempDir(), "file")
	need.NoError(t, os.WriteFile(file, nil, 0o666))
	err = WriteBIDS(t.Context(), people, filepath.Join(file, "x"), 1, nil)
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("below a file: %v", err)
	}
}
