package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/sandbox"
	"prgnn/internal/testdir"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// execShell makes an exec stage that runs a line of sh.
func execShell(t *testing.T, line string) *Exec {
	t.Helper()
	need.Program(t, "dash", "sh")
	e := newExec()
	e.Command = []string{"sh", "-c", line}
	return e
}

func newExec() *Exec {
	k, _ := stagetest.Lookup("exec")
	return k.New().(*Exec)
}

// said is the log of a task outside a run.
func said(t *dag.Task) string { return t.Log().(fmt.Stringer).String() }

func TestExec(t *testing.T) {
	t.Setenv("PRGNN_SEEN", "yes")
	t.Setenv("PRGNN_HIDDEN", "no")
	e := execShell(t, `
		cat {one} > {copy}; cat {all} >> {copy}; sed 1d {all} | cut -f3 | xargs cat >> {copy}
		echo "{alpha} $PRGNN_SEEN $PRGNN_SET $PRGNN_HIDDEN {{x}}" >> {copy}
		echo spoken; echo aside >&2
		pwd > tmp/here; test -w {one} && ! test "$(id -u)" = 0 && echo "the input may be written"; ls inputs`)
	e.Inputs, e.Outputs = []string{"one=text", "all*=text"}, []string{"copy=text"}
	e.Parameters, e.Environment = []string{"alpha=0.05"}, []string{"PRGNN_SEEN", "PRGNN_SET=set"}
	need.NoError(t, errors.Join(e.Validate()...))
	task := dag.NewTask(map[string][]dag.Input{
		"one": {dag.InputOf(artifacts.Text("first\n"))},
		"all": {
			dag.InputOf(artifacts.Text("ten\n"), dag.Coord{Axis: "fold", Value: "10"},
				dag.Coord{Axis: "pool", Value: "a b"}),
			dag.InputOf(artifacts.Text("two\n"), dag.Coord{Axis: "fold", Value: "2"},
				dag.Coord{Axis: "pool", Value: "c"}),
		},
	})
	out := need.Value(e.Run(context.Background(), task))(t)
	want := "first\nfold\tpool\tpath\n2\tc\tinputs/all/000001.txt\n10\ta b\tinputs/all/000002.txt\ntwo\nten\n0.05 yes set  {x}\n"
	if got := stagetest.ExecOutput(t, out["copy"]); got != want {
		t.Errorf("output\n%s\nwant\n%s", got, want)
	}
	need.Equal(t, said(task), "spoken\naside\nall\nall.tsv\none.txt\n", "log")
	need.Equal(t, out["copy"].Format(), "text", "format")
}

// The coordinates of gathered members stand beside the column of their files, which no axis can be.
func TestExecAxisNamedPath(t *testing.T) {
	in := dag.InputOf(artifacts.Text("x"), dag.Coord{Axis: "path", Value: "a"})
	_, err := layAll(testdir.Files(t, map[string]string{"inputs/x": ""}), "all", []dag.Input{in})
	need.Error(t, err, "an axis named path")
}

func TestExecPorts(t *testing.T) {
	e := newExec()
	e.Inputs, e.Outputs = []string{"a=arrow", "b*=npy", "c"}, []string{"r=arrow", "s=json", "t=tsv(plant rate)"}
	p := e.Ports()
	got := lists.Map(p.In, func(in dag.Port) string { return fmt.Sprint(in.Name, " ", in.Type.Format, " ", in.Gather) })
	for _, out := range p.Out {
		got = append(got, out.Name+" "+out.Type.String())
	}
	need.Equal(t, strings.Join(got, "; "),
		"container  false; requirements  false; packages  false; a arrow false; b npy true; c  false; r arrow; s json; t tsv (plant, rate)", "ports ")
}

