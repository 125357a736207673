package cohort

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/need"
	"prgnn/stages/atlas"
	"prgnn/stages/cohort/listed"
)

// A directory of a participant that may not be read is named as such, and concerns that participant only.
func TestUnreadableDirectory(t *testing.T) {
	d := newDataset(t, "participant_id\tgroup\nsub-01\tA\nsub-02\tB\nsub-03\tA\n")
	for _, id := range []string{"sub-01", "sub-02", "sub-03"} {
		d.list("legacy.txt", "sub-01", id)
		d.write(id+"/func/"+id+"_task-rest_atlas-A_timeseries.tsv", "a\tb\n1\t2\n3\t4\n")
	}
	unreadable(t, d.dir, "sub-02", "sub-03/func")
	for _, load := range []func() (*Roster, error){
		func() (*Roster, error) { return d.load(func(*BIDSCohort) {}) },
		func() (*Roster, error) {
			return (&TimeseriesCohort{Parameters: listed.Defaults(), Dir: "."}).Load(d.dir)
		},
	} {
		r, err := load()
		need.NoError(t, err)
		need.NoError(t, r.Subjects[0].Problem)
		need.Error(t, r.Subjects[1].Problem, "sub-02: no permission to list this directory; its owner can grant it with chmod u+rx")
		need.Error(t, r.Subjects[2].Problem, filepath.Join("sub-03", "func")+": no permission to list this directory")
	}
}

// A directory that may be entered and not listed hides the sidecars of a session, the files that a * stands for, and
// matrices: each concerns its participant, and names the directory.
func TestUnlistedDirectory(t *testing.T) {
	const denied = "no permission to list this directory; its owner can grant it with chmod u+rx"
	d := newDataset(t, "participant_id\tgroup\nsub-01\tA\nsub-02\tB\nsub-03\tA\n")
	for _, id := range []string{"sub-01", "sub-02", "sub-03"} {
		name := id + "_ses-1_task-rest_atlas-A_timeseries"
		d.write(id+"/ses-1/func/"+name+".tsv", "a\tb\n1\t2\n3\t4\n")
		d.write(id+"/ses-1/"+id+"_ses-1_task-rest_timeseries.json", `{"RepetitionTime": 2}`)
		d.write("m/"+id+"/r.tsv", "a\tb\n1\t0.5\n0.5\t1\n")
		d.write("n/"+id+".tsv", "a\tb\n1\t0.5\n0.5\t1\n")
		d.write("k/"+id+"/r.tsv", "a\tb\n1\t0.5\n0.5\t1\n")
	}
	d.write("lists.tsv", "participant_id\tgroup\tfile\nsub-01\tA\tk/sub-01/r.tsv\nsub-02\tB\tk/sub-02/r.tsv\n")
	forbid(t, d.dir, 0o111, "sub-02/ses-1", "m/sub-02")
	unreadable(t, d.dir, "m/sub-03", "k/sub-01", "n/sub-01.tsv")
	series, err := (&TimeseriesCohort{Parameters: listed.Defaults(), Dir: "."}).Load(d.dir)
	need.NoError(t, err)
	need.NoError(t, series.Subjects[0].Problem)
	need.Error(t, series.Subjects[1].Problem, filepath.Join("sub-02", "ses-1")+": "+denied)

	matrices := func(file, pearson string) (*Roster, error) {
		c := &MatricesCohort{Parameters: listed.Defaults(), Pearson: pearson}
		c.File = file
		return c.Load(d.dir)
	}
	r, err := matrices("participants.tsv", "m/{participant_id}/*.tsv")
	need.NoError(t, err)
	need.NoError(t, r.Subjects[0].Problem)
	for i, id := range []string{"sub-02", "sub-03"} {
		need.Error(t, r.Subjects[i+1].Problem, "no file matches m/"+id+"/*.tsv")
		need.Error(t, r.Subjects[i+1].Problem, filepath.Join("m", id)+": "+denied)
	}
	r, err = matrices("lists.tsv", "file")
	need.NoError(t, err)
	need.Error(t, r.Subjects[0].Problem, "no permission to enter its directory sub-01; its owner can grant it with chmod u+rx")
	need.NoError(t, r.Subjects[1].Problem)
	_, err = matrices("participants.tsv", "k/sub-01/r.tsv")
	need.Error(t, err, "pearson: "+filepath.Join(d.dir, "k", "sub-01", "r.tsv")+": no permission to enter its directory sub-01")

	// The regions are those of the first file that can be read.
	r, err = matrices("participants.tsv", "n/{participant_id}.tsv")
	need.NoError(t, err)
	need.Error(t, r.Subjects[0].Problem, "no permission to read it; its owner can grant it with chmod u+r")
	need.NoError(t, r.Subjects[1].Problem)
}

