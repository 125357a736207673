package command

import (
	"testing"

	"prgnn/dag"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds) }

// TestKinds: a program by hand that runs commands has no kind for tests.
func TestKinds(t *testing.T) {
	if _, there := dag.Lookup("exec"); !there {
		t.Error("exec is not registered")
	}
	if _, there := dag.Lookup("echo"); there {
		t.Error("echo is registered")
	}
}
