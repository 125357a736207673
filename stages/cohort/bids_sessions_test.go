package cohort

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/wording"
)

// Sessions that were processed each for itself keep to their own anatomy.
func TestBIDSSessionsApart(t *testing.T) {
	const labels, transform = "_desc-aparcaseg_dseg.nii.gz", "_from-fsnative_to-T1w_mode-image_xfm.txt"
	for _, c := range []struct {
		name   string
		write  []string
		labels string // the parameter
		want   map[string]string
		wrong  string
	}{
		{"labels of both", []string{"a" + labels, "b" + labels}, "auto", map[string]string{"labels": "sub-01/ses-b/anat/sub-01_ses-b" + labels}, ""},
		{"labels of the other", []string{"a" + labels}, "auto", nil, "it has no labels"},
		{"transforms of both", []string{"a" + transform, "b" + transform}, "freesurfer", map[string]string{
			"labels": "sourcedata/freesurfer/sub-01_ses-b/mri/aparc+aseg.mgz", "transform": "sub-01/ses-b/anat/sub-01_ses-b" + transform}, ""},
		{"transform of the other", []string{"a" + transform}, "freesurfer", nil, "it has no anat/…from-fsnative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDataset(t, onePerson)
			for _, ses := range []string{"a", "b"} {
				at := "sub-01/ses-" + ses + "/%/sub-01_ses-" + ses
				d.write(strings.Replace(at, "%", "func", 1)+"_task-rest_space-T1w_desc-preproc_bold.nii.gz", "")
				d.write(strings.Replace(at, "%", "anat", 1)+"_desc-preproc_T1w.nii.gz", "")
				d.write("sourcedata/freesurfer/sub-01_ses-"+ses+"/mri/aparc+aseg.mgz", "")
			}
			d.write("sourcedata/freesurfer/sub-01/mri/aparc+aseg.mgz", "")
			for _, w := range c.write {
				d.write("sub-01/ses-"+w[:1]+"/anat/sub-01_ses-"+w, "")
			}
			r, err := d.load(func(b *BIDSCohort) { b.Session, b.Confounds, b.Labels = []string{"b"}, false, c.labels })
			need.NoError(t, err)
			s := r.Subjects[0]
			if c.wrong != "" {
				need.Error(t, s.Problem, c.wrong, "problem", s.Files)
				return
			}
			for port, want := range c.want {
				if rel, _ := filepath.Rel(d.dir, s.Files[port]); filepath.ToSlash(rel) != want {
					t.Errorf("%s is %s, want %s; problem %v", port, rel, want, s.Problem)
				}
			}
		})
	}
}

// What a person has most likely done wrong is said.
func TestBIDSHints(t *testing.T) {
	const scan, labels = "sub-01_task-rest_space-T1w_desc-preproc_bold.nii.gz", "sub-01/anat/sub-01_desc-aparcaseg_dseg.nii.gz"
	problem := func(d dataset) string {
		t.Helper()
		r, err := d.load(func(c *BIDSCohort) { c.Confounds = false })
		if err != nil || r.Subjects[0].Problem == nil {
			t.Fatalf("no problem, or error %v", err)
		}
		return r.Subjects[0].Problem.Error()
	}
	d := newDataset(t, "participant_id\tgroup\n1\tASD\n")
	d.write(labels, "")
	if got := problem(d); !strings.Contains(got, "sub-01 does: did a spreadsheet remove leading zeros") {
		t.Error(got)
	}
	d = newDataset(t, onePerson)
	d.write(labels, "")
	d.write("sub-01/ses-a/func/"+strings.Replace(scan, "_task", "_ses-b_task", 1), "")
	if got := problem(d); !strings.Contains(got, "no preprocessed scan") {
		t.Error(got)
	}
	d = newDataset(t, onePerson)
	d.write(labels, "")
	d.write("sub-01/func/.keep", "")
	if err := os.Symlink("../.git/annex/objects/x/absent", filepath.Join(d.dir, "sub-01", "func", scan)); err != nil {
		need.Missing(t, "symbolic links: %v", err)
	}
	if got := problem(d); !strings.Contains(got, "is a git-annex link without its content; fetch it with: datalad get") {
		t.Error(got)
	}
}

