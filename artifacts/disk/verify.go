package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/artifacts/pack"
	"prgnn/artifacts/remote"
	"prgnn/artifacts/whole"
	"prgnn/internal/lists"
	"prgnn/internal/regular"
	"prgnn/internal/words"
)

// A Problem is a kind of thing that Verify finds.
type Problem string

// What Verify finds. Two of these are no damage. A Stray is what a process left that died, and gc clears it away. Of
// what is Unreadable nothing is known: Repair leaves it alone.
const (
	DamagedBlob   Problem = "damaged blob"   // its bytes are not those that its name says
	MissingBlob   Problem = "missing blob"   // an action names it, and neither gc nor Repair removed it
	DamagedAction Problem = "damaged action" // not whole, or not understood
	WrongKey      Problem = "wrong key"      // an action whose key is not the digest of its recipe
	DamagedRun    Problem = "damaged run"    // a run record, or its list of tasks
	LostRecord    Problem = "lost records"   // of tasks that runs list, and that nothing has removed
	CutPack       Problem = "truncated pack" // it was complete once
	Foreign       Problem = "foreign file"   // nothing that the store put there
	Unreadable    Problem = "unreadable"     // its permissions forbid to read it: it may be whole
	Stray         Problem = "stray file"     // left by a process that died, or damaged and named by no record
)

// A Finding is one thing that is wrong with a store.
type Finding struct {
	Problem Problem
	Path    string           // relative to the store
	Digest  artifacts.Digest // of a blob
	Keys    []artifacts.Key  // of a blob: the actions that made it; of an action: its own
	Tasks   []string         // what those are called in the runs that are recorded: they run again when they are needed
	Detail  string           // what is wrong with it, for a person
	Left    int64            // bytes that a dead process left there

	object object // that is wrong, of a blob or an action
	spare  bool   // another copy of it is whole
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s: %s; %s", f.Path, f.Problem, f.Detail, f.Remedy())
}

// Remedy states what happens to the damage, and who acts.
func (f Finding) Remedy() string {
	task := "task " + words.Some(f.Tasks, 5)
	if len(f.Tasks) > 1 {
		task = "tasks " + words.Some(f.Tasks, 5)
	}
	switch {
	case f.Problem == Foreign:
		return "the store did not put it there: move it or delete it"
	case f.Problem == Stray && strings.Contains(f.Path, remote.Unfinished):
		return "delete it"
	case f.Problem == Stray:
		return "pipeline gc removes it"
	case f.Problem == Unreadable:
		return "it may be intact: make it readable (chmod u+rX), and verify again"
	case f.Problem == DamagedRun:
		return "pipeline verify --repair removes the record, and gc may then remove results that no other run has"
	case f.Problem == CutPack && len(f.Keys) == 0:
		return "pipeline verify --repair writes what is left to a new pack"
	case len(f.Tasks) == 0:
		return "pipeline verify --repair removes the record"
	case f.spare:
		return "another copy is whole, and the next run of " + task + " removes or replaces this one"
	case f.Problem == MissingBlob:
		return "when a run needs it, " + task + " makes it again"
	case f.Problem == LostRecord || f.Problem == CutPack:
		return "the next run of " + task + " makes them again"
	}
	return "the next run of " + task + " makes it again"
}

// A Report is the result of Verify.
type Report struct {
	Blobs     int
	Bytes     int64 // of the blobs
	Actions   int
	Runs      int
	Collected int // blobs that actions name and that gc has removed
	Findings  []Finding
}

// Damaged counts the findings that are damage, of lost records each.
func (r *Report) Damaged() int {
	n := 0
	for _, f := range r.Findings {
		switch f.Problem {
		case Stray, Unreadable:
		case LostRecord, CutPack:
			n += max(1, len(f.Keys))
		default:
			n++
		}
	}
	return n
}

// Unreadable counts what could not be looked at.
func (r *Report) Unreadable() int {
	n := lists.Count(r.Findings, func(f Finding) bool { return f.Problem == Unreadable })
	return n
}

// cause is Unreadable where permissions forbid to read, and else the damage p. What is missing may lie in a pack
// that cannot be read.
func (v *verifier) cause(p Problem, err error) Problem {
	if errors.Is(err, fs.ErrPermission) || v.blind && errors.Is(err, artifacts.ErrMiss) {
		return Unreadable
	}
	return p
}

