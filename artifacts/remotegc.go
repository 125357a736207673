package artifacts

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// A Pruner is a remote that can be kept small: it tells what it holds, and removes it.
type Pruner interface {
	Remote
	// List calls each for all objects of blobs, actions, signed or uses, one at a time.
	List(ctx context.Context, part string, each func(RemoteObject)) error
	Remove(ctx context.Context, name string) error // nil also when it is not there
}

// A RemoteObject is one of a remote as it lies there.
type RemoteObject struct {
	Name    string
	Size    int64 // bytes
	Changed time.Time
}

// A use is a list of the actions that one process has fetched: "prgnn uses 1", then a key a line. Its age says when.
// So a remote knows what is used, whatever its file system or server records of reading. It lies in the remote, for
// all machines; memo/unshared (see sharing) lies in the store and lists what has not arrived in the remote yet.
const (
	usesDir   = "uses"
	usesMagic = "prgnn uses 1\n"
)

func (l *link) use(k Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used = append(l.used, k)
}

// tellUses leaves the list of what was fetched. Where it cannot, nothing is lost but the order in which a
// remote is emptied.
func (l *link) tellUses() {
	l.mu.Lock()
	used := l.used
	l.used = nil
	l.mu.Unlock()
	if _, ok := l.remote.(Pruner); !ok || len(used) == 0 || !l.takes() {
		return
	}
	f, err := os.CreateTemp("", "prgnn-uses-")
	if err != nil {
		return
	}
	defer os.Remove(f.Name())
	_, err = f.Write(keyLines(usesMagic, used))
	if errors.Join(err, f.Close()) == nil {
		_ = l.ask(context.Background(), func(ctx context.Context) error {
			return l.remote.Put(ctx, path.Join(usesDir, rand.Text()), f.Name())
		})
	}
}

// RemoteGCOptions says what a remote is to keep.
type RemoteGCOptions struct {
	Keep  int64         // bytes; 0: whatever there is
	Older time.Duration // results that nobody has shared or fetched for longer go; 0: none for their age
}

// A RemoteGCPlan is what is to be removed from a remote: records before the files that they promise.
type RemoteGCPlan struct {
	Results int   // that go
	Kept    int   // results that stay
	Left    int64 // bytes that stay
	Freed   int64 // bytes that go
	Over    int64 // bytes above Keep that nothing may be removed for: they were used within the last hour

	remote  Pruner
	records []string
	files   []string
}

// grace protects what may be on its way: the files of an action come before its record.
const grace = time.Hour

// Unfinished is in the name of a file that a remote is still writing.
const Unfinished = ".part-"

// A remoteAction is an action in a remote with all that belongs to it alone.
type remoteAction struct {
	key     Key
	used    time.Time
	records []string
	size    int64 // of the records
	outputs []Digest
	valid   bool
}

