package lock

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts/disk"
	"prgnn/internal/need"
)

// git merges the new results of different stages into the lock that a run of both writes; where both sides
// changed the pipeline file, they clash, and nothing reads the lock until somebody has written it anew.
func TestMergeOfStages(t *testing.T) {
	need.Program(t, "git", "git")
	dir := t.TempDir()
	s, err := disk.Open(filepath.Join(dir, "store"))
	need.NoError(t, err)
	defer s.Close()
	// lockOf is the lock of a run with these data for two stages, and parameters of these.
	lockOf := func(name, left, right, one, two string) string {
		files := map[string]string{"left.txt": left, "right.txt": right, "three.yaml": "pipeline: three\nstages:\n" +
			"  left: { use: echo, in: { input: { file: left.txt } }, with: { value: " + one + " } }\n" +
			"  middle: { use: echo, with: { value: 5 } }\n" +
			"  right: { use: echo, in: { input: { file: right.txt } }, with: { value: " + two + " } }\n"}
		for name, text := range files {
			need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
		}
		_, l := runAndLock(t, s, filepath.Join(dir, "three.yaml"))
		path := filepath.Join(dir, name)
		need.NoError(t, os.WriteFile(path, []byte(encoded(t, l)), 0o666))
		return path
	}
	base := lockOf("base", "left", "right", "1", "2")
	both, err := os.ReadFile(lockOf("both", "new left", "new right", "1", "2"))
	need.NoError(t, err)
	merged, err := exec.Command("git", "merge-file", "-p", lockOf("ours", "new left", "right", "1", "2"), base,
		lockOf("theirs", "left", "new right", "1", "2")).Output()
	if err != nil || string(merged) != string(both) {
		t.Errorf("%v\n%s", err, merged)
	}
	if _, err := Parse(merged); err != nil {
		t.Error(err)
	}
	clash, err := exec.Command("git", "merge-file", "-p", lockOf("ours", "left", "right", "10", "2"), base,
		lockOf("theirs", "left", "right", "1", "20")).Output()
	if err == nil || !strings.Contains(string(clash), "<<<<<<<") {
		t.Errorf("two changes of the file: %v\n%s", err, clash)
	}
	if _, err := Parse(clash); err == nil {
		t.Error("a lock with conflicts is read")
	}
}
