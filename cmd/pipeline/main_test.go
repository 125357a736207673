package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/artifacts/storetest"
	"prgnn/cmd/pipeline/cli"
	"prgnn/cmd/pipeline/console"
	"prgnn/dag/engine"
	"prgnn/internal/need"
	"prgnn/internal/sandbox"
)

func TestMain(m *testing.M) {
	console.NoFlag = func(flag string) { // every remedy names flags that the command has
		fmt.Fprintf(os.Stderr, "a remedy of %s has the flag %s, which this command lacks\n", os.Args, flag)
		os.Exit(99)
	}
	engine.Shared = func(ref artifacts.Ref, v any) { // no task changes what others read
		a, ok := v.(*encoding.Array)
		if !ok {
			return
		}
		var b bytes.Buffer
		if err := a.Encode(&b); err != nil || artifacts.DigestOf(b.Bytes()) != ref.Digest {
			fmt.Fprintf(os.Stderr, "a task changed the shared array %v (%v)\n", ref.Digest, err)
			os.Exit(99)
		}
	}
	if len(os.Args) > 1 && os.Args[1] == "exec-pilot" { // a pilot is a copy of this program with another name
		os.Exit(cli.Main())
	}
	testscript.Main(m, map[string]func(){
		"pipeline": func() { os.Exit(cli.Main()) },
		"prgnn":    func() { os.Exit(cli.Main()) }, // the BIDS App
	})
}

// TestScripts runs the stories of testdata/script: one behavior that a user
// sees in each.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"truncate": truncate,
			"signal":   signal,
			"digests":  digests,
			"lastrun":  lastRun,
			"begins":   begins,
			"damage":   damage,
			"edit":     edit,
			"lose":     lose,
			"moveaway": moveAway,
		},
	})
}

// condition reports whether this machine has what a script needs. Under PRGNN_REQUIRE it must.
func condition(name string) (bool, error) {
	var err error
	switch name {
	case "mounts": // a small file system can be mounted in a name space of its own
		err = exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", os.TempDir()).Run()
	case "namespaces": // a strict command can be confined
		err = sandbox.Available()
	case "setpriv", "bids-validator-deno":
		_, err = exec.LookPath(name)
	default:
		return false, fmt.Errorf("there is no condition %q", name)
	}
	if err != nil && need.Required() {
		return false, fmt.Errorf("%s: %w (PRGNN_REQUIRE is set)", name, err)
	}
	return err == nil, nil
}

// exits CODE COMMAND… runs a command that must end with this exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		code = ended.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// truncate PATTERN BYTES|PERCENT% cuts files short, as a broken transfer does.
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate PATTERN BYTES|PERCENT%%")
	}
	number, percent := strings.CutSuffix(args[1], "%")
	n, err := strconv.ParseInt(number, 10, 64)
	ts.Check(err)
	files, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(files) == 0 {
		ts.Fatalf("there is no %s", args[0])
	}
	for _, path := range files {
		info, err := os.Stat(path)
		ts.Check(err)
		ts.Check(os.Chmod(path, 0o600))
		size := n
		if percent {
			size = info.Size() * n / 100
		}
		ts.Check(os.Truncate(path, size))
		ts.Check(os.Chmod(path, info.Mode().Perm()))
	}
}

// signal NAME RESULTS CODE COMMAND… starts a command, sends it INT, INT twice (INT2)
// or KILL when the store .pipeline holds so many results, and waits for it to end
// with the code (-1: killed). What it wrote is in stdout.txt and stderr.txt.
func signal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: signal NAME RESULTS|checkpoint CODE COMMAND…")
	}
	with := map[string]os.Signal{"INT": os.Interrupt, "INT2": os.Interrupt, "KILL": os.Kill}[args[0]]
	results := 1
	made := func() int { return len(storetest.Actions(ts, ts.MkAbs(".pipeline"))) }
	if args[1] == "checkpoint" {
		made = func() int {
			all, err := filepath.Glob(ts.MkAbs(".pipeline/scratch/*"))
			ts.Check(err)
			return len(all)
		}
	} else {
		var err error
		results, err = strconv.Atoi(args[1])
		ts.Check(err)
	}
	self, err := os.Executable()
	ts.Check(err)
	var out, diag bytes.Buffer
	cmd := &exec.Cmd{Path: self, Args: args[3:], Dir: ts.MkAbs("."), Stdout: &out, Stderr: &diag}
	ts.Check(cmd.Start())
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	defer func() { // where the command does not come to its end
		cmd.Process.Kill()
		<-ended
	}()
	for waited := 0; ; waited++ {
		if made() >= results {
			break
		}
		if waited == 2000 {
			cmd.Process.Kill()
			<-ended
			ts.Fatalf("%d results after 20 s, want %d\n%s", made(), results, diag.Bytes())
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Check(cmd.Process.Signal(with))
	for again := args[0] == "INT2"; again; {
		select {
		case <-ended:
			again = false
		case <-time.After(200 * time.Millisecond): // two at once would be one
			cmd.Process.Signal(with)
		}
	}
	<-ended
	ts.Check(os.WriteFile(ts.MkAbs("stdout.txt"), out.Bytes(), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs("stderr.txt"), diag.Bytes(), 0o666))
	if code := cmd.ProcessState.ExitCode(); strconv.Itoa(code) != args[2] {
		ts.Fatalf("exit code %d, want %s\n%s", code, args[2], diag.Bytes())
	}
}

// digests FILE FILE compares the outputs that two runs with --json told of.
func digests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: digests FILE FILE")
	}
	read := func(name string) map[string]string {
		of := map[string]string{}
		for line := range strings.Lines(ts.ReadFile(name)) {
			var e struct {
				Task    string
				Outputs map[string]struct{ Digest string }
			}
			ts.Check(json.Unmarshal([]byte(line), &e))
			for port, out := range e.Outputs {
				of[e.Task+"."+port] = out.Digest
			}
		}
		return of
	}
	a, b := read(args[0]), read(args[1])
	if len(a) == 0 {
		ts.Fatalf("%s tells of no outputs", args[0])
	}
	if !maps.Equal(a, b) {
		ts.Fatalf("the digests differ:\n%v\n%v", a, b)
	}
}

