package machine

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestRoom: garbage has half as much room as is in use, and more while little is.
func TestRoom(t *testing.T) {
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	r := &room{}
	runtime.GC()
	if r.fit(); r.percent <= 100 || r.percent > 1600 {
		t.Errorf("%d percent of what little is in use", r.percent)
	}
	some := make([]byte, mostRoom/2)
	runtime.GC()
	if r.fit(); r.percent < 90 || r.percent > 150 { // 3/4 of mostRoom for mostRoom/2, less what other tests hold
		t.Errorf("%d percent of %d MB in use", r.percent, len(some)>>20)
	}
	held := make([]byte, 3*mostRoom)
	runtime.GC()
	r.fit()
	if was := debug.SetGCPercent(100); r.percent != 50 || was != 50 {
		t.Errorf("%d percent, and %d set, of %d MB in use", r.percent, was, len(held)>>20)
	}
	runtime.KeepAlive(some)
	runtime.KeepAlive(held)
}