// Verify reads everything in the store and checks it: every blob against its name, every action against its seal and
// its key, every blob that an action or a run promises, every run. It changes nothing, and may be called while runs
// are going on. Progress gets the bytes read so far, and how many there are.
func (x *Health) Verify(ctx context.Context, progress func(done, total int64)) (*Report, error) {
	s := x.store
	v := &verifier{
		s: s, progress: progress, tasks: map[artifacts.Key][]string{},
		makers: map[artifacts.Digest][]artifacts.Key{}, refs: map[artifacts.Digest]artifacts.Ref{},
		lists: map[artifacts.Digest]bool{}, kept: map[artifacts.Digest]keepsake{},
		healthy: map[artifacts.Digest]int64{},
		sound:   map[artifacts.Key]bool{},
	}
	// In this order: what an action promises was there before the action.
	_, v.forgotten = s.readCollected()
	steps := []func(context.Context) error{v.packs, v.runs, v.actions, v.lost, v.blobs, v.promises, v.strays}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, s.fault(err)
		}
	}
	for i := range v.report.Findings {
		v.name(&v.report.Findings[i])
	}
	slices.SortFunc(v.report.Findings, func(a, b Finding) int { return strings.Compare(a.Path, b.Path) })
	return &v.report, nil
}

type verifier struct {
	s        *Store
	blind    bool // a pack or a directory cannot be read
	progress func(done, total int64)
	report   Report

	collected map[artifacts.Digest]bool   // blobs that were removed
	forgotten map[artifacts.Key]time.Time // when the record of work was removed that no run has listed since
	open      []string                    // paths of packs that have no index, and no process that writes to them

	tasks   map[artifacts.Key][]string           // what the work is called
	makers  map[artifacts.Digest][]artifacts.Key // the actions that made a blob
	refs    map[artifacts.Digest]artifacts.Ref   // of all that is promised
	lists   map[artifacts.Digest]bool            // the lists of tasks of the runs
	kept    map[artifacts.Digest]keepsake        // other blobs that runs keep
	mu      sync.Mutex                           // guards healthy and report.Findings while blobs are read
	healthy map[artifacts.Digest]int64           // blobs that are right, with their sizes
	sound   map[artifacts.Key]bool               // actions that are right
}

// A keepsake is a blob that a run keeps, and the run.
type keepsake struct {
	artifacts.Ref
	run string
}

func (k keepsake) String() string { return fmt.Sprintf("the %s of run %s", k.Format, k.run) }

// closed notes the directories that permissions forbid to read, and returns other errors.
func (v *verifier) closed(err error) error {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	var others []error
	for _, one := range all {
		if call := (*fs.PathError)(nil); errors.As(one, &call) && errors.Is(call, fs.ErrPermission) {
			v.blind = true
			v.find(Unreadable, call.Path, Finding{Detail: call.Err.Error()})
		} else {
			others = append(others, one)
		}
	}
	return errors.Join(others...)
}

func (v *verifier) find(p Problem, path string, f Finding) {
	f.Problem = p
	if rel, err := filepath.Rel(v.s.dir, path); err == nil {
		path = filepath.ToSlash(rel)
	}
	f.Path = path
	v.report.Findings = append(v.report.Findings, f)
}

// name adds the tasks whose work a finding concerns. A blob that no record names, such
// as the list of tasks of a run as it was before its end, concerns nobody.
func (v *verifier) name(f *Finding) {
	if f.Problem == DamagedBlob || f.Problem == MissingBlob || f.Problem == Unreadable && f.Keys == nil {
		f.Keys = v.makers[f.Digest]
	}
	if f.Problem == DamagedBlob && len(f.Keys) == 0 {
		switch k, kept := v.kept[f.Digest]; {
		case kept:
			f.Detail = fmt.Sprintf("%s: %s", k, f.Detail)
		case !v.lists[f.Digest]:
			f.Problem, f.Detail = Stray, f.Detail+", and no record names it"
		}
	}
	for _, k := range f.Keys {
		f.Tasks = append(f.Tasks, v.tasks[k]...)
	}
	slices.Sort(f.Tasks)
	f.Tasks = slices.Compact(f.Tasks)
	switch f.Problem {
	case DamagedBlob:
		_, f.spare = v.healthy[f.Digest]
	case DamagedAction:
		f.spare = v.sound[f.Keys[0]]
	}
}