// lastrun sets RUN to the id of the newest run of the store.
func lastRun(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(ts.Exec("pipeline", "runs", "--json"))
	line, _, _ := strings.Cut(ts.ReadFile("stdout"), "\n")
	var run struct{ ID string }
	ts.Check(json.Unmarshal([]byte(line), &run))
	ts.Setenv("RUN", run.ID)
}

// begins FILE BEGINNING compares the beginning of a file: what follows holds keys,
// which change with the code.
func begins(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: begins FILE BEGINNING")
	}
	if got, want := ts.ReadFile(args[0]), ts.ReadFile(args[1]); !strings.HasPrefix(got, want) {
		ts.Fatalf("%s does not begin as %s does:\n%s", args[0], args[1], got)
	}
}

// damage FILE TASK.OUTPUT changes one bit of what the store holds of an output.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	for _, o := range outputOf(ts, neg, args) {
		o.Flip(ts)
	}
}

// edit FILE OLD NEW replaces a text in model.json of a model file.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	file := ts.ReadFile(args[0])
	z, err := zip.NewReader(strings.NewReader(file), int64(len(file)))
	ts.Check(err)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range z.File {
		if f.Name != "model.json" {
			ts.Check(w.Copy(f))
			continue
		}
		r, err := f.Open()
		ts.Check(err)
		about, err := io.ReadAll(r)
		ts.Check(err)
		member, err := w.Create(f.Name)
		ts.Check(err)
		if !strings.Contains(string(about), args[1]) {
			ts.Fatalf("model.json has no %q", args[1])
		}
		_, err = io.WriteString(member, strings.Replace(string(about), args[1], args[2], 1))
		ts.Check(err)
	}
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o666))
}

// lose FILE TASK.OUTPUT [STORE] takes what the store holds of an output out of it.
func lose(ts *testscript.TestScript, neg bool, args []string) {
	for _, o := range outputOf(ts, neg, args) {
		o.Remove(ts)
	}
}

// outputOf are the copies of an output in a store.
func outputOf(ts *testscript.TestScript, neg bool, args []string) []storetest.Object {
	if len(args) == 2 {
		args = append(args, ".pipeline")
	}
	if neg || len(args) != 3 {
		ts.Fatalf("usage: damage|lose FILE TASK.OUTPUT [STORE]")
	}
	ts.Check(ts.Exec("pipeline", "show", args[0], args[1], "--json", "--store", args[2]))
	var out struct{ Digest string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &out))
	return storetest.Copies(ts, ts.MkAbs(args[2]), out.Digest)
}

// moveaway FILE moves a gzipped NIfTI-1 image a meter to the right.
func moveAway(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: moveaway FILE")
	}
	path := ts.MkAbs(args[0])
	f, err := os.Open(path)
	ts.Check(err)
	z, err := gzip.NewReader(f)
	ts.Check(err)
	b, err := io.ReadAll(z)
	ts.Check(err)
	ts.Check(f.Close())
	for _, at := range []int{268, 292} { // qoffset_x, srow_x[3]
		x := math.Float32frombits(binary.LittleEndian.Uint32(b[at:]))
		binary.LittleEndian.PutUint32(b[at:], math.Float32bits(x+1000))
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err = w.Write(b)
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(os.WriteFile(path, out.Bytes(), 0o666))
}
