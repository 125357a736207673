package artifacts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

func init() { children["recorder"] = childRecorder }

// childRecorder does some pieces of work in a new store.
func childRecorder(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	for i := 0; i < 20 && err == nil; i++ {
		var r Ref
		if r, err = s.Put(Text(fmt.Sprint("result ", i))); err == nil {
			_, err = s.Record(Action{Recipe: fmt.Sprint("recipe ", i), Outputs: map[string]Ref{"text": r}})
		}
	}
	if err == nil {
		err = s.SaveRun(&RunRecord{ID: "00000000000000aa"})
	}
	if err != nil {
		return err
	}
	return s.Close()
}

// Against a loss of power only the order of the calls helps, which no kill shows:
// so the calls themselves are looked at. What counts is when a sync has ended,
// and when a rename begins.
func TestSyncOrder(t *testing.T) {
	strace := need.Program(t, "strace", "strace")
	dir := filepath.Join(must(filepath.EvalSymlinks(t.TempDir()))(t), "store")
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(strace, "-f", "-y", "-o", log, "-e", "trace=fsync,rename,renameat,renameat2", must(os.Executable())(t))
	cmd.Env = append(os.Environ(), "PRGNN_CHILD=recorder", "PRGNN_CHILD_STORE="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		need.Missing(t, "strace does not run: %v: %s", err, out)
	}
	calls := traced(t, log, dir)
	first := len(calls)
	tasks := DigestOf([]byte(tasksMagic)).String()
	// named finds the rename that gives a file its name, and where it was before.
	named := func(to string) (at int, from string) {
		for i, c := range calls {
			if rest, ok := strings.CutPrefix(c, "rename "); ok {
				if before, after, _ := strings.Cut(rest, " "); after == to {
					return i, before
				}
			}
		}
		t.Fatalf("nothing is renamed to %s:\n%s", to, strings.Join(calls, "\n"))
		return 0, ""
	}
	between := func(path string, after, before int) {
		t.Helper()
		if !slices.Contains(calls[after:before], "fsync "+path) {
			t.Errorf("%s is not synced in time:\n%s", path, strings.Join(calls, "\n"))
		}
	}
	atTasks, tasksTemp := named("blobs/" + tasks[:2] + "/" + tasks)
	atRun, runTemp := named("runs/00000000000000aa")

	for i := range 20 {
		blob, action := DigestOf(fmt.Append(nil, "result ", i)).String(), KeyOf(fmt.Sprint("recipe ", i)).String()
		atBlob, blobTemp := named("blobs/" + blob[:2] + "/" + blob)
		atAction, actionTemp := named("actions/" + action[:2] + "/" + action)
		between(blobTemp, 0, atBlob)                    // bytes before the name
		between("blobs/"+blob[:2], atBlob, atAction)    // the blob's name before the promise
		between(actionTemp, 0, atAction)                // the promise's bytes before its name
		between("actions/"+action[:2], atAction, atRun) // everything before the run's record
		first = min(first, atBlob)
	}
	between("blobs", first, atRun) // the names of the shards, too
	between("actions", first, atRun)
	between(tasksTemp, 0, atTasks)              //
	between("blobs/"+tasks[:2], atTasks, atRun) //
	between(runTemp, 0, atRun)                  //
	between("runs", atRun, len(calls))          // and that record before SaveRun returns
	atVersion, versionTemp := named("version")  //
	between(versionTemp, 0, atVersion)          //
	between(".", atVersion, first)              // a store that is there stays there
}

// traced reads a log of strace: "fsync path" where one has ended, "rename from to"
// where one begins, with paths relative to the store.
func traced(t *testing.T, log, dir string) []string {
	t.Helper()
	whole := regexp.MustCompile(`^(\d+) +(fsync|rename\w*)\((.*)$`)
	resumed := regexp.MustCompile(`^(\d+) +<\.\.\. (fsync|rename\w*) resumed`)
	quoted := regexp.MustCompile(`"([^"]*)"`)
	fd := regexp.MustCompile(`<([^>]*)>`)
	relative := func(path string) string {
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		return rel
	}
	var calls []string
	waiting := map[string]string{} // a sync that has not ended, by thread
	for line := range strings.Lines(string(must(os.ReadFile(log))(t))) {
		line = strings.TrimSpace(line)
		if m := whole.FindStringSubmatch(line); m != nil {
			if m[2] != "fsync" {
				p := quoted.FindAllStringSubmatch(m[3], -1)
				calls = append(calls, fmt.Sprintf("rename %s %s", relative(p[0][1]), relative(p[1][1])))
				continue
			}
			call := "fsync " + relative(fd.FindStringSubmatch(m[3])[1])
			if strings.Contains(m[3], "unfinished") {
				waiting[m[1]] = call
			} else {
				calls = append(calls, call)
			}
		} else if m := resumed.FindStringSubmatch(line); m != nil && m[2] == "fsync" {
			calls = append(calls, waiting[m[1]])
		}
	}
	return calls
}
