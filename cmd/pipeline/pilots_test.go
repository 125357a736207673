//go:build linux

package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// gridEngineTemplate is the one of docs/cluster.md.
const gridEngineTemplate = "qsub -t 1-{n} -N {name} -V -j y -o {log} -l h_rt={time} -b y {command}\n"

// TestPilots kills pilots, a machine and the controller: all tasks get done, and give what they give here.
func TestPilots(t *testing.T) {
	buildForCluster(t)
	t.Run("Slurm", func(t *testing.T) { t.Parallel(); slurmPilotsDie(t) })
	t.Run("Grid Engine", func(t *testing.T) { t.Parallel(); gridEnginePilotsDie(t) })
}

// gridEnginePilotsDie needs a Grid Engine whose jobs see this machine's directories: test/gridengine/up.sh
// makes one.
func gridEnginePilotsDie(t *testing.T) {
	if os.Getenv("PRGNN_GRIDENGINE") == "" {
		need.Missing(t, "no Grid Engine: PRGNN_GRIDENGINE=1, with the SGE_ROOT of a cell such as test/gridengine/up.sh makes, runs this test")
	}
	page, err := os.ReadFile("../../docs/cluster.md")
	if err != nil || !strings.Contains(string(page), "    "+gridEngineTemplate) {
		t.Errorf("docs/cluster.md shows another template (%v)", err)
	}
	dir := need.Value(os.MkdirTemp("", "prgnn-gridengine-test-"))(t)
	t.Cleanup(func() { testdir.Remove(t, dir) })
	c := &cluster{t: t, program: slurmProgram, dir: dir,
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
	waitForEnd(t, pid)
}

// A machine dies with its pilots, a pilot is killed elsewhere, and the controller dies: all tasks get done, and
// give what they give here.
func slurmPilotsDie(t *testing.T) {
	c := onCluster(t, "")
	c.naps(12, nap)
	c.flags = append(c.flags, "--pilots", "6")
	cmd, out := c.start()
	c.waitFor("six at work", func() bool { return len(c.started()) >= 6 })
	nodes := strings.Fields(slurm(t, "squeue", "-h", "-r", "-t", "RUNNING", "-o", "%N"))
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	killAll(t, nodes[0], os.Getenv("SLURM_TEST_ROOT"))
	killFirst(t, c.dir)
	controllerDies(t)
	need.NoError(t, exec.Command("slurmd", "-N", nodes[0], "-f", os.Getenv("SLURM_CONF")).Run())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for done := false; !done; {
		select {
		case <-ended:
			done = true
		case <-time.After(2 * time.Second):
			resumeNodes()
		}
	}
	if !strings.Contains(out.String(), "12 ran, 0 cached, 0 failed") || !strings.Contains(out.String(), "was ended; queued again") {
		t.Errorf("%s", out)
	}
	c.sameHere()
}

// killFirst kills one of the pilots of a store.
func killFirst(t *testing.T, dir string) {
	t.Helper()
	pids, err := exec.Command("pgrep", "-f", "exec-pilot --store "+dir).Output()
	var pid int
	if _, bad := fmt.Sscan(string(pids), &pid); err != nil || bad != nil {
		t.Fatalf("no pilot: %v", err)
	}
	syscall.Kill(pid, syscall.SIGKILL)
}

// sameHere checks that the outputs are those of a run on this machine.
func (c *cluster) sameHere() {
	c.t.Helper()
	there := c.digests()
	if here := c.digests("--store", "here", "-j", "16"); !maps.Equal(here, there) || len(here) == 0 {
		c.t.Errorf("%d outputs here, %d there, and they differ", len(here), len(there))
	}
}
