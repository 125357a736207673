//go:build unix

package console

import (
	"os"
	"syscall"
	"testing"

	"prgnn/internal/need"
)

// Ctrl-C cancels the work, and says in the command's own words what becomes of it.
func TestInterruptible(t *testing.T) {
	said := make(chan string, 1)
	ctx, done := Interruptible("the check ends unfinished", func(text string) { said <- text })
	defer done()
	need.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
	<-ctx.Done()
	need.Equal(t, <-said, "stopping: the check ends unfinished; Ctrl-C again stops at once")
}
