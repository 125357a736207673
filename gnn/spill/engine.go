package spill

import "os"

// A request is a part of the file to be read into memory.
type request struct {
	slot   int32
	at     int64
	memory []byte
}

// An engine reads while others compute.
type engine interface {
	// submit begins to read. It calls done for requests that it can answer at once; wait does for all others.
	submit(rs []request, done func(slot int32, err error))
	// wait calls done for each request that was read, and waits until there are at least least of them. After an error
	// it must not be called again.
	wait(least int, done func(slot int32, err error)) error
	close()
}

// goroutines is the engine that works everywhere.
type goroutines struct {
	file  *os.File
	limit chan struct{}
	done  chan result
}

type result struct {
	slot int32
	err  error
}

func newGoroutines(file *os.File) goroutines {
	return goroutines{file, make(chan struct{}, 32), make(chan result, depth)}
}

func (g goroutines) submit(rs []request, _ func(int32, error)) {
	for _, r := range rs {
		go func() {
			g.limit <- struct{}{}
			_, err := g.file.ReadAt(r.memory, r.at)
			<-g.limit
			g.done <- result{r.slot, err}
		}()
	}
}

func (g goroutines) wait(least int, done func(int32, error)) error {
	for ; least > 0 || len(g.done) > 0; least-- {
		r := <-g.done
		done(r.slot, r.err)
	}
	return nil
}

func (g goroutines) close() {}