func (v *verifier) runs(ctx context.Context) error {
	entries, err := os.ReadDir(filepath.Join(v.s.dir, runsDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return v.closed(err)
	}
	for _, e := range entries {
		path := filepath.Join(v.s.dir, runsDir, e.Name())
		if record.CheckRunID(e.Name()) != nil {
			v.find(Foreign, path, Finding{Detail: "not named by the id of a run"})
			continue
		}
		v.report.Runs++
		r, ref, err := v.s.readRun(e.Name())
		if err != nil {
			v.find(v.cause(DamagedRun, err), path, Finding{Detail: err.Error()})
			continue
		}
		v.lists[ref.Digest] = true
		for _, k := range r.Keeps {
			v.kept[k.Digest] = keepsake{k, r.ID}
		}
		tasks, err := v.s.readTasks(ref)
		if err != nil {
			v.find(v.cause(DamagedRun, err), path, Finding{Detail: err.Error()})
		}
		for _, t := range tasks {
			if at, ok := v.forgotten[t.Key]; ok && r.Finished.After(at) {
				delete(v.forgotten, t.Key)
			}
			v.tasks[t.Key] = lists.Add(v.tasks[t.Key], t.ID)
		}
	}
	return nil
}

func (v *verifier) actions(ctx context.Context) error {
	all, err := v.s.objects(actionsDir)
	if err = v.closed(err); err != nil {
		return err
	}
	for _, o := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if o.foreign != "" && !o.irregular {
			v.find(o.problem, o.path, Finding{Detail: o.foreign})
			continue
		}
		if !o.copy {
			v.report.Actions++
		}
		k, _ := artifacts.ParseKey(o.name)
		if o.irregular {
			v.find(DamagedAction, o.path, Finding{Keys: []artifacts.Key{k}, Detail: o.foreign, object: o})
			continue
		}
		text, err := v.s.readObject(o)
		if err != nil && !errors.Is(err, pack.ErrDamaged) {
			f := Finding{Keys: []artifacts.Key{k}, Detail: regular.Cause(err).Error(), object: o}
			v.find(v.cause(DamagedAction, err), o.path, f)
			continue
		}
		a, parseErr := record.ParseAction(k, text)
		err = cmp.Or(parseErr, err)
		switch {
		case errors.Is(err, record.ErrOtherKey):
			v.find(WrongKey, o.path, Finding{Keys: []artifacts.Key{k},
				Detail: fmt.Sprintf("its recipe has the key %s", artifacts.KeyOf(a.Recipe)), object: o})
		case err != nil:
			v.find(DamagedAction, o.path, Finding{Keys: []artifacts.Key{k}, Detail: err.Error(), object: o})
		default:
			v.sound[k] = true
			for _, r := range a.Outputs {
				v.refs[r.Digest] = r.Ref
				v.makers[r.Digest] = append(v.makers[r.Digest], k)
			}
		}
	}
	return nil
}

// blobs reads all of them, as many at once as there are processors.
func (v *verifier) blobs(ctx context.Context) error {
	all, err := v.s.objects(blobsDir)
	if err = v.closed(err); err != nil {
		return err
	}
	var total int64
	for _, o := range all {
		total += o.size
	}
	var read atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, o := range all {
		want, _ := artifacts.ParseDigest(o.name)
		if o.foreign != "" {
			f, p := Finding{Detail: o.foreign, object: o}, o.problem
			_, promised := v.refs[want]
			if _, kept := v.kept[want]; (promised || kept) && o.irregular {
				f.Digest, p = want, DamagedBlob
			}
			v.mu.Lock()
			v.find(p, o.path, f)
			v.mu.Unlock()
			continue
		}
		if !o.copy {
			v.report.Blobs++
			v.report.Bytes += o.size
		}
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			got, err := v.s.hashObject(ctx, o)
			if err := ctx.Err(); err != nil { // it was not read to its end
				return err
			}
			v.mu.Lock()
			defer v.mu.Unlock()
			switch {
			case errors.Is(err, os.ErrNotExist): // removed while we looked
			case err != nil && (got.Digest == want || !errors.Is(err, pack.ErrDamaged)):
				f := Finding{Digest: want, Detail: regular.Cause(err).Error(), object: o}
				v.find(v.cause(DamagedBlob, err), o.path, f)
			case got.Digest != want:
				v.find(DamagedBlob, o.path, Finding{Digest: want, object: o,
					Detail: fmt.Sprintf("its %d bytes have the digest %s", got.Size, got.Digest)})
			default:
				v.healthy[want] = got.Size
			}
			if v.progress != nil {
				v.progress(read.Add(o.size), total)
			}
			return nil
		})
	}
	return group.Wait()
}