// A dataset that cannot be listed is not one without participants, nor is fMRIPrep's directory within it.
func TestUnlistedDataset(t *testing.T) {
	d := newDataset(t, onePerson)
	d.write("all/sub-01/func/sub-01_task-rest_atlas-A_timeseries.tsv", "a\tb\n1\t2\n3\t4\n")
	d.write("derivatives/fmriprep/sub-01/func/sub-01_task-rest_atlas-A_timeseries.tsv", "a\tb\n1\t2\n3\t4\n")
	forbid(t, d.dir, 0o111, "all")
	unreadable(t, d.dir, "derivatives/fmriprep")
	for dir, want := range map[string]string{"all": "all", "derivatives": filepath.Join("derivatives", "fmriprep")} {
		_, err := (&TimeseriesCohort{Parameters: listed.Defaults(), Dir: dir}).Load(d.dir)
		need.Error(t, err, want+": no permission to list this directory; its owner can grant it with chmod u+rx")
	}
}

// A directory of atlases that cannot be listed is among those that were searched.
func TestUnlistedAtlases(t *testing.T) {
	d := newDataset(t, onePerson)
	d.write("at/tpl-A/tpl-A_atlas-X_dseg.nii.gz", "")
	d.write("locked/at/tpl-A/tpl-A_atlas-X_dseg.nii.gz", "")
	forbid(t, d.dir, 0o111, "at/tpl-A")
	unreadable(t, d.dir, "locked")
	for dir, want := range map[string]string{
		"at":        filepath.Join("at", "tpl-A") + ": no permission to list this directory; its owner can grant it",
		"locked/at": filepath.Join("locked", "at") + ": no permission to enter its directory locked; its owner can grant it",
	} {
		_, err := (&atlas.Wanted{Atlas: "X", Space: "A", Dir: filepath.Join(d.dir, dir)}).Find(nil, false)
		need.Error(t, err, want)
	}
}

// A place that may hold the table of participants and cannot be entered is listed.
func TestUnreadableRaw(t *testing.T) {
	d := newDataset(t, "participant_id\tgroup\nsub-01\tA\n")
	d.write("sub-01/func/sub-01_task-rest_atlas-A_timeseries.tsv", "a\tb\n1\t2\n3\t4\n")
	d.write("sourcedata/raw/participants.tsv", "participant_id\tgroup\nsub-01\tA\n")
	need.NoError(t, os.Remove(filepath.Join(d.dir, "participants.tsv")))
	unreadable(t, d.dir, "sourcedata/raw")
	for _, raw := range []string{"", "sourcedata/raw"} {
		_, err := (&TimeseriesCohort{Parameters: listed.Defaults(), Dir: ".", Raw: raw}).Load(d.dir)
		need.Error(t, err, filepath.Join("sourcedata", "raw", "participants.tsv")+
			": no permission to enter its directory raw; its owner can grant it")
	}
}

// unreadable makes files and directories within dir unreadable. Root reads everything, so this thread is nobody until
// the test ends.
func unreadable(t *testing.T, dir string, names ...string) {
	t.Helper()
	for at := dir; at != filepath.Dir(at) && strings.HasPrefix(at, os.TempDir()+"/"); at = filepath.Dir(at) {
		need.NoError(t, os.Chmod(at, 0o755))
	}
	forbid(t, dir, 0, names...)
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	if os.Getuid() == 0 {
		if err := syscall.Setfsuid(65534); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { syscall.Setfsuid(0) })
	}
}

// forbid takes permissions away until the test ends; else nobody could remove the directories.
func forbid(t *testing.T, dir string, mode os.FileMode, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		need.NoError(t, os.Chmod(path, mode))
		t.Cleanup(func() { os.Chmod(path, 0o755) })
	}
}

// A directory that may hold tables of events and cannot be listed is not an empty one: it is noted, and concerns its
// participant where the parameter events names the dataset.
func TestUnreadableEvents(t *testing.T) {
	d := newDataset(t, onePerson)
	d.write("sub-01/func/sub-01_task-go_space-T1w_desc-preproc_bold.nii.gz", "")
	d.write("sub-01/anat/sub-01_desc-aparcaseg_dseg.nii.gz", "")
	d.write("sourcedata/raw/sub-01/func/sub-01_task-go_events.tsv", "onset\tduration\ttrial_type\n1\t2\tgo\n")
	unreadable(t, d.dir, "sourcedata/raw/sub-01/func")
	r, err := d.load(func(b *BIDSCohort) { b.Confounds = false })
	need.NoError(t, err)
	need.NoError(t, r.Subjects[0].Problem)
	const text = "sourcedata/raw/sub-01/func: no permission to list this directory"
	if notes := strings.Join(wording.NoteTexts(r.Notes), "\n"); !strings.Contains(notes, "assumed to have no table of events: sub-01: events: "+text) {
		t.Errorf("notes %s", notes)
	}
	r, err = d.load(func(b *BIDSCohort) { b.Confounds, b.Events = false, "sourcedata/raw" })
	need.NoError(t, err)
	need.Error(t, r.Subjects[0].Problem, filepath.FromSlash(text))
}
