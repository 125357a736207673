package artifacts

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// GCOptions say what gc is to leave.
type GCOptions struct {
	KeepRuns int   // the newest runs whose outputs stay; 0: all that are recorded
	MaxSize  int64 // what the blobs may take, in bytes: no more is removed than that asks for; 0: all that nothing needs is removed
}

// A GCPlan is what gc would do. It can be shown, and carried out once.
//
// Only blobs are removed. Actions and run records are small, and stay: they tell
// what a blob was made from and what it was, so that why, diff and audit still
// answer, and a blob that is made again can be compared with the one that was.
type GCPlan struct {
	Blobs int   // that there are
	Bytes int64 // that they take

	Kept   []string // ids of the runs whose outputs stay
	InUse  int      // blobs that stay only because they were made or used by a run that is going on, or that has not ended
	Remove []Victim // the longest unused first
	Freed  int64    // bytes that these take
	Over   int64    // by how much more than MaxSize what stays takes

	Strays  []string // what dead processes left in tmp, relative to the store
	Scratch []string // checkpoints of work that is done
	Logs    []string // of work that no kept run has, from before the first of them

	s      *Store
	keys   map[Key]bool // of the tasks of kept runs
	oldest time.Time    // when the first of these began
	before int64        // blobs last used at this time (ns) or later stay
}

// A Victim is a blob that gc would remove.
type Victim struct {
	Digest  Digest
	Size    int64
	LastUse time.Time // to some minutes
}

// PlanGC finds what can be removed: blobs that no kept run has among its outputs,
// and that were not used since the newest run began, if that one has not ended
// (its results are not recorded yet, and whoever resumes it wants them).
func (s *Store) PlanGC(o GCOptions) (*GCPlan, error) {
	if o.KeepRuns < 0 || o.MaxSize < 0 {
		return nil, fmt.Errorf("gc: keep-runs and max-size are not negative")
	}
	p := &GCPlan{s: s, keys: map[Key]bool{}}
	roots, err := p.roots(o.KeepRuns)
	if err != nil {
		return nil, err
	}
	all, err := s.objects(blobsDir)
	if err != nil {
		return nil, s.fault(err)
	}
	for _, b := range all {
		d, err := ParseDigest(b.name)
		if b.foreign != "" || err != nil {
			continue
		}
		p.Blobs++
		p.Bytes += b.size
		switch {
		case roots[d]:
		case b.mtime >= p.before:
			p.InUse++
		default:
			p.Remove = append(p.Remove, Victim{d, b.size, time.Unix(0, b.mtime)})
		}
	}
	p.choose(o.MaxSize)
	return p, p.leftovers()
}

// roots are the blobs that kept runs need.
func (p *GCPlan) roots(keep int) (map[Digest]bool, error) {
	runs, err := p.s.Runs()
	if err != nil {
		return nil, fmt.Errorf("gc: a run that cannot be read may need anything; let verify remove its record first: %w", err)
	}
	roots := map[Digest]bool{}
	for i, r := range runs {
		_, ref, err := p.s.readRun(r.ID)
		if err != nil {
			return nil, err
		}
		roots[ref.Digest] = true // every run's list of tasks: it is small, and tells what was
		if keep > 0 && i >= keep {
			continue
		}
		tasks, err := p.s.readTasks(ref)
		if err != nil {
			return nil, fmt.Errorf("gc: run %s may need anything: its list of tasks: %w", r.ID, err)
		}
		p.Kept, p.oldest = append(p.Kept, r.ID), r.Started // the newest come first
		for _, t := range tasks {
			p.keys[t.Key] = true
			for _, out := range t.Outputs {
				roots[out.Digest] = true
			}
		}
	}
	// What was used later than the newest run began, or ended, is nobody's yet.
	if len(runs) > 0 {
		if newest := runs[0]; newest.Finished.IsZero() {
			p.before = newest.Started.Add(-leaseSlack).UnixNano()
		} else {
			p.before = newest.Finished.UnixNano()
		}
	}
	live, err := p.s.sessions()
	if err != nil {
		return nil, p.s.fault(err)
	}
	p.before = heedSessions(p.before, live)
	return roots, nil
}

