package console

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A Meter shows progress in bytes on one line of a terminal, and nothing elsewhere: for work of minutes.
type Meter struct {
	w io.Writer // nil: silent

	mu    sync.Mutex
	drawn time.Time
}

// NewMeter is a meter of bytes that are read.
func (a *Console) NewMeter() *Meter {
	m := &Meter{}
	if a.Term.IsTerminal() && !a.Quiet && !a.JSON {
		m.w = a.Stderr
	}
	return m
}

// At shows that done of total bytes are through.
func (m *Meter) At(done, total int64) {
	if m.w == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := time.Now(); now.Sub(m.drawn) > 100*time.Millisecond {
		m.drawn = now
		fmt.Fprintf(m.w, "%sread %s of %s", ClearLine(), ByteCount(done), ByteCount(total))
	}
}

// Close empties the line.
func (m *Meter) Close() {
	if m.w != nil && !m.drawn.IsZero() {
		fmt.Fprint(m.w, ClearLine())
	}
}
