//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"prgnn/internal/testdir"

	"prgnn/internal/need"
)

// A cluster is a directory with a pipeline that runs on a real Slurm.
type cluster struct {
	t       *testing.T
	program string
	dir     string
	flags   []string // of run
}

var slurmProgram = ""

// onCluster needs a Slurm whose jobs see this machine's directories: test/slurm/up.sh
// makes one of several slurmd on one machine.
func onCluster(t *testing.T, yaml string) *cluster {
	t.Helper()
	if os.Getenv("PRGNN_SLURM") == "" {
		need.Missing(t, "no Slurm: PRGNN_SLURM=1, with the SLURM_CONF of a cluster such as test/slurm/up.sh makes, runs these tests")
	}
	dir := need.Value(os.MkdirTemp("", "prgnn-slurm-test-"))(t)
	c := &cluster{t: t, program: slurmProgram, dir: dir,
		flags: []string{"--executor", "slurm", "--slurm-interval", "3s"}}
	// A job's last step may write into the store a moment after its result is known.
	t.Cleanup(func() { testdir.Remove(t, dir) })
	c.write("work.yaml", yaml)
	return c
}

func (c *cluster) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o666); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	var out bytes.Buffer
	cmd := exec.Command(c.program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, &out, &out
	return cmd, &out
}

