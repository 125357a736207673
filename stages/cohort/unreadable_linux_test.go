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
	need.NoError(t, os.Chmod(filepath.Join(d.dir, "sub-02"), 0))
	need.NoError(t, os.Chmod(filepath.Join(d.dir, "sub-03", "func"), 0))
	t.Cleanup(func() { // else it cannot be removed
		os.Chmod(filepath.Join(d.dir, "sub-02"), 0o755)
		os.Chmod(filepath.Join(d.dir, "sub-03", "func"), 0o755)
	})
	for at := d.dir; at != filepath.Dir(at) && strings.HasPrefix(at, os.TempDir()+"/"); at = filepath.Dir(at) {
		need.NoError(t, os.Chmod(at, 0o755))
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if os.Getuid() == 0 { // root reads everything, and this thread is nobody meanwhile
		if err := syscall.Setfsuid(65534); err != nil {
			t.Skip(err)
		}
		defer syscall.Setfsuid(0)
	}
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
