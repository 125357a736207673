//go:build linux

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/content"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/sandbox"
	"prgnn/internal/workdir"
	"prgnn/stages/stagetest"
)

// strict makes an exec stage that runs a script of sh, which is an input: the paths in it are not known before.
func strict(t *testing.T, script string) (*Exec, map[string][]dag.Input) {
	t.Helper()
	if err := sandbox.Available(); err != nil {
		need.Missing(t, "commands cannot be confined here: %v; allow user namespaces", err)
	}
	e := newExec()
	e.Command, e.Inputs, e.Strict = []string{"sh", "{script}"}, []string{"script=sh"}, true
	return e, map[string][]dag.Input{"script": {dag.InputOf(artifacts.Bytes{Kind: "sh", Data: []byte(script)})}}
}

// asUsers runs a test as this user and, of a superuser's, as user 1001 too.
func asUsers(t *testing.T, test func(t *testing.T)) {
	if os.Getuid() != 0 {
		test(t)
		return
	}
	t.Run("superuser", test)
	t.Run("user 1001", func(t *testing.T) {
		const user = 1001
		dir := need.Value(os.MkdirTemp("", "prgnn-user-"))(t)
		defer os.RemoveAll(dir)
		program, tmp := filepath.Join(dir, "test"), filepath.Join(dir, "tmp")
		need.NoError(t, errors.Join(os.Chmod(dir, 0o755), copyFile(os.Args[0], program), os.Mkdir(tmp, 0o700),
			os.Chown(tmp, user, user)))
		name, _, _ := strings.Cut(t.Name(), "/")
		cmd := again(t, program, name, "TMPDIR="+tmp, "HOME="+tmp)
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
		out, err := cmd.CombinedOutput()
		if bytes.Contains(out, []byte("--- SKIP: ")) {
			need.Missing(t, "as user %d: %s", user, out)
		}
		if err != nil || !bytes.Contains(out, []byte("--- PASS: "+name)) {
			t.Errorf("as user %d: %v\n%s", user, err, out)
		}
	})
}

// A strict command sees its inputs, its variables and the system, under the same names everywhere.
func TestExecStrict(t *testing.T) { asUsers(t, strictSees) }

func strictSees(t *testing.T) {
	t.Setenv("PRGNN_SEEN", "yes")
	t.Setenv("HOME", t.TempDir())
	declared := write(t, "declared.txt", "of the machine\n")
	need.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(declared), "beside.txt"), nil, 0o644))
	e, in := strict(t, `
		set -e
		pwd; id -u; hostname; echo "$PRGNN_SEEN ${HOME-no home} $TMPDIR"
		cat $1; ls $(dirname $1); cmp /etc/group $4; grep -c . /etc/passwd; ls inputs; ls -A /tmp; echo / *
		echo more > /tmp/x; cat tmp/x; echo > /dev/null
		sed 1d $2 | cut -f2 | xargs cat > $3`)
	e.Command = append(e.Command, declared, "{all}", "{copy}", "/etc/group")
	e.Inputs, e.Outputs, e.Environment = append(e.Inputs, "all*=text"), []string{"copy=text"}, []string{"PRGNN_SEEN"}
	in["all"] = []dag.Input{dag.InputOf(artifacts.Text("one\n"), dag.Coord{Axis: "fold", Value: "1"}),
		dag.InputOf(artifacts.Text("two\n"), dag.Coord{Axis: "fold", Value: "2"})}
	task := dag.NewTask(in)
	out, err := e.Run(context.Background(), task)
	need.NoError(t, err, said(task))
	need.Equal(t, stagetest.ExecOutput(t, out["copy"]), "one\ntwo\n")
	folder := strings.SplitN(filepath.Dir(declared), "/", 4) // its place under /tmp is made for it
	want := "/work\n1000\npipeline\nyes no home /work/tmp\nof the machine\ndeclared.txt\n1\nall\nall.tsv\nscript.sh\n"
	if folder[1] == "tmp" {
		want += folder[2] + "\n"
	}
	need.Equal(t, said(task), want+"/ inputs outputs tmp\nmore\n")
}