// run runs the pipeline on the cluster, and says how it ended.
func (c *cluster) run(args ...string) (code int, said string) {
	c.t.Helper()
	cmd, out := c.start(args...)
	err := cmd.Wait()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		c.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// start begins a run.
func (c *cluster) start(args ...string) (*exec.Cmd, *bytes.Buffer) {
	c.t.Helper()
	cmd, out := c.command(slices.Concat([]string{"run", "work.yaml"}, c.flags, args)...)
	need.NoError(c.t, cmd.Start())
	c.t.Cleanup(func() { // where the test did not wait for it
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, out
}

func (c *cluster) mustRun(args ...string) string {
	c.t.Helper()
	code, said := c.run(args...)
	if code != 0 {
		c.t.Fatalf("exit code %d\n%s", code, said)
	}
	return said
}

// started are the lines that the tasks have left: one for each time that one ran.
func (c *cluster) started() map[string]int {
	b, _ := os.ReadFile(filepath.Join(c.dir, "started"))
	n := map[string]int{}
	for line := range strings.Lines(string(b)) {
		n[strings.TrimSpace(line)]++
	}
	return n
}

// eachOnce checks that so many tasks were done, each once.
func (c *cluster) eachOnce(tasks int) {
	c.t.Helper()
	for n, times := range c.started() {
		if times != 1 {
			c.t.Errorf("task %s was done %d times", n, times)
		}
	}
	if len(c.started()) != tasks {
		c.t.Errorf("%d tasks were done", len(c.started()))
	}
}

func (c *cluster) waitFor(what string, that func() bool) {
	c.t.Helper()
	for range 600 {
		if that() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	c.t.Fatalf("after a minute: not %s", what)
}

// slurm runs one of Slurm's own commands.
func slurm(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// naps are tasks that say that they have started, and take some seconds.
func naps(n int, script string) string {
	return fmt.Sprintf(`stages:
  naps:
    use: exec
    matrix: { n: [1..%d] }
    with:
      command: [sh, -c, %q, sh, "{nap}"]
      outputs: [nap=text]
      parameters: ["n=${n}"]
      scratch: [DIR/started, DIR/second]
`, n, script)
}

const nap = "echo {n} >>DIR/started; sleep 2; echo slept {n} >$1"

func (c *cluster) naps(n int, script string) {
	c.write("work.yaml", strings.ReplaceAll(naps(n, script), "DIR", c.dir))
}

// digests are the outputs of all tasks of a run that finds everything.
func (c *cluster) digests(args ...string) map[string]string {
	c.t.Helper()
	cmd := exec.Command(c.program, append([]string{"run", "work.yaml", "-q", "--json"}, args...)...)
	cmd.Dir = c.dir
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatal(err)
	}
	all := map[string]string{}
	for line := range bytes.Lines(out) {
		var e struct {
			Event, Task string
			Outputs     map[string]struct{ Digest string }
		}
		if err := json.Unmarshal(line, &e); err != nil {
			c.t.Fatal(err)
		}
		for name, o := range e.Outputs {
			all[e.Task+"."+name] = o.Digest
		}
	}
	return all
}

func TestSlurm(t *testing.T) {
	buildForCluster(t)
	t.Run("together", func(t *testing.T) {
		for name, test := range map[string]func(*testing.T){
			"the same digests":     alone(slurmSameDigests),
			"the coordinator dies": alone(slurmCoordinatorDies),
			"interrupted":          slurmInterrupted,
			"two coordinators":     slurmTwoCoordinators,
			"a task is cancelled":  slurmCancelled,
			"a task fails":         alone(slurmFails),
			"memory":               slurmMemory,
			"time":                 slurmTime,
			"refused":              slurmRefused,
			"detached":             slurmDetached,

			"pilots, the same digests":     withPilots(slurmSameDigests),
			"pilots, the coordinator dies": withPilots(slurmCoordinatorDies),
			"pilots, a task fails":         withPilots(slurmFails),
		} {
			t.Run(name, func(t *testing.T) { t.Parallel(); test(t) })
		}
	})
	// These strike every job of the cluster.
	t.Run("requeued", slurmRequeued)
	t.Run("a node dies", slurmNodeDies)
	t.Run("the controller dies", slurmControllerDies)
}

// buildForCluster builds the program as it is for the machines of a cluster, if there is one.
func buildForCluster(t *testing.T) {
	t.Helper()
	if os.Getenv("PRGNN_SLURM") == "" && os.Getenv("PRGNN_GRIDENGINE") == "" {
		return
	}
	slurmProgram = filepath.Join(t.TempDir(), "pipeline")
	build := exec.Command("go", "build", "-o", slurmProgram, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// withPilots has the runs of a test use pilots.
func withPilots(test func(*testing.T, ...string)) func(*testing.T) {
	return func(t *testing.T) { test(t, "--pilots", "3") }
}

func alone(test func(*testing.T, ...string)) func(*testing.T) {
	return func(t *testing.T) { test(t) }
}

func slurmSameDigests(t *testing.T, flags ...string) {
	c := onCluster(t, "")
	c.flags = append(c.flags, flags...)
	text := need.Value(os.ReadFile("../../stages/pipelines/quick.yaml"))(t)
	c.write("work.yaml", string(text))
	c.mustRun("--set", "cohort.simulate.asd=6", "--set", "cohort.simulate.hc=6")
	there := c.digests("--set", "cohort.simulate.asd=6", "--set", "cohort.simulate.hc=6")
	here := c.digests("--set", "cohort.simulate.asd=6", "--set", "cohort.simulate.hc=6", "--store", "here")
	if len(here) < 100 || !maps.Equal(here, there) {
		for name := range here {
			if here[name] != there[name] {
				t.Errorf("%s differs", name)
			}
		}
		t.Errorf("%d outputs here, %d there", len(here), len(there))
	}
}

// The coordinator is killed while tasks run: they go on, and the next one takes
// their results and waits for the rest. Nothing is done twice.
func slurmCoordinatorDies(t *testing.T, flags ...string) {
	c := onCluster(t, "")
	c.flags = append(c.flags, flags...)
	c.naps(12, nap)
	cmd, out := c.start()
	c.waitFor("three tasks at work", func() bool { return len(c.started()) >= 3 })
	cmd.Process.Kill()
	cmd.Wait()
	if strings.Contains(out.String(), "12 ran") {
		t.Fatalf("it was killed too late\n%s", out)
	}
	c.mustRun()
	c.eachOnce(12)
}

// Ctrl-C leaves what Slurm has: it goes on, and the next run takes its results.
func slurmInterrupted(t *testing.T) {
	c := onCluster(t, "")
	c.naps(4, nap)
	cmd, out := c.start()
	c.waitFor("a task at work", func() bool { return len(c.started()) >= 1 })
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if said := out.String(); cmd.ProcessState.ExitCode() != 130 || !strings.Contains(said, "jobs on the cluster continue, and the next run uses their results") {
		t.Errorf("exit code %d\n%s", cmd.ProcessState.ExitCode(), said)
	}
	c.mustRun()
	c.eachOnce(4)
}

func slurmTwoCoordinators(t *testing.T) {
	c := onCluster(t, "")
	c.naps(10, nap)
	ended := make(chan string, 2)
	for range 2 {
		go func() {
			_, said := c.run()
			ended <- said
		}()
	}
	both := <-ended + <-ended
	if strings.Count(both, " 0 failed, 0 skipped") != 2 {
		t.Errorf("%s", both)
	}
	for n, times := range c.started() {
		if times != 1 {
			t.Errorf("task %s was done %d times", n, times)
		}
	}
}

func slurmCancelled(t *testing.T) {
	c := onCluster(t, "")
	c.naps(2, "echo {n} >>DIR/started; if [ {n} = 2 ] && [ ! -e DIR/second ]; then sleep 100; fi; echo slept {n} >$1")
	cmd, out := c.start()
	c.waitFor("both at work", func() bool { return len(c.started()) == 2 })
	batches, _ := filepath.Glob(filepath.Join(c.dir, ".pipeline/cluster/batches/prgnn-*"))
	if len(batches) != 1 {
		t.Fatalf("%d arrays", len(batches))
	}
	var at []string // which of its elements has the second task is not said
	c.waitFor("only the second at work", func() bool {
		at = strings.Fields(slurm(t, "squeue", "-h", "-r", "-t", "RUNNING", "-n",
			filepath.Base(batches[0]), "-o", "%F_%K"))
		return len(at) == 1
	})
	slurm(t, "scancel", at[0])
	cmd.Wait()
	if said := out.String(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(said, "it was cancelled. Run again to continue") {
		t.Errorf("exit code %d\n%s", cmd.ProcessState.ExitCode(), said)
	}
	c.write("second", "")
	if said := c.mustRun(); !strings.Contains(said, "1 ran, 1 cached") {
		t.Error(said)
	}
}

func slurmFails(t *testing.T, flags ...string) {
	c := onCluster(t, "")
	c.flags = append(c.flags, flags...)
	c.naps(2, "echo the disk of sub-{n} is gone; [ {n} = 1 ] && echo slept >$1")
	code, said := c.run()
	if code != 1 || !strings.Contains(said, "the disk of sub-2 is gone") || !strings.Contains(said, "1 ran, 0 cached, 1 failed") {
		t.Errorf("exit code %d\n%s", code, said)
	}
	if len(flags) > 0 {
		return
	}
	// On a node, the same can be seen by hand.
	keys, _ := filepath.Glob(filepath.Join(c.dir, ".pipeline/cluster/jobs/*"))
	if len(keys) != 1 {
		t.Fatalf("%d jobs are left", len(keys))
	}
	cmd, out := c.command("exec-task", filepath.Base(keys[0]))
	cmd.Run()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(out.String(), "naps[n=2]") {
		t.Errorf("exec-task: exit code %d\n%s", cmd.ProcessState.ExitCode(), out)
	}
}

// A task that takes more than it has is killed, and gets more.
func slurmMemory(t *testing.T) {
	need.Program(t, "python3", "python3") // fills the memory
	c := onCluster(t, "")
	c.naps(1, "python3 -c 'import time; x = bytearray(700 << 20); time.sleep(4)' && echo slept >$1")
	said := c.mustRun()
	if !strings.Contains(said, "it was killed for exceeding its memory limit; submitted again with 1024 MB") {
		t.Error(said)
	}
}

// One that takes longer than it may is ended, and may take longer the next time.
func slurmTime(t *testing.T) {
	c := onCluster(t, "")
	c.naps(1, "if [ ! -e DIR/second ]; then touch DIR/second; sleep 600; fi; echo slept >$1")
	text, _ := os.ReadFile(filepath.Join(c.dir, "work.yaml"))
	c.write("work.yaml", string(text)+"    resources: { time: 1m, memory: 300M }\n")
	said := c.mustRun()
	if !strings.Contains(said, "it exceeded its time limit; submitted again with 2m0s") {
		t.Error(said)
	}
}

func slurmRefused(t *testing.T) {
	c := onCluster(t, "")
	c.naps(3, nap)
	code, said := c.run("--slurm-args=--partition=nowhere")
	if code != 1 || !strings.Contains(said, "sbatch refuses the jobs") || !strings.Contains(said, "--slurm-args") {
		t.Errorf("exit code %d\n%s", code, said)
	}
	c.mustRun("--slurm-args", "--partition=main --nice=5")
}

func slurmDetached(t *testing.T) {
	c := onCluster(t, "")
	c.naps(3, nap)
	const background = "a run is in progress in the background"
	if said := c.mustRun("--detach"); !strings.Contains(said, "continuing in the background") {
		t.Error(said)
	}
	seen := ""
	c.waitFor("done, and the run ended", func() bool {
		cmd, out := c.command("status", "work.yaml")
		cmd.Run()
		if strings.Contains(out.String(), "running") {
			seen = out.String()
		}
		return strings.Contains(out.String(), "3 of 3 tasks done") && !strings.Contains(out.String(), background)
	})
	if !regexp.MustCompile(`naps  [0-2] of 3  [1-3] running`).MatchString(seen) || !strings.Contains(seen, background) {
		t.Errorf("while it was at work: %s", seen)
	}
}

// patient are tasks that are interrupted once, and then do not wait again.
const patient = "echo {n} >>DIR/started; if [ ! -e DIR/second ]; then sleep 100; fi; echo slept {n} >$1"

func slurmRequeued(t *testing.T) {
	c := onCluster(t, "")
	c.naps(2, patient)
	cmd, out := c.start()
	c.waitFor("both at work", func() bool { return len(c.started()) == 2 })
	c.write("second", "")
	for id := range strings.FieldsSeq(slurm(t, "squeue", "-h", "-r", "-t", "RUNNING", "-o", "%i")) {
		slurm(t, "scontrol", "requeue", id)
	}
	cmd.Wait()
	if !strings.Contains(out.String(), "2 ran, 0 cached, 0 failed") {
		t.Errorf("%s", out)
	}
}

// A machine dies with the job that it runs.
func slurmNodeDies(t *testing.T) {
	c := onCluster(t, "")
	c.naps(2, patient)
	cmd, out := c.start()
	c.waitFor("both at work", func() bool { return len(c.started()) == 2 })
	node := strings.Fields(slurm(t, "squeue", "-h", "-r", "-t", "RUNNING", "-o", "%N"))[0]
	c.write("second", "")
	root := os.Getenv("SLURM_TEST_ROOT")
	killAll(t, node, root)
	c.waitFor("the node known to be down", func() bool { return strings.HasPrefix(slurm(t, "sinfo", "-h", "-n", node, "-o", "%T"), "down") })
	need.NoError(t, exec.Command("slurmd", "-N", node, "-f", os.Getenv("SLURM_CONF")).Run())
	cmd.Wait()
	if !strings.Contains(out.String(), "2 ran, 0 cached, 0 failed") {
		t.Errorf("%s", out)
	}
}

// killAll kills a node's daemon, its steps and all that they started.
func killAll(t *testing.T, node, root string) {
	t.Helper()
	pid := need.Value(os.ReadFile(filepath.Join(root, "run", "slurmd-"+node+".pid")))(t)
	var daemon int
	fmt.Sscan(string(pid), &daemon)
	kill := []int{daemon}
	steps, _ := filepath.Glob(filepath.Join(root, "spool", node, node+"_*"))
	for _, s := range steps {
		job, _, _ := strings.Cut(s[strings.LastIndexByte(s, '_')+1:], ".")
		out, _ := exec.Command("pgrep", "-f", `^slurmstepd: \[`+job+`\.`).Output()
		for word := range strings.FieldsSeq(string(out)) {
			var step int
			fmt.Sscan(word, &step)
			kill = append(kill, offspring(step)...)
		}
	}
	for _, p := range kill {
		syscall.Kill(p, syscall.SIGKILL)
	}
}

// offspring is a process with all that descend from it.
func offspring(pid int) []int {
	all := []int{pid}
	out, _ := exec.Command("pgrep", "-P", fmt.Sprint(pid)).Output()
	for word := range strings.FieldsSeq(string(out)) {
		var child int
		fmt.Sscan(word, &child)
		all = append(all, offspring(child)...)
	}
	return all
}

func slurmControllerDies(t *testing.T) {
	c := onCluster(t, "")
	c.naps(8, nap)
	cmd, out := c.start()
	c.waitFor("three at work", func() bool { return len(c.started()) >= 3 })
	controllerDies(t)
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	for running := true; running; {
		resumeNodes() // with every node drained, the run would wait for the operator
		select {
		case <-ended:
			running = false
		case <-time.After(time.Second):
		}
	}
	if !strings.Contains(out.String(), "8 ran, 0 cached, 0 failed") {
		t.Errorf("%s", out)
	}
	if n := slices.Max(slices.Collect(maps.Values(c.started()))); n > 1 {
		t.Errorf("a task was done %d times", n)
	}
}

// controllerDies kills the controller, and starts it again.
func controllerDies(t *testing.T) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(os.Getenv("SLURM_TEST_ROOT"), "run", "slurmctld.pid"))
	need.NoError(t, err)
	var pid int
	fmt.Sscan(string(b), &pid)
	syscall.Kill(pid, syscall.SIGKILL)
	waitForEnd(t, pid)
	need.NoError(t, exec.Command("slurmctld", "-f", os.Getenv("SLURM_CONF")).Run())
	t.Cleanup(resumeNodes)
}

// waitForEnd waits until a process that was killed is gone.
func waitForEnd(t *testing.T, pid int) {
	t.Helper()
	for range 3000 {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("process %d does not end", pid)
}

// resumeNodes does what an operator would: a controller that was killed may give a number again that a node
// still knows, and drains that node ("Duplicate jobid").
func resumeNodes() {
	out, _ := exec.Command("sinfo", "-h", "-N", "-t", "drain", "-o", "%N").Output()
	for node := range strings.FieldsSeq(string(out)) {
		_ = exec.Command("scontrol", "update", "NodeName="+node, "State=RESUME").Run()
	}
}
