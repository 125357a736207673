//go:build unix

package address

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/prune"
	"prgnn/artifacts/remote"
	"prgnn/internal/need"
	"prgnn/internal/remotetest"
)

// TestGC: a directory and a bucket keep what was used last, whole, also where a part of it was moved.
func TestGC(t *testing.T) {
	for name, place := range places(t) {
		t.Run(name, func(t *testing.T) {
			address, dir := place(t)
			ctx := context.Background()
			one := store(t)
			need.NoError(t, one.Remote.Attach(ctx, open(t, address)))
			var keys []artifacts.Key
			for i := range 4 {
				keys = append(keys, record(t, one, string(rune('a'+i))))
			}
			one.Remote.Share(ctx, func(int) {})
			for i, k := range keys {
				need.NoError(t, ago(filepath.Join(dir, "actions", k.String()[:2], k.String()), 40-10*i))
			}
			blobs, _ := filepath.Glob(filepath.Join(dir, "blobs", "*", "*"))
			for _, path := range blobs {
				need.NoError(t, ago(path, 50))
			}
			// The oldest is fetched again.
			two := store(t)
			need.NoError(t, two.Remote.Attach(ctx, open(t, address)))
			if _, err := two.Lookup(keys[0]); err != nil {
				t.Fatal(err)
			}
			need.NoError(t, two.Close())
			o := prune.Options{Older: 15 * 24 * time.Hour}
			plan, err := prune.Make(ctx, open(t, address).(remote.Pruner), o, time.Now())
			need.NoError(t, err)
			if err := plan.Execute(ctx); err != nil || plan.Kept != 2 || plan.Results != 2 {
				t.Errorf("%+v, %v", plan, err)
			}
			three := store(t)
			need.NoError(t, three.Remote.Attach(ctx, open(t, address)))
			for i, k := range keys {
				a, err := three.Lookup(k)
				if i == 1 || i == 2 {
					if err == nil {
						t.Errorf("result %d is left", i)
					}
				} else if err != nil || !three.Remote.Fetch(ctx, a.Outputs.Of("out"))[0] {
					t.Errorf("result %d is gone: %v", i, err)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "blobs", "*", "*")); len(left) != 2 {
				t.Errorf("%d files are left, want 2", len(left))
			}
		})
	}
}

// TestGCMeanwhile: between the look of a gc and its removal, another machine shares work that gives an old file
// which no result needs: the file stays.
func TestGCMeanwhile(t *testing.T) {
	for name, place := range places(t) {
		t.Run(name, func(t *testing.T) {
			address, dir := place(t)
			ctx := t.Context()
			share := func(recipe string) (k artifacts.Key) {
				s := store(t)
				need.NoError(t, s.Remote.Attach(ctx, open(t, address)))
				ref := need.Value(s.Put(artifacts.Text("the same")))(t)
				k, err := s.Record(artifacts.Action{Recipe: recipe, Outputs: artifacts.Refs{{Name: "out", Ref: ref}}})
				need.NoError(t, err)
				s.Remote.Share(ctx, func(int) {})
				return k
			}
			share("old")
			before, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*"))
			for _, path := range before {
				need.NoError(t, ago(path, 50))
			}
			r := open(t, address).(remote.Pruner)
			plan, err := prune.Make(ctx, r, prune.Options{Older: 24 * time.Hour}, time.Now())
			need.NoError(t, err)
			k := share("new")
			need.NoError(t, plan.Execute(ctx))
			after, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*"))
			if len(before) != 2 || len(after) != 2 {
				t.Errorf("there were %v, and are %v", before, after)
			}
			two := store(t)
			need.NoError(t, two.Remote.Attach(ctx, open(t, address)))
			a, err := two.Lookup(k)
			if err != nil || !two.Remote.Fetch(ctx, a.Outputs.Of("out"))[0] {
				t.Errorf("the result is gone: %v", err)
			}
			if err := r.Touch(ctx, "blobs/ab/abc"); !errors.Is(err, artifacts.ErrMiss) {
				t.Errorf("what is not there was touched: %v", err)
			}
			if err := r.Remove(ctx, "blobs/ab/abc", time.Now()); err != nil {
				t.Errorf("what is not there was not removed: %v", err)
			}
		})
	}
}

// places make remotes that can be emptied.
func places(t *testing.T) map[string]func(t *testing.T) (address, dir string) {
	moved := t.TempDir()
	link(t, t.TempDir(), filepath.Join(moved, "blobs"))
	return map[string]func(t *testing.T) (address, dir string){
		"directory": func(t *testing.T) (string, string) {
			dir := t.TempDir()
			return "file://" + dir, dir
		},
		"moved part": func(t *testing.T) (string, string) { return "file://" + moved, moved },
		"bucket": func(t *testing.T) (string, string) {
			s := remotetest.S3(t)
			for name, value := range s.Env {
				t.Setenv(name, value)
			}
			return "s3://lab/some/prefix", filepath.Join(s.Bucket, "some/prefix")
		},
	}
}

// ago makes a file so many days old.
func ago(path string, days int) error {
	then := time.Now().AddDate(0, 0, -days)
	return os.Chtimes(path, then, then)
}