// The place of temporary files may be a link, or relative.
func TestExecStrictTemporary(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	need.NoError(t, errors.Join(os.Mkdir("real", 0o755), os.Symlink("real", "link")))
	for _, tmp := range []string{filepath.Join(dir, "link"), "link", "real"} {
		t.Setenv("TMPDIR", tmp)
		e, in := strict(t, "echo $TMPDIR; echo x > $1")
		e.Command, e.Outputs = append(e.Command, "{out}"), []string{"out=text"}
		for _, e.Strict = range isolations() {
			_, err := e.Run(context.Background(), dag.NewTask(in))
			need.NoError(t, err, tmp)
		}
	}
}

// What a command tries that wants to see, change or outlive more than it may.
func TestExecStrictHostile(t *testing.T) { asUsers(t, strictHostile) }

func strictHostile(t *testing.T) {
	need.Program(t, "bash", "bash")
	home := t.TempDir()
	t.Setenv("HOME", home)
	key := filepath.Join(home, ".ssh", "id_ed25519")
	need.NoError(t, errors.Join(os.Mkdir(filepath.Dir(key), 0o700), os.WriteFile(key, []byte("the key"), 0o600)))
	listener := need.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	marker := fmt.Sprintf("600.%d", time.Now().UnixNano())
	e, in := strict(t, strings.NewReplacer("KEY", key, "HOME", home, "PORT", port, "MARKER", marker, "ROOM",
		os.TempDir(), "PID", fmt.Sprint(os.Getpid())).Replace(`
		# Each line prints what it has reached.
		cat KEY 2>/dev/null && echo "read the key"
		cat /etc/shadow 2>/dev/null && echo "read shadow"
		cat /proc/PID/environ >/dev/null 2>&1 && echo "read the environment of the program"
		grep -qz ^HOME= /proc/[0-9]*/environ 2>/dev/null && echo "read the environment of the program"
		(ls -d /proc/1/root/root /proc/1/cwd/root /home/* /root /mnt/* /var/log ROOM/pipeline-exec-*) 2>/dev/null && echo "sees the machine"
		for f in HOME/x /x /usr/x /usr/bin/x /etc/x /var/x /dev/x /sys/x /proc/sys/kernel/hostname inputs/x; do
			(echo x > $f) 2>/dev/null && echo "wrote $f"
		done
		(chmod u+w inputs/script.sh && echo x > inputs/script.sh) 2>/dev/null && echo "wrote its input"
		(echo x > /dev/tcp/127.0.0.1/PORT) 2>/dev/null && echo "reached a socket"
		(echo x > /dev/udp/192.0.2.1/9) 2>/dev/null && echo "has a route"
		mount -t tmpfs tmpfs /usr 2>/dev/null && echo "mounted"
		mount -o remount,bind,rw /usr 2>/dev/null && echo "mounted again"
		unshare --user true 2>/dev/null && echo "has namespaces of its own"
		chroot / true 2>/dev/null && echo "changed its root"
		hostname other 2>/dev/null && echo "changed the host name"
		kill -9 PID 2>/dev/null && echo "killed the program"
		kill -9 1 2>/dev/null
		for i in 1 2 3; do setsid sh -c 'trap "" TERM HUP INT; (sleep MARKER &) ; sleep MARKER' >/dev/null 2>&1 & done
		(setsid sleep MARKER &)
		echo done`))
	e.Command[0] = "bash"
	e.Outputs = []string{"link=text"}
	e.Command = append(e.Command, "{link}")
	task := dag.NewTask(in)
	_, err := e.Run(context.Background(), task)
	need.Equal(t, said(task), "done\n", "it reached")
	need.Error(t, err, "the command did not write its output link")
	// A link is no output, and no place of outputs.
	e.Command[0] = "sh"
	for script, want := range map[string]string{
		"ln -s " + key + " $1": "the output link is a link",
		"rmdir outputs; ln -s " + filepath.Dir(key) + " outputs": "the command replaced its directory outputs by a link",
	} {
		in["script"] = []dag.Input{dag.InputOf(artifacts.Bytes{Kind: "sh", Data: []byte(script)})}
		_, err = e.Run(context.Background(), dag.NewTask(in))
		need.Error(t, err, want)
	}
	need.Equal(t, strings.Join(alive(t, marker), "\n"), "", "it left processes")
}

// alive are the command lines of processes that contain a text.
func alive(t *testing.T, text string) (all []string) {
	t.Helper()
	files := need.Value(filepath.Glob("/proc/[0-9]*/cmdline"))(t)
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte(text)) {
			all = append(all, string(bytes.ReplaceAll(b, []byte{0}, []byte{' '})))
		}
	}
	return all
}