// heedSessions lowers the time before which a blob must have been used last to be
// removed, to what the sessions at work allow.
func heedSessions(before int64, live []presence) int64 {
	for _, l := range live {
		if l.alive {
			before = min(before, l.since-int64(leaseSlack))
		}
	}
	return before
}

// choose keeps of the candidates what there is room for.
func (p *GCPlan) choose(maxSize int64) {
	slices.SortFunc(p.Remove, func(a, b Victim) int {
		return cmp.Or(a.LastUse.Compare(b.LastUse), slices.Compare(a.Digest[:], b.Digest[:]))
	})
	n := 0
	for n < len(p.Remove) && (maxSize == 0 || p.Bytes-p.Freed > maxSize) {
		p.Freed += p.Remove[n].Size
		n++
	}
	p.Remove = p.Remove[:n]
	if maxSize > 0 {
		p.Over = max(0, p.Bytes-p.Freed-maxSize)
	}
}

// leftovers finds what dead processes left, checkpoints of work that is done, and
// logs of old work.
func (p *GCPlan) leftovers() error {
	all, err := p.s.sessions()
	if err != nil {
		return p.s.fault(err)
	}
	for _, q := range all {
		if !q.alive {
			p.Strays = append(p.Strays, p.s.relative(q.dir))
		}
	}
	entries, err := os.ReadDir(filepath.Join(p.s.dir, scratchDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return p.s.fault(err)
	}
	for _, e := range entries {
		if k, err := ParseKey(e.Name()); err == nil {
			if _, err := p.s.Lookup(k); err == nil {
				p.Scratch = append(p.Scratch, p.s.relative(filepath.Join(p.s.dir, scratchDir, e.Name())))
			}
		}
	}
	logs, err := p.s.objects(logsDir)
	for _, l := range logs {
		k, err := ParseKey(l.name)
		if err == nil && l.foreign == "" && !p.keys[k] && time.Unix(0, l.mtime).Before(p.oldest) {
			p.Logs = append(p.Logs, p.s.relative(l.path))
		}
	}
	return p.s.fault(err)
}

func (s *Store) relative(path string) string {
	if rel, err := filepath.Rel(s.dir, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// gcStep is how many blobs are removed under one closing of the gate: few enough
// that a run which begins waits for some milliseconds only.
const gcStep = 256

// Execute carries the plan out, and tells how many blobs and bytes it removed. It is
// safe while runs are going on in other processes: what they use after the plan
// was made stays.
func (p *GCPlan) Execute() (blobs int, bytes int64, err error) {
	s := p.s
	if s == nil {
		return 0, 0, errors.New("gc: a plan can be carried out once")
	}
	p.s = nil
	trash, err := s.session.begin(s)
	if full(err) { // what can be found out again makes room
		_ = os.RemoveAll(filepath.Join(s.dir, memoDir))
		trash, err = s.session.begin(s)
	}
	if err != nil {
		return 0, 0, s.fault(err)
	}
	for step := range slices.Chunk(p.Remove, gcStep) {
		n, size, err := s.collect(step, trash, p.before)
		blobs, bytes = blobs+n, bytes+size
		if err != nil {
			return blobs, bytes, s.fault(err)
		}
	}
	unlock, err := s.gate(true)
	if err != nil {
		return blobs, bytes, s.fault(err)
	}
	defer unlock()
	errs := []error{s.removeStrays(), s.compactCollected()}
	for _, path := range slices.Concat(p.Scratch, p.Logs) {
		errs = append(errs, remove(filepath.Join(s.dir, filepath.FromSlash(path))))
	}
	s.removeStaleClaims()
	return blobs, bytes, s.fault(errors.Join(errs...))
}

// collect removes some blobs. Each is set aside first and looked at again, for a run
// may have marked it as used a moment ago: then it goes back.
func (s *Store) collect(victims []Victim, trash string, before int64) (blobs int, bytes int64, err error) {
	unlock, err := s.gate(true)
	if err != nil {
		return 0, 0, err
	}
	defer unlock()
	live, err := s.sessions()
	if err != nil {
		return 0, 0, err
	}
	before = heedSessions(before, live)
	unused := func(path string) bool {
		fi, err := os.Lstat(path)
		return err == nil && fi.ModTime().UnixNano() < before
	}
	victims = slices.DeleteFunc(slices.Clone(victims), func(v Victim) bool { return !unused(s.BlobPath(v.Digest)) })
	noted := s.appendCollected(victims)
	if noted != nil && !full(noted) {
		return 0, 0, noted
	}
	var removed []Victim
	defer func() {
		// On a full disk there is room for the note only now. A crash in between
		// makes Verify call these blobs lost, and costs no more.
		if noted != nil {
			err = errors.Join(err, s.appendCollected(removed))
		}
	}()
	for _, v := range victims {
		path, aside := s.BlobPath(v.Digest), filepath.Join(trash, v.Digest.String())
		if err := os.Rename(path, aside); err != nil {
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			return blobs, bytes, err
		}
		if !unused(aside) {
			if err := os.Rename(aside, path); err != nil {
				return blobs, bytes, err
			}
			continue
		}
		if err := remove(aside); err != nil {
			return blobs, bytes, err
		}
		removed = append(removed, v)
		blobs, bytes = blobs+1, bytes+v.Size
	}
	return blobs, bytes, nil
}

// removeStrays clears away what dead processes left. The gate is closed.
func (s *Store) removeStrays() error {
	all, err := s.sessions()
	errs := []error{err}
	for _, q := range all {
		if !q.alive {
			errs = append(errs, os.RemoveAll(q.dir))
		}
	}
	return errors.Join(errs...)
}

// removeStaleClaims removes the files of claims that nobody has: a process that
// was killed leaves one.
func (s *Store) removeStaleClaims() {
	shards, _ := os.ReadDir(filepath.Join(s.dir, locksDir))
	for _, shard := range shards {
		if !shard.IsDir() {
			continue // the gate
		}
		claims, _ := os.ReadDir(filepath.Join(s.dir, locksDir, shard.Name()))
		for _, c := range claims {
			if k, err := ParseKey(c.Name()); err == nil {
				if c, ok, _ := s.TryClaim(k); ok {
					c.Release()
				}
			}
		}
	}
}

// The file "collected" lists the blobs that gc or Repair has removed, or that were
// never brought from a remote, a line
// "digest size" each, so that verify does not take them for lost.
func (s *Store) collectedPath() string { return filepath.Join(s.dir, collectedFile) }

func (s *Store) appendCollected(victims []Victim) error {
	if len(victims) == 0 {
		return nil
	}
	var b []byte
	for _, v := range victims {
		b = fmt.Appendf(b, "%s %d\n", v.Digest, v.Size)
	}
	f, err := os.OpenFile(s.collectedPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	before, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		if _, err = f.Write(b); err != nil {
			_ = f.Truncate(before) // a piece of a line would spoil the next one
		}
	}
	return errors.Join(err, f.Sync(), f.Close())
}

func (s *Store) readCollected() map[Digest]bool {
	b, _ := os.ReadFile(s.collectedPath())
	gone := map[Digest]bool{}
	for line := range strings.Lines(string(b)) {
		name, _, _ := strings.Cut(line, " ")
		if d, err := ParseDigest(name); err == nil {
			gone[d] = true
		}
	}
	return gone
}

// compactCollected forgets the blobs that were made again. The gate is closed.
func (s *Store) compactCollected() error {
	b, err := os.ReadFile(s.collectedPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept []byte
	seen := map[Digest]bool{}
	for line := range strings.Lines(string(b)) {
		name, _, _ := strings.Cut(line, " ")
		d, err := ParseDigest(name)
		if err != nil || seen[d] {
			continue
		}
		seen[d] = true
		if _, err := s.blobs.stat(name); errors.Is(err, os.ErrNotExist) {
			kept = append(kept, line...)
		}
	}
	if len(kept) == len(b) {
		return nil
	}
	t, err := s.temp()
	if err != nil {
		return err
	}
	return t.publishBytes(kept, s.collectedPath())
}