func TestExecMistakes(t *testing.T) {
	e := newExec()
	e.Inputs, e.Outputs = []string{"table=arrow", "2x"}, []string{"result", "table=npy", "m*=npy", "image=nifti(a)"}
	e.Parameters, e.Environment = []string{"alpha"}, []string{"=x", "A B"}
	root := filepath.VolumeName(t.TempDir()) + string(filepath.Separator)
	e.Scratch = []string{"cache", root}
	e.Command = []string{"run", "{tabel}", "{{literal}}", "{not a name}"}
	want := []string{
		`inputs: "2x" does not begin with a name of letters, digits, _ and -, at most 100`,
		`outputs: "result" does not state the format: result=arrow, npy, nifti, tsv, text …`,
		`outputs: "table" is taken already: it is an input`,
		`outputs: "m*=npy": only inputs gather`,
		`outputs: "image=nifti(a)": only tables have columns (arrow, tsv, csv)`,
		`parameters: "alpha" has no value: alpha=VALUE`,
		`command: {tabel} is not in inputs, outputs or parameters (did you mean "table"?); {{ stands for a brace`,
		`environment: "=x" is neither NAME nor NAME=VALUE`,
		`environment: "A B" is neither NAME nor NAME=VALUE`,
		`scratch: "cache" is not an absolute path; relative paths are in the command's own directory, and never count`,
		fmt.Sprintf("scratch: %q holds every file that the command reads: list the directories that it writes", root),
	}
	got := lists.Map(e.Validate(), func(err error) string { return err.Error() })
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("said\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	e = newExec()
	e.Command, e.Parameters, e.Strict = []string{"run", "a\x00b"}, []string{"p=\x00"}, true
	e.Environment = []string{"A=1", "A", "TMPDIR", "TEMP=x", "PATH=", "B=x\x00y"}
	if root == "/" {
		e.Scratch, e.Software = []string{"/work", "/usr/bin/", "/proc/self", "/work/cache"}, []string{"/tmp", "/dev"}
	}
	want = []string{
		"environment: A is listed several times: remove all but one",
		"environment: TMPDIR is always a directory of the command's own: remove it",
		"environment: TEMP is always a directory of the command's own: remove it",
		"environment: PATH= is empty, and no program is found: list the directories, or remove it",
		`command: "a\x00b" has a character of value 0, which no program can get: remove it`,
		`parameters: "p=\x00" has a character of value 0, which no program can get: remove it`,
		`environment: "B=x\x00y" has a character of value 0, which no program can get: remove it`,
	}
	if root == "/" {
		want = append(want,
			`scratch: "/work" has other files for a strict command, its own or those of the system: list another directory`,
			`scratch: "/usr/bin/" has other files for a strict command, its own or those of the system: list another directory`,
			`scratch: "/proc/self" is computed by the system, or holds devices: list another directory`,
			`software: "/tmp" is a strict command's own directory: list another one`,
			`software: "/dev" is computed by the system, or holds devices: list another directory`)
	}
	got = lists.Map(e.Validate(), func(err error) string { return err.Error() })
	need.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"))
	if wrong := newExec().Validate(); len(wrong) != 1 || wrong[0].Error() != "command is empty: name the program to run" {
		t.Errorf("no command: %v", wrong)
	}
}

// Inputs that are no files of the command fit its parameters, and what this machine lacks is stated before a run.
func TestExecRefusesInputs(t *testing.T) {
	for _, c := range []struct {
		set   func(e *Exec)
		ports string
		want  string
	}{
		{func(e *Exec) {}, "", ""},
		{func(e *Exec) { e.Network = true }, "", "network: a command that is neither strict nor in a container uses the network in any case"},
		{func(e *Exec) { e.Network = true }, containerPort, ""},
		{func(e *Exec) { e.Network, e.Strict = true, true }, "", ""},
		{func(e *Exec) { e.Python = "python9" }, "", "python: python9 makes the environment of the input requirements, which is not connected"},
		{func(e *Exec) { e.Command = []string{"{python}"} }, "", "{python} in the command is the interpreter of the input requirements"},
		{func(e *Exec) { e.Command, e.Python = []string{"{python}"}, "python9" }, lockPort, ""},
	} {
		e := newExec()
		e.Command = []string{"run"}
		c.set(e)
		err := e.RefusesInputs(func(port string) bool { return port == c.ports })
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	e := newExec()
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	e.Strict, e.Software, e.Scratch = true, []string{nowhere}, []string{nowhere}
	need.Equal(t, strings.Join(e.Advise(), "\n"), "software: there is no directory "+nowhere+" on this machine; the command fails without it\n"+
		"scratch: "+nowhere+" does not exist on this machine, and a strict command cannot make it: make it before the run")
}

func TestExecFailures(t *testing.T) {
	run := func(e *Exec) (string, error) {
		task := dag.NewTask(nil)
		_, err := e.Run(context.Background(), task)
		return said(task), err
	}
	for _, c := range []struct {
		name, line string
		outputs    []string
		want       string
	}{
		{"status", "echo why; exit 3", nil, `the command "sh" ended with exit status 3`},
		{"no output", "true", []string{"r=arrow", "s=json"}, "the command did not write its output r ({r} in the command is the path of the file)\nthe command did not write its output s ({s} in the command is the path of the file)"},
		{"not utf-8", `printf '\377' > {r}`, []string{"r=text"}, "the output r is not text: it is not UTF-8"},
		{"not json", `echo '[1,' > {r}`, []string{"r=json"}, "the output r is not json: unexpected end of JSON input"},
		{"no such column", `printf 'plant\theight\n1\t2\n' > {r}`, []string{"r=tsv(plant rate)"}, "the output r (r.tsv) has no column rate, which outputs declares; its columns are plant, height"},
		{"no such columns", `printf '"plant id",height\n1,2\n' > {r}`, []string{"r=csv(plant id, rate, age)"}, "the output r (r.csv) has no column rate, age, which outputs declares; its columns are plant id, height"},
		{"a column twice", `printf 'plant\trate\tplant\n1\t2\t3\n' > {r}`, []string{"r=tsv(plant rate)"}, `the output r (r.tsv) has several columns "plant": each column must have a name of its own`},
		{"an open quotation mark in the names", `printf 'plant\t"height\n1\t2"\n' > {r}`, []string{"r=tsv(plant)"}, "the output r (r.tsv) has a column name that begins with a quotation mark and does not end with one: remove it"},
		{"a short row", `printf 'plant\trate\n1\t2\n\n1\n' > {r}`, []string{"r=tsv(plant rate)"}, "the output r (r.tsv) has 1 value in line 4, but the first line has 2"},
		{"a long row", `printf 'plant,rate\n"a\nb",2,\n1,2,3\n' > {r}`, []string{"r=csv(plant rate)"}, "the output r (r.csv) has 3 values in line 4, but the first line has 2"},
		{"an open quotation mark in a row", `printf 'plant\trate\n"a\t2\n1\t2\n' > {r}`, []string{"r=tsv(plant rate)"}, "the output r (r.tsv) has a value in line 2 that begins with a quotation mark and does not end with one: remove it"},
		{"an empty table", "true > {r}", []string{"r=tsv(plant)"}, "the output r (r.tsv) has no column plant, which outputs declares; it is empty"},
		{"a directory", "mkdir {r}", []string{"r=text"}, "the output r is a directory: the command must write a regular file to {r}"},
		{"a link", "ln -s /etc/passwd {r}", []string{"r=text"}, "the output r is a link: the command must write a regular file to {r}"},
		{"a pipe", "mkfifo {r}", []string{"r=text"}, "the output r is a named pipe (FIFO): the command must write a regular file to {r}"},
		{"a link to a directory", `d=$(dirname "$PWD"); mv outputs "$d/o"; ln -s "$d/o" outputs; echo x > {r}`, []string{"r=text"}, "the command replaced its directory outputs by a link: it must write the output r ({r}) into the directory that it finds"},
		{"a link in the directory", `mv outputs tmp; ln -s tmp/outputs; echo x > {r}`, []string{"r=text"}, "the command replaced its directory outputs by a link: it must write the output r ({r}) into the directory that it finds"},
		{"a pipe for a directory", "rmdir outputs; mkfifo outputs", []string{"r=text"}, "the command replaced its directory outputs by a named pipe (FIFO): it must write the output r ({r}) into the directory that it finds"},
		{"no directory", "rmdir outputs", []string{"r=text"}, "the command did not write its output r ({r} in the command is the path of the file)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := execShell(t, c.line)
			e.Outputs = c.outputs
			if log, err := run(e); err == nil || err.Error() != c.want || c.name == "status" && log != "why\n" {
				t.Errorf("%v\nwant\n%s\n%s", err, c.want, log)
			}
		})
	}
	t.Run("arrow", func(t *testing.T) {
		table := column.Table([]column.TargetRow{{ID: "sub-1", Target: 1}})
		e := execShell(t, "cp {table} {r}")
		e.Inputs = []string{"table=arrow"}
		for columns, want := range map[string]string{
			"target":        "",
			"target, group": "the output r (r.arrow) has no column group, which outputs declares; its columns are participant_id, target",
		} {
			e.Outputs = []string{"r=arrow(" + columns + ")"}
			_, err := e.Run(context.Background(), dag.NewTask(map[string][]dag.Input{"table": {dag.InputOf(table)}}))
			if got := fmt.Sprint(err); got != cmp.Or(want, "<nil>") {
				t.Errorf("%s: %s", columns, got)
			}
		}
	})
	for _, format := range []string{"npy", "arrow", "nifti"} {
		e := execShell(t, "echo nonsense > {r}")
		e.Outputs = []string{"r=" + format}
		if _, err := run(e); err == nil || !strings.HasPrefix(err.Error(), "the output r is not "+format+": ") {
			t.Errorf("%s: %v", format, err)
		}
	}
	t.Run("no program", func(t *testing.T) {
		e := newExec()
		e.Command = []string{"no-such-program-here"}
		want := `there is no program "no-such-program-here" (commands start in a new directory: connect your script as an input)`
		if _, err := run(e); err == nil || err.Error() != want {
			t.Errorf("%v\nwant\n%s", err, want)
		}
	})
}

// cancelWhenBegun stops a task that has written to its log.
func cancelWhenBegun(task *dag.Task, cancel func()) {
	for limit := time.Now().Add(time.Minute); said(task) == "" && time.Now().Before(limit); {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
}

// TestExecStops: the time limit and the end of the run stop the command and what
// it has started, although that holds the pipes open.
func TestExecStops(t *testing.T) {
	e := execShell(t, "echo begun; sleep 600 & wait")
	e.TimeLimit = 1 // a busy machine needs some time to begin
	task := dag.NewTask(nil)
	_, err := e.Run(context.Background(), task)
	if want := "the command was stopped after 1 s (time_limit)"; err == nil || err.Error() != want || said(task) != "begun\n" {
		t.Errorf("%v\nwant\n%s", err, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	e.TimeLimit = 0
	task = dag.NewTask(nil)
	var watch sync.WaitGroup
	watch.Go(func() { cancelWhenBegun(task, cancel) })
	if _, err = e.Run(ctx, task); !errors.Is(err, context.Canceled) || said(task) != "begun\n" {
		t.Errorf("cancelled: %v", err)
	}
	watch.Wait()
}

// TestExecClean: nothing of the command stays behind, even what it locked.
func TestExecClean(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	e := execShell(t, "mkdir -p outputs/deep; echo x > outputs/deep/y; chmod 0500 outputs/deep")
	if _, err := e.Run(context.Background(), dag.NewTask(nil)); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What is listed under environment comes before what each command gets; what is listed but unset does not.
func TestExecTimeZone(t *testing.T) {
	for _, c := range []struct {
		zone        string
		environment []string
		want        string
	}{
		{"JST-9", nil, "TZ=UTC LANG=C.UTF-8"},
		{"JST-9", []string{"TZ"}, "TZ=JST-9 LANG=C.UTF-8"},
		{"", []string{"TZ"}, "TZ= LANG=C.UTF-8"},
		{"JST-9", []string{"LANG=C", "TZ=Europe/Rome", "PATH=/usr/bin:/bin"}, "TZ=Europe/Rome LANG=C"},
	} {
		t.Setenv("TZ", c.zone)
		e := execShell(t, "env | grep -cE '^(TZ|PATH)='; env | grep -E '^(TZ|LANG)=' | sort -r | tr '\\n' ' '")
		e.Environment = c.environment
		for _, e.Strict = range isolations() {
			task := dag.NewTask(nil)
			_, err := e.Run(context.Background(), task)
			need.NoError(t, err)
			need.Equal(t, said(task), "2\n"+c.want+" ", fmt.Sprint(c, e.Strict))
		}
		need.Equal(t, slices.Contains(e.set(inside), "TZ=UTC"), c.want == "TZ=UTC LANG=C.UTF-8", "in a container")
	}
}

// isolations are the ways to run commands here: not strict, and strict.
func isolations() []bool {
	if sandbox.Available() != nil {
		return []bool{false}
	}
	return []bool{false, true}
}

func TestExecPath(t *testing.T) {
	dir := t.TempDir()
	e := execShell(t, "")
	need.NoError(t, os.WriteFile(filepath.Join(dir, "mine"), []byte("#!/bin/sh\necho own\n"), 0o755))
	e.Command, e.Environment = []string{"mine"}, []string{"PATH=" + dir}
	task := dag.NewTask(nil)
	if _, err := e.Run(context.Background(), task); err != nil {
		t.Fatal(err)
	}
	need.Equal(t, said(task), "own\n", "log")
}

// TestOutputFormats: every format that begins in a known way is checked, texts are UTF-8, and formats that do not exist
// are refused.
func TestOutputFormats(t *testing.T) {
	for _, format := range strings.Fields("parquet itk nifti mat h5 hdf5 cifti gifti npz npy tsv csv json yaml png svg " +
		"html text arrow md pdf gz gif jpg tif eps tar xlsx tck trk") {
		e := execShell(t, `printf '\000\001garb\tage\n\n1,2,3\t\n' > {o}`)
		e.Outputs = []string{"o=" + format}
		need.NoError(t, errors.Join(e.Validate()...))
		_, err := e.Run(context.Background(), dag.NewTask(nil))
		need.Error(t, err, "the output o is not "+format+": ")
	}
	for format, line := range map[string]string{
		"png": `printf '\211PNG\r\n\032\n' > {o}`, "svg": `echo '<?xml version="1.0"?><svg/>' > {o}`,
		"bin": `printf '\000' > {o}`, "parquet": `printf PAR1PAR1 > {o}`, "yaml": `echo 'a: é' > {o}`, "tsv": "true > {o}",
		"itk": `echo '#Insight Transform File V1.0' > {o}`, "tar": `head -c 257 /dev/zero > {o}; printf ustar >> {o}`,
		"text": `head -c 65535 /dev/zero | tr '\0' a > {o}; echo é >> {o}`,
	} {
		e := execShell(t, line)
		e.Outputs = []string{"o=" + format}
		if _, err := e.Run(context.Background(), dag.NewTask(nil)); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
	e := execShell(t, "")
	e.Outputs = []string{"o=arow"}
	need.Error(t, errors.Join(e.Validate()...), `outputs: "o=arow": there is no format "arow" (did you mean "arrow"?); bin is any file`)
}

// TestLargeOutputs: a large output goes into the store without being held in memory, and one that must be read is
// refused beyond a size.
func TestLargeOutputs(t *testing.T) {
	sparse := func(format, size, begin string) (dag.Outputs, error) {
		e := execShell(t, begin+`; if ! truncate -s `+size+` {o}; then echo none > {o}; fi`)
		e.Outputs = []string{"o=" + format}
		return e.Run(context.Background(), dag.NewTask(nil))
	}
	need.Program(t, "coreutils", "truncate")
	for _, format := range []string{"text", "tsv", "json", "arrow"} {
		_, err := sparse(format, "300G", "true")
		need.Error(t, err, "the output o (o."+strings.Replace(format, "text", "txt", 1)+") has 322122547200 bytes, and "+format+" is read up to 2 GiB")
	}
	for _, format := range []string{"npy", "nifti", "png"} {
		_, err := sparse(format, "300G", "true")
		need.Error(t, err, "the output o is not "+format)
	}
	out, err := sparse("bin", "17M", "printf begin > {o}")
	need.NoError(t, err)
	if _, streams := out["o"].(*written); !streams {
		t.Errorf("a large output is %T", out["o"])
	}
	text := stagetest.ExecOutput(t, out["o"])
	need.Equal(t, len(text), 17<<20, "bytes")
	need.Equal(t, text[:6], "begin\x00", "it begins with")
}

// TestOutputChanges: an output that a process writes to while it is read is not stored, in memory or not.
func TestOutputChanges(t *testing.T) {
	for _, size := range []int64{3, mostInMemory + 1} {
		path := filepath.Join(t.TempDir(), "o.bin")
		need.NoError(t, errors.Join(os.WriteFile(path, nil, 0o666), os.Truncate(path, size)))
		room := need.Value(os.OpenRoot(filepath.Dir(path)))(t)
		defer room.Close()
		v := need.Value(collect(t.Context(), room, "o.bin", declared{name: "o", value: "bin"}))(t)
		later := func() { need.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour))) }
		if w, large := v.(*written); large {
			later()
			need.Error(t, w.Encode(io.Discard), "the output o (o.bin) was changed while it was read")
			continue
		}
		_, err := collect(changesWhenRead{t.Context(), later}, room, "o.bin", declared{name: "o", value: "bin"})
		need.Error(t, err, "the output o (o.bin) was changed while it was read")
	}
}

// changesWhenRead is asked with each reading whether it has ended.
type changesWhenRead struct {
	context.Context
	change func()
}

func (c changesWhenRead) Err() error {
	c.change()
	return nil
}

// TestInterruptedCheck: the reading that checks a large output ends with the run.
func TestInterruptedCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.txt")
	need.NoError(t, os.WriteFile(path, []byte("A"), 0o666))
	ctx, cancel := context.WithCancel(t.Context())
	room := need.Value(os.OpenRoot(filepath.Dir(path)))(t)
	defer room.Close()
	need.Value(collect(ctx, room, "o.txt", declared{name: "o", value: "text"}))(t)
	cancel()
	if _, err := collect(ctx, room, "o.txt", declared{name: "o", value: "text"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
