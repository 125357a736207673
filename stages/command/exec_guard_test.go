//go:build unix

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/internal/workdir"
	"prgnn/stages/stagetest"
)

// again runs one test of this program in another process, with variables that tell it what to do.
func again(t *testing.T, program, name string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, "-test.run=^"+name+"$", "-test.count=1", "-test.v")
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// A run that is killed at any moment leaves no process of its command, and no directory that
// the next run does not remove; what is there meanwhile is its user's alone.
func TestExecKilled(t *testing.T) {
	if pids := os.Getenv("PRGNN_TEST_KILLED"); pids != "" { // the process that is killed
		e := execShell(t, "exec 3> "+pids+".pipe; echo $$ >> "+pids+"; sleep 600 >/dev/null 2>&1 & echo $! >> "+pids+"; echo > "+pids+".go; sleep 0.05")
		e.Inputs = []string{"table*=text"}
		var all []dag.Input
		for i := range 200 {
			all = append(all, dag.InputOf(artifacts.Text("participant\n"),
				dag.Coord{Axis: "subject", Value: fmt.Sprint(i)}))
		}
		for {
			e.Run(context.Background(), dag.NewTask(map[string][]dag.Input{"table": all}))
		}
	}
	temp, pids := t.TempDir(), filepath.Join(t.TempDir(), "pids")
	need.NoError(t, syscall.Mkfifo(pids+".pipe", 0o600)) // which all processes of the commands have open
	ended := need.Value(os.OpenFile(pids+".pipe", os.O_RDONLY|syscall.O_NONBLOCK, 0))(t)
	defer ended.Close()
	for i := range 12 {
		cmd := again(t, os.Args[0], t.Name(), "PRGNN_TEST_KILLED="+pids, "TMPDIR="+temp)
		need.NoError(t, cmd.Start())
		t.Cleanup(func() { // where the test did not come to it
			cmd.Process.Kill()
			cmd.Wait()
		})
		if i%2 == 0 { // while the command runs
			for limit := time.Now().Add(time.Minute); !there(pids + ".go"); {
				if time.Now().After(limit) {
					t.Fatal("the command does not start")
				}
				time.Sleep(time.Millisecond)
			}
		}
		time.Sleep(time.Duration(i) * 7 * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		filepath.WalkDir(temp, func(path string, e os.DirEntry, err error) error {
			if info, err := os.Lstat(path); err == nil && e.IsDir() && path != temp && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
			return nil
		})
		os.Remove(pids + ".go")
	}
	ended.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.Copy(io.Discard, ended); err != nil { // the pipe ends with the last of them
		t.Errorf("processes outlive the program: %v", err)
		for word := range strings.FieldsSeq(string(need.Value(os.ReadFile(pids))(t))) {
			syscall.Kill(need.Value(strconv.Atoi(word))(t), syscall.SIGKILL)
		}
	}
	long := time.Now().Add(-time.Hour) // a minute later
	rooms, _ := filepath.Glob(filepath.Join(temp, workdir.ExecRooms+"*"))
	for _, r := range rooms {
		os.Chtimes(filepath.Join(r, "lock"), long, long)
		os.Chtimes(r, long, long)
	}
	// A guard that still ends holds its lock for a moment.
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		workdir.Sweep(temp, workdir.ExecRooms)
		left, _ := os.ReadDir(temp)
		if len(left) == 0 {
			break
		}
		if time.Now().After(limit) {
			t.Errorf("%d entries are left of killed runs, such as %s", len(left), left[0].Name())
			break
		}
	}
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// running reports whether a process is there and not a zombie that nobody reaps.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return runtime.GOOS != "linux"
	}
	state := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	return state[0] != "Z" && state[0] != "X"
}

// What the command started in the background ends with it.
func TestExecEndsBackground(t *testing.T) {
	t.Run("silent", func(t *testing.T) { endsBackground(t, "sleep 600 >/dev/null 2>&1") })
	t.Run("holding the log", func(t *testing.T) { endsBackground(t, "sleep 600") })
}

func endsBackground(t *testing.T, background string) {
	pid := filepath.Join(t.TempDir(), "pid")
	e := execShell(t, background+" & echo $! > "+pid)
	if _, err := e.Run(context.Background(), dag.NewTask(nil)); err != nil {
		t.Fatal(err)
	}
	b := need.Value(os.ReadFile(pid))(t)
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	for limit := time.Now().Add(20 * time.Second); running(n); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			syscall.Kill(n, syscall.SIGKILL)
			t.Fatalf("process %d outlives its command", n)
		}
	}
}

// A command that makes its input writable, edits it and restores it changes its own copy: what
// other tasks read meanwhile is what the store holds. A superuser writes where it likes, so
// another user does it.
func TestExecInputsAreNotTheStores(t *testing.T) {
	const nobody = 65534
	if os.Getuid() == 0 {
		dir := need.Value(os.MkdirTemp("", "prgnn-nobody-"))(t)
		defer os.RemoveAll(dir)
		program := filepath.Join(dir, "test")
		tmp := filepath.Join(dir, "tmp")
		need.NoError(t, errors.Join(os.Chmod(dir, 0o755), copyFile(os.Args[0], program), os.Mkdir(tmp, 0o777),
			os.Chown(tmp, nobody, nobody)))
		cmd := again(t, program, t.Name(), "TMPDIR="+tmp)
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
			t.Errorf("as user %d: %v\n%s", nobody, err, out)
		}
		return
	}
	s, err := disk.Open(t.TempDir())
	need.NoError(t, err)
	defer s.Close()
	text := strings.Repeat("the same bytes\n", 2*shareFrom/15)
	ref, err := s.Put(artifacts.Text(text))
	need.NoError(t, err)
	in := dag.InputOf(artifacts.Text(text))
	in.Ref, in.Path = ref, s.Health.BlobPath(ref.Digest)
	in.Reader = func() (io.ReadCloser, error) { return s.OpenBlob(ref) }
	e := execShell(t, "cp {in} tmp/before; chmod u+w {in}; echo edited > {in}; cat "+in.Path+" > {seen}; cat tmp/before > {in}; chmod u-w {in}")
	e.Inputs, e.Outputs = []string{"in=text"}, []string{"seen=text"}
	out, err := e.Run(context.Background(), dag.NewTask(map[string][]dag.Input{"in": {in}}))
	need.NoError(t, err)
	need.Equal(t, stagetest.ExecOutput(t, out["seen"]), text, "while the command edits its input, the store gives")
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o755)
}
