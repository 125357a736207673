package cohort

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// The columns of sessions.tsv are covariates: means over the sessions that take part, by hand; texts only where no
// participant has two; the time of the scan never.
func TestSessionColumns(t *testing.T) {
	const scan, labels = "_space-T1w_desc-preproc_bold.nii.gz", "_space-T1w_desc-aparcaseg_dseg.nii.gz"
	d := newDataset(t, "participant_id\tgroup\tage\nsub-01\tASD\t9\nsub-02\tHC\t8\nsub-03\tHC\t7\n")
	for _, s := range []string{"01 1", "01 2", "02 1", "02 3", "03 1"} {
		sub, ses, _ := strings.Cut(s, " ")
		d.write("sub-"+sub+"/ses-"+ses+"/func/sub-"+sub+"_ses-"+ses+"_task-rest"+scan, "")
		d.write("sub-"+sub+"/ses-"+ses+"/func/sub-"+sub+"_ses-"+ses+"_task-rest"+labels, "")
	}
	d.write("sub-01/sub-01_sessions.tsv", "session_id\tacq_time\tage\tscore\tcoil\tsite\n"+
		"ses-1\t2020-01-01\t9.5\t10\thead\tA\nses-2\t2021-01-01\t10.5\tn/a\thead\tA\nses-3\t2022-01-01\t99\t99\tbody\tA\n")
	d.write("sub-02/sub-02_sessions.tsv", "session_id\tage\tscore\tcoil\tsite\nses-1\t8\t1\thead\tA\n3\t10\t4\thead\tB\n")
	load := func(change func(*BIDSCohort)) *Roster {
		r, err := d.load(func(b *BIDSCohort) { b.Confounds, b.Sessions = false, []string{"all"}; change(b) })
		need.NoError(t, err)
		return r
	}
	columns := func(r *Roster) string {
		var names []string
		for _, c := range r.Participants.Columns {
			names = append(names, c.Name)
		}
		return strings.Join(names, " ")
	}
	r := load(func(*BIDSCohort) {})
	need.Equal(t, columns(r), "participant_id group age age_session score coil session", "columns")
	for name, want := range map[string][]float64{"age_session": {10, 9, 0}, "score": {10, 2.5, 0}, "age": {9, 8, 7}} {
		c, ok := r.Participants.Column(name)
		if !ok {
			t.Fatalf("no column %s", name)
		}
		for i, v := range c.Values.([]float64) {
			if missing := c.Valid != nil && !c.Valid[i]; v != want[i] || missing != (want[i] == 0) {
				t.Errorf("%s of participant %d: %v (missing %v), want %v", name, i+1, v, missing, want[i])
			}
		}
	}
	if coil := stagetest.Sure(r.Participants.Strings("coil")); coil[0] != "head" || coil[2] != "n/a" {
		t.Errorf("coil %q", coil)
	}
	if notes := strings.Join(wording.NoteTexts(r.Notes), "\n"); !strings.Contains(notes, "sessions.tsv: no covariate, since its text differs between the sessions of a participant: site") {
		t.Errorf("notes\n%s", notes)
	}
	if r := load(func(b *BIDSCohort) { b.Select = "score > 5" }); r.Participants.Rows() != 1 {
		t.Errorf("%d participants are selected", r.Participants.Rows())
	}
	// Of one session alone its own values.
	r = load(func(b *BIDSCohort) { b.Sessions, b.Session = nil, []string{"1"} })
	if got := stagetest.Sure(r.Participants.Floats("score")); got[0] != 10 || got[1] != 1 {
		t.Errorf("score %v", got)
	}
	need.Equal(t, columns(r), "participant_id group age age_session score coil site", "columns")
	d.write("sub-02/sub-02_sessions.tsv", "visit\tage\n1\t8\n")
	r = load(func(*BIDSCohort) {})
	need.Error(t, r.Subjects[1].Problem, "it has no column session_id", "problem")
}

