package cohort

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"prgnn/internal/need"
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
		need.Error(t, r.Subjects[1].Problem, "sub-02: no permission to read it")
		need.Error(t, r.Subjects[2].Problem, filepath.Join("sub-03", "func")+": no permission to read it")
	}
}

// unreadable makes directories within dir unreadable. Root reads everything, so this thread is nobody until the test
// ends.
func unreadable(t *testing.T, dir string, names ...string) {
	t.Helper()
	for at := dir; at != filepath.Dir(at) && strings.HasPrefix(at, os.TempDir()+"/"); at = filepath.Dir(at) {
		need.NoError(t, os.Chmod(at, 0o755))
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		need.NoError(t, os.Chmod(path, 0))
		t.Cleanup(func() { os.Chmod(path, 0o755) }) // else it cannot be removed
	}
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	if os.Getuid() == 0 {
		if err := syscall.Setfsuid(65534); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { syscall.Setfsuid(0) })
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
	const text = "sourcedata/raw/sub-01/func: no permission to read it"
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "taken to have no table of events: sub-01: events: "+text) {
		t.Errorf("notes %s", notes)
	}
	r, err = d.load(func(b *BIDSCohort) { b.Confounds, b.Events = false, "sourcedata/raw" })
	need.NoError(t, err)
	need.Error(t, r.Subjects[0].Problem, filepath.FromSlash(text))
}
