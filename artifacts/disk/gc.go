package disk

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/session"
)

// GCOptions say what gc keeps.
type GCOptions struct {
	// the newest complete runs whose outputs stay, with those of all runs that are newer than the last of them; 0: all
	// that are recorded
	KeepRuns int
	Complete func(*artifacts.RunRecord) bool // whether a run counts among KeepRuns; nil: every run that has ended
	// what the blobs may take, in bytes: no more is removed than that asks for; 0: all that nothing needs is removed
	MaxSize int64
}

// A GCPlan is what gc would do. It can be shown, and carried out once.
//
// Only blobs are removed. Actions and run records are small, and stay: they tell what a blob was made from and what it
// was, so that why, diff and audit still answer, and a blob that is made again can be compared with the one that was.
type GCPlan struct {
	Blobs int   // that there are
	Bytes int64 // that they take

	Kept  []string // ids of the runs whose outputs stay
	Whole int      // those of them that are complete
	Lose  []Loss   // the runs that lose results, the newest first
	// those of them that began in the future, by a clock that was wrong: which runs are newer is unknown, so they do
	// not count among the newest
	Ahead []string
	// blobs that stay only because they were made or used by a run that is going on, or that has not ended
	InUse  int
	Remove []Victim // the longest unused first
	Freed  int64    // bytes that these take
	Over   int64    // by how much more than MaxSize what stays takes

	Strays  []string // what dead processes left in tmp, relative to the store
	Left    int64    // bytes of these
	Scratch []string // checkpoints of work that is done
	Logs    []string // of work that no kept run has, from before the first of them

	s      *Store
	keys   map[artifacts.Key]bool // of the tasks of kept runs
	oldest time.Time              // when the first of these began
	before int64                  // blobs last used at this time (ns) or later stay
}

// A Loss is a run that lacks results after gc.
type Loss struct {
	Run   *artifacts.RunRecord // without its tasks
	Blobs int                  // that it loses
	Of    int                  // those that it has now
	Bytes int64                // that it loses
}

// A Victim is a blob that gc would remove.
type Victim struct {
	Digest  artifacts.Digest
	Size    int64
	LastUse time.Time // to some minutes; of one in a pack, that of the pack
	file    bool      // it is a file of its own
	packs   []string  // that have it
}

// PlanGC finds what can be removed: blobs that no kept run has among its outputs, and that were not used since the
// first kept run began that has not ended (its results are not recorded yet, and whoever resumes it wants them).
func (x *Health) PlanGC(o GCOptions) (*GCPlan, error) {
	s := x.store
	if o.KeepRuns < 0 || o.MaxSize < 0 {
		return nil, fmt.Errorf("gc: keep-runs and max-size cannot be negative")
	}
	if err := s.Health.Readable(); err != nil { // what cannot be read is not known to be needed by no run
		return nil, err
	}
	p := &GCPlan{s: s, keys: map[artifacts.Key]bool{}}
	if o.Complete == nil {
		o.Complete = func(r *artifacts.RunRecord) bool { return !r.Finished.IsZero() }
	}
	roots, dropped, err := p.roots(o)
	if err != nil {
		return nil, err
	}
	all, err := s.objects(blobsDir)
	if err != nil {
		return nil, s.fault(err)
	}
	found := map[artifacts.Digest]*Victim{}
	var order []*Victim
	for _, b := range all {
		d, err := artifacts.ParseDigest(b.name)
		if b.foreign != "" || err != nil {
			continue
		}
		v := found[d]
		if v == nil {
			v = &Victim{Digest: d, Size: b.size}
			found[d], order = v, append(order, v)
		}
		if used := time.Unix(0, b.mtime); used.After(v.LastUse) {
			v.LastUse = used
		}
		if b.item == nil {
			v.file = true
		} else {
			v.packs = append(v.packs, b.item.Pack())
		}
	}
	for _, v := range order {
		p.Blobs++
		p.Bytes += v.Size
		switch {
		case roots[v.Digest]:
		case v.LastUse.UnixNano() >= p.before:
			p.InUse++
		default:
			p.Remove = append(p.Remove, *v)
		}
	}
	p.choose(o.MaxSize)
	p.losses(dropped, found)
	return p, p.leftovers()
}

// farAhead is by how much the clocks of machines that share a store may differ.
const farAhead = time.Hour

