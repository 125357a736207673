package disk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/artifacts/remote"
	"prgnn/internal/need"
)

func (s *Store) relativePath(name string) string {
	return filepath.Join(s.dir, filepath.FromSlash(name))
}

// Every kind of damage is named, with the task that will run again; repaired, the
// store is clean, and what was removed is missed.
func TestVerify(t *testing.T) {
	unpacked(t)
	for _, c := range []struct {
		name   string
		break_ func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref)
		want   string
		tasks  string
		lost   bool // the next run has to make it again
		stays  bool // repair leaves it
	}{
		{"flipped blob", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			overwrite(t, s.Health.BlobPath(r.Digest), flip)
		},
			"blobs: damaged blob", "make[x]", true, false},
		{"cut blob", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			overwrite(t, s.Health.BlobPath(r.Digest), func(b []byte) []byte { return nil })
		}, "blobs: damaged blob", "make[x]", true, false},
		{"missing blob", func(t *testing.T, s *Store, k artifacts.Key,
			r artifacts.Ref) {
			os.Remove(s.Health.BlobPath(r.Digest))
		},
			"blobs: missing blob", "make[x]", true, false},
		{"flipped action", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			overwrite(t,
				s.actionPath(k), flip)
		},
			"actions: damaged action", "make[x]", true, false},
		{"action of another key", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			b, _ := record.EncodeAction(artifacts.Action{Recipe: "forged",
				Outputs: artifacts.Refs{{Name: "text", Ref: r}}})
			overwrite(t, s.actionPath(k), func([]byte) []byte { return b })
		}, "actions: wrong key", "make[x]", true, false},
		{"action that states another size", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			r.Size++
			b, _ := record.EncodeAction(artifacts.Action{Recipe: "make x",
				Outputs: artifacts.Refs{{Name: "text", Ref: r}}})
			overwrite(t, s.actionPath(k), func([]byte) []byte { return b })
		}, "actions: damaged action", "make[x]", true, false},
		{"foreign file", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			os.WriteFile(s.Health.BlobPath(r.Digest)+".bak", nil, 0o666)
		}, "blobs: foreign file", "", false, true},
		{"half an upload, of a killed process, in what was a remote", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			os.WriteFile(s.Health.BlobPath(r.Digest)+remote.Unfinished+"XYZ", nil, 0o666)
		}, "blobs: stray file", "", false, true},
		{"flipped blob behind a link in place of a directory", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			other := filepath.Join(t.TempDir(), "blobs")
			need.NoError(t, os.Rename(filepath.Join(s.dir, "blobs"), other))
			if os.Symlink(other, filepath.Join(s.dir, "blobs")) != nil {
				need.NoError(t, os.Rename(other, filepath.Join(s.dir, "blobs"))) // no links here
			}
			overwrite(t, s.Health.BlobPath(r.Digest), flip)
		}, "blobs: damaged blob", "make[x]", true, false},
		{"blob in the wrong directory", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			other := filepath.Join(s.dir, "blobs", "zz")
			os.Mkdir(other, 0o777)
			os.WriteFile(filepath.Join(other, r.Digest.String()), []byte("x"), 0o444)
		}, "blobs: foreign file", "", false, true},
		{"lost list of tasks", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			_, ref, err := s.readRun("00000000000000aa")
			need.NoError(t, err)
			os.Remove(s.Health.BlobPath(ref.Digest))
		}, "runs: damaged run", "", false, false},
		{"flipped blob that a run keeps", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			overwrite(t, s.Health.BlobPath(keeping(t, s)), flip)
		},
			"blobs: damaged blob", "", false, false},
		{"missing blob that a run keeps", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			os.Remove(s.Health.BlobPath(keeping(t, s)))
		},
			"blobs: missing blob", "", false, false},
		{"directory for a blob that a run keeps", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			path := s.Health.BlobPath(keeping(t, s))
			need.NoError(t, errors.Join(os.Remove(path), os.Mkdir(path, 0o777)))
		}, "blobs: damaged blob", "", false, false},
		{"temporary file of the dead", func(t *testing.T, s *Store, k artifacts.Key, r artifacts.Ref) {
			dir := filepath.Join(s.dir, "tmp", "0011223344556677")
			os.Mkdir(dir, 0o777)
			os.WriteFile(filepath.Join(dir, "lease"), nil, 0o666)
			os.WriteFile(filepath.Join(dir, "half a blob"), nil, 0o666)
		}, "tmp: stray file", "", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := need.Value(Open(filepath.Join(t.TempDir(), "store")))(t)
			defer s.Close()
			run := recordRun(t, s, "00000000000000aa", time.Now(), "x")
			task := run.Tasks[0]
			c.break_(t, s, task.Key, task.Outputs.Of("text"))
			r := need.Value(s.Health.Verify(context.Background(), nil))(t)
			if got := damage(r); got != c.want {
				t.Fatalf("found %q, want %q", got, c.want)
			}
			need.Equal(t, strings.Join(r.Findings[0].Tasks, " "), c.tasks, "tasks")
			if got := r.Damaged() > 0; got != (r.Findings[0].Problem != Stray) {
				t.Errorf("%d damaged", r.Damaged())
			}
			need.NoError(t, s.Health.Repair(r))
			a, err := s.Lookup(task.Key)
			need.Equal(t, err != nil || !s.Has(a.Outputs.List()...), c.lost, "lost")
			if got := len(verify(t, s.dir).Findings) > 0; got != c.stays {
				t.Errorf("after repair: %v", verify(t, s.dir).Findings)
			}
			if c.lost { // made again, all is well
				work(t, s, "make x", "x")
				mustVerify(t, s.dir)
			}
		})
	}
}

