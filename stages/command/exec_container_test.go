//go:build unix

package command

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"prgnn/internal/testdir"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

// imageInput is a file as the input container.
func imageInput(t *testing.T, path string) dag.Input {
	t.Helper()
	b := need.Value(os.ReadFile(path))(t)
	in := dag.InputOf(artifacts.Bytes{Kind: "sif", Data: b})
	in.Path, in.Name = path, filepath.Base(path)
	return in
}

// sif is the beginning of a Singularity image, and archive a tar with one file.
func sif(t *testing.T) string {
	return write(t, "tools.sif", strings.Repeat("#", 32)+"SIF_MAGIC\x0001\x00")
}

func archive(t *testing.T, first string) string {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	need.NoError(t, errors.Join(w.WriteHeader(&tar.Header{Name: first, Mode: 0o644}), w.Close()))
	return write(t, "tools.tar", b.String())
}

func write(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	need.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// fake is a runtime that writes down its words and variables, and runs the command in the room
// that it is to mount.
func fake(t *testing.T, names ...string) (dir, said string) {
	dir = t.TempDir()
	said = filepath.Join(dir, "said")
	script := `#!/bin/sh
echo "$(basename "$0") $*" >> ` + said + `
env | grep -E '^(APPTAINER|SINGULARITY|MY_)' | LC_ALL=C sort >> ` + said + `
case "$1 $2" in "image exists") exit 1;; "pull --quiet") echo 0123abcd; exit;; tag*|rm*) exit;; esac
while [ $# -gt 0 ]; do
	case "$1" in
		--bind) case "$2" in *:/work) room=${2%:/work};; esac;;
		--mount) case "$2" in *,target=/work) room=${2#type=bind,source=}; room=${room%,target=/work};; esac;;
		sh) break;;
	esac
	shift
done
cd "$room" && exec "$@"
`
	for _, name := range names {
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
	for _, name := range []string{"sh", "cat", "env", "grep", "sort", "basename"} { // and no other runtime
		need.NoError(t, os.Symlink(need.Program(t, "coreutils", name), filepath.Join(dir, name)))
	}
	return dir, said
}

func inContainer(t *testing.T, path string) (*Exec, *dag.Task) {
	e := execShell(t, "cat {text} > {copy}")
	e.Inputs, e.Outputs, e.Environment = []string{"text=text"}, []string{"copy=text"}, []string{"MY_A", "MY_B=b"}
	return e, dag.NewTask(map[string][]dag.Input{containerPort: {imageInput(t, path)},
		"text": {dag.InputOf(artifacts.Text("hello\n"))}})
}

// What the runtimes are told: the image read-only, the room, its inputs read-only, no network, the
// variables that are allowed.
func TestExecContainerWords(t *testing.T) {
	t.Setenv("MY_A", "a")
	t.Setenv("APPTAINER_BIND", "/data")
	t.Setenv("SINGULARITYENV_MY_C", "c")
	t.Setenv("APPTAINER_CACHEDIR", "/cache")
	real := os.Getenv("PATH")
	const apptainer = `NAME --silent exec --containall --cleanenv --no-privs --hostname pipeline --no-mount hostfs,bind-paths --bind ROOM:/work --bind ROOM/inputs:/work/inputs:ro --pwd /work --net --network none IMAGE sh -c cat inputs/text.txt > outputs/copy.txt
ENV_LANG=C.UTF-8
ENV_MY_A=a
ENV_MY_B=b
ENV_TEMP=/work/tmp
ENV_TMPDIR=/work/tmp
ENV_TZ=UTC
`
	const podman = `podman image exists localhost/pipeline:DIGEST
podman pull --quiet IMAGE
podman tag 0123abcd localhost/pipeline:DIGEST
podman run --rm --pull=never --name OUTER --hostname pipeline --no-hosts --network none --read-only --cap-drop=all --security-opt=no-new-privileges --security-opt=label=disable --user=0:0 --mount type=bind,source=ROOM,target=/work --mount type=bind,source=ROOM/inputs,target=/work/inputs,readonly --workdir /work --entrypoint= --env TMPDIR=/work/tmp --env TEMP=/work/tmp --env LANG=C.UTF-8 --env TZ=UTC --env MY_B=b --env MY_A LIMITS localhost/pipeline:DIGEST sh -c cat inputs/text.txt > outputs/copy.txt
podman rm --force --ignore --time 0 OUTER
`
	for _, c := range []struct {
		name, image, prefix string
		runtimes            []string
		want                string
	}{
		{"sif", sif(t), "", []string{"podman", "apptainer", "singularity"}, strings.NewReplacer("NAME", "apptainer",
			"ENV_", "APPTAINERENV_").Replace(apptainer)},
		{"sif by singularity", sif(t), "", []string{"singularity"}, strings.NewReplacer("NAME", "singularity", "ENV_",
			"SINGULARITYENV_").Replace(apptainer)},
		{"oci", archive(t, "oci-layout"), "oci-archive:", []string{"podman", "apptainer"}, podman},
		{"docker", archive(t, "./manifest.json"), "docker-archive:", []string{"podman"}, podman},
		{"oci by apptainer", archive(t, "oci-layout"), "oci-archive:", []string{"apptainer"},
			strings.NewReplacer("NAME", "apptainer", "ENV_", "APPTAINERENV_").Replace(apptainer)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("PATH", real)
			dir, said := fake(t, c.runtimes...)
			t.Setenv("PATH", dir)
			loaded.tags = map[string]bool{}
			e, task := inContainer(t, c.image)
			out := need.Value(e.Run(context.Background(), task))(t)
			need.Equal(t, stagetest.ExecOutput(t, out["copy"]), "hello\n", "output")
			b := need.Value(os.ReadFile(said))(t)
			got := string(b)
			if _, after, ok := strings.Cut(got, "source="); ok && strings.Contains(got, "podman run") {
				room, _, _ := strings.Cut(after, ",")
				got = strings.NewReplacer(room, "ROOM", filepath.Base(filepath.Dir(room)), "OUTER",
					strings.Join(resourceLimits(), " "), "LIMITS",
					"APPTAINER_BIND=/data\n", "", "SINGULARITYENV_MY_C=c\n", "", "MY_A=a\n", "", "APPTAINER_CACHEDIR=/cache\n", "").Replace(got)
			} else if _, after, ok := strings.Cut(got, "--bind "); ok {
				room, _, _ := strings.Cut(after, ":")
				got = strings.ReplaceAll(got, room, "ROOM")
			}
			for _, own := range []string{"MY_A=a", "APPTAINER_CACHEDIR=/cache"} { // of the runtime itself
				got = strings.ReplaceAll(got, "\n"+own+"\n", "\n")
			}
			got = strings.NewReplacer(c.prefix+c.image, "IMAGE", task.In(containerPort).Ref.Digest.String(),
				"DIGEST").Replace(got)
			if got != c.want {
				t.Errorf("said\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestExecContainerRefused(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct{ name, path, want string }{
		{"no runtime", sif(t), "the container tools.sif is a Singularity image, but neither apptainer nor singularity is on the PATH to run it"},
		{"no runtime for archives", archive(t, "oci-layout"), "the container tools.tar is an OCI archive, but neither podman, apptainer nor singularity is on the PATH to run it"},
		{"another archive", archive(t, "x"), "the container tools.tar: it is not a container image: use a Singularity image (.sif), or an uncompressed archive written by podman save --format oci-archive or docker save"},
		{"a colon", func() string {
			to := filepath.Join(t.TempDir(), "a:b.sif")
			need.NoError(t, copyFile(sif(t), to))
			return to
		}(), "rename the one with a colon or comma"},
	} {
		e := newExec()
		e.Command = []string{"true"}
		if _, err := e.Run(context.Background(),
			dag.NewTask(map[string][]dag.Input{containerPort: {imageInput(t, c.path)}})); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
	e := newExec()
	e.Command, e.Inputs = []string{"x", "{container}"}, []string{"container=sif"}
	want := "inputs: \"container\" is taken already: it is the image that the command runs in\ncommand: {container} is not in inputs, outputs or parameters; {{ stands for a brace"
	if got := errors.Join(e.Validate()...); got == nil || strings.ReplaceAll(got.Error(), "=sif", "") != want {
		t.Errorf("%v\nwant\n%s", got, want)
	}
}

// insideImage makes an OCI archive of testdata/inside.
func insideImage(t *testing.T) (dir, path string) {
	dir, err := os.MkdirTemp("", "prgnn-container-test-")
	need.NoError(t, err)
	t.Cleanup(func() { testdir.Remove(t, dir) })
	program := filepath.Join(dir, "inside")
	build := exec.Command("go", "build", "-o", program, "./testdata/inside")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(program)
	need.NoError(t, err)
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	_, err = io.Copy(file(w, "bin/inside", 0o755, len(b)), bytes.NewReader(b))
	need.NoError(t, errors.Join(err, w.Close()))
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser,
		error) {
		return io.NopCloser(bytes.NewReader(files.Bytes())), nil
	})
	need.NoError(t, err)
	img, err := mutate.AppendLayers(empty.Image, layer)
	need.NoError(t, err)
	config, err := img.ConfigFile()
	need.NoError(t, err)
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", goarch(t)
	if img, err = mutate.ConfigFile(img, config); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "layout")
	p, err := layout.Write(at, empty.Index)
	if err == nil {
		err = p.AppendImage(img, layout.WithPlatform(v1.Platform{OS: "linux", Architecture: config.Architecture}))
	}
	need.NoError(t, err)
	packed, err := os.Create(filepath.Join(dir, "inside.tar"))
	need.NoError(t, err)
	defer packed.Close()
	tw := tar.NewWriter(packed)
	need.NoError(t, errors.Join(tw.AddFS(os.DirFS(at)), tw.Close()))
	return dir, packed.Name()
}

// podmanImage is an image that a podman of this machine runs; "" where it can start no container, as within most
// containers.
func podmanImage(t *testing.T) string {
	podman := need.Program(t, "podman", "podman")
	dir, packed := insideImage(t)
	var err error
	// Storage of its own, and a runtime that works here: crun refuses the mixed cgroups of some machines.
	for _, runtime := range []string{"crun", "runc"} {
		conf := fmt.Sprintf("[engine]\nruntime = %q\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"none\"\n", runtime)
		need.NoError(t, os.WriteFile(filepath.Join(dir, "containers.conf"), []byte(conf), 0o644))
		storage := fmt.Sprintf("[storage]\ndriver = \"vfs\"\ngraphroot = %q\nrunroot = %q\n", filepath.Join(dir, "storage"), filepath.Join(dir, "run"))
		need.NoError(t, os.WriteFile(filepath.Join(dir, "storage.conf"), []byte(storage), 0o644))
		t.Setenv("CONTAINERS_CONF", filepath.Join(dir, "containers.conf"))
		t.Setenv("CONTAINERS_STORAGE_CONF", filepath.Join(dir, "storage.conf"))
		words := append([]string{"run", "--rm", "--network=none", "--workdir=/"}, resourceLimits()...)
		out, e := exec.Command(podman, append(words, "oci-archive:"+packed, "/bin/inside", "/bin/inside",
			"/dev/null", "/")...).CombinedOutput()
		if err = nil; e == nil {
			return packed
		}
		err = fmt.Errorf("%s", bytes.TrimSpace(out))
		t.Log(runtime, err)
	}
	t.Logf("not tried with podman, which can start no container here: %v", err)
	return ""
}

func file(w *tar.Writer, name string, mode fs.FileMode, size int) io.Writer {
	_ = w.WriteHeader(&tar.Header{Name: name, Mode: int64(mode), Size: int64(size)})
	return w
}

func goarch(t *testing.T) string {
	out := need.Value(exec.Command("go", "env", "GOARCH").Output())(t)
	return strings.TrimSpace(string(out))
}

// seenInside has the command tell what it sees in an image, and holds that against what it may see.
func seenInside(t *testing.T, image string) (*Exec, map[string][]dag.Input) {
	t.Helper()
	t.Setenv("PASSED", "p")
	t.Setenv("HIDDEN", "h")
	e := newExec()
	e.Command = []string{"/bin/inside", "{text}", "{seen}", image}
	e.Inputs, e.Outputs, e.Environment = []string{"text=text"}, []string{"seen=text"}, []string{"SET=s", "PASSED"}
	ins := map[string][]dag.Input{containerPort: {imageInput(t, image)}, "text": {dag.InputOf(artifacts.Text("hello"))}}
	want := `input: hello
writes its input: false
writes beside its input: false
writes into the image: false
writes where it starts: true
has a directory for temporary files: true
sees a file of the machine: false
has a network: false
TZ=UTC
SET=s
PASSED=p
HIDDEN=
/work on pipeline
`
	task := dag.NewTask(ins)
	out, err := e.Run(context.Background(), task)
	if err != nil {
		t.Fatalf("%v\n%s", err, said(task))
	}
	if got := stagetest.ExecOutput(t, out["seen"]); got != want {
		t.Errorf("it saw\n%s\nwant\n%s", got, want)
	}
	need.Equal(t, said(task), "said\n", "log")
	return e, ins
}

// In a real container the command reads its inputs, writes its outputs, and sees nothing else. It
// ends with its time limit, and nothing of it stays.
func TestExecPodman(t *testing.T) {
	if image := os.Getenv("PRGNN_TEST_IMAGE"); image != "" { // the process that is killed
		e := newExec()
		e.Command, e.Outputs = []string{"/bin/inside", "/bin/inside", "{seen}", "/", "forever"}, []string{"seen=text"}
		e.Run(context.Background(), dag.NewTask(map[string][]dag.Input{containerPort: {imageInput(t, image)}}))
		return
	}
	image := podmanImage(t)
	if image == "" {
		return
	}
	e, ins := seenInside(t, image)

	e.Command[0] = "/bin/none"
	if _, err := e.Run(context.Background(), dag.NewTask(ins)); err == nil || !strings.HasPrefix(err.Error(), `the command "/bin/none" in the container ended with exit status 12`) {
		t.Errorf("no program: %v", err)
	}

	e.Command[0] = "/bin/inside"
	e.Command = append(e.Command, "forever")
	ctx, cancel := context.WithCancel(context.Background())
	task := dag.NewTask(ins)
	var watch sync.WaitGroup
	watch.Go(func() { cancelWhenBegun(task, cancel) })
	if _, err := e.Run(ctx, task); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	watch.Wait()
	left := func() string {
		out, err := exec.Command("podman", "ps", "--all", "--quiet").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	need.Equal(t, left(), "", "containers are left")

	// When the program itself is killed, its container ends too.
	cmd := again(t, os.Args[0], t.Name(), "PRGNN_TEST_IMAGE="+image)
	need.NoError(t, cmd.Start())
	t.Cleanup(func() { // where the test did not come to it
		cmd.Process.Kill()
		cmd.Wait()
	})
	// Podman asks and starts under one lock: who asks without a pause keeps the container from starting.
	const pause = 100 * time.Millisecond
	for limit := time.Now().Add(2 * time.Minute); left() == ""; time.Sleep(pause) {
		if time.Now().After(limit) {
			t.Fatal("the container does not start")
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	for limit := time.Now().Add(2 * time.Minute); left() != ""; time.Sleep(pause) {
		if time.Now().After(limit) {
			t.Fatal("the container outlives the program")
		}
	}
}
