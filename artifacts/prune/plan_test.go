package prune

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/remote"
	"prgnn/internal/need"
)

// A dated shelf is a remote in memory that tells what it holds, and since when.
type dated struct {
	mu      *sync.Mutex
	objects map[string][]byte
	changed map[string]time.Time
}

func newShelf() dated { return dated{&sync.Mutex{}, map[string][]byte{}, map[string]time.Time{}} }

func (d dated) String() string { return "shelf" }

func (d dated) Size(_ context.Context, name string) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, ok := d.objects[name]
	if !ok {
		return 0, artifacts.ErrMiss
	}
	return int64(len(b)), nil
}

func (d dated) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	_, err := d.Size(ctx, name)
	d.mu.Lock()
	defer d.mu.Unlock()
	return io.NopCloser(bytes.NewReader(d.objects[name])), err
}

func (d dated) Put(_ context.Context, name, file string) error {
	b, err := os.ReadFile(file)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.objects[name], d.changed[name] = b, time.Now()
	return err
}

func (d dated) List(_ context.Context, part string, each func(remote.Object)) error {
	for name, b := range d.objects {
		if strings.HasPrefix(name, part+"/") {
			each(remote.Object{Name: name, Size: int64(len(b)), Changed: d.changed[name]})
		}
	}
	return nil
}

func (d dated) Remove(_ context.Context, name string, after time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.changed[name].After(after) {
		delete(d.objects, name)
	}
	return nil
}

func (d dated) Touch(ctx context.Context, name string) error {
	_, err := d.Size(ctx, name)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		d.changed[name] = time.Now()
	}
	return err
}

func (d dated) count(prefix string) (n int) {
	for name := range d.objects {
		if strings.HasPrefix(name, prefix) {
			n++
		}
	}
	return n
}

// attached is a store that shares through a remote.
func attached(t *testing.T, d dated) *disk.Store {
	t.Helper()
	s := need.Value(disk.Open(filepath.Join(t.TempDir(), "store")))(t)
	t.Cleanup(func() { s.Close() })
	need.NoError(t, s.Remote.Attach(t.Context(), d))
	return s
}

// recorded makes an output, records the work that gave it, and shares both.
func recorded(t *testing.T, s *disk.Store, recipe string) artifacts.Key {
	t.Helper()
	var outputs artifacts.Refs
	outputs.Set("a", need.Value(s.Put(artifacts.Text(recipe)))(t))
	k := need.Value(s.Record(artifacts.Action{Recipe: recipe, Outputs: outputs}))(t)
	s.Remote.Share(t.Context(), func(int) {})
	return k
}

// recordText is the record of an action as the store writes it.
func recordText(a artifacts.Action) []byte {
	text := []byte("prgnn action 1\n")
	for _, o := range a.Outputs {
		text = fmt.Appendf(text, "output %s %d %s %s\n", o.Digest, o.Size, o.Format, o.Name)
	}
	text = fmt.Appendf(text, "recipe %d\n%s\n", len(a.Recipe), a.Recipe)
	return fmt.Appendf(text, "sha256 %s\n", artifacts.DigestOf(text))
}

