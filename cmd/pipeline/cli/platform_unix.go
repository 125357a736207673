//go:build unix

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/regular"
)

// detachRun starts the same command line in a session of its own, so that it
// outlives the terminal.
func (a *app) detachRun(s *disk.Store, file string) error {
	if pid, log := background(s); pid != 0 {
		return fmt.Errorf("a run is already in progress in the background: process %d, %s\n  pipeline status %s shows its progress", pid, log, console.Shell(file))
	}
	for _, key := range append(slices.Clone(a.trusted), a.signKey) {
		if regular.IsPipe(key) {
			return exit.Wrongf("--detach continues in another process, which cannot read the pipe %s again: give a file, or the key itself in $PIPELINE_SIGN_KEY or $PIPELINE_TRUSTED_KEYS", key)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(backgroundLog(s.Dir())), 0o777); err != nil {
		return err
	}
	log, err := os.Create(backgroundLog(s.Dir()))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(self, slices.DeleteFunc(slices.Clone(a.Args), func(w string) bool {
		return w == "--detach" ||
			w == "--detach=true"
	})...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := os.WriteFile(backgroundPID(s.Dir()), fmt.Appendln(nil, cmd.Process.Pid), 0o666); err != nil {
		a.Note("%v", err)
	}
	fmt.Fprintf(a.Out, "continuing in the background: process %d, %s\n  pipeline status %s shows its progress\n", cmd.Process.Pid, log.Name(), console.Shell(file))
	return cmd.Process.Release()
}

func alive(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) == nil }
