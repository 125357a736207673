//go:build unix

package remote

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/prune"
	"prgnn/internal/need"
	"prgnn/internal/remotetest"
)

// TestGC: a directory and a bucket keep what was used last, whole, also where a part of it was moved.
func TestGC(t *testing.T) {
	moved := t.TempDir()
	link(t, t.TempDir(), filepath.Join(moved, "blobs"))
	for name, place := range map[string]func(t *testing.T) (address, dir string){
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
	} {
		t.Run(name, func(t *testing.T) {
			address, dir := place(t)
			ctx := context.Background()
			one := store(t)
			need.NoError(t, one.Attach(ctx, open(t, address)))
			var keys []artifacts.Key
			for i := range 4 {
				keys = append(keys, record(t, one, string(rune('a'+i))))
			}
			one.Share(ctx, func(int) {})
			ago := func(path string, days int) {
				t.Helper()
				then := time.Now().AddDate(0, 0, -days)
				need.NoError(t, os.Chtimes(path, then, then))
			}
			for i, k := range keys {
				ago(filepath.Join(dir, "actions", k.String()[:2], k.String()), 40-10*i)
			}
			blobs, _ := filepath.Glob(filepath.Join(dir, "blobs", "*", "*"))
			for _, path := range blobs {
				ago(path, 50)
			}
			// The oldest is fetched again.
			two := store(t)
			need.NoError(t, two.Attach(ctx, open(t, address)))
			if _, err := two.Lookup(keys[0]); err != nil {
				t.Fatal(err)
			}
			need.NoError(t, two.Close())
			o := prune.Options{Older: 15 * 24 * time.Hour}
			plan, err := prune.Make(ctx, open(t, address).(artifacts.Pruner), o, time.Now())
			need.NoError(t, err)
			if err := plan.Execute(ctx); err != nil || plan.Kept != 2 || plan.Results != 2 {
				t.Errorf("%+v, %v", plan, err)
			}
			three := store(t)
			need.NoError(t, three.Attach(ctx, open(t, address)))
			for i, k := range keys {
				a, err := three.Lookup(k)
				if i == 1 || i == 2 {
					if err == nil {
						t.Errorf("result %d is left", i)
					}
				} else if err != nil || !three.Fetch(ctx, a.Outputs.Of("out"))[0] {
					t.Errorf("result %d is gone: %v", i, err)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "blobs", "*", "*")); len(left) != 2 {
				t.Errorf("%d files are left, want 2", len(left))
			}
		})
	}
}