// TestPlan: on a hundred remotes of random work, what stays is what a slow definition says: the results used
// last, as many as there is room for, each with all its files, and nothing else that is old.
func TestPlan(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewPCG(1, 2))
	removed, over := 0, 0
	for round := range 100 {
		d := newShelf()
		put := func(name string, content []byte, age time.Duration) {
			d.objects[name], d.changed[name] = content, now.Add(-age)
		}
		type work struct {
			key     artifacts.Key
			record  string
			used    time.Time
			outputs []artifacts.Digest
		}
		var all []work
		size := map[artifacts.Digest]int64{}
		for i := range 1 + random.IntN(12) {
			// Ages of minutes to months; files are shared between actions now and then.
			age := time.Duration(1+random.IntN([]int{4, 5000, 5000}[i%3])) * time.Hour / 4
			a := artifacts.Action{Recipe: fmt.Sprint("work ", i), Outputs: artifacts.Refs{}}
			w := work{key: artifacts.KeyOf(a.Recipe), used: now.Add(-age)}
			for o := range random.IntN(3) {
				content := bytesOf(random.IntN(8))
				digest := artifacts.DigestOf(content)
				a.Outputs.Set(fmt.Sprint("out", o), artifacts.Ref{Digest: digest,
					Size: int64(len(content)), Format: "text"})
				w.outputs = append(w.outputs, digest)
				size[digest] = int64(len(content))
				put(remote.Name("blobs", digest.String()), content, 100*24*time.Hour)
			}
			text := recordText(a)
			w.record = remote.Name("actions", w.key.String())
			put(w.record, text, age)
			if random.IntN(2) == 0 { // somebody fetched it later
				use := time.Duration(random.Int64N(int64(age)))
				list := fmt.Append([]byte(remote.UsesMagic), w.key, "\n")
				put(fmt.Sprintf("%s/%d", remote.UsesDir, i), list, use)
				w.used = now.Add(-use)
			}
			all = append(all, w)
		}
		put("version", []byte(remote.Version), 0)
		want := map[string]bool{"version": true, "blobs/cd/" + strings.Repeat("cd", 32): true}
		put("blobs/ab/"+strings.Repeat("ab", 32), []byte("nobody's"), 48*time.Hour)
		put("blobs/cd/"+strings.Repeat("cd", 32), []byte("somebody's soon"), time.Minute)
		put("blobs/ef/"+strings.Repeat("ef", 32)+remote.Unfinished+"XYZ", []byte("killed"), 48*time.Hour)
		o := Options{Keep: int64(1 + random.IntN(3000)), Older: time.Duration(1+random.IntN(1200)) * time.Hour}

		// The slow definition: try every number of results in their order, and take the largest that fits.
		slices.SortFunc(all, func(a, b work) int {
			return cmp.Or(b.used.Compare(a.used), slices.Compare(a.key[:], b.key[:]))
		})
		for n := len(all); n >= 0; n-- {
			total, stay := int64(0), map[string]bool{}
			young := true
			for _, w := range all[:n] {
				stay[w.record], total = true, total+int64(len(d.objects[w.record]))
				for _, digest := range w.outputs {
					if name := remote.Name("blobs", digest.String()); !stay[name] {
						stay[name], total = true, total+size[digest]
					}
				}
				age := now.Sub(w.used)
				young = young && age <= remote.Grace
				if age > o.Older && age > remote.Grace {
					total = o.Keep + 1 // does not stay for its age
				}
			}
			if total <= o.Keep || young {
				for name := range stay {
					want[name] = true
				}
				break
			}
		}
		before := len(d.objects)
		plan := need.Value(Make(t.Context(), d, o, now))(t)
		if len(d.objects) != before {
			t.Fatal("a plan removes nothing")
		}
		need.NoError(t, plan.Execute(t.Context()))
		var left int64
		for name, b := range d.objects {
			left += int64(len(b))
			if !strings.HasPrefix(name, remote.UsesDir+"/") && !want[name] {
				t.Errorf("round %d: %s is left", round, name)
			}
		}
		for name := range want {
			if _, ok := d.objects[name]; !ok {
				t.Errorf("round %d: %s is gone", round, name)
			}
		}
		if plan.Kept+plan.Results != len(all) {
			t.Errorf("round %d: %d kept and %d removed of %d", round, plan.Kept, plan.Results, len(all))
		}
		removed += plan.Results
		if plan.Over > 0 {
			over++
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if removed < 100 || over == 0 {
		t.Errorf("%d removed, %d over: the test tests little", removed, over)
	}
}

func bytesOf(n int) []byte { return []byte(strings.Repeat(fmt.Sprint(n, " "), 1+100*n)) }

// A record that promises what it has not is removed: one in a wrong place, one that is damaged.
func TestPlanOfDamagedRecords(t *testing.T) {
	d := newShelf()
	one := attached(t, d)
	k := recorded(t, one, "whole")
	bad := recorded(t, one, "to be damaged")
	spoilt := d.objects[remote.Name("actions", bad.String())]
	spoilt[len(spoilt)/2] ^= 1
	for name := range d.objects {
		d.changed[name] = time.Now().Add(-48 * time.Hour)
	}
	plan, err := Make(t.Context(), d, Options{Older: 72 * time.Hour}, time.Now())
	need.NoError(t, err)
	if err := plan.Execute(t.Context()); err != nil || plan.Results != 1 || plan.Kept != 1 {
		t.Errorf("%+v, %v", plan, err)
	}
	two := attached(t, d)
	if _, err := two.Lookup(k); err != nil {
		t.Error(err)
	}
}

// A directory of something else is left alone.
func TestPlanOfAnotherLayout(t *testing.T) {
	d := newShelf()
	for _, text := range []string{"", "another layout\n"} {
		if text != "" {
			d.objects["version"] = []byte(text)
		}
		_, err := Make(t.Context(), d, Options{Keep: 1}, time.Now())
		need.Error(t, err, "not a remote that this program can empty: it", text)
	}
}

// What is fetched is used: a process that ends leaves the list, so that gc keeps what everybody needs.
func TestFetchedWorkIsUsed(t *testing.T) {
	d := newShelf()
	one := attached(t, d)
	old := recorded(t, one, "old, and needed")
	recorded(t, one, "newer, and not needed")
	need.NoError(t, one.Close())
	now := time.Now()
	for name := range d.objects {
		d.changed[name] = now.Add(-48 * time.Hour)
	}
	d.changed[remote.Name("actions", old.String())] = now.Add(-72 * time.Hour)
	two := attached(t, d)
	if _, err := two.Lookup(old); err != nil {
		t.Fatal(err)
	}
	need.NoError(t, two.Close())
	for name := range d.objects {
		if filepath.Dir(name) == remote.UsesDir {
			d.changed[name] = now.Add(-2 * time.Hour)
		}
	}
	for range 2 { // the list that is still needed stays
		plan, err := Make(t.Context(), d, Options{Older: 24 * time.Hour}, now)
		need.NoError(t, err)
		need.NoError(t, plan.Execute(t.Context()))
		stays := d.count(remote.Name("actions", old.String())) == 1
		if d.count("actions") != 1 || !stays || d.count(remote.UsesDir) != 1 {
			t.Errorf("%d results are left, %d lists", d.count("actions"), d.count(remote.UsesDir))
		}
	}
}
