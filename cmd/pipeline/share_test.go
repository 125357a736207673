//go:build unix

package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"prgnn/internal/remotetest"
)

// Machines that share results by a real bazel-remote, which asks for a password.
func TestBazelRemote(t *testing.T) {
	s := remotetest.Bazel(t, "--htpasswd_file", remotetest.Users(t, "lab", "lab-secret"))
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/share",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PIPELINE_REMOTE", "http://"+s.Address+"/results")
			e.Setenv("PIPELINE_REMOTE_USER", "lab")
			e.Setenv("PIPELINE_REMOTE_PASSWORD", "lab-secret")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}
