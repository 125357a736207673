package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/artifacts/internal/record"
	"prgnn/internal/need"
)

// fill makes n actions of one small blob each, without the syncs that make this
// slow, and returns their keys.
func fill(b *testing.B, s *Store, n int) []artifacts.Key {
	b.Helper()
	keys := make([]artifacts.Key, n)
	write := func(path string, data []byte) {
		os.MkdirAll(filepath.Dir(path), 0o777)
		need.NoError(b, os.WriteFile(path, data, 0o444))
	}
	for i := range keys {
		data := encoded(b, encoding.NewArray([]float64{float64(i)}, 1))
		r := artifacts.Ref{Digest: artifacts.DigestOf(data), Size: int64(len(data)), Format: "npy"}
		a := artifacts.Action{Recipe: fmt.Sprintf("prgnn recipe 1\nkind echo\ncode %s\nparam seed = 2020\nparam value = %d\n%400s\n", r.Digest, i, "input"),
			Outputs: artifacts.Refs{{Name: "value", Ref: r}}}
		text := need.Value(record.EncodeAction(a))(b)
		keys[i] = artifacts.KeyOf(a.Recipe)
		write(s.Health.BlobPath(r.Digest), data)
		write(s.actionPath(keys[i]), text)
	}
	return keys
}

// BenchmarkCheck is the check of a pipeline in which everything is up to date: open
// the store, look up every action, ask for every blob. The time is for all tasks;
// ns/task is what counts. "first" reads the records (nobody has before), "again"
// has the index.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		for _, mode := range []string{"first", "again"} {
			b.Run(fmt.Sprintf("%d/%s", n, mode), func(b *testing.B) {
				if n > 10000 && testing.Short() {
					b.Skip("makes 200,000 files")
				}
				dir := filepath.Join(b.TempDir(), "store")
				s := need.Value(Open(dir))(b)
				keys := fill(b, s, n)
				s.Close()
				check := func() {
					s := need.Value(Open(dir))(b)
					defer s.Close()
					for _, k := range keys {
						a, err := s.Lookup(k)
						if err != nil || !s.Has(a.Outputs.Of("value")) {
							b.Fatal(err)
						}
					}
				}
				if mode == "again" {
					check()
				}
				for b.Loop() {
					if mode == "first" {
						b.StopTimer()
						os.RemoveAll(filepath.Join(dir, "memo"))
						b.StartTimer()
					}
					check()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/task")
			})
		}
	}
}

// BenchmarkStoreTask is one trivial task kept with full durability: a blob of 136
// bytes and its action, four syncs. Two workers, and the same with eight.
func BenchmarkStoreTask(b *testing.B) {
	for _, workers := range []int{1, 4} {
		b.Run(fmt.Sprint(workers, "x"), func(b *testing.B) {
			s := need.Value(Open(filepath.Join(b.TempDir(), "store")))(b)
			defer s.Close()
			var n atomic.Int64
			b.SetParallelism(workers)
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					i := n.Add(1)
					r, err := s.Put(encoding.NewArray([]float64{float64(i)}, 1))
					if err == nil {
						_, err = s.Record(artifacts.Action{Recipe: fmt.Sprint(i),
							Outputs: artifacts.Refs{{Name: "value", Ref: r}}})
					}
					if err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