// With sessions a participant has a scan of each session, in order; some may lack a session.
func TestBIDSSessions(t *testing.T) {
	const scan, labels = "_space-T1w_desc-preproc_bold.nii.gz", "_space-T1w_desc-aparcaseg_dseg.nii.gz"
	at := func(ses, rest string) string { return "ses-" + ses + "/func/sub-01_ses-" + ses + "_task-rest" + rest }
	for _, c := range []struct {
		name     string
		scans    []string
		sessions []string
		want     string
	}{
		{"all", []string{at("10", ""), at("2", ""), at("base", "")}, []string{"all"},
			"sub-01 2 sub-01_ses-2_task-rest" + scan + "\nsub-01 10 sub-01_ses-10_task-rest" + scan + "\nsub-01 base sub-01_ses-base_task-rest" + scan},
		{"some", []string{at("01", ""), at("02", ""), at("03", "")}, []string{"ses-01", "3"}, "sub-01 01 sub-01_ses-01_task-rest" + scan + "\nsub-01 03 sub-01_ses-03_task-rest" + scan},
		{"one of two that are asked for", []string{at("01", "")}, []string{"01", "02"}, "sub-01 01 sub-01_ses-01_task-rest" + scan},
		{"without sessions", []string{"func/sub-01_task-rest"}, []string{"all"}, "sub-01 1 sub-01_task-rest" + scan},
		{"two runs in one", []string{at("01", "_run-1"), at("01", "_run-2"), at("02", "_run-1")}, []string{"all"}, "session 01: 2 scans match; they differ in run (1, 2): set the parameter run; sessions needs one scan per session"},
		{"none of them", []string{at("01", "")}, []string{"02"}, "it has no preprocessed scan"},
		{"by default", []string{at("01", ""), at("02", "")}, nil, "2 scans match; they differ in ses (01, 02): set the parameter session; sessions: all, in a file with extends: sessions.yaml (of series: timeseries-sessions.yaml), treats each as a session; runs: all, in a file with extends: runs.yaml (of series: timeseries-runs.yaml), uses them all"},
	} {
		d := newDataset(t, onePerson+"sub-02\tHC\t9\n")
		d.write("sub-02/ses-01/func/sub-02_ses-01_task-rest_run-1"+scan, "")
		for _, s := range c.scans {
			d.write("sub-01/"+s+scan, "")
			d.write("sub-01/"+s+labels, "")
		}
		r, err := d.load(func(b *BIDSCohort) { b.Confounds, b.Sessions = false, c.sessions })
		need.NoError(t, err, c.name)
		r.Subjects = r.Subjects[:1]
		if got := runsText(r, "bold"); got != c.want && !strings.Contains(got, ": "+c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		if r.Sessions != (c.sessions != nil) || r.PerRun != r.Sessions {
			t.Errorf("%s: sessions %v, parts %v", c.name, r.Sessions, r.PerRun)
		}
	}
	for want, change := range map[string]func(*BIDSCohort){
		"runs: all joins all scans":  func(b *BIDSCohort) { b.Runs = "all" },
		"all, or a list of sessions": func(b *BIDSCohort) { b.Sessions = append(b.Sessions, "01") },
	} {
		d := newDataset(t, onePerson)
		d.write("sub-01/"+at("01", "")+scan, "")
		if _, err := d.load(func(b *BIDSCohort) { b.Sessions = []string{"all"}; change(b) }); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Which sessions a participant has is a covariate where not all have the same ones, however the files are found.
func TestSessionsAreACovariate(t *testing.T) {
	for _, all := range []bool{true, false} {
		d := newDataset(t, onePerson+"sub-02\tHC\t9\n")
		for id, sessions := range map[string][]string{"sub-01": {"a", "b"}, "sub-02": {"a"}} {
			if all {
				sessions = []string{"a", "b"}
			}
			for _, ses := range sessions {
				at := fmt.Sprintf("%s/ses-%s/func/%[1]s_ses-%[2]s_task-rest", id, ses)
				d.write(at+"_space-T1w_desc-preproc_bold.nii.gz", "")
				d.write(at+"_space-T1w_desc-aparcaseg_dseg.nii.gz", "")
				d.write(at+"_atlas-G_timeseries.tsv", fmt.Sprintf("a\tb\n%d\t2\n2\t1\n1\t3\n", len(d.dir)+len(at)))
			}
		}
		bids := need.Value(d.load(func(b *BIDSCohort) { b.Confounds, b.Sessions = false, []string{"all"} }))(t)
		dir := timeseriesCohortKind.New().(*TimeseriesCohort)
		dir.Dir, dir.Sessions = d.dir, []string{"all"}
		for kind, r := range map[string]*Roster{"bids": bids, "dir": need.Value(dir.Load(""))(t)} {
			got, _ := r.Participants.Strings("session")
			if want := "[a and b a]"; fmt.Sprint(got) != want && !all || all && got != nil {
				t.Errorf("%s, the same sessions %v: %q %v", kind, all, got, r.Subjects[1].Problem)
			}
		}
	}
}

// TestAlikeSessions: 01 of one participant and 1 of another are two sessions, and are told as a doubt; of those who do
// not take part nothing is said.
func TestAlikeSessions(t *testing.T) {
	d := newDataset(t, onePerson+"sub-02\tHC\t9\nsub-03\tHC\t9\n")
	for _, name := range []string{"sub-01_ses-01", "sub-01_ses-02", "sub-02_ses-1", "sub-03_ses-02"} {
		sub, ses, _ := strings.Cut(name, "_")
		d.write(filepath.Join(sub, ses, "func", name+"_task-rest_space-T1w_desc-preproc_bold.nii.gz"), "")
	}
	r, err := d.load(func(b *BIDSCohort) { b.Confounds, b.Sessions = false, []string{"all"} })
	need.NoError(t, err)
	alike := func(ids ...string) (said []string) {
		who := lists.Set(ids)
		notes, _ := r.About(who)
		return wording.NoteTexts(slices.DeleteFunc(notes,
			func(n column.Note) bool { return n.Doubt != column.DoubtAlike }))
	}
	need.Equal(t, strings.Join(alike("sub-01", "sub-02", "sub-03"), "; "), "sessions have similar names: 01 (sub-01) "+
		"and 1 (sub-02); if two are one visit, they are compared and counted as two; give them one name")
	need.Equal(t, len(alike("sub-01", "sub-03")), 0, "without sub-02")
	need.Equal(t, fmt.Sprint(r.Subjects[0].RunNames(), r.Subjects[1].RunNames()), "[01 02] [1]", "labels stay as they are")
}

// Of several values of an entity, any of them fits: of each participant the one scan, the runs of runs: all, or the
// sessions of sessions: all, which have such a value.
func TestSeveralValues(t *testing.T) {
	const scan, labels = "_space-T1w_desc-preproc_bold.nii.gz", "_space-T1w_desc-aparcaseg_dseg.nii.gz"
	d := newDataset(t, onePerson+"sub-02\tHC\t9\n")
	for _, name := range []string{"sub-01_ses-1_task-rest", "sub-01_ses-2_task-rest", "sub-01_ses-3_task-rest",
		"sub-02_ses-02_task-go", "sub-02_ses-4_task-film"} {
		parts := strings.Split(name, "_")
		d.write(filepath.Join(parts[0], parts[1], "func", name+scan), "")
		d.write(filepath.Join(parts[0], parts[1], "func", name+labels), "")
	}
	const first, second = "sub-01_ses-1_task-rest" + scan, "sub-01_ses-2_task-rest" + scan
	const other = "sub-02_ses-02_task-go" + scan
	for name, c := range map[string]struct {
		change func(*BIDSCohort)
		want   string
	}{
		"one scan each": {
			func(b *BIDSCohort) { b.Session, b.Task = []string{"ses-01", "4", "2"}, []string{"rest", "task-go"} },
			other + "\nsub-01: participant sub-01: 2 scans match; they differ in ses (1, 2): set the parameter session; "},
		"one session": {func(b *BIDSCohort) { b.Session = []string{"2"} }, second + "\n" + other},
		"joined": {func(b *BIDSCohort) { b.Session, b.Runs = []string{"1", "2"}, "all" },
			"sub-01 1 " + first + "\nsub-01 2 " + second + "\nsub-02 1 " + other},
		"kept apart": {func(b *BIDSCohort) { b.Session, b.Sessions = []string{"1", "2"}, []string{"all"} },
			"sub-01 1 " + first + "\nsub-01 2 " + second + "\nsub-02 02 " + other},
		"nothing fits": {func(b *BIDSCohort) { b.Session, b.Task = []string{"1", "4"}, []string{"rest", "go"} },
			first + "\nsub-02: participant sub-02: it has no preprocessed scan (desc-preproc_bold.nii.gz), ses-1 or ses-4, task-rest or task-go"},
	} {
		r, err := d.load(func(b *BIDSCohort) { b.Confounds = false; c.change(b) })
		need.NoError(t, err, name)
		lines := strings.Split(runsText(r, "bold"), "\n")
		for _, s := range r.Subjects {
			if s.Problem == nil && s.Runs == nil {
				lines = append(lines, filepath.Base(s.Files["bold"]))
			}
		}
		slices.SortFunc(lines, func(a, b string) int { // files before what is wrong
			return cmp.Or(strings.Count(a, ": ")-strings.Count(b, ": "), strings.Compare(a, b))
		})
		got := strings.TrimSpace(strings.Join(lines, "\n"))
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}
