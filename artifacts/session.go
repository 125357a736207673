package artifacts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"prgnn/artifacts/memo"
	"prgnn/artifacts/whole"
)

// A session is the presence of one process in the store: a directory tmp/<id> for its unfinished files, and in it a
// file "lease" on which the process holds a lock for as long as it lives. The kernel drops the lock with the process,
// so nothing has to be cleaned up for the store to know that it died.
//
// It begins with Hold, or with the first write.
type session struct {
	mu    sync.Mutex
	dir   string       // "" before it has begun
	lease *flock.Flock // locked
	since atomic.Int64 // when it began, in ns by the clock of the file system; 0 before

	introduced atomic.Bool // others can read whose session it is
	shut       atomic.Bool // its lease is the gate, and its directory all of tmp (see shutGate)
}

const (
	leaseFile    = "lease"
	gateFile     = "gate"     // in locks
	claimantFile = "claimant" // whose session it is, for those who wait for one of its claims
)

// introduce leaves word of whose session it is. Nothing depends on it but what a person reads.
func (p *session) introduce(s *Store) {
	if p.introduced.Swap(true) {
		return
	}
	dir, err := p.begin(s)
	if err != nil {
		return
	}
	host, _ := os.Hostname()
	path := filepath.Join(dir, claimantFile)
	_ = os.WriteFile(path, fmt.Appendf(nil, "process %d on %s", os.Getpid(), host), 0o666)
	_ = whole.ShareFile(path)
}

// leaseSlack is how long before the beginning of a session a blob may have been used last and still be taken as fresh,
// so that a run which follows another at once has nothing to mark. gc keeps what was used since the oldest session at
// work began, less this.
const leaseSlack = 10 * time.Minute

// Hold says that a run begins: until Close, blobs that Has finds or Put makes are safe from a gc in another process.
// In a store that cannot be written it fails, and the run can only read.
func (x *Work) Hold() error {
	s := x.store
	_, err := s.session.begin(s)
	return s.fault(err)
}

// begin starts the session if it has not begun, and returns its directory.
func (p *session) begin(s *Store) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir != "" {
		return p.dir, nil
	}
	// The gate keeps gc from taking the new directory for that of a dead process before its lease is locked.
	unlock, err := s.gate(false)
	if err != nil {
		return "", err
	}
	defer unlock()
	dir := filepath.Join(s.dir, tmpDir, whole.RandomName())
	if err := whole.MkdirAll(dir); err != nil {
		return "", err
	}
	lease := whole.NewLock(filepath.Join(dir, leaseFile))
	// Another process that looks who is at work may hold it for a moment.
	if err := lease.Lock(); err != nil && !whole.LocksUnknown(err) {
		return "", errors.Join(fmt.Errorf("the lease of this process cannot be locked: %w", err), os.RemoveAll(dir))
	}
	_ = whole.ShareFile(lease.Path()) // others see by its lock whether this process lives
	fi, err := lease.Stat()
	if err != nil {
		return "", errors.Join(err, lease.Unlock(), os.RemoveAll(dir))
	}
	p.dir, p.lease = dir, lease
	p.since.Store(fi.ModTime().UnixNano())
	return dir, nil
}

// shutGate starts a session that needs no file of its own, for gc where there is room for none. Nobody else can begin
// one, or a gc, until it ends.
func (p *session) shutGate(s *Store) (string, error) {
	lock, err := s.lockGate(true)
	if err == nil {
		err = p.end() // only now: another gc would take its pack for that of a dead process
	}
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dir, p.lease = filepath.Join(s.dir, tmpDir), lock
	p.shut.Store(true)
	return p.dir, nil
}

func (p *session) end() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir == "" {
		return nil
	}
	var err error
	if runtime.GOOS == "windows" { // which keeps the files that somebody has open
		err = p.lease.Unlock()
	}
	if !p.shut.Swap(false) {
		// The files go before the lock: once it is dropped, the directory is gc's.
		err = errors.Join(err, os.RemoveAll(p.dir))
	}
	err = errors.Join(err, p.lease.Unlock())
	p.dir, p.lease = "", nil
	p.since.Store(0)
	p.introduced.Store(false)
	return err
}

// use marks a blob as used in this session, unless it is fresh already, and tells whether it is still there, and
// whether its times were moved for that. The mark is the file's mtime, which gc reads. A blob of another user's may
// not be marked; then a gc during this run may remove it, and its producer runs again.
func (p *session) use(path string, st memo.State) (here, marked bool) {
	since := p.since.Load()
	if since == 0 || st.Mtime >= since-int64(leaseSlack) {
		return true, false
	}
	at := time.Unix(0, since)
	err := os.Chtimes(path, at, at)
	if err == nil {
		// A gc may have moved the file away after its name was looked up for this call and
		// before its times were set: then the mark is on a file that is being removed.
		_, err = os.Lstat(path)
	}
	return !errors.Is(err, os.ErrNotExist), err == nil
}

// gate is held for moments: shared by those who begin a session, exclusively by gc for each of its small steps. What
// is decided under the exclusive gate is decided with all sessions known.
func (s *Store) gate(exclusive bool) (unlock func(), err error) {
	if s.session.shut.Load() {
		return func() {}, nil
	}
	l, err := s.lockGate(exclusive)
	if err != nil {
		return nil, err
	}
	return func() { l.Unlock() }, nil
}

func (s *Store) lockGate(exclusive bool) (*flock.Flock, error) {
	dir := filepath.Join(s.dir, locksDir)
	if err := whole.MkdirAll(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, gateFile)
	l := whole.NewLock(path)
	lock := l.RLock
	if exclusive {
		lock = l.Lock
	}
	if err := lock(); err != nil && !whole.LocksUnknown(err) {
		return nil, fmt.Errorf("the store's gate cannot be locked: %w", err)
	}
	_ = whole.ShareFile(path) // NFS version 4 locks only what is open for writing
	return l, nil
}