// A strict command that is stopped, or whose program is killed, leaves no process, and daemons end with it.
func TestExecStrictStopped(t *testing.T) {
	const line = "(setsid sleep %s &); setsid sleep %[1]s & echo started > $1; sleep %[1]s"
	marker := os.Getenv("PRGNN_TEST_STRICT")
	mark := func(name string) string { return fmt.Sprintf("60%d.%s", len(name), marker) }
	start := func(t *testing.T, name string, limit float64) (run func(context.Context) error, started string) {
		e, in := strict(t, fmt.Sprintf(line, mark(name)))
		started = filepath.Join(t.TempDir(), "started")
		need.NoError(t, os.WriteFile(started, nil, 0o666))
		if to := os.Getenv("PRGNN_TEST_STARTED"); to != "" {
			started = to
		}
		e.Command, e.Scratch, e.TimeLimit = append(e.Command, started), []string{started}, limit
		return func(ctx context.Context) error {
			_, err := e.Run(ctx, dag.NewTask(in))
			return err
		}, started
	}
	if marker != "" { // the process that is killed
		run, _ := start(t, "killed", 0)
		t.Fatal(run(context.Background()))
	}
	marker = fmt.Sprint(time.Now().UnixNano())
	begun := func(file string) {
		for limit := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			if b, _ := os.ReadFile(file); len(b) > 0 {
				return
			} else if time.Now().After(limit) {
				t.Fatal("the command does not start")
			}
		}
	}
	gone := func(t *testing.T, name string) {
		for limit := time.Now().Add(20 * time.Second); alive(t, mark(name)) != nil; time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("processes are left: %q", alive(t, mark(name)))
			}
		}
	}
	t.Run("canceled", func(t *testing.T) {
		run, started := start(t, "can", 0)
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			begun(started)
			cancel()
		}()
		need.Error(t, run(ctx), "context canceled")
		need.Equal(t, len(alive(t, mark("can"))), 0, "processes that are left")
	})
	t.Run("time limit", func(t *testing.T) {
		run, _ := start(t, "limit", 0.5)
		need.Error(t, run(context.Background()), "the command was stopped after 0.5 s (time_limit)")
		need.Equal(t, len(alive(t, mark("limit"))), 0, "processes that are left")
	})
	t.Run("killed", func(t *testing.T) {
		strict(t, "")
		file, temp := filepath.Join(t.TempDir(), "started"), t.TempDir()
		need.NoError(t, os.WriteFile(file, nil, 0o666))
		cmd := again(t, os.Args[0], "TestExecStrictStopped", "PRGNN_TEST_STRICT="+marker, "PRGNN_TEST_STARTED="+file, "TMPDIR="+temp)
		need.NoError(t, cmd.Start())
		begun(file)
		need.NoError(t, cmd.Process.Kill())
		cmd.Wait()
		gone(t, "killed")
		long := time.Now().Add(-time.Hour)
		rooms, _ := filepath.Glob(filepath.Join(temp, workdir.ExecRooms+"*"))
		for _, r := range rooms {
			os.Chtimes(filepath.Join(r, "lock"), long, long)
			os.Chtimes(r, long, long)
		}
		need.Equal(t, workdir.Sweep(temp, workdir.ExecRooms), 1, "directories of a killed run that the next one removes")
	})
}

// A failed command's output has the paths that it does not see, and the error what to do.
func TestExecStrictRemedy(t *testing.T) {
	dir := t.TempDir()
	mask := filepath.Join(dir, "mask.txt")
	need.NoError(t, os.WriteFile(mask, []byte("1\n"), 0o644))
	for _, c := range []struct{ name, script, want string }{
		{"a file", "cat " + mask, "a strict command does not see " + mask + ": connect files that it reads as inputs"},
		{"a new file", "echo x > " + dir + "/new.txt", "a strict command does not see " + dir + ":"},
		{"the system", "touch /usr/x", "a strict command cannot write /usr/x: write to its outputs"},
		{"no such file anywhere", "cat /nowhere/x; exit 7", `the command "sh" ended with exit status 7`},
		{"a signal", "kill -SEGV $$", `the command "sh" ended with signal: segmentation fault`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, in := strict(t, c.script)
			_, err := e.Run(context.Background(), dag.NewTask(in))
			need.Error(t, err, c.want)
			if strings.Contains(c.want, "exit status") && strings.Contains(err.Error(), "strict") {
				t.Error(err)
			}
		})
	}
}