// keeping records a run that keeps a blob, and returns its name.
func keeping(t *testing.T, s *Store) artifacts.Digest {
	t.Helper()
	ref := need.Value(s.Health.PutOnce(artifacts.Bytes{Kind: "notes", Data: []byte("what the run keeps")}))(t)
	need.NoError(t, s.SaveRun(&artifacts.RunRecord{ID: "00000000000000bb", Keeps: []artifacts.Ref{ref}}))
	return ref.Digest
}

// Each finding says what becomes of it.
func TestRemedy(t *testing.T) {
	for want, f := range map[string]Finding{
		"p: damaged blob: d; the next run of task a makes it again":                                                            {Problem: DamagedBlob, Tasks: []string{"a"}},
		"p: damaged action: d; the next run of tasks a, b, c, d and 2 more makes it again":                                     {Problem: DamagedAction, Tasks: []string{"a", "b", "c", "d", "e", "f"}},
		"p: missing blob: d; when a run needs it, task a makes it again":                                                       {Problem: MissingBlob, Tasks: []string{"a"}},
		"p: missing blob: d; pipeline verify --repair removes the record":                                                      {Problem: MissingBlob},
		"p: damaged run: d; pipeline verify --repair removes the record, and gc may then remove results that no other run has": {Problem: DamagedRun},
		"p: foreign file: d; the store did not put it there: move it or delete it":                                             {Problem: Foreign},
		"p: stray file: d; pipeline gc removes it":                                                                             {Problem: Stray},
	} {
		f.Path, f.Detail = "p", "d"
		if got := f.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestVerifyCounts(t *testing.T) {
	s := newStore(t)
	recordRun(t, s, artifacts.NewRunID(), time.Now(), "x", "yy", "zzz")
	var last, total int64
	r := need.Value(s.Health.Verify(context.Background(), func(done, all int64) { last, total = done, all }))(t)
	list := need.Value(s.readRunTasks(t))(t)
	if r.Blobs != 4 || r.Actions != 3 || r.Runs != 1 || r.Bytes != 6+list || last != r.Bytes || total != r.Bytes {
		t.Errorf("%+v, progress %d of %d", r, last, total)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := hashFile(ctx, os.Args[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("a file is read on: %v", err)
	}
	if _, err := s.Health.Verify(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// readRunTasks is the size of the list of tasks of the only run.
func (s *Store) readRunTasks(t *testing.T) (int64, error) {
	runs := need.Value(s.Runs())(t)
	_, ref, err := s.readRun(runs[0].ID)
	return ref.Size, err
}
