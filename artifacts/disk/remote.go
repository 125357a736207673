package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/refused"
	"prgnn/artifacts/remote"
	"prgnn/artifacts/whole"
)

// Attach lets the store read through to a remote, and share with it what is recorded from now on. A remote that does
// not answer is no error: the store then works alone, and shares later. One that is of another layout, or that refuses
// us, is one.
func (x *Sharing) Attach(ctx context.Context, r remote.Remote) error {
	s := x.store
	l := &link{remote: r, sizes: map[artifacts.Digest]int64{}}
	l.refused.Open(filepath.Join(s.dir, memoDir, "refused"), r.String())
	if err := l.greet(ctx, s); err != nil {
		return fmt.Errorf("remote %s: %w", r, err)
	}
	s.link = l
	s.share.begin(s)
	return nil
}

// Report describes the remote that is attached, and what was exchanged with it; nil if there is none.
func (x *Sharing) Report() *RemoteReport {
	s := x.store
	if s.link == nil {
		return nil
	}
	r := s.link.report()
	r.Left = s.share.left()
	return &r
}

// A RemoteReport states what a store and its remote have exchanged.
type RemoteReport struct {
	Name     string
	Down     error // why it is not asked at the moment
	ReadOnly error // why it takes nothing
	Fetched  int   // blobs
	Found    int   // actions that were found there
	Shared   int   // actions with their blobs
	Left     int   // actions that could not be shared yet
	Refused  int   // objects that are damaged there, and count as missing
	Replaced int   // objects that were damaged there, and are not any more
	Blocked  error
}

// A link is a store's way to a remote. It stops asking one that does not answer: a
// server that goes away must not hold up a run by one time-out a task.
type link struct {
	remote remote.Remote

	mu       sync.Mutex
	err      error      // of the last question
	again    time.Time  // when it may be asked next; zero while it answers
	asking   bool       // one asks whether it has come back
	readOnly error      // the first ErrReadOnly
	record   sync.Mutex // held while one long record is read
	refused  refused.Objects
	blocked  error                      // the first ErrBlocked
	sizes    map[artifacts.Digest]int64 // blobs that are known to be there
	fetched  int
	shared   int
	used     []artifacts.Key // actions whose records were fetched
}

const (
	// patience is how long a question without much of an answer may take.
	patience = 5 * time.Second
	// pause is how long a remote that did not answer is left alone.
	pause = 30 * time.Second
)

var errDown = errors.New("the remote does not answer")

// greet reads the version of the remote's layout, and writes it on a new one.
func (l *link) greet(ctx context.Context, s *Store) error {
	var text []byte
	err := l.ask(ctx, func(ctx context.Context) (err error) {
		text, err = remote.ReadAll(ctx, l.remote, versionFile, 1<<10)
		return err
	})
	damaged := err == nil || errors.Is(err, artifacts.ErrCorrupt)
	_, packs := l.remote.(interface{ Packs() })
	switch {
	case err == nil && string(text) == remote.Version, err == nil && readable(text) && packs:
		return nil
	case err == nil && readable(text):
		return fmt.Errorf("it holds a store, whose packs are not read there: use another prefix for the remote, or a copy of the store in a directory, file:///…")
	case err == nil && anyVersion.Match(text):
		return fmt.Errorf("its layout is %.40q, but this program uses %q", text, remote.Version)
	case errors.Is(err, artifacts.ErrCorrupt) && errors.Is(err, fs.ErrPermission):
		return whole.Unreadable(err)
	case damaged:
		return fmt.Errorf("its file %s is damaged: if the remote is one of this program, delete the file; no result is in it, and the next run writes it", versionFile)
	case errors.Is(err, artifacts.ErrMiss):
		t, tempErr := s.temp()
		if tempErr != nil {
			return nil // who cannot write here shares nothing
		}
		defer os.Remove(t.Path)
		_, err = t.Write([]byte(remote.Version))
		if err = errors.Join(err, t.Close()); err == nil {
			err = l.ask(ctx, func(ctx context.Context) error { return l.remote.Put(ctx, versionFile, t.Path) })
		}
	}
	if errors.Is(err, artifacts.ErrReadOnly) || errors.Is(err, errDown) {
		return nil
	}
	return err
}