// Installed software is seen if it is listed; its content counts unless a list of packages does.
func TestExecStrictSoftware(t *testing.T) {
	env := filepath.Join(t.TempDir(), "env")
	python := filepath.Join(env, "bin", "python")
	need.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(python), 0o755),
		os.WriteFile(python, []byte("#!/bin/sh\ncat ${0%/bin/python}/lib/module\n"), 0o755),
		os.WriteFile(filepath.Join(env, "pyvenv.cfg"), nil, 0o644), os.Mkdir(filepath.Join(env, "lib"), 0o755),
		os.WriteFile(filepath.Join(env, "lib", "module"), []byte("of the environment\n"), 0o644)))
	e, _ := strict(t, "")
	e.Command, e.Inputs = []string{python}, nil
	run := func(in map[string][]dag.Input) (string, error) {
		task := dag.NewTask(in)
		_, err := e.Run(context.Background(), task)
		return said(task), err
	}
	_, err := run(nil)
	need.Error(t, err, "needs software that the command does not see: list it (software: ["+env+"])")
	e.Software = []string{env}
	got, err := run(nil)
	need.NoError(t, err)
	need.Equal(t, got, "of the environment\n")

	counts := func(connected ...string) (names []string) {
		for _, c := range e.CodeFiles(func(port string) bool { return slices.Contains(connected, port) }) {
			names = append(names, c.What+" "+c.Name)
		}
		return names
	}
	need.Equal(t, strings.Join(counts(), ", "), "program python, program sh, directory env")
	need.Equal(t, strings.Join(counts(packagesPort), ", "), "program python, program sh")

	list := func(name, text string) map[string][]dag.Input {
		in := dag.InputOf(artifacts.Text(text))
		in.Name = name
		return map[string][]dag.Input{packagesPort: {in}}
	}
	for name, text := range map[string]string{"uv.lock": "version = 1\n\n[[package]]\nname = \"numpy\"\n",
		"renv.lock": `{"R": {}, "Packages": {}}`, "conda-lock.yml": "version: 1\npackage:\n- name: numpy\n",
		"Manifest.toml": "julia_version = \"1.11\"\nmanifest_format = \"2.0\"\n[[deps.X]]\n", "mine.lock": "numpy 2\n"} {
		_, err = run(list(name, text))
		need.NoError(t, err)
	}
	for _, name := range []string{"uv.lock", "poetry.lock", "renv.lock", "conda-lock.yml", "Manifest.toml"} {
		_, err = run(list(name, "hello\n"))
		need.Error(t, err, "packages: "+name+" is no lock file of ")
	}
	_, err = run(list("uv.lock", "\n"))
	need.Error(t, err, "packages: uv.lock is empty")
	_, err = run(map[string][]dag.Input{containerPort: {dag.InputOf(artifacts.Text("image"))}})
	need.Error(t, err, "software lists directories of this machine, but a container is connected")
	_, err = run(list("requirements.txt", "numpy>=2\n"))
	need.Error(t, err, "requirements.txt:1: numpy>=2 has no --hash=sha256:…")
	for _, garbage := range []string{"hello\n", "\xff\xfe numpy 2\n"} {
		_, err = run(list("mine.lock", garbage))
		need.Error(t, err, "packages: mine.lock is not a list of packages: it has no line with a name and a version")
	}
	e.Software = []string{env + "/none", env + "/file"}
	need.NoError(t, os.WriteFile(env+"/file", nil, 0o666))
	_, err = run(nil)
	need.Error(t, err, "software: there is no directory "+env+"/none; software: "+env+"/file is not a directory")
}

// Scratch is written where it is; nothing else is.
func TestExecStrictScratch(t *testing.T) { asUsers(t, strictScratch) }

func strictScratch(t *testing.T) {
	dir := t.TempDir()
	e, in := strict(t, "echo x > $1/cache/new")
	e.Command, e.Scratch = append(e.Command, dir), []string{filepath.Join(dir, "cache")}
	_, err := e.Run(context.Background(), dag.NewTask(in))
	need.Error(t, err, "scratch: "+dir+"/cache does not exist, and a strict command cannot make it")
	need.NoError(t, os.Mkdir(e.Scratch[0], 0o755))
	_, err = e.Run(context.Background(), dag.NewTask(in))
	need.NoError(t, err)
	need.Equal(t, string(need.Value(os.ReadFile(filepath.Join(dir, "cache", "new")))(t)), "x\n")
}

