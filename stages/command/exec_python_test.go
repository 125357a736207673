//go:build unix

package command

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/content"
	"prgnn/internal/need"
	"prgnn/internal/sandbox"
	"prgnn/stages/stagetest"
)

func TestCheckLock(t *testing.T) {
	const hash = "--hash=sha256:0123456789abcdef"
	good := "# made by pip-compile\n--index-url https://example.org/simple\nnumpy==2.1.0 \\\n    " + hash + " \\\n    --hash=sha512:00ff\n    # via here\nx[y,z]==1.0 ; python_version < '3.13' \\\r\n    " + hash + "\r\n\nb == 2 " + hash + "  # why\n"
	need.NoError(t, checkLock("r.txt", []byte(good)))
	bad := "a==1\nb>=2 " + hash + "\n-r other.txt\n-e .\n./c.whl " + hash + "\nd==1 \\\n  --hash=md5:00\ne==1.* " + hash + "\n"
	want := `r.txt:1: a==1 has no --hash=sha256:…
r.txt:2: b>=2 has no version: write NAME==VERSION
r.txt:3: -r is not allowed: the list must be complete, with a version and hash for each package
r.txt:4: -e is not allowed: the list must be complete, with a version and hash for each package
r.txt:5: ./c.whl has no version: write NAME==VERSION
r.txt:6: d==1 has no --hash=sha256:…
r.txt:8: e==1.* has no version: write NAME==VERSION
pip-compile --generate-hashes and uv pip compile --generate-hashes write such lists`
	if err := checkLock("r.txt", []byte(bad)); err == nil || err.Error() != want {
		t.Errorf("%v\nwant\n%s", err, want)
	}
	if err := checkLock("r.txt", []byte("# none\n")); err == nil || !strings.HasPrefix(err.Error(), "r.txt: it lists no packages") {
		t.Errorf("empty: %v", err)
	}
}

// wheel writes a wheel of the module answer, and returns its requirement with its hash.
func wheel(t *testing.T, dir, version string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	info := "answer-" + version + ".dist-info/"
	for _, f := range [][2]string{
		{"answer.py", "version = " + fmt.Sprintf("%q", version) + "\n"},
		{info + "METADATA", "Metadata-Version: 2.1\nName: answer\nVersion: " + version + "\n"},
		{info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{info + "entry_points.txt", "[console_scripts]\nanswer = answer:version.lower\n"},
		{info + "RECORD", "answer.py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n" + info + "entry_points.txt,,\n" +
			info + "RECORD,,\n"},
	} {
		to := need.Value(w.Create(f[0]))(t)
		fmt.Fprint(to, f[1])
	}
	need.NoError(t, w.Close())
	need.NoError(t, os.WriteFile(filepath.Join(dir, "answer-"+version+"-py3-none-any.whl"), b.Bytes(), 0o644))
	return fmt.Sprintf("answer==%s --hash=sha256:%x\n", version, sha256.Sum256(b.Bytes()))
}

// withPackages is a command that prints the version of answer, and its task.
func withPackages(python, list string) (*Exec, *dag.Task) {
	e := newExec()
	e.Python = python
	e.Command, e.Outputs = []string{"{python}", "-c", "import answer, sys; open(sys.argv[1], 'w').write(answer.version)", "{v}"}, []string{"v=text"}
	in := dag.InputOf(artifacts.Text(list))
	in.Name = "requirements.txt"
	return e, dag.NewTask(map[string][]dag.Input{lockPort: {in}})
}

// copying is a Python whose virtual environments are copies of one that it has made, into which pip, which takes four
// seconds, need not be put again.
func copying(t *testing.T, python, made string) string {
	path := filepath.Join(t.TempDir(), "python")
	need.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\nif [ \"$1 $2\" = '-m venv' ]; then exec cp -R '%s/.' \"$3\"; fi\n"+
		"exec '%s' \"$@\"\n", made, python), 0o755))
	return path
}

