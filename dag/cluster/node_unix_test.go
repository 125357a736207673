//go:build unix

package cluster

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"
)

// A command that the cluster's signal ends is no fault of its task, even if this process gets the signal later.
func TestSignalOfTheClusterIsAwaited(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(50*time.Millisecond, cancel).Stop()
	awaitSignal(ctx, fmt.Errorf("the command ended with %w", exec.Command("sh", "-c", "exit 3").Run()))
	if ctx.Err() != nil {
		t.Error("a command that failed by itself is waited for")
	}
	awaitSignal(ctx, fmt.Errorf("the command ended with %w", exec.Command("sh", "-c", "kill -TERM $$").Run()))
	if ctx.Err() == nil {
		t.Error("the signal to this process was not awaited")
	}
}
