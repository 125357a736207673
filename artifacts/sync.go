package artifacts

import (
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"
)

// dirtyDirs are the directories in which this process has given a name that may not
// be durable yet.
type dirtyDirs struct {
	mu   sync.Mutex
	dirs map[string]int // to a count that tells whether one was marked again
	n    int
}

func (d *dirtyDirs) mark(dirs []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dirs == nil {
		d.dirs = map[string]int{}
	}
	for _, dir := range dirs {
		d.n++
		d.dirs[dir] = d.n
	}
}

// sync makes the names in a directory durable, if any may not be.
func (d *dirtyDirs) sync(dir string) error {
	d.mu.Lock()
	n, dirty := d.dirs[dir]
	d.mu.Unlock()
	if !dirty {
		return nil
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	d.mu.Lock()
	if d.dirs[dir] == n {
		delete(d.dirs, dir)
	}
	d.mu.Unlock()
	return nil
}

// A lateSync makes the names in directories durable soon, in the background: those
// that come while it is at work make the next batch, so that the busier the
// store, the more of them share one wait for the disk.
type lateSync struct {
	mu   sync.Mutex
	now  *syncBatch // at work; nil when there is nothing to do
	next *syncBatch // nil when nothing waits
	err  error      // all failures
}

type syncBatch struct {
	dirs map[string]bool
	done chan struct{}
}

func (l *lateSync) add(dirs []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.next = &syncBatch{map[string]bool{}, make(chan struct{})}
	}
	for _, dir := range dirs {
		l.next.dirs[dir] = true
	}
	if l.now == nil {
		l.now, l.next = l.next, nil
		go l.work(l.now)
	}
}

func (l *lateSync) work(b *syncBatch) {
	for b != nil {
		var group errgroup.Group
		group.SetLimit(8)
		for dir := range b.dirs {
			group.Go(func() error { return syncDir(dir) })
		}
		err := group.Wait()
		l.mu.Lock()
		l.err = errors.Join(l.err, err)
		close(b.done)
		l.now, l.next = l.next, nil
		b = l.now
		l.mu.Unlock()
	}
}

// wait returns when everything that was added before is durable.
func (l *lateSync) wait() error {
	l.mu.Lock()
	now, next := l.now, l.next
	l.mu.Unlock()
	for _, b := range []*syncBatch{now, next} {
		if b != nil {
			<-b.done
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
