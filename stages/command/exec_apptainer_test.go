//go:build unix

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
)

// By Apptainer the command sees what it sees by podman, in a Singularity image and in an OCI archive, also where root
// has not every capability.
func TestExecApptainer(t *testing.T) {
	apptainer := need.Program(t, "apptainer of Debian sid (test/sid.sh)", "apptainer")
	dir, archive := insideImage(t)
	t.Setenv("APPTAINER_CACHEDIR", filepath.Join(dir, "cache"))
	sif := filepath.Join(dir, "inside.sif")
	if out, err := exec.Command(apptainer, "build", sif, "oci-archive:"+archive).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	alone := filepath.Join(dir, "bin") // without podman, which is taken first for archives
	need.NoError(t, os.Mkdir(alone, 0o777))
	for _, program := range []string{apptainer, need.Program(t, "dash", "sh")} {
		need.NoError(t, os.Symlink(program, filepath.Join(alone, filepath.Base(program))))
	}
	t.Setenv("PATH", alone)
	for _, image := range []string{sif, archive} {
		t.Run(filepath.Ext(image), func(t *testing.T) { seenInside(t, image) })
	}
}