// PlanRemoteGC finds what a remote need not keep: results that nobody has shared or fetched for long, the
// least recently used first, and files that no record promises. now is the time.
func PlanRemoteGC(ctx context.Context, r Pruner, o RemoteGCOptions, now time.Time) (*RemoteGCPlan, error) {
	text, err := getAll(ctx, r, versionFile, 1<<10)
	if err != nil && !errors.Is(err, ErrMiss) {
		return nil, err
	}
	if string(text) != unpackedVersion {
		return nil, fmt.Errorf("not a remote that this program can empty: its version is %.40q, not %q", text, unpackedVersion)
	}
	p := &RemoteGCPlan{remote: r}
	actions := map[Key]*remoteAction{}
	for _, part := range []string{actionsDir, signedDir} {
		err := r.List(ctx, part, func(o RemoteObject) {
			name, _, _ := strings.Cut(path.Base(o.Name), ".")
			k, err := ParseKey(name)
			if err != nil || strings.Contains(o.Name, Unfinished) {
				p.stray(o, now)
				return
			}
			a := actions[k]
			if a == nil {
				a = &remoteAction{key: k}
				actions[k] = a
			}
			a.records, a.size = append(a.records, o.Name), a.size+o.Size
			if o.Changed.After(a.used) {
				a.used = o.Changed
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if err := p.readUses(ctx, actions, now); err != nil {
		return nil, err
	}
	if err := readOutputs(ctx, r, actions); err != nil {
		return nil, err
	}
	blobs := map[Digest]RemoteObject{}
	err = r.List(ctx, blobsDir, func(o RemoteObject) {
		if d, err := ParseDigest(path.Base(o.Name)); err == nil {
			blobs[d] = o
		} else {
			p.stray(o, now)
		}
	})
	p.choose(actions, blobs, o, now)
	return p, err
}

// stray takes what a killed process has left half-written.
func (p *RemoteGCPlan) stray(o RemoteObject, now time.Time) {
	if strings.Contains(o.Name, Unfinished) && now.Sub(o.Changed) > 24*time.Hour {
		p.files, p.Freed = append(p.files, o.Name), p.Freed+o.Size
	}
}

// readUses dates actions by the lists of what was fetched. A list goes when later ones, or records, say more
// of each of its actions.
func (p *RemoteGCPlan) readUses(ctx context.Context, actions map[Key]*remoteAction, now time.Time) error {
	var lists []RemoteObject
	if err := p.remote.List(ctx, usesDir, func(o RemoteObject) { lists = append(lists, o) }); err != nil {
		return err
	}
	slices.SortFunc(lists, func(a, b RemoteObject) int { // the newest first
		return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.Name, b.Name))
	})
	for _, o := range lists {
		text, err := getAll(ctx, p.remote, o.Name, 64<<20)
		if err != nil && !errors.Is(err, ErrMiss) && !errors.Is(err, ErrCorrupt) {
			return err
		}
		keys, _ := strings.CutPrefix(string(text), usesMagic)
		needed := false
		for line := range strings.Lines(keys) {
			k, err := ParseKey(strings.TrimSpace(line))
			if a := actions[k]; err == nil && a != nil && o.Changed.After(a.used) {
				a.used, needed = o.Changed, true
			}
		}
		if !needed && now.Sub(o.Changed) > grace {
			p.files, p.Freed = append(p.files, o.Name), p.Freed+o.Size
		}
	}
	return nil
}

// readOutputs finds the files that each action promises. A damaged record promises nothing.
func readOutputs(ctx context.Context, r Remote, actions map[Key]*remoteAction) error {
	some, ctx := errgroup.WithContext(ctx)
	some.SetLimit(fetchers) // a record may be long: the memory is bounded by a few
	for _, a := range actions {
		some.Go(func() error {
			name := objectName(actionsDir, a.key.String())
			text, err := getAll(ctx, r, name, longestRecord)
			if errors.Is(err, ErrMiss) || errors.Is(err, ErrCorrupt) {
				return nil
			}
			if err != nil {
				return err
			}
			read, err := parseAction(a.key, text)
			if a.valid = err == nil; a.valid {
				for _, ref := range read.Outputs {
					a.outputs = append(a.outputs, ref.Digest)
				}
				slices.SortFunc(a.outputs, func(a, b Digest) int { return slices.Compare(a[:], b[:]) })
				a.outputs = slices.Compact(a.outputs) // equal files are one
			}
			return nil
		})
	}
	return some.Wait()
}

// choose keeps actions, the most recently used first, while there is room and they are young enough.
func (p *RemoteGCPlan) choose(actions map[Key]*remoteAction, blobs map[Digest]RemoteObject, o RemoteGCOptions,
	now time.Time) {
	order := make([]*remoteAction, 0, len(actions))
	for _, a := range actions {
		order = append(order, a)
	}
	slices.SortFunc(order, func(a, b *remoteAction) int {
		return cmp.Or(b.used.Compare(a.used), slices.Compare(a.key[:], b.key[:]))
	})
	needed := map[Digest]bool{}
	full := false
	for _, a := range order {
		more := a.size
		for _, d := range a.outputs {
			if !needed[d] {
				more += blobs[d].Size
			}
		}
		age := now.Sub(a.used)
		full = full || o.Keep > 0 && p.Left+more > o.Keep
		if age > grace && (full || !a.valid || o.Older > 0 && age > o.Older) {
			p.Results++
			p.records, p.Freed = append(p.records, a.records...), p.Freed+a.size
			continue
		}
		p.Kept, p.Left = p.Kept+1, p.Left+more
		for _, d := range a.outputs {
			needed[d] = true
		}
	}
	for d, b := range blobs {
		switch {
		case needed[d]:
		case now.Sub(b.Changed) <= grace:
			p.Left += b.Size
		default:
			p.files, p.Freed = append(p.files, b.Name), p.Freed+b.Size
		}
	}
	if o.Keep > 0 {
		p.Over = max(0, p.Left-o.Keep)
	}
}

// Execute removes what the plan says. Stopped at any moment, it leaves no record that it has made false.
func (p *RemoteGCPlan) Execute(ctx context.Context) error {
	for _, names := range [][]string{p.records, p.files} {
		some, ctx := errgroup.WithContext(ctx)
		some.SetLimit(2 * fetchers)
		for _, name := range names {
			some.Go(func() error { return p.remote.Remove(ctx, name) })
		}
		if err := some.Wait(); err != nil {
			return err
		}
	}
	return nil
}