// promises looks for the blobs that actions name.
func (v *verifier) promises(ctx context.Context) error {
	v.collected, _ = v.s.readCollected() // again: gc notes what it removes before that, and may be at work
	damaged := map[artifacts.Digest]bool{}
	for _, f := range v.report.Findings {
		if f.Problem == DamagedBlob || f.Problem == Unreadable {
			damaged[f.Digest] = true
		}
	}
	for d, r := range v.refs {
		size, ok := v.healthy[d]
		path := v.s.Health.BlobPath(d)
		switch {
		case damaged[d]:
		case !ok && v.s.Has(r): // it came while we looked
		case !ok && v.collected[d]:
			v.report.Collected++
		case !ok:
			v.find(v.cause(MissingBlob, artifacts.ErrMiss), path, Finding{Digest: d,
				Detail: fmt.Sprintf("%d bytes of %s are recorded", r.Size, r.Format)})
		case size != r.Size:
			o := v.s.recordObject(v.makers[d][0])
			v.find(DamagedAction, o.path, Finding{Keys: v.makers[d], object: o,
				Detail: fmt.Sprintf("it records %[2]d bytes of blob %[1]s, which has %[3]d", d, r.Size, size)})
		}
	}
	for d, k := range v.kept {
		if _, ok := v.healthy[d]; !ok && !damaged[d] && !v.collected[d] && !v.s.Has(k.Ref) {
			v.find(v.cause(MissingBlob, artifacts.ErrMiss), v.s.Health.BlobPath(d), Finding{Digest: d,
				Detail: k.String()})
		}
	}
	return nil
}

func (v *verifier) strays(ctx context.Context) error {
	var taken *regular.Error
	if errors.As(v.s.session.GateTaken(), &taken) {
		v.find(Foreign, taken.Path, Finding{Detail: taken.What + ", where the store has a lock"})
	}
	all, err := v.s.session.Others()
	if err = v.closed(err); err != nil {
		return err
	}
	for _, p := range all {
		if !p.Alive {
			left := p.Bytes()
			v.find(Stray, p.Dir, Finding{Left: left,
				Detail: fmt.Sprintf("the process that wrote it has ended, and left %d bytes", left)})
		}
	}
	return nil
}

// Repair removes what a verification found damaged, so that the next run makes it anew: blobs and actions that are
// wrong, and records of runs that cannot be read. What is left of a pack that was cut off is written to another. Blobs
// and records that it removes, and those that are missing, are written down as gone, as blobs that gc removes are:
// after it, Verify finds nothing but foreign files, which are left for a person to look at. Each thing is looked at
// once more before it goes: a run may have healed it by now.
func (x *Health) Repair(r *Report) error {
	s := x.store
	cut, err := s.removeDamaged(r)
	return s.fault(errors.Join(err, s.rewrite(cut)))
}

// Left lists what Repair leaves to a person, in the store: foreign files, and directories with something in them that
// it moved out of the place of a file.
func (x *Health) Left(r *Report) []string {
	s := x.store
	var left []string
	for _, f := range r.Findings {
		if f.Problem == Foreign {
			left = append(left, f.Path)
			continue
		}
		moved, _ := fs.Glob(os.DirFS(s.dir), f.Path+whole.Displaced+"*")
		left = append(left, moved...)
	}
	slices.Sort(left)
	return slices.Compact(left)
}

// removeDamaged is Repair of all but the packs that were cut off, which it lists.
func (s *Store) removeDamaged(r *Report) (packs []string, err error) {
	unlock, err := s.session.Gate(false)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var errs []error
	var gone []Victim
	var forgotten []artifacts.Key
	for _, f := range r.Findings {
		path := filepath.Join(s.dir, filepath.FromSlash(f.Path))
		switch f.Problem {
		case DamagedBlob:
			if got, err := s.hashObject(context.Background(), f.object); err != nil || got.Digest != f.Digest {
				errs = append(errs, s.removeObject(f.object))
				gone = append(gone, Victim{Digest: f.Digest})
			}
		case MissingBlob:
			gone = append(gone, Victim{Digest: f.Digest})
		case DamagedAction, WrongKey:
			text, _ := s.readObject(f.object)
			if a, err := record.ParseAction(f.Keys[0], text); err == nil && s.Has(a.Outputs.List()...) {
				continue
			}
			errs = append(errs, s.removeObject(f.object))
			forgotten = append(forgotten, f.Keys[0])
		case DamagedRun:
			errs = append(errs, whole.Displace(path))
		case LostRecord:
			forgotten = append(forgotten, f.Keys...)
		case CutPack:
			packs, forgotten = append(packs, filepath.Base(path)), append(forgotten, f.Keys...)
		}
	}
	errs = append(errs, s.appendCollected(gone), s.appendForgotten(forgotten))
	return packs, errors.Join(errs...)
}
