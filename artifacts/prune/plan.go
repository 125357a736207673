// Package prune keeps a remote small: it finds the results that nobody has shared or fetched for long, and removes
// them, records before the files that they promise.
package prune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/artifacts/remote"
)

// Options says what a remote is to keep.
type Options struct {
	Keep  int64         // bytes; 0: whatever there is
	Older time.Duration // results that nobody has shared or fetched for longer go; 0: none for their age
}

// A Plan is what is to be removed from a remote: records before the files that they promise.
type Plan struct {
	Results int   // that go
	Kept    int   // results that stay
	Left    int64 // bytes that stay
	Freed   int64 // bytes that go
	Over    int64 // bytes above Keep that nothing may be removed for: they were used within the last hour

	remote  remote.Pruner
	cut     time.Time // what changed later stays
	records []string
	files   []string
}

// readers is how many records are read at once: each may be long.
const readers = 8

// An action is one in a remote with all that belongs to it alone.
type action struct {
	key     artifacts.Key
	used    time.Time
	records []string
	size    int64 // of the records
	outputs []artifacts.Digest
	valid   bool
}

// Make finds what a remote need not keep: results that nobody has shared or fetched for long, the
// least recently used first, and files that no record promises. now is a time before the call.
func Make(ctx context.Context, r remote.Pruner, o Options, now time.Time) (*Plan, error) {
	text, err := remote.ReadAll(ctx, r, "version", 1<<10)
	if errors.Is(err, artifacts.ErrMiss) {
		return nil, errors.New("not a remote that this program can empty: it has no file version, which the first run with this remote writes")
	}
	if err != nil {
		return nil, err
	}
	if string(text) != remote.Version {
		return nil, fmt.Errorf("not a remote that this program can empty: its version is %.40q, not %q", text, remote.Version)
	}
	p := &Plan{remote: r, cut: now.Add(-remote.Grace)}
	actions := map[artifacts.Key]*action{}
	for _, part := range []string{"actions", "signed"} {
		err := r.List(ctx, part, func(o remote.Object) {
			name, _, _ := strings.Cut(path.Base(o.Name), ".")
			k, err := artifacts.ParseKey(name)
			if err != nil || strings.Contains(o.Name, remote.Unfinished) {
				p.stray(o, now)
				return
			}
			a := actions[k]
			if a == nil {
				a = &action{key: k}
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
	blobs := map[artifacts.Digest]remote.Object{}
	err = r.List(ctx, "blobs", func(o remote.Object) {
		if d, err := artifacts.ParseDigest(path.Base(o.Name)); err == nil {
			blobs[d] = o
		} else {
			p.stray(o, now)
		}
	})
	p.choose(actions, blobs, o, now)
	return p, err
}

// stray takes what a killed process has left half-written.
func (p *Plan) stray(o remote.Object, now time.Time) {
	if strings.Contains(o.Name, remote.Unfinished) && now.Sub(o.Changed) > 24*time.Hour {
		p.files, p.Freed = append(p.files, o.Name), p.Freed+o.Size
	}
}

// readUses dates actions by the lists of what was fetched. A list goes when later ones, or records, say more
// of each of its actions.
func (p *Plan) readUses(ctx context.Context, actions map[artifacts.Key]*action, now time.Time) error {
	var lists []remote.Object
	err := p.remote.List(ctx, remote.UsesDir, func(o remote.Object) { lists = append(lists, o) })
	if err != nil {
		return err
	}
	slices.SortFunc(lists, func(a, b remote.Object) int { // the newest first
		return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.Name, b.Name))
	})
	for _, o := range lists {
		text, err := remote.ReadAll(ctx, p.remote, o.Name, 64<<20)
		if err != nil && !errors.Is(err, artifacts.ErrMiss) && !errors.Is(err, artifacts.ErrCorrupt) {
			return err
		}
		keys, _ := strings.CutPrefix(string(text), remote.UsesMagic)
		needed := false
		for line := range strings.Lines(keys) {
			k, err := artifacts.ParseKey(strings.TrimSpace(line))
			if a := actions[k]; err == nil && a != nil && o.Changed.After(a.used) {
				a.used, needed = o.Changed, true
			}
		}
		if !needed && now.Sub(o.Changed) > remote.Grace {
			p.files, p.Freed = append(p.files, o.Name), p.Freed+o.Size
		}
	}
	return nil
}

// readOutputs finds the files that each action promises. A damaged record promises nothing.
func readOutputs(ctx context.Context, r remote.Remote, actions map[artifacts.Key]*action) error {
	some, ctx := errgroup.WithContext(ctx)
	some.SetLimit(readers)
	for _, a := range actions {
		some.Go(func() error {
			name := remote.Name("actions", a.key.String())
			text, err := remote.ReadAll(ctx, r, name, remote.LongestRecord)
			if errors.Is(err, artifacts.ErrMiss) || errors.Is(err, artifacts.ErrCorrupt) {
				return nil
			}
			if err != nil {
				return err
			}
			read, err := record.ParseAction(a.key, text)
			if a.valid = err == nil; a.valid {
				for _, ref := range read.Outputs {
					a.outputs = append(a.outputs, ref.Digest)
				}
				slices.SortFunc(a.outputs, func(a, b artifacts.Digest) int { return slices.Compare(a[:], b[:]) })
				a.outputs = slices.Compact(a.outputs) // equal files are one
			}
			return nil
		})
	}
	return some.Wait()
}

// choose keeps actions, the most recently used first, while there is room and they are young enough.
func (p *Plan) choose(actions map[artifacts.Key]*action, blobs map[artifacts.Digest]remote.Object, o Options,
	now time.Time) {
	order := make([]*action, 0, len(actions))
	for _, a := range actions {
		order = append(order, a)
	}
	slices.SortFunc(order, func(a, b *action) int {
		return cmp.Or(b.used.Compare(a.used), slices.Compare(a.key[:], b.key[:]))
	})
	needed := map[artifacts.Digest]bool{}
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
		if age > remote.Grace && (full || !a.valid || o.Older > 0 && age > o.Older) {
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
		case now.Sub(b.Changed) <= remote.Grace:
			p.Left += b.Size
		default:
			p.files, p.Freed = append(p.files, b.Name), p.Freed+b.Size
		}
	}
	if o.Keep > 0 {
		p.Over = max(0, p.Left-o.Keep)
	}
}

// Execute removes what the plan says, but for what was put or touched meanwhile. Stopped at any moment, it
// leaves no record that it has made false.
func (p *Plan) Execute(ctx context.Context) error {
	for _, names := range [][]string{p.records, p.files} {
		some, ctx := errgroup.WithContext(ctx)
		some.SetLimit(2 * readers)
		for _, name := range names {
			some.Go(func() error { return p.remote.Remove(ctx, name, p.cut) })
		}
		if err := some.Wait(); err != nil {
			return err
		}
	}
	return nil
}
