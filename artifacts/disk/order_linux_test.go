package disk

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/internal/need"
)

func init() { children["recorder"] = childRecorder }

// orderResult is the i-th result of childRecorder: each third one is a file of its own, and one between them is large
// for a pack.
func orderResult(i int) string {
	return strings.Repeat(fmt.Sprint("result ", i), []int{1, 3 * smallUpTo / 8, packedUpTo}[i%3])
}

// childRecorder does some pieces of work in a new store.
func childRecorder(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	s.packing.Store(packedUpTo)
	for i := 0; i < 20 && err == nil; i++ {
		var r artifacts.Ref
		if r, err = s.Put(artifacts.Text(orderResult(i))); err == nil {
			_, err = s.Record(artifacts.Action{Recipe: fmt.Sprint("recipe ", i),
				Outputs: artifacts.Refs{{Name: "text", Ref: r}}})
		}
	}
	if err == nil {
		err = s.SaveRun(&artifacts.RunRecord{ID: "00000000000000aa"})
	}
	if err == nil {
		err = s.SaveRun(&artifacts.RunRecord{ID: "00000000000000bb", Finished: time.Now(), Cached: 1})
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
	dir := filepath.Join(need.Value(filepath.EvalSymlinks(t.TempDir()))(t), "store")
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(strace, "-f", "-y", "-o", log, "-e", "trace=fsync,rename,renameat,renameat2,pwrite64", "-xx", "-s", "80", need.Value(os.Executable())(t))
	cmd.Env = append(os.Environ(), "PRGNN_CHILD=recorder", "PRGNN_CHILD_STORE="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		need.Missing(t, "strace does not run: %v: %s", err, out)
	}
	calls := traced(t, log, dir)
	first := len(calls)
	// find is the first call that begins so.
	find := func(call string) int {
		t.Helper()
		at := slices.IndexFunc(calls, func(c string) bool { return strings.HasPrefix(c, call) })
		if at < 0 {
			t.Fatalf("no %s:\n%s", call, strings.Join(calls, "\n"))
		}
		return at
	}
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
	atRun, runTemp := named("runs/00000000000000aa")
	atNothing, nothingTemp := named("runs/00000000000000bb") // a run that found everything: whole, if it is there
	between(nothingTemp, 0, atNothing)
	atPack, written, _ := 0, "", 0
	for i := range 20 {
		blob, action := artifacts.DigestOf([]byte(orderResult(i))).String(),
			artifacts.KeyOf(fmt.Sprint("recipe ", i)).String()
		atAction := find("write a " + action)
		if i%3 < 2 { // the result stands before its record in one pack
			if atBlob := find("write b " + blob); atBlob > atAction {
				t.Errorf("result %d is written after its record", i)
			}
		} else {
			atBlob, blobTemp := named("blobs/" + blob[:2] + "/" + blob)
			between(blobTemp, 0, atBlob)                 // bytes before the name
			between("blobs/"+blob[:2], atBlob, atAction) // the blob's name before the promise
			first = min(first, atBlob)
		}
		atPack = max(atPack, atAction)
		_, written, _ = strings.Cut(calls[atAction], " in ")
	}
	tasks := artifacts.DigestOf(encoded(t, record.Tasks(func(func(artifacts.RunTask) bool) {}))).String()
	atPack = max(atPack, find("write b "+tasks))
	between("blobs", first, atRun)    // the names of the shards, too
	between(written, atPack, atRun)   // everything before the run's record
	between("packs", 0, atRun)        //
	between(".", 0, atRun)            // the directory of the packs
	between(runTemp, 0, atRun)        //
	between("runs", atRun, atNothing) // and that record before SaveRun returns
	atIndex := find("write i ")
	between(written, atPack, atIndex)              // what the index tells of before the index
	between(written, atIndex, len(calls))          //
	atVersion, versionTemp := named("version")     //
	between(versionTemp, 0, atVersion)             //
	between(".", atVersion, min(first, find("w"))) // a store that is there stays there
}

// traced reads a log of strace: "fsync path" where one has ended, "rename from to"
// and "write kind name in pack" where one begins, with paths relative to the store.
func traced(t *testing.T, log, dir string) []string {
	t.Helper()
	whole := regexp.MustCompile(`^(\d+) +(fsync|rename\w*|pwrite64)\((.*)$`)
	resumed := regexp.MustCompile(`^(\d+) +<\.\.\. (fsync|rename\w*) resumed`)
	quoted := regexp.MustCompile(`"([^"]*)"`)
	fd := regexp.MustCompile(`<([^>]*)>`)
	relative := func(path string) string {
		rel := need.Value(filepath.Rel(dir, path))(t)
		return rel
	}
	var calls []string
	waiting := map[string]string{} // a sync that has not ended, by thread
	for line := range strings.Lines(string(need.Value(os.ReadFile(log))(t))) {
		line = strings.TrimSpace(line)
		if m := whole.FindStringSubmatch(line); m != nil {
			if m[2] == "pwrite64" {
				if b := unescaped(t, quoted.FindStringSubmatch(m[3])[1]); len(b) == 80 && strings.HasPrefix(b, "pgn1") {
					calls = append(calls, fmt.Sprintf("write %c %x in %s", b[4], b[12:44],
						relative(unescaped(t, fd.FindStringSubmatch(m[3])[1]))))
				}
				continue
			}
			if m[2] != "fsync" {
				p := quoted.FindAllStringSubmatch(m[3], -1)
				from, to := relative(unescaped(t, p[0][1])), relative(unescaped(t, p[1][1]))
				calls = append(calls, fmt.Sprintf("rename %s %s", from, to))
				continue
			}
			call := "fsync " + relative(unescaped(t, fd.FindStringSubmatch(m[3])[1]))
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

// unescaped are the bytes of a text that strace -xx wrote.
func unescaped(t *testing.T, text string) string {
	t.Helper()
	if !strings.HasPrefix(text, `\x`) {
		return text
	}
	return string(need.Value(hex.DecodeString(strings.ReplaceAll(text, `\x`, "")))(t))
}
