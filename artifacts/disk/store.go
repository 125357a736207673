package disk

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"prgnn/artifacts"
	"prgnn/artifacts/claim"
	"prgnn/artifacts/memo"
	"prgnn/artifacts/pack"
	"prgnn/artifacts/remote"
	"prgnn/artifacts/session"
	"prgnn/artifacts/whole"
	"prgnn/internal/regular"
)

var _ interface {
	artifacts.Reader
	artifacts.Writer
} = (*Store)(nil)

// A Store is a directory of blobs, actions and runs. Its methods, and those of its parts, may be called from many
// goroutines, and many processes may use one directory at once. Most callers need an artifacts.Reader or an
// artifacts.Writer only.
type Store struct {
	Work   *Work    // who carries out which work
	Health *Health  // damage, its repair, and what can be removed
	Remote *Sharing // with other stores

	dir   string
	blobs memo.Dir // for Has

	claims  claim.Set
	session session.Session
	dirty   whole.Dirs // of blobs
	packs   *pack.Set
	packing atomic.Int64 // size in bytes up to which objects are written to packs
	noting  sync.Mutex   // held while the file "collected" grows
	wholes  sync.Mutex   // held while a pack is read as a whole
	marked  sync.Map     // packs that count as used since the session began, by name
	files   memo.Files   // of the user's files
	bytes   memo.Files   // of blobs, by their names: which bytes they were found to have

	closed atomic.Bool

	link  *link // nil without a remote
	share sharing
	trust trust
}

// Work is the part of a store in which processes agree on who carries out which work, and leave word of it: claims,
// logs, checkpoints.
type Work struct{ store *Store }

// Health is the part of a store that finds damage, repairs it, and removes what nothing needs.
type Health struct{ store *Store }

// Sharing is the part of a store that shares results with other stores, by way of a remote.
type Sharing struct{ store *Store }

// The parts of a store. Blobs, actions and runs are the truth; the rest can be deleted whenever nobody is at work.
const (
	blobsDir   = "blobs"
	packsDir   = "packs"
	actionsDir = "actions"
	runsDir    = "runs"
	scratchDir = "scratch"
	logsDir    = "logs"
	memoDir    = "memo"

	signedDir = "signed" // of remotes alone

	versionFile   = "version"
	readmeFile    = "README"
	collectedFile = "collected"
)

// parts are the directories of a store, those of results first; the last belongs to package dag/cluster.
var parts = []string{blobsDir, packsDir, actionsDir, runsDir, session.TmpDir, session.LocksDir, scratchDir,
	logsDir, memoDir, "cluster"}

// version names the layout. A program refuses a store of a layout that it does not know, rather than guess.
const version = "prgnn store 3\n"

// smallPacksVersion is that of packs of objects of up to 16 KiB. A store of this version, or of that of remotes, gets
// the present one with the next pack.
const smallPacksVersion = "prgnn store 2\n"

// readable reports whether a version is one of a store that this program reads.
func readable(text []byte) bool {
	return slices.Contains([]string{version, smallPacksVersion, remote.Version}, string(text))
}

// anyVersion is the version of any layout, also of later programs; other bytes are damaged.
var anyVersion = regexp.MustCompile(`^prgnn store [1-9][0-9]{0,8}\n$`)

//go:embed readme.txt
var readme string

// Open opens the store in dir, and makes it when it is not there.
func Open(dir string) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", dir, err)
	}
	s := &Store{dir: abs, claims: claim.Set{Dir: filepath.Join(abs, session.LocksDir)}}
	s.session.Store = abs
	s.Work, s.Health, s.Remote = &Work{s}, &Health{s}, &Sharing{s}
	s.packing.Store(packing)
	s.packs = pack.Open(filepath.Join(abs, packsDir), s.beginPacks)
	s.packs.Begun = whole.ShareFile
	s.packs.Sealed = func(name string) { s.sawPack(name, true) }
	if err := s.prepare(); err != nil {
		return nil, s.fault(err)
	}
	s.blobs.Open(filepath.Join(abs, blobsDir))
	s.files.Open(filepath.Join(abs, memoDir, "files"), 0)
	s.bytes.Open(filepath.Join(abs, memoDir, "blobs"), 256<<10)
	return s, nil
}

