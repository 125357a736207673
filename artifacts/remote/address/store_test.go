package address

import (
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

// A store that is a remote is read completely, packs and all, and nothing in it changes.
func TestStoreAsRemote(t *testing.T) {
	ctx := t.Context()
	one, two := store(t), store(t)
	one.Work.PackMore()
	var keys []artifacts.Key
	for _, size := range []int{1, 20_000, 100_000, 300_000} {
		keys = append(keys, record(t, one, strings.Repeat("x", size)))
	}
	dir := one.Dir()
	need.NoError(t, one.Close())
	before := times(t, dir)
	need.NoError(t, two.Remote.Attach(ctx, open(t, "file://"+filepath.ToSlash(dir))))
	for _, k := range keys {
		a, err := two.Lookup(k)
		if err != nil || !two.Remote.Fetch(ctx, a.Outputs.Of("out"))[0] {
			t.Fatalf("%v: %v", k, err)
		}
	}
	record(t, two, "new")
	record(t, two, strings.Repeat("y", 300_000))
	two.Remote.Share(ctx, func(int) {})
	r := two.Remote.Report()
	if r.Fetched != len(keys) || r.Shared != 0 || r.ReadOnly == nil {
		t.Errorf("%+v", r)
	}
	need.NoError(t, two.Close())
	if after := times(t, dir); !maps.Equal(before, after) {
		t.Errorf("it was written into: %v, before %v", after, before)
	}
}

// times are those of all that is in a directory.
func times(t *testing.T, dir string) map[string]time.Time {
	all := map[string]time.Time{}
	need.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil {
			all[path] = need.Value(e.Info())(t).ModTime()
		}
		return err
	}))
	return all
}
