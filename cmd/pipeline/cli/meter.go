package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A meter shows one line of "so much of so much" on a terminal, and nothing
// elsewhere: it is for work that ends within minutes.
type meter struct {
	w    io.Writer // nil: silent
	term terminal
	verb string

	mu    sync.Mutex
	drawn time.Time
}

func (a *app) newMeter(verb string) *meter {
	m := &meter{verb: verb, term: a.term}
	if a.term.is() && !a.quiet && !a.json {
		m.w = a.stderr
	}
	return m
}

func (m *meter) at(done, total int64) {
	if m.w == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := time.Now(); now.Sub(m.drawn) > 100*time.Millisecond {
		m.drawn = now
		fmt.Fprintf(m.w, "%s%s %s of %s", newLine(), m.verb, byteCount(done), byteCount(total))
	}
}

func (m *meter) close() {
	if m.w != nil && !m.drawn.IsZero() {
		fmt.Fprint(m.w, newLine())
	}
}
