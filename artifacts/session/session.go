// Package session is the presence of processes in a store: which of them are at work, and what gc has to leave alone
// because of them.
package session

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
	"prgnn/internal/pattern"
	"prgnn/internal/regular"
)

// A Session is the presence of one process in the store: a directory tmp/<id> for its unfinished files, and in it a
// file "lease" on which the process holds a lock for as long as it lives. The kernel drops the lock with the process,
// so nothing has to be cleaned up for the store to know that it died.
//
// It begins with Begin.
type Session struct {
	Store string       // the directory of the store
	Since atomic.Int64 // when it began, in ns by the clock of the file system; 0 before
	Lease *flock.Flock // locked; nil before it has begun

	mu  sync.Mutex
	dir string // "" before it has begun

	introduced atomic.Bool // others can read whose session it is
	shut       atomic.Bool // its lease is the gate, and its directory all of tmp (see ShutGate)
}

// The directories of a store in which sessions lie.
const (
	TmpDir   = "tmp"
	LocksDir = "locks"
)

const (
	LeaseFile    = "lease"    // in the directory of a session
	gateFile     = "gate"     // in LocksDir
	claimantFile = "claimant" // whose session it is, for those who wait for one of its claims
)

// Introduce leaves word of whose session it is. Nothing depends on it but what a person reads.
func (p *Session) Introduce() {
	if p.introduced.Swap(true) {
		return
	}
	dir, err := p.Begin()
	if err != nil {
		return
	}
	host, _ := os.Hostname()
	path := filepath.Join(dir, claimantFile)
	_ = os.WriteFile(path, fmt.Appendf(nil, "process %d on %s", os.Getpid(), host), 0o666)
	_ = whole.ShareFile(path)
}

// Slack is how long before the beginning of a session a blob may have been used last and still be taken as fresh,
// so that a run which follows another at once has nothing to mark. gc keeps what was used since the oldest session at
// work began, less this.
const Slack = 10 * time.Minute

// Begin starts the session if it has not begun, and returns its directory.
func (p *Session) Begin() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir != "" {
		return p.dir, nil
	}
	// The gate keeps gc from taking the new directory for that of a dead process before its lease is locked.
	unlock, err := p.Gate(false)
	if err != nil {
		return "", err
	}
	defer unlock()
	dir := filepath.Join(p.Store, TmpDir, whole.RandomName())
	if err := whole.MkdirAll(dir); err != nil {
		return "", err
	}
	lease := whole.NewLock(filepath.Join(dir, LeaseFile))
	// Another process that looks who is at work may hold it for a moment.
	if err := lease.Lock(); err != nil && !whole.LocksUnknown(err) {
		return "", errors.Join(fmt.Errorf("the lease of this process cannot be locked: %w", err), os.RemoveAll(dir))
	}
	_ = whole.ShareFile(lease.Path()) // others see by its lock whether this process lives
	fi, err := lease.Stat()
	if err != nil {
		return "", errors.Join(err, lease.Unlock(), os.RemoveAll(dir))
	}
	p.dir, p.Lease = dir, lease
	p.Since.Store(fi.ModTime().UnixNano())
	return dir, nil
}

// ShutGate starts a session that needs no file of its own, for gc where there is room for none. Nobody else can begin
// one, or a gc, until it ends.
func (p *Session) ShutGate() (string, error) {
	lock, err := p.lockGate(true)
	if err == nil {
		err = p.End() // only now: another gc would take its pack for that of a dead process
	}
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dir, p.Lease = filepath.Join(p.Store, TmpDir), lock
	p.shut.Store(true)
	return p.dir, nil
}

func (p *Session) End() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir == "" {
		return nil
	}
	var err error
	if runtime.GOOS == "windows" { // which keeps the files that somebody has open
		err = p.Lease.Unlock()
	}
	if !p.shut.Swap(false) {
		// The files go before the lock: once it is dropped, the directory is gc's.
		err = errors.Join(err, os.RemoveAll(p.dir))
	}
	err = errors.Join(err, p.Lease.Unlock())
	p.dir, p.Lease = "", nil
	p.Since.Store(0)
	p.introduced.Store(false)
	return err
}

