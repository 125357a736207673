package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestRoom: while little is in use there is leastRoom for garbage; while much is, half of that.
func TestRoom(t *testing.T) {
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	r := &room{}
	runtime.GC()
	if r.fit(); r.percent <= 100 || r.percent > 1600 {
		t.Errorf("%d percent of what little is in use", r.percent)
	}
	held := make([]byte, 3*leastRoom)
	runtime.GC()
	r.fit()
	if was := debug.SetGCPercent(100); r.percent != 50 || was != 50 {
		t.Errorf("%d percent, and %d set, of %d MB in use", r.percent, was, len(held)>>20)
	}
	runtime.KeepAlive(held)
}
