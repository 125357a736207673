package command

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"prgnn/dag"
	"prgnn/internal/machine"
	"prgnn/internal/regular"
)

// containerPort is the input that is the image of a container, and no file of the command.
const containerPort = "container"

// inside is where the command's directory lies in the container.
const inside = "/work"

// An imageKind is a form of images: a Singularity image, or an archive.
type imageKind struct {
	name     string
	prefix   string   // of the path, for the runtimes
	runtimes []string // that run it, the best first
}

var (
	sifImage     = imageKind{"a Singularity image", "", []string{"apptainer", "singularity"}}
	ociArchive   = imageKind{"an OCI archive", "oci-archive:", []string{"podman", "apptainer", "singularity"}}
	dockerBundle = imageKind{"a Docker archive", "docker-archive:", []string{"podman", "apptainer", "singularity"}}
)

// kindOfImage tells images apart by their bytes.
func kindOfImage(path string) (imageKind, error) {
	f, err := regular.Open(path)
	if err != nil {
		return imageKind{}, err
	}
	defer f.Close()
	start := make([]byte, 42) // 32 bytes that start a program, then the magic word
	if n, _ := io.ReadFull(f, start); bytes.HasPrefix(start[:n][min(n, 32):], []byte("SIF_MAGIC")) {
		return sifImage, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return imageKind{}, err
	}
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err != nil {
			return imageKind{}, errors.New("it is not a container image: use a Singularity image (.sif), or an uncompressed archive written by podman save --format oci-archive or docker save")
		}
		switch strings.TrimPrefix(h.Name, "./") {
		case "oci-layout":
			return ociArchive, nil
		case "manifest.json":
			return dockerBundle, nil
		}
	}
}

// A container is the command's surroundings when it runs in an image.
type container struct {
	kind    imageKind
	image   string // the path of the image
	digest  string
	runtime string // the path of podman, apptainer or singularity
	room    string
	network bool
}

// containerOf is the container that the task asks for; nil for none.
func (e *Exec) containerOf(t *dag.Task, room string) (*container, error) {
	all := t.All(containerPort)
	if len(all) == 0 {
		return nil, nil
	}
	in := all[0]
	kind, err := kindOfImage(in.Path)
	if err != nil {
		return nil, fmt.Errorf("the container %s: %w", in.Name, err)
	}
	if strings.ContainsAny(room+in.Path, ":,") {
		return nil, &machine.Fault{Err: fmt.Errorf("the paths %s and %s cannot be mounted in a container: rename the one with a colon or comma (TMPDIR determines the first)", room, in.Path)}
	}
	c := &container{kind: kind, image: in.Path, digest: in.Ref.Digest.String(), room: room, network: e.Network}
	for _, name := range kind.runtimes {
		if c.runtime, err = exec.LookPath(name); err == nil {
			return c, nil
		}
	}
	last := len(kind.runtimes) - 1
	return nil, &machine.Fault{Err: fmt.Errorf("the container %s is %s, but neither %s nor %s is on the PATH to run it",
		in.Name, kind.name, strings.Join(kind.runtimes[:last], ", "), kind.runtimes[last])}
}

// podman reports whether the runtime is podman.
func (c *container) podman() bool { return strings.HasPrefix(filepath.Base(c.runtime), "podman") }

// command is the program that runs words in the container, with the variables that are set, and
// those that are passed on. The container sees its image, read-only, and the room; the inputs in it
// are read-only.
func (c *container) command(ctx context.Context, words, set, passed []string, log io.Writer) (*exec.Cmd, error) {
	if c.podman() {
		return c.podmanRun(ctx, words, set, passed, log)
	}
	args := []string{"--silent", "exec", "--containall", "--cleanenv", "--no-privs", "--hostname", "pipeline",
		"--no-mount", "hostfs,bind-paths",
		"--bind", c.room + ":" + inside, "--bind", filepath.Join(c.room, "inputs") + ":" + inside +
			"/inputs:ro", "--pwd", inside}
	if !c.network {
		args = append(args, "--net", "--network", "none")
	}
	cmd := exec.CommandContext(ctx, c.runtime, slices.Concat(args, []string{c.kind.prefix + c.image}, words)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { // what would mount more, or pass variables on
		name, _, _ := strings.Cut(v, "=")
		_, ours := strings.CutPrefix(strings.Replace(name, "SINGULARITY", "APPTAINER", 1), "APPTAINER")
		return ours && !strings.HasSuffix(name, "_CACHEDIR") && !strings.HasSuffix(name, "_TMPDIR") &&
			!strings.HasSuffix(name, "_CONFIGDIR")
	})
	prefix := strings.ToUpper(filepath.Base(c.runtime)) + "ENV_"
	for _, name := range passed {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, prefix+name+"="+v)
		}
	}
	for _, v := range set {
		cmd.Env = append(cmd.Env, prefix+v)
	}
	return cmd, nil
}

// loaded are the images that this process has found in podman's storage. One task at a time looks.
var loaded = struct {
	sync.Mutex
	tags map[string]bool
}{tags: map[string]bool{}}

// podmanRun loads the image into podman's storage, once under the digest of its archive, and runs
// the command. What is passed on goes by podman's own environment: others see the words of a command line.
func (c *container) podmanRun(ctx context.Context, words, set, passed []string, log io.Writer) (*exec.Cmd, error) {
	tag := "localhost/pipeline:" + c.digest
	if err := c.load(ctx, tag, log); err != nil {
		return nil, err
	}
	network := "none"
	if c.network {
		network = "host"
	}
	args := []string{"run", "--rm", "--pull=never", "--name", c.name(), "--hostname", "pipeline",
		"--no-hosts", "--network", network,
		"--read-only", "--cap-drop=all", "--security-opt=no-new-privileges", "--security-opt=label=disable", "--user=0:0",
		"--mount", "type=bind,source=" + c.room + ",target=" + inside,
		"--mount", "type=bind,source=" + filepath.Join(c.room, "inputs") + ",target=" + inside + "/inputs,readonly",
		"--workdir", inside, "--entrypoint="}
	for _, v := range append(set, passed...) {
		args = append(args, "--env", v)
	}
	return exec.CommandContext(ctx, c.runtime, slices.Concat(args, resourceLimits(), []string{tag}, words)...), nil
}

// name is the container's: that of the directory around the room, which no other has.
func (c *container) name() string { return filepath.Base(filepath.Dir(c.room)) }

// load brings the image into podman's storage.
func (c *container) load(ctx context.Context, tag string, log io.Writer) error {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.tags[tag] {
		return nil
	}
	podman := func(args ...string) (string, error) {
		var out strings.Builder
		cmd := exec.CommandContext(ctx, c.runtime, args...)
		cmd.Stdout, cmd.Stderr = &out, log
		err := cmd.Run()
		return strings.TrimSpace(out.String()), err
	}
	if _, err := podman("image", "exists", tag); err == nil {
		loaded.tags[tag] = true
		return nil
	}
	id, err := podman("pull", "--quiet", c.kind.prefix+c.image)
	if err == nil {
		_, err = podman("tag", id, tag)
	}
	if err != nil && ctx.Err() == nil {
		return &machine.Fault{Err: fmt.Errorf("podman cannot load the container: %w", err)}
	}
	loaded.tags[tag] = err == nil
	return err
}