// Use marks a blob as used in this session, unless it is fresh already, and tells whether it is still there, and
// whether its times were moved for that. The mark is the file's mtime, which gc reads. A blob of another user's may
// not be marked; then a gc during this run may remove it, and its producer runs again.
func (p *Session) Use(path string, st memo.State) (here, marked bool) {
	since := p.Since.Load()
	if since == 0 || st.Mtime >= since-int64(Slack) {
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

// Gate is held for moments: shared by those who begin a session, exclusively by gc for each of its small steps. What
// is decided under the exclusive gate is decided with all sessions known.
func (p *Session) Gate(exclusive bool) (unlock func(), err error) {
	if p.shut.Load() {
		return func() {}, nil
	}
	l, err := p.lockGate(exclusive)
	if err != nil {
		return nil, err
	}
	return func() { l.Unlock() }, nil
}

func (p *Session) lockGate(exclusive bool) (*flock.Flock, error) {
	dir := filepath.Join(p.Store, LocksDir)
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
		if wrong := p.GateTaken(); wrong != nil {
			return nil, fmt.Errorf("%w: move or delete it; the next run makes the lock that belongs there", wrong)
		}
		return nil, fmt.Errorf("the store's gate cannot be locked: %w", err)
	}
	_ = whole.ShareFile(path) // NFS version 4 locks only what is open for writing
	return l, nil
}

// GateTaken is what lies in place of the gate; nil for a file, and for nothing.
func (p *Session) GateTaken() error {
	path := filepath.Join(p.Store, LocksDir, gateFile)
	if info, err := os.Stat(path); err != nil || regular.Otherwise(info) == "" {
		return nil
	}
	return regular.Not(path, os.Stat)
}

// A Presence is a session of some process, seen from outside.
type Presence struct {
	Dir   string
	Since int64 // ns
	Alive bool
}

// Bytes are those of its unfinished files.
func (q *Presence) Bytes() (sum int64) {
	files, _ := os.ReadDir(q.Dir)
	for _, f := range files {
		if info, err := f.Info(); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

var sessionName = pattern.New(`^[0-9a-f]{16}$`)

// Others looks who is at work. Only what is seen under the exclusive gate is
// certain: a session that is just beginning has a directory and no lease yet.
func (p *Session) Others() ([]Presence, error) {
	p.mu.Lock()
	own := p.dir
	p.mu.Unlock()
	dirs, err := os.ReadDir(filepath.Join(p.Store, TmpDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var all []Presence
	for _, d := range dirs {
		q := Presence{Dir: filepath.Join(p.Store, TmpDir, d.Name())}
		if q.Dir == own || !sessionName.MatchString(d.Name()) { // tmp may be a link to where others have files
			continue
		}
		lease := filepath.Join(q.Dir, LeaseFile)
		if fi, err := os.Stat(lease); err == nil {
			q.Since = fi.ModTime().UnixNano()
			l := flock.New(lease, flock.SetFlag(os.O_RDONLY|regular.NonBlock))
			ok, err := l.TryRLock()                          // shared: it is open for reading only (whole.NewLock)
			q.Alive = !ok && !errors.Is(err, os.ErrNotExist) // what cannot be told counts as alive
			l.Unlock()
		}
		all = append(all, q)
	}
	return all, nil
}

// Lonely refuses where the file system has no locks and there is another session: nothing tells whether it has ended.
func (p *Session) Lonely() error {
	all, err := p.Others()
	if err != nil || len(all) == 0 || p.Lease.Locked() {
		return err
	}
	return errors.New("gc: the file system has no locks, and a run may be at work; if there is none, remove " + all[0].Dir)
}

// Claimants are the other processes at work that have introduced themselves, each as text for a person: "process 12 on
// node3, since 2026-01-31 14:05".
func (p *Session) Claimants() (list []string) {
	all, _ := p.Others()
	for _, q := range all {
		who, err := regular.ReadFile(filepath.Join(q.Dir, claimantFile))
		if err != nil || !q.Alive {
			continue
		}
		list = append(list, fmt.Sprintf("%s, since %s", who, time.Unix(0, q.Since).Format("2006-01-02 15:04")))
	}
	return list
}

// Dir is its directory for unfinished files; "" before it has begun.
func (p *Session) Dir() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dir
}

// Shut reports whether it is one of ShutGate.
func (p *Session) Shut() bool { return p.shut.Load() }

// GateWritable reports whether the gate still has the right to write, which nothing but an archive takes from it.
func (p *Session) GateWritable() bool {
	info, err := os.Stat(filepath.Join(p.Store, LocksDir, gateFile))
	return err == nil && info.Mode().Perm()&0o200 != 0
}