// ask puts a question to the remote, unless it does not answer these days. The
// error is nil, ErrMiss, ErrReadOnly, ErrRefused, ErrBlocked, or wraps errDown.
func (l *link) ask(ctx context.Context, question func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return l.talk(ctx, question)
}

// talk is ask without a limit of time, for what is long: it must watch its own progress.
func (l *link) talk(ctx context.Context, question func(context.Context) error) error {
	if !l.enter() {
		return errDown
	}
	err := question(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking = false
	switch {
	case err == nil, errors.Is(err, artifacts.ErrMiss), errors.Is(err, artifacts.ErrCorrupt):
		l.again, l.err = time.Time{}, nil
	case errors.Is(err, artifacts.ErrReadOnly):
		l.readOnly = cmp.Or(l.readOnly, err)
	case errors.Is(err, remote.ErrBlocked):
		l.again, l.err = time.Time{}, nil
		l.blocked = cmp.Or(l.blocked, err)
	case errors.Is(err, remote.ErrRefused):
		l.err, l.again = err, time.Now().Add(pause)
	case errors.Is(err, context.Canceled): // we gave up, not the remote
	default:
		l.err, l.again = err, time.Now().Add(pause)
		err = fmt.Errorf("%w: %w", errDown, err)
	}
	return err
}

// enter reports whether the remote may be asked now. Of those who want to know
// whether it has come back, one is let through.
func (l *link) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.again.IsZero():
		return true
	case l.asking || time.Now().Before(l.again):
		return false
	}
	l.asking = true
	return true
}

// takes reports whether there is hope to share something now.
func (l *link) takes() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.again.IsZero() && l.readOnly == nil
}

func (l *link) report() RemoteReport {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := RemoteReport{Name: l.remote.String(), ReadOnly: l.readOnly, Fetched: l.fetched, Found: len(l.used),
		Shared: l.shared, Refused: l.refused.CountDamaged(), Replaced: l.refused.Replaced, Blocked: l.blocked}
	if !l.again.IsZero() {
		r.Down = l.err
	}
	return r
}

// refuse remembers an object that is not what its name says.
func (l *link) refuse(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused.Add(name, refused.Damaged)
}

// refuseBlob remembers a blob that is damaged there, or missing although its record is there.
func (l *link) refuseBlob(d artifacts.Digest, sign string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused.Add(remote.Name(blobsDir, d.String()), sign)
	delete(l.sizes, d)
}

// refuses reports whether a blob was found damaged there, or missing.
func (l *link) refuses(d artifacts.Digest) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused.Sign(remote.Name(blobsDir, d.String())) != ""
}

// size is how long an object is.
func (l *link) size(ctx context.Context, name string) (n int64, err error) {
	l.mu.Lock()
	bad := l.refused.Sign(name)
	l.mu.Unlock()
	if bad != "" {
		return 0, artifacts.ErrMiss
	}
	err = l.ask(ctx, func(ctx context.Context) (err error) {
		n, err = l.remote.Size(ctx, name)
		return err
	})
	return n, err
}

// blobSize is how long a blob is, asked once: many actions have the same ones.
func (l *link) blobSize(ctx context.Context, d artifacts.Digest) (int64, error) {
	l.mu.Lock()
	n, known := l.sizes[d]
	l.mu.Unlock()
	if known {
		return n, nil
	}
	n, err := l.size(ctx, remote.Name(blobsDir, d.String()))
	if err == nil {
		l.know(d, n)
	}
	return n, err
}

func (l *link) know(d artifacts.Digest, size int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sizes[d] = size
}

// accept says that an object is what its name says, whatever it was before.
func (l *link) accept(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused.Remove(name)
}