// The command has the packages of its list, by their hashes. The environment is made once, by several
// processes at a time too, and one that cannot be made whole is not there.
func TestExecPython(t *testing.T) {
	if list := os.Getenv("PRGNN_TEST_LIST"); list != "" { // one of several processes
		e, task := withPackages(os.Getenv("PRGNN_TEST_PYTHON"), list)
		if out, err := e.Run(context.Background(), task); err != nil || stagetest.ExecOutput(t, out["v"]) != "1.0" {
			t.Fatalf("%v\n%s", err, said(task))
		}
		return
	}
	python := need.Python(t, "ensurepip")
	wheels, cache := t.TempDir(), t.TempDir()
	for name, value := range map[string]string{"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": wheels,
		"XDG_CACHE_HOME": cache, "HOME": cache} {
		t.Setenv(name, value)
	}
	environments := func() []string {
		found, err := filepath.Glob(filepath.Join(cache, "*", "prgnn", "python-*"))
		more, err2 := filepath.Glob(filepath.Join(cache, "prgnn", "python-*"))
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		return append(more, found...)
	}
	one, two := wheel(t, wheels, "1.0"), wheel(t, wheels, "2.0")

	e, task := withPackages(python, two)
	if out, err := e.Run(context.Background(), task); err != nil || stagetest.ExecOutput(t, out["v"]) != "2.0" {
		t.Fatalf("%v\n%s", err, said(task))
	}
	first := environments()
	if len(first) != 1 {
		t.Fatalf("environments %v, want one", first)
	}
	python = copying(t, python, first[0])

	e, task = withPackages(python, strings.Replace(one, "sha256:", "sha256:00", 1)[:len(one)-1]+"\n")
	if _, err := e.Run(context.Background(), task); err == nil ||
		!strings.HasPrefix(err.Error(), "the Python environment of requirements.txt cannot be made (the log has the cause)") || !strings.Contains(said(task), "hash") {
		t.Errorf("another hash: %v\n%s", err, said(task))
	}
	if left := environments(); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}

	var several []*exec.Cmd
	var outputs [2]bytes.Buffer
	for i := range outputs {
		cmd := again(t, os.Args[0], t.Name(), "PRGNN_TEST_LIST="+one, "PRGNN_TEST_PYTHON="+python)
		cmd.Stdout, cmd.Stderr = &outputs[i], &outputs[i]
		need.NoError(t, cmd.Start())
		several = append(several, cmd)
	}
	for i, cmd := range several {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, outputs[i].String())
		}
	}
	made := slices.DeleteFunc(environments(), func(dir string) bool { return dir == first[0] })
	if len(made) != 1 || strings.Contains(made[0], "unfinished") {
		t.Fatalf("environments %v beside %v, want one", made, first)
	}
	if out, err := exec.Command(filepath.Join(made[0], "bin", "answer")).CombinedOutput(); err == nil ||
		strings.Contains(string(out), "unfinished") || !strings.Contains(string(out), "1.0") {
		t.Errorf("its script: %v\n%s", err, out) // which exits with its text as a message
	}

	// Another list was another environment, and each serves its own list, with nothing to be had.
	t.Setenv("PIP_FIND_LINKS", t.TempDir())
	for version, list := range map[string]string{"1.0": one, "2.0": two} {
		e, task = withPackages(python, list)
		if out, err := e.Run(context.Background(), task); err != nil ||
			stagetest.ExecOutput(t, out["v"]) != version || said(task) != "" {
			t.Errorf("%s again: %v\n%s", version, err, said(task))
		}
		if sandbox.Available() != nil { // the tests of strict commands report it
			continue
		}
		e.Strict = true
		if out, err := e.Run(context.Background(), task); err != nil || stagetest.ExecOutput(t, out["v"]) != version {
			t.Errorf("%s, strict: %v\n%s", version, err, said(task))
		}
	}
}

func TestExecPythonMistakes(t *testing.T) {
	e, task := withPackages("python3", "answer==1.0\n")
	if _, err := e.Run(context.Background(), task); err == nil || !strings.HasPrefix(err.Error(), "requirements.txt:1: answer==1.0 has no --hash") {
		t.Error(err)
	}
	if _, err := e.Run(context.Background(), dag.NewTask(nil)); err == nil || !strings.Contains(err.Error(), "the input requirements, which is not connected") {
		t.Error(err)
	}
	e.Command[0] = "python3"
	if _, err := e.Run(context.Background(), task); err == nil || !strings.Contains(err.Error(), "does not use {python}") {
		t.Error(err)
	}
}

// The directories that an environment imports from by .pth files and by the modules of editable installs count by
// content, without what is no module: otherwise a change of such code would give the results of before.
func TestEditableInstalls(t *testing.T) {
	dir := t.TempDir()
	packages := filepath.Join(dir, "env", "lib", "python3.12", "site-packages")
	write := func(path, text string) {
		need.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		need.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	write(filepath.Join(packages, "lab.pth"), "# ours\n"+dir+"/lab\nimport os; os.getpid()\n"+dir+"/none\n")
	write(filepath.Join(packages, "__editable__.net.pth"), "import __editable___net_finder; __editable___net_finder.install()")
	write(filepath.Join(packages, "__editable___net_finder.py"), "MAPPING = {'net': '"+dir+"/net/src/net', \"one\": \""+
		dir+"/net/one\"}\n")
	for _, name := range []string{"lab/helper.py", "lab/data/sub-01/bold.nii", "lab/deep/er/x.py", "lab/notes.txt",
		"lab/.git/HEAD", "net/src/net/__init__.py", "net/src/net/table.csv", "net/one.py", "net/setup.py"} {
		write(filepath.Join(dir, name), "1")
	}
	e := &Exec{Software: []string{filepath.Join(dir, "env")}}
	of := func() (text string) {
		digests := content.Digests{}
		for _, c := range e.softwareFiles(func(string) bool { return false })[1:] {
			text += need.Value(digests.Code(content.HashFile, c.Paths, c.Except))(t) + "\n"
		}
		return text
	}
	first := of()
	need.Equal(t, strings.Count(first, "\n"), 3)
	for name, counts := range map[string]bool{"lab/helper.py": true, "lab/deep/er/x.py": true, "net/src/net/table.csv": true,
		"net/one.py": true, "lab/data/sub-01/bold.nii": false, "lab/notes.txt": false, "lab/.git/HEAD": false,
		"net/setup.py": false} {
		write(filepath.Join(dir, name), "22")
		need.Equal(t, of() != first, counts, name)
		first = of()
	}
}
