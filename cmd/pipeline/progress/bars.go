package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"prgnn/cmd/pipeline/console"
	"prgnn/dag/engine"
	"prgnn/internal/lists"
	"prgnn/internal/words"
)

// bars is progress on a terminal: one bar a stage, drawn again ten times a
// second over what was drawn before.
type bars struct {
	w      io.Writer
	term   console.Terminal
	name   int // columns of the longest stage name
	digits int // of the largest number of tasks

	mu      sync.Mutex
	t       *tallies
	drawn   int // lines on the screen
	stop    chan struct{}
	stopped sync.WaitGroup

	// history tells how long tasks took in past runs. It is asked once, when a
	// task begins to run: a run that finds everything there never waits for it.
	history func() Past
	ask     sync.Once
}

func newBars(w io.Writer, term console.Terminal, t *tallies, history func() Past) *bars {
	b := newFrames(t)
	b.w, b.term, b.stop, b.history = w, term, make(chan struct{}), history
	b.stopped.Go(func() {
		tick(100*time.Millisecond, b.stop, func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.draw(time.Now())
		})
	})
	return b
}

// newFrames is the part of bars that only draws.
func newFrames(t *tallies) *bars {
	b := &bars{t: t}
	for _, s := range t.order {
		b.name = max(b.name, utf8.RuneCountInString(s.name))
		b.digits = max(b.digits, len(fmt.Sprint(s.tasks)))
	}
	return b
}

func (b *bars) Event(e engine.Event) {
	if e.State == engine.Running {
		b.ask.Do(func() {
			b.stopped.Go(func() {
				past := b.history()
				b.mu.Lock()
				defer b.mu.Unlock()
				b.t.remember(past)
			})
		})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.t.count(e, time.Now())
}

func (b *bars) Say(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.drawn > 0 {
		fmt.Fprintf(b.w, "%s%dA%s%sJ", console.Control(), b.drawn, console.ClearLine(), console.Control())
		b.drawn = 0
	}
	fmt.Fprintln(b.w, line)
	b.draw(time.Now())
}

func (b *bars) Close() {
	close(b.stop)
	b.stopped.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.draw(time.Now())
}

// draw goes up to where the last frame began and writes the next one over it, in
// one write, so that nothing flickers.
func (b *bars) draw(now time.Time) {
	width, height := b.term.Size()
	frame := b.frame(now, width, height)
	var out strings.Builder
	if b.drawn > 0 {
		fmt.Fprintf(&out, "%s%dA", console.Control(), b.drawn)
	}
	for _, line := range frame {
		out.WriteString(console.ClearLine() + line + "\n")
	}
	if b.drawn > len(frame) {
		out.WriteString(console.Control() + "J")
	}
	io.WriteString(b.w, out.String())
	b.drawn = len(frame)
}

// frame is what the screen shall show. Where the stages do not fit, those that
// are through go first, then those that wait.
func (b *bars) frame(now time.Time, width, height int) []string {
	if all := b.t.allCached(); all != "" {
		return []string{b.term.Faint(all)}
	}
	room := max(height-3, 3)
	shown := lists.Keep(b.t.order, func(s *tally) bool { return s.tasks > 0 })
	through, waiting := 0, 0
	for i := 0; i < len(shown) && len(shown) > room-1; {
		if shown[i].complete() {
			shown = append(shown[:i:i], shown[i+1:]...)
			through++
			continue
		}
		i++
	}
	for i := len(shown) - 1; i >= 0 && len(shown) > room-2; i-- {
		if !shown[i].begins() {
			shown = append(shown[:i:i], shown[i+1:]...)
			waiting++
		}
	}
	var frame []string
	if through > 0 {
		frame = append(frame, b.term.Faint(words.Count(through, "stage")+" through"))
	}
	for _, s := range shown {
		frame = append(frame, b.line(s, now, width))
	}
	if waiting > 0 {
		frame = append(frame, b.term.Faint(words.Count(waiting, "stage")+" to come"))
	}
	return frame
}

// line is one stage: name, bar, counts, and what there is to say.
func (b *bars) line(s *tally, now time.Time, width int) string {
	counts := fmt.Sprintf("%*d/%-*d", b.digits, s.done(), b.digits, s.total())
	name := s.name + strings.Repeat(" ", b.name-utf8.RuneCountInString(s.name))
	length := min(30, width-b.name-len(counts)-30)
	bar := ""
	if length >= 8 {
		bar = "  " + b.bar(s, length)
	}
	say := ""
	switch {
	case s.complete():
		say = s.Outcome() + s.took()
	case s.active():
		if left, ok := s.left(now); ok {
			say = console.Seconds(left.Seconds()) + " left, "
		}
		if s.failed > 0 {
			say = fmt.Sprintf("%d failed, ", s.failed) + say
		}
		say += console.Visible(s.saying())
	case !s.begins():
		say = "waits"
	}
	used := b.name + 4 + len(counts)
	if bar != "" {
		used += 2 + length
	}
	say = console.Clip(say, width-1-used)
	if s.failed > 0 {
		say = b.term.Red(say)
	} else {
		say = b.term.Faint(say)
	}
	return name + bar + "  " + counts + "  " + say
}

// bar is filled with eighths of a character, so that it moves visibly.
func (b *bars) bar(s *tally, length int) string {
	done := float64(s.done()) + s.underWay()
	eighths := 0
	if s.total() > 0 {
		eighths = int(8 * float64(length) * min(1, done/float64(s.total())))
	}
	full := strings.Repeat("█", eighths/8)
	if eighths%8 > 0 {
		full += string([]rune("▏▎▍▌▋▊▉")[eighths%8-1])
	}
	rest := strings.Repeat("·", length-utf8.RuneCountInString(full))
	if s.failed > 0 {
		return b.term.Red(full) + b.term.Faint(rest)
	}
	return b.term.Green(full) + b.term.Faint(rest)
}
