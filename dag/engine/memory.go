package engine

import "runtime/metrics"

// sampleMemory notes, for every task at work, the most memory that the process
// has held. Go does not tell what belongs to which goroutine; of tasks that run
// at the same time, each is told what all of them held.
func (r *runner) sampleMemory() {
	if len(r.active) == 0 {
		return
	}
	s := [2]metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s[:])
	held := int64(s[0].Value.Uint64() - s[1].Value.Uint64())
	for _, i := range r.active {
		of := r.at[i].write()
		of.memory = max(of.memory, held)
	}
}
