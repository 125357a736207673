//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// gridEngineTemplate is the one of docs/cluster.md.
const gridEngineTemplate = "qsub -t 1-{n} -N {name} -V -j y -o {log} -l h_rt={time} -b y {command}\n"

// TestGridEngine needs a Grid Engine whose jobs see this machine's directories: test/gridengine/up.sh makes one.
// The pilots, the daemon of the machine and the master die; all tasks get done, and give what they give here.
func TestGridEngine(t *testing.T) {
	if os.Getenv("PRGNN_GRIDENGINE") == "" {
		need.Missing(t, "no Grid Engine: PRGNN_GRIDENGINE=1, with the SGE_ROOT of a cell such as test/gridengine/up.sh makes, runs this test")
	}
	page, err := os.ReadFile("../../docs/cluster.md")
	if err != nil || !strings.Contains(string(page), "    "+gridEngineTemplate) {
		t.Errorf("docs/cluster.md shows another template (%v)", err)
	}
	dir := need.Value(os.MkdirTemp("", "prgnn-gridengine-test-"))(t)
	t.Cleanup(func() { testdir.Remove(t, dir) })
	c := &cluster{t: t, program: buildProgram(t), dir: dir,
		flags: []string{"--executor", "submit", "--submit-template", "sge.sh", "--pilots", "4"}}
	c.write("sge.sh", gridEngineTemplate)
	c.naps(8, nap)
	cmd, out := c.start()
	c.waitFor("four at work", func() bool { return len(c.started()) >= 4 })
	root := os.Getenv("SGE_ROOT")
	// Jobs outlive the daemon of their machine, as they do with Slurm.
	killByFile(t, filepath.Join(root, "spool/execd/localhost/execd.pid"))
	killByFile(t, filepath.Join(root, "spool/qmaster/qmaster.pid"))
	killFirst(t, dir)
	time.Sleep(time.Second)
	for _, daemon := range []string{"sge_qmaster", "sge_execd"} {
		if said, err := exec.Command(daemon).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", daemon, err, said)
		}
	}
	cmd.Wait()
	if !strings.Contains(out.String(), "8 ran, 0 cached, 0 failed") || !strings.Contains(out.String(), "was ended; queued again") {
		t.Errorf("%s", out)
	}
	c.sameHere()
	// A template that the scheduler refuses ends the run, with its words.
	c.write("sge.sh", "qsub -q nowhere.q -b y {command}\n")
	c.naps(2, "echo other {n} >$1")
	if code, said := c.run(); code != 1 || !strings.Contains(said, "the script sge.sh failed") || !strings.Contains(said, "nowhere.q") {
		t.Errorf("exit code %d\n%s", code, said)
	}
}

func killByFile(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	var pid int
	if _, bad := fmt.Sscan(string(b), &pid); err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	syscall.Kill(pid, syscall.SIGKILL)
}