// Scratch and software hold neither the directories of other commands nor the store.
func TestExecStrictApart(t *testing.T) {
	dir := t.TempDir()
	temporary := filepath.Join(dir, "some", "tmp")
	need.NoError(t, os.MkdirAll(temporary, 0o755))
	t.Setenv("TMPDIR", temporary)
	st := need.Value(disk.Open(filepath.Join(dir, "study", ".pipeline")))(t)
	need.NoError(t, st.Close())
	stores := []string{".pipeline", "other", "a/b/c/deep"}
	for _, store := range stores[1:] {
		need.NoError(t, need.Value(disk.Open(filepath.Join(dir, "study", store)))(t).Close())
	}
	e, in := strict(t, "cd $1; for s in .pipeline other a/b/c/deep; do ls $s; touch $s/evil; done; echo x > new; true")
	e.Command = append(e.Command, filepath.Join(dir, "study"))
	in[packagesPort] = []dag.Input{dag.InputOf(artifacts.Bytes{Kind: "lock", Data: []byte("[[package]]\nversion = 1\n")})}
	for _, c := range []struct{ scratch, software, want string }{
		{filepath.Join(dir, "some"), "", "scratch: " + dir + "/some has the directory of temporary files, " + temporary},
		{temporary, "", "where other commands work"},
		{"", dir, "software: " + dir + " has the directory of temporary files"},
		{filepath.Join(dir, "study", ".pipeline"), "", "is in the store"},
		{filepath.Join(dir, "study"), "", ""},
		{"", filepath.Join(dir, "study"), ""},
	} {
		e.Scratch, e.Software = nil, nil
		if c.scratch != "" {
			e.Scratch = []string{c.scratch}
		}
		if c.software != "" {
			e.Software = []string{c.software}
		}
		task := dag.NewTask(in)
		_, err := e.Run(context.Background(), task)
		if c.want == "" {
			need.NoError(t, err)
			need.Equal(t, strings.Contains(said(task), "version"), false, said(task))
			continue
		}
		need.Error(t, err, c.want)
	}
	for _, store := range stores {
		if _, err := os.Stat(filepath.Join(dir, "study", store, "evil")); err == nil {
			t.Errorf("the command wrote into the store %s", store)
		}
	}
	need.Value(os.Stat(filepath.Join(dir, "study", "new")))(t)
}

// A strict command in whose scratch or software the store of the run lies does not see it, whatever its name, and
// whether or not a link .pipeline leads there.
func TestExecStrictStoreInUse(t *testing.T) {
	dir := need.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	store := filepath.Join(dir, "study", "results")
	need.NoError(t, need.Value(disk.Open(store))(t).Close())
	e, in := strict(t, "ls $1/results $1/.pipeline/; touch $1/.pipeline/evil $1/results/evil; true")
	e.Command = append(e.Command, filepath.Join(dir, "study"))
	need.NoError(t, os.Symlink("results", filepath.Join(dir, "study", ".pipeline")))
	ctx := content.WithStore(context.Background(), filepath.Join(dir, "study", ".pipeline"))
	in[packagesPort] = []dag.Input{dag.InputOf(artifacts.Bytes{Kind: "lock", Data: []byte("[[package]]\nversion = 1\n")})}
	for _, list := range []*[]string{&e.Scratch, &e.Software} {
		*list = []string{filepath.Join(dir, "study")}
		task := dag.NewTask(in)
		_, err := e.Run(ctx, task)
		need.NoError(t, err)
		if strings.Contains(said(task), "version") {
			t.Errorf("the command sees the store: %s", said(task))
		}
		*list = nil
	}
	need.Error(t, os.Remove(filepath.Join(store, "evil")), "no such file")
	for path, want := range map[string]string{"study/results": "study/results is in the store " + store,
		"study/.pipeline/version": "study/.pipeline/version is in the store " + store} {
		e.Command[2] = filepath.Join(dir, path)
		_, err := e.Run(ctx, dag.NewTask(in))
		need.Error(t, err, want)
	}
}

// What lies in another path of the view, or is a link there, may be listed before that.
func TestExecStrictNested(t *testing.T) { asUsers(t, strictNested) }