// Numbers of sites and families are codes, of which there is no mean: a site that differs is in a caution, and several
// families refuse the participant.
func TestSessionCodes(t *testing.T) {
	const scan, labels = "_space-T1w_desc-preproc_bold.nii.gz", "_space-T1w_desc-aparcaseg_dseg.nii.gz"
	rows := "participant_id\tgroup\n"
	for i := range 4 {
		rows += fmt.Sprintf("sub-0%d\t%s\n", i+1, []string{"ASD", "HC"}[i%2])
	}
	d := newDataset(t, rows)
	for i := range 4 {
		sub := fmt.Sprintf("sub-0%d", i+1)
		for _, ses := range []string{"1", "2"} {
			d.write(sub+"/ses-"+ses+"/func/"+sub+"_ses-"+ses+"_task-rest"+scan, "")
			d.write(sub+"/ses-"+ses+"/func/"+sub+"_ses-"+ses+"_task-rest"+labels, "")
		}
		d.write(sub+"/"+sub+"_sessions.tsv", fmt.Sprintf("session_id\tsite\tfamily_id\nses-1\t1\t%d\nses-2\t%d\t%d\n",
			i, 1+i%2, max(i, 1)))
	}
	r, err := d.load(func(b *BIDSCohort) { b.Confounds, b.Sessions = false, []string{"all"} })
	need.NoError(t, err)
	if _, there := r.Participants.Column("site"); there {
		t.Error("a column site")
	}
	if len(r.OfRuns) != 1 || r.OfRuns[0].Name != "site" || !r.OfRuns[0].Between {
		t.Errorf("%+v", r.OfRuns)
	}
	need.Equal(t, strings.Contains(strings.Join(wording.NoteTexts(r.Notes), "\n"),
		"column site differs within 2 participants: sub-02 (1 in sub-02_sessions.tsv:2, 2 in sub-02_sessions.tsv:3)"), true)
	need.Error(t, r.Subjects[0].Problem, "column family_id: several families: 0 in sub-01_sessions.tsv:2, 1 in sub-01_sessions.tsv:3")
	need.NoError(t, r.Subjects[1].Problem)
}

// A session with another group than its participant is told, whatever the spelling of groups, and only of those who
// take part; the group of sessions is no covariate.
func TestSessionGroups(t *testing.T) {
	const scan, labels = "_space-T1w_desc-preproc_bold.nii.gz", "_space-T1w_desc-aparcaseg_dseg.nii.gz"
	for _, c := range []struct{ own, other string }{{"HC", "ASD"}, {"0", "1"}} {
		d := newDataset(t, "participant_id\tgroup\nsub-01\t"+c.other+"\nsub-02\t"+c.own+"\nsub-03\t"+c.own+"\n")
		for _, sub := range []string{"01", "02", "03"} {
			for _, ses := range []string{"1", "2"} {
				d.write("sub-"+sub+"/ses-"+ses+"/func/sub-"+sub+"_ses-"+ses+"_task-rest"+scan, "")
				d.write("sub-"+sub+"/ses-"+ses+"/func/sub-"+sub+"_ses-"+ses+"_task-rest"+labels, "")
			}
		}
		d.write("sub-01/sub-01_sessions.tsv", "session_id\tgroup\nses-1\t"+c.other+"\nses-2\t"+c.own+"\n")
		d.write("sub-02/sub-02_sessions.tsv", "session_id\tgroup\nses-1\t"+c.own+"\nses-2\tn/a\nses-3\t"+c.other+"\n")
		d.write("sub-03/sub-03_sessions.tsv", "session_id\tgroup\nses-1\t"+strings.ToLower(c.own)+"\n")
		r, err := d.load(func(b *BIDSCohort) { b.Confounds, b.Sessions = false, []string{"all"} })
		need.NoError(t, err)
		need.Equal(t, len(r.Participants.Columns), 2, "columns")
		about, _ := r.About(r.IDs())
		want := "1 participant with different groups in sessions.tsv and participants.tsv; the group in participants.tsv is used for all sessions: sub-01 (" +
			c.other + ", but " + c.own + " in session 2): "
		if text := strings.Join(wording.NoteTexts(about), "\n"); strings.Count(text, "but") != 1 ||
			!strings.Contains(text, want) {
			t.Errorf("%s\nwant %s", text, want)
		}
		about, _ = r.About(map[string]bool{"sub-02": true, "sub-03": true})
		need.Equal(t, slices.ContainsFunc(about,
			func(n column.Note) bool { return n.Doubt == column.DoubtSessions }), false, "without sub-01")
	}
}
