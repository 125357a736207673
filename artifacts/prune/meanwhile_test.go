package prune

import (
	"context"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/remote"
	"prgnn/internal/need"
)

// An interrupted shelf lets something happen at some moments of sharing.
type interrupted struct {
	dated
	at func(moment string)
}

func (d interrupted) Touch(ctx context.Context, name string) error {
	defer d.around("touch", name)()
	return d.dated.Touch(ctx, name)
}

func (d interrupted) Put(ctx context.Context, name, file string) error {
	defer d.around("put", name)()
	return d.dated.Put(ctx, name, file)
}

func (d interrupted) around(what, name string) (after func()) {
	part, _, _ := strings.Cut(name, "/")
	d.at("before " + what + " " + part)
	return func() { d.at("after " + what + " " + part) }
}

// TestSharedMeanwhile: gc looks, and removes, at any two moments of another machine's sharing of work that gives a file
// which the remote has had for long, and which nobody has used: the result is there in the end.
func TestSharedMeanwhile(t *testing.T) {
	for _, again := range []bool{false, true} { // the work was shared before, too
		shelf := newShelf()
		one := attached(t, shelf)
		one.Remote.SetTrust(remote.Trust{Signer: stamp{}})
		old := "old work"
		if again {
			old = "new work"
		}
		made(t, one, old)
		for i, look := range moments {
			for _, remove := range moments[i:] {
				d := dated{&sync.Mutex{}, maps.Clone(shelf.objects), map[string]time.Time{}}
				for name := range d.objects {
					d.changed[name] = time.Now().Add(-48 * time.Hour)
				}
				var plan *Plan
				gc := func(moment string) {
					if moment == look {
						plan = need.Value(Make(t.Context(), d, Options{Older: 24 * time.Hour}, time.Now()))(t)
					}
					if moment == remove && plan != nil {
						need.NoError(t, plan.Execute(t.Context()))
					}
				}
				k := shared(t, interrupted{d, gc})
				gc("at the end")
				three := attached(t, d)
				a, err := three.Lookup(k)
				if err != nil || !three.Remote.Fetch(t.Context(), a.Outputs.Of("a"))[0] || d.count("signed") == 0 {
					t.Errorf("again %v: gc looked %s, and removed %s: %v", again, look, remove, err)
				}
			}
		}
	}
}

var moments = []string{"before touch blobs", "after touch blobs", "before put blobs", "after put blobs",
	"before put actions", "after put actions", "before put signed", "after put signed", "at the end"}

// TestRemovedAfterTouch: where a remote removes what it found to be old a moment ago, the file is sent again.
func TestRemovedAfterTouch(t *testing.T) {
	d := newShelf()
	made(t, attached(t, d), "old work")
	removed := false
	k := shared(t, interrupted{d, func(moment string) {
		if moment == "after touch blobs" && !removed {
			removed = true
			need.NoError(t, d.List(t.Context(), "blobs", func(o remote.Object) { delete(d.objects, o.Name) }))
		}
	}})
	three := attached(t, d)
	if a, err := three.Lookup(k); err != nil || !removed || !three.Remote.Fetch(t.Context(), a.Outputs.Of("a"))[0] {
		t.Error(err, removed)
	}
}

// A file that cannot be touched, for it is another user's, is sent again.
func TestTouchRefused(t *testing.T) {
	d := newShelf()
	made(t, attached(t, d), "old work")
	for name := range d.objects {
		d.changed[name] = time.Time{}
	}
	shared(t, refusing{d})
	need.NoError(t, d.List(t.Context(), "blobs", func(o remote.Object) {
		if o.Changed.IsZero() {
			t.Errorf("%s is as old as before", o.Name)
		}
	}))
}

type refusing struct{ dated }

func (refusing) Touch(context.Context, string) error { return artifacts.ErrMiss }

// shared is new work that a store of its own does and shares.
func shared(t *testing.T, r remote.Remote) artifacts.Key {
	t.Helper()
	s := need.Value(disk.Open(filepath.Join(t.TempDir(), "store")))(t)
	defer s.Close()
	s.Remote.SetTrust(remote.Trust{Signer: stamp{}})
	need.NoError(t, s.Remote.Attach(t.Context(), r))
	return made(t, s, "new work")
}

// made is recorded, with an output that does not tell the recipe.
func made(t *testing.T, s *disk.Store, recipe string) artifacts.Key {
	t.Helper()
	var outputs artifacts.Refs
	outputs.Set("a", need.Value(s.Put(artifacts.Text("the same")))(t))
	k := need.Value(s.Record(artifacts.Action{Recipe: recipe, Outputs: outputs}))(t)
	s.Remote.Share(t.Context(), func(int) {})
	return k
}

// A stamp is a signature for tests.
type stamp struct{}

func (stamp) ID() string                    { return "lab" }
func (stamp) Sign(b []byte) ([]byte, error) { return append([]byte("lab:"), b...), nil }