// roots are the blobs that kept runs need. dropped are the other runs.
func (p *GCPlan) roots(o GCOptions) (roots map[artifacts.Digest]bool, dropped []*artifacts.RunRecord, err error) {
	runs, err := p.s.Runs()
	if err != nil {
		return nil, nil, fmt.Errorf("gc: an unreadable run may need any result; remove its record first (pipeline verify --repair): %w", err)
	}
	roots = map[artifacts.Digest]bool{}
	now := time.Now().Add(farAhead)
	for _, r := range runs {
		_, ref, err := p.s.readRun(r.ID)
		if err != nil {
			return nil, nil, err
		}
		roots[ref.Digest] = true // every run's list of tasks: it is small, and tells what was
		for _, k := range r.Keeps {
			roots[k.Digest] = true
		}
		ahead := r.Started.After(now)
		switch {
		case ahead: // they come first
			p.Ahead = append(p.Ahead, r.ID)
		case o.KeepRuns > 0 && p.Whole == o.KeepRuns:
			dropped = append(dropped, r)
			continue
		case o.Complete(r):
			p.Whole++
		}
		tasks, err := p.s.readTasks(ref)
		if err != nil {
			return nil, nil, fmt.Errorf("gc: run %s cannot be read and may need any result: %w", r.ID, err)
		}
		first := len(p.Kept) == len(p.Ahead)               // of those that are not ahead
		p.Kept, p.oldest = append(p.Kept, r.ID), r.Started // the newest come first
		for _, t := range tasks {
			p.keys[t.Key] = true
			for _, out := range t.Outputs {
				roots[out.Digest] = true
			}
		}
		// What was used later than an unfinished run began, or the newest ended, is nobody's yet.
		switch {
		case ahead:
		case r.Finished.IsZero():
			p.before = r.Started.Add(-session.Slack).UnixNano()
		case first:
			p.before = r.Finished.UnixNano()
		}
	}
	live, err := p.s.session.Others()
	if err != nil {
		return nil, nil, p.s.fault(err)
	}
	p.before = heedSessions(p.before, live)
	return roots, dropped, nil
}

// losses finds what runs lose. One whose list of tasks cannot be read is left out.
func (p *GCPlan) losses(dropped []*artifacts.RunRecord, stored map[artifacts.Digest]*Victim) {
	removed := map[artifacts.Digest]bool{}
	for _, v := range p.Remove {
		removed[v.Digest] = true
	}
	for _, r := range dropped {
		full, err := p.s.LoadRun(r.ID)
		if err != nil {
			continue
		}
		l, seen := Loss{Run: r}, map[artifacts.Digest]bool{}
		for _, t := range full.Tasks {
			for _, out := range t.Outputs {
				if stored[out.Digest] == nil || seen[out.Digest] {
					continue
				}
				seen[out.Digest] = true
				if l.Of++; removed[out.Digest] {
					l.Blobs, l.Bytes = l.Blobs+1, l.Bytes+out.Size
				}
			}
		}
		if l.Blobs > 0 {
			p.Lose = append(p.Lose, l)
		}
	}
}

// heedSessions lowers the time before which a blob must have been used last to be
// removed, to what the sessions at work allow.
func heedSessions(before int64, live []session.Presence) int64 {
	for _, l := range live {
		if l.Alive {
			before = min(before, l.Since-int64(session.Slack))
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

// leftovers finds what dead processes left, checkpoints of work that is done, and logs of old work.
func (p *GCPlan) leftovers() error {
	all, err := p.s.session.Others()
	if err != nil {
		return p.s.fault(err)
	}
	for _, q := range all {
		if !q.Alive {
			p.Strays, p.Left = append(p.Strays, p.s.relative(q.Dir)), p.Left+q.Bytes()
		}
	}
	entries, err := os.ReadDir(filepath.Join(p.s.dir, scratchDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return p.s.fault(err)
	}
	for _, e := range entries {
		if k, err := artifacts.ParseKey(e.Name()); err == nil {
			if _, err := p.s.Work.LookupHere(k); err == nil {
				p.Scratch = append(p.Scratch, p.s.relative(filepath.Join(p.s.dir, scratchDir, e.Name())))
			}
		}
	}
	logs, err := p.s.objects(logsDir)
	for _, l := range logs {
		k, err := artifacts.ParseKey(l.name)
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