func strictNested(t *testing.T) {
	dir := need.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	path := func(name string) string { return filepath.Join(dir, name) }
	need.NoError(t, errors.Join(os.MkdirAll(path("data/deep"), 0o755),
		os.WriteFile(path("data/deep/a"), []byte("a\n"), 0o644),
		os.Symlink("deep/a", path("data/link")), os.Symlink("data", path("other"))))
	for _, c := range []struct {
		name, script             string
		words, scratch, software []string
		wrote                    bool
	}{
		{"file, directory", "", []string{"data/deep/a", "data"}, nil, nil, false},
		{"link, directory", "", []string{"data/link", "data/deep", "data"}, nil, nil, false},
		{"behind a link, link", "", []string{"other/deep/a", "other", "data/link"}, nil, nil, false},
		{"file in scratch", "", []string{"data/deep/a"}, []string{"data"}, nil, true},
		{"directory around scratch", "", []string{"data/deep/a", "data"}, []string{"data/deep"}, nil, true},
		{"software in scratch", "", nil, []string{"data"}, []string{"data/deep"}, false},
		{"scratch in software", "", nil, []string{"data/deep"}, []string{"data"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, in := strict(t, strings.ReplaceAll(`cat D/deep/a; (echo x > D/deep/new) 2>/dev/null && echo wrote; (echo x > D/new) 2>/dev/null; true`, "D", path("data")))
			all := func(names []string) []string { return lists.Map(names, path) }
			e.Command, e.Scratch, e.Software = append(e.Command, all(c.words)...), all(c.scratch),
				all(c.software)
			task := dag.NewTask(in)
			_, err := e.Run(context.Background(), task)
			need.NoError(t, err)
			want := "a\n"
			if c.wrote {
				want += "wrote\n"
			}
			need.Equal(t, said(task), want)
			counts := slices.ContainsFunc(e.CodeFiles(func(string) bool { return false }), func(c content.Code) bool {
				return c.What != "program" && !content.Within(c.Paths[0], c.Except)
			})
			need.Equal(t, counts, c.name != "file in scratch", "its content counts")
			need.NoError(t, errors.Join(os.RemoveAll(path("data/new")), os.RemoveAll(path("data/deep/new"))))
		})
	}
}

// Of a directory that counts, a strict command does not see what does not count, unless that is listed itself.
func TestExecStrictHides(t *testing.T) { asUsers(t, strictHides) }

func strictHides(t *testing.T) {
	dir := need.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	files := map[string]string{"a": "", ".git/config": "", "deep/__pycache__/m.pyc": "", "deep/m.py": "", "sub/.git": "",
		"store/version": "prgnn store 1\n", "page.html": `<meta name="generator" content="PR-GNN Pipeline report">`,
		"cache/.git/x": "", "other.html": ""}
	for name, text := range files {
		path := filepath.Join(dir, name)
		need.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text+"x"), 0o644)))
	}
	need.NoError(t, os.Symlink("a", filepath.Join(dir, "deep", ".git")))
	for _, c := range []struct {
		words, software, environment string
		want                         string
	}{
		{words: "D", want: ""},
		{software: "D", want: ""},
		{environment: "PYTHONPATH=D", want: ""},
		{words: "D/.git D", want: "./.git/config "},
		{words: "D D/.git", want: "./.git/config "},
		{words: "D/.git/config D", want: "./.git/config "},
	} {
		e, in := strict(t, "cd "+dir+`; find . -type f -size +0 | LC_ALL=C sort | tr '\n' ' '; (echo > .git/new) 2>&1 | grep -c "Read-only\|denied"`)
		words := func(text string) []string { return strings.Fields(strings.ReplaceAll(text, "D", dir)) }
		e.Command, e.Software = append(e.Command, words(c.words)...), words(c.software)
		e.Environment = words(c.environment)
		e.Scratch = []string{filepath.Join(dir, "cache")}
		task := dag.NewTask(in)
		_, err := e.Run(context.Background(), task)
		need.NoError(t, err)
		want := strings.Fields("./a ./cache/.git/x ./deep/m.py ./other.html " + c.want)
		slices.Sort(want)
		need.Equal(t, said(task), strings.Join(want, " ")+" 1\n")
	}
}

// Where links of a directory lead counts, and a strict command sees it: in what is hidden, outside, by way of other
// links, and in directories. It sees nothing else there, and no store.
func TestExecStrictLinks(t *testing.T) { asUsers(t, strictLinks) }