// prepare makes what is missing of the layout, the version last: a store whose making was interrupted is one that has
// not been made. Others may make it at the same time, and a gc may clear it up.
func (s *Store) prepare() error {
	if err := s.reach(); err != nil {
		return err
	}
	path := filepath.Join(s.dir, versionFile)
	switch b, err := regular.ReadFile(path); {
	case err == nil:
		return s.accept(b)
	case !errors.Is(err, os.ErrNotExist):
		return whole.Unreadable(err)
	}
	if err := refuseForeign(s.dir); err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil { // another process has just made the store
		return s.prepare()
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil { // shared if a person says so, whatever lies above
		return err
	}
	for _, sub := range []string{blobsDir, actionsDir, runsDir, session.TmpDir, session.LocksDir, scratchDir, memoDir} {
		if err := whole.MkdirAll(filepath.Join(s.dir, sub)); err != nil {
			return err
		}
	}
	tmp, err := s.session.Begin() // gc removes the unfinished files of those who have no session
	if err != nil {
		return err
	}
	for _, f := range []struct{ name, text string }{{readmeFile, readme}, {versionFile, version}} {
		if err = s.writeText(tmp, f.text, f.name); err != nil {
			break
		}
	}
	return errors.Join(err, s.session.End(), pack.SyncDir(filepath.Dir(s.dir)))
}

// accept refuses a version that is not one of a store that this program reads.
func (s *Store) accept(text []byte) error {
	switch {
	case readable(text):
		return nil
	case anyVersion.Match(text):
		return fmt.Errorf("its layout is %.40q, but this program uses %q: use the program that made it, or another directory", text, version)
	}
	_, none := os.Stat(filepath.Join(s.dir, actionsDir))
	if err := cmp.Or(refuseForeign(s.dir), none); err != nil {
		return fmt.Errorf("is not a store, although it has a file %s: name a new or empty directory", versionFile)
	}
	return fmt.Errorf("%s is damaged (it begins with %.40q): delete it; no result is in it, and the next run writes it",
		filepath.Join(s.dir, versionFile), text)
}

// reach refuses a store with a part out of reach, such as a disk that is not mounted: the results there would look
// lost. A file in place of another part spoils no result.
func (s *Store) reach() error {
	for i, name := range slices.Concat(parts, []string{versionFile, collectedFile, ""}) {
		path := filepath.Join(s.dir, name)
		info, err := os.Stat(path)
		if to, link := os.Readlink(path); err != nil && link == nil && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%s is a link to %s, where there is nothing: make that directory, mount its disk, or remove the link", cmp.Or(name, "it"), to)
		}
		if err == nil && !info.IsDir() && i < slices.Index(parts, runsDir) {
			return fmt.Errorf("%s is %s, where a directory belongs: move it away, and put back what was there", name, cmp.Or(regular.Otherwise(info), "a file"))
		}
	}
	return nil
}

// writeText replaces a file of the store, by way of a directory for unfinished files.
func (s *Store) writeText(tmp, text, name string) error {
	t, err := whole.Create(tmp)
	if err != nil {
		return err
	}
	return t.PublishBytes([]byte(text), filepath.Join(s.dir, name))
}

// refuseForeign keeps a slip of the hand (--store ~) from scattering a store over a directory that is something else.
func refuseForeign(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !slices.Contains(append(parts, readmeFile, collectedFile, versionFile), e.Name()) {
			return fmt.Errorf("is not a store and holds other files, such as %s: name a new or empty directory", e.Name())
		}
	}
	return nil
}

// Readable reports whether permissions and links let this user see what the store has; else it would look missing.
func (x *Health) Readable() error {
	s := x.store
	if s.closed.Load() {
		return fmt.Errorf("store %s is closed", s.dir)
	}
	for _, sub := range []string{packsDir, actionsDir, blobsDir} {
		f, err := os.Open(filepath.Join(s.dir, sub))
		if f.Close(); errors.Is(err, fs.ErrPermission) { // what is not there is empty
			return s.fault(whole.Unreadable(err))
		}
	}
	if err := s.packs.OutOfReach(); err != nil {
		return s.fault(whole.Unreadable(err))
	}
	return nil
}

// Dir is the directory of the store.
func (s *Store) Dir() string { return s.dir }

// Close makes everything durable that is not yet, and gives up the store's locks. The store must not be used after it.
func (s *Store) Close() error {
	s.closed.Store(true)
	s.share.end()
	err := errors.Join(s.packs.Close(), s.session.End()) // in this order: gc leaves the packs of a session alone
	s.files.Close()
	s.bytes.Close()
	if s.link != nil {
		s.link.tellUses()
		s.link.refused.Close()
	}
	s.blobs.Close()
	s.claims.Close()
	return s.fault(err)
}

// object is where a blob or an action lies: the first two digits of its name
// make the directory, so that none of them grows too long to list.
func (s *Store) object(kind, name string) string {
	return filepath.Join(s.dir, kind, name[:2], name)
}

// fault says of an error of the file system what it means for the store.
func (s *Store) fault(err error) error {
	if err == nil {
		return nil
	}
	switch {
	case errors.Is(err, artifacts.ErrFull) || errors.Is(err, artifacts.ErrReadOnly): // that is said already
	case whole.IsFull(err):
		return fmt.Errorf("store %s: %w: %w", s.dir, artifacts.ErrFull, err)
	case errors.Is(err, artifacts.ErrUnreadable):
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("store %s: %w: %w", s.dir, artifacts.ErrReadOnly, err)
	}
	return fmt.Errorf("store %s: %w", s.dir, err)
}

// Probe tries what the store needs of its file system, in its own tmp directory.
func (x *Health) Probe() (whole.Abilities, error) {
	s := x.store
	t, err := s.temp()
	if err != nil {
		return whole.Abilities{}, err
	}
	defer t.Discard()
	a, err := whole.Probe(filepath.Dir(t.Path))
	return a, s.fault(err)
}
