package machine

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// LeaveRoom leaves room for garbage, unless GOGC or GOMEMLIMIT is set: whoever sets them knows better. Tasks hold
// little and drop much: biopoint.yaml was collected 1,200 times for some 10 MB each, and a run with nothing to do
// spent a third of its time on it. Near the end of the memory, of this machine or of a container, there is no room.
func LeaveRoom() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	new(room).keep()
}

// A room for garbage has half as many bytes as are in use. Where much is in use it is arrays, which are collected at
// little cost. Where little is, it has more: mostRoom less half of what is in use. Each collection fits it anew.
type room struct {
	percent int
	limited bool
}

const mostRoom, leastPercent = 64 << 20, 50

func (r *room) fit() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	used := max(live[0].Value.Uint64(), 4<<20)
	percent := max(leastPercent, int(mostRoom*100/used)-50)
	if percent != r.percent {
		r.percent = percent
		debug.SetGCPercent(percent)
	}
}

func (r *room) keep() {
	r.fit()
	runtime.SetFinalizer(r, (*room).again)
}

// again is called after a collection.
func (r *room) again() {
	if !r.limited { // a short run, which collects nothing, never asks: that takes 0.2 ms
		r.limited = true
		if most := Memory(); most > 0 {
			debug.SetMemoryLimit(most * 3 / 4) // the rest is for files that are read
		}
	}
	r.keep()
}
