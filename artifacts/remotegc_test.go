package artifacts

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"prgnn/internal/need"
)

// A dated shelf is one that tells what it holds, and since when.
type dated struct {
	*shelf
	changed map[string]time.Time
}

func (d dated) List(_ context.Context, part string, each func(RemoteObject)) error {
	for name, b := range d.objects {
		if strings.HasPrefix(name, part+"/") {
			each(RemoteObject{name, int64(len(b)), d.changed[name]})
		}
	}
	return nil
}

func (d dated) Remove(_ context.Context, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.objects, name)
	return nil
}

// TestRemoteGC: on a hundred remotes of random work, what stays is what a slow definition says: the results used
// last, as many as there is room for, each with all its files, and nothing else that is old.
func TestRemoteGC(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewPCG(1, 2))
	removed, over := 0, 0
	for round := range 100 {
		d := dated{newShelf(), map[string]time.Time{}}
		put := func(name string, content []byte, age time.Duration) {
			d.objects[name], d.changed[name] = content, now.Add(-age)
		}
		type work struct {
			key     Key
			record  string
			used    time.Time
			outputs []Digest
		}
		var all []work
		size := map[Digest]int64{}
		for i := range 1 + random.IntN(12) {
			// Ages of minutes to months; files are shared between actions now and then.
			age := time.Duration(1+random.IntN([]int{4, 5000, 5000}[i%3])) * time.Hour / 4
			a := Action{Recipe: fmt.Sprint("work ", i), Outputs: Refs{}}
			w := work{key: KeyOf(a.Recipe), used: now.Add(-age)}
			for o := range random.IntN(3) {
				content := bytesOf(random.IntN(8))
				digest := DigestOf(content)
				a.Outputs.Set(fmt.Sprint("out", o), Ref{Digest: digest, Size: int64(len(content)), Format: "text"})
				w.outputs = append(w.outputs, digest)
				size[digest] = int64(len(content))
				put(objectName(blobsDir, digest.String()), content, 100*24*time.Hour)
			}
			text := need.Value(a.encode())(t)
			w.record = objectName(actionsDir, w.key.String())
			put(w.record, text, age)
			if random.IntN(2) == 0 { // somebody fetched it later
				use := time.Duration(random.Int64N(int64(age)))
				put(fmt.Sprintf("%s/%d", usesDir, i), fmt.Append([]byte(usesMagic), w.key, "\n"), use)
				w.used = now.Add(-use)
			}
			all = append(all, w)
		}
		put(versionFile, []byte(unpackedVersion), 0)
		want := map[string]bool{versionFile: true, "blobs/cd/" + strings.Repeat("cd", 32): true}
		put("blobs/ab/"+strings.Repeat("ab", 32), []byte("nobody's"), 48*time.Hour)
		put("blobs/cd/"+strings.Repeat("cd", 32), []byte("somebody's soon"), time.Minute)
		put("blobs/ef/"+strings.Repeat("ef", 32)+Unfinished+"XYZ", []byte("killed"), 48*time.Hour)
		o := RemoteGCOptions{Keep: int64(1 + random.IntN(3000)), Older: time.Duration(1+random.IntN(1200)) * time.Hour}

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
					if name := objectName(blobsDir, digest.String()); !stay[name] {
						stay[name], total = true, total+size[digest]
					}
				}
				age := now.Sub(w.used)
				young = young && age <= grace
				if age > o.Older && age > grace {
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
		plan := need.Value(PlanRemoteGC(t.Context(), d, o, now))(t)
		if len(d.objects) != before {
			t.Fatal("a plan removes nothing")
		}
		need.NoError(t, plan.Execute(t.Context()))
		var left int64
		for name, b := range d.objects {
			left += int64(len(b))
			if !strings.HasPrefix(name, usesDir+"/") && !want[name] {
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
func TestRemoteGCOfDamagedRecords(t *testing.T) {
	d := dated{newShelf(), map[string]time.Time{}}
	one := attached(t, d)
	k, _ := recordWork(t, one, "whole")
	bad, _ := recordWork(t, one, "to be damaged")
	share(one)
	d.change(objectName(actionsDir, bad.String()), flip)
	for name := range d.objects {
		d.changed[name] = time.Now().Add(-48 * time.Hour)
	}
	plan, err := PlanRemoteGC(t.Context(), d, RemoteGCOptions{Older: 72 * time.Hour}, time.Now())
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
func TestRemoteGCOfAnotherLayout(t *testing.T) {
	d := dated{newShelf(), map[string]time.Time{}}
	for _, text := range []string{"", "another layout\n"} {
		if text != "" {
			d.objects[versionFile] = []byte(text)
		}
		_, err := PlanRemoteGC(t.Context(), d, RemoteGCOptions{Keep: 1}, time.Now())
		need.Error(t, err, "its version is", text)
	}
}

// What is fetched is used: a process that ends leaves the list, so that gc keeps what everybody needs.
func TestFetchedWorkIsUsed(t *testing.T) {
	d := dated{newShelf(), map[string]time.Time{}}
	one := attached(t, d)
	old, _ := recordWork(t, one, "old, and needed")
	recordWork(t, one, "newer, and not needed")
	share(one)
	need.NoError(t, one.Close())
	now := time.Now()
	for name := range d.objects {
		d.changed[name] = now.Add(-48 * time.Hour)
	}
	d.changed[objectName(actionsDir, old.String())] = now.Add(-72 * time.Hour)
	two := attached(t, d)
	if _, err := two.Lookup(old); err != nil {
		t.Fatal(err)
	}
	need.NoError(t, two.Close())
	for name := range d.objects {
		if filepath.Dir(name) == usesDir {
			d.changed[name] = now.Add(-2 * time.Hour)
		}
	}
	for range 2 { // the list that is still needed stays
		plan, err := PlanRemoteGC(t.Context(), d, RemoteGCOptions{Older: 24 * time.Hour}, now)
		need.NoError(t, err)
		need.NoError(t, plan.Execute(t.Context()))
		if d.count(actionsDir) != 1 || d.count(objectName(actionsDir, old.String())) != 1 || d.count(usesDir) != 1 {
			t.Errorf("%d results are left, %d lists", d.count(actionsDir), d.count(usesDir))
		}
	}
}