func strictLinks(t *testing.T) {
	dir := need.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	for _, name := range []string{"data/.git/annex/a", "data/.git/config", "far/f", "far/g", "lib/m", "lib/.git/config",
		"lib/deep/x", "store/blob"} {
		path := filepath.Join(dir, name)
		need.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(name+"\n"), 0o644)))
	}
	need.NoError(t, os.WriteFile(filepath.Join(dir, "store", "version"), []byte("prgnn store 1\n"), 0o644))
	for name, to := range map[string]string{"data/annexed": ".git/annex/a", "data/out": "../by/f", "by": "far",
		"data/lib": filepath.Join(dir, "lib"), "lib/deep/g": "../../far/g", "data/blob": "../store/blob",
		"data/__pycache__": "../lib/.git", "data/gone": "nowhere"} {
		need.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	e, in := strict(t, "cd "+dir+"; for f in data/annexed data/out data/lib/m data/lib/deep/x data/lib/deep/g; do cat $f; done; "+
		"cat far/g data/.git/config data/lib/.git/config data/blob data/__pycache__/config; ls far lib/.git; true")
	e.Command = append(e.Command, filepath.Join(dir, "data"))
	task := dag.NewTask(in)
	_, err := e.Run(context.Background(), task)
	need.NoError(t, err)
	var got []string
	for line := range strings.Lines(said(task)) {
		if !strings.Contains(line, ": ") {
			got = append(got, strings.Fields(line)...)
		}
	}
	need.Equal(t, strings.Join(got, " "), "data/.git/annex/a far/f lib/m lib/deep/x far/g far/g far: f g lib/.git:")
}

// With network a strict command reaches the machine's.
func TestExecStrictNetwork(t *testing.T) {
	need.Program(t, "bash", "bash")
	listener := need.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	e, in := strict(t, "echo x > /dev/tcp/127.0.0.1/"+port)
	e.Command[0], e.Network = "bash", true
	_, err := e.Run(context.Background(), dag.NewTask(in))
	need.NoError(t, err)
}

// A command has no file open but its own: none that the caller of the program left open.
func TestExecInheritsNoFiles(t *testing.T) {
	file := need.Value(os.Open(write(t, "open", "inherited")))(t)
	defer file.Close()
	fd := need.Value(syscall.Dup(int(file.Fd())))(t) // which programs inherit
	defer syscall.Close(fd)
	for _, isolated := range []bool{false, true} {
		e := execShell(t, fmt.Sprintf("ls /dev/fd/ | grep -x '[0-9]*' | wc -l; cat /dev/fd/%d", fd))
		if e.Strict = isolated; isolated {
			strict(t, "")
		}
		task := dag.NewTask(nil)
		_, err := e.Run(context.Background(), task)
		need.Error(t, err, "ended with exit status 1")
		// The fourth is of ls.
		if got := said(task); !strings.HasPrefix(got, "4\n") || strings.Contains(got, "inherited") {
			t.Errorf("strict %t: %s", isolated, got)
		}
	}
}

// The memory of a strict command is that of its largest process.
func TestExecStrictMemory(t *testing.T) {
	e, in := strict(t, "head -c 200000000 /dev/zero | tail -c 200000000 | wc -c")
	var took int64
	task := dag.Wiring{Inputs: in, Log: new(bytes.Buffer), TookMemory: func(n int64) { took = n }}.Task("x", nil, 1)
	_, err := e.Run(context.Background(), task)
	need.NoError(t, err)
	if took < 200e6 || took > 2e9 {
		t.Errorf("%d bytes", took)
	}
}

// Where namespaces are not allowed, a strict command does not run.
func TestExecStrictRefused(t *testing.T) {
	if os.Getenv("PRGNN_TEST_REFUSED") != "" {
		runtime.LockOSThread()
		need.NoError(t, os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0))
		e := newExec()
		to := filepath.Join(t.TempDir(), "ran")
		e.Command, e.Strict = []string{"touch", to}, true
		_, err := e.Run(context.Background(), dag.NewTask(nil))
		need.Error(t, err, "strict: the command did not run, since this machine cannot confine it: a process with namespaces of its own does not start")
		need.Equal(t, there(to), false, "the command ran")
		return
	}
	strict(t, "")
	cmd := again(t, os.Args[0], t.Name(), "PRGNN_TEST_REFUSED=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
