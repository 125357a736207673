package spill

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// filled is a file of records of up to so many bytes.
func filled(t *testing.T, n, size int) (*File, [][]byte) {
	t.Helper()
	file := need.Value(os.Create(filepath.Join(t.TempDir(), "records")))(t)
	t.Cleanup(func() { file.Close() })
	f, records := NewFile(file), make([][]byte, n)
	r := rand.New(rand.NewSource(1))
	for i := range records {
		records[i] = make([]byte, 1+r.Intn(size))
		r.Read(records[i])
		need.Equal(t, need.Value(f.Add(records[i]))(t), int32(i), "its number")
	}
	need.NoError(t, f.flush())
	return f, records
}

func permuted(r *rand.Rand, n int) []int32 {
	order := make([]int32, n)
	for i, k := range r.Perm(n) {
		order[i] = int32(k)
	}
	return order
}

// What is read is what was written: with each engine, in any order, twice in a batch, from a pass that was not read to
// its end, and with memory for few records or for all.
func TestReaderReads(t *testing.T) {
	f, records := filled(t, 3000, 1500)
	for name, with := range map[string]func(*Reader){
		"this machine's": func(*Reader) {},
		"past the cache": func(r *Reader) { uncached(r.reads) },
		"goroutines": func(r *Reader) {
			r.reads.close()
			r.reads = newGoroutines(f.file)
		},
	} {
		for _, memory := range []int64{0, 1 << 20, 1 << 30} {
			reader := need.Value(f.NewReader(memory, 100))(t)
			with(reader)
			r := rand.New(rand.NewSource(2))
			for pass := range 4 {
				order := permuted(r, len(records))
				order[7], order[70] = order[8], order[8]
				need.NoError(t, reader.Begin(order))
				for at := 0; at+100 <= len(order) && (pass != 1 || at < 1000); at += 100 {
					need.NoError(t, reader.Next(100))
					for range reader.Pieces() {
						reader.Ahead()
					}
					for i, k := range order[at : at+100] {
						if !bytes.Equal(need.Value(reader.Get(i))(t), records[k]) {
							t.Fatalf("%s, memory %d, pass %d: record %d is another one", name, memory, pass, k)
						}
					}
				}
			}
			reader.Close()
		}
	}
}

// counting is an engine that counts what it reads.
type counting struct {
	engine
	n int
}

func (c *counting) submit(rs []request, done func(int32, error)) {
	c.n += len(rs)
	c.engine.submit(rs, done)
}

// Records that memory has room for are read in the first pass alone.
func TestReaderKeeps(t *testing.T) {
	f, records := filled(t, 6000, 1)
	for _, keep := range []int{0, 1000, 6000} {
		reader := need.Value(f.NewReader(int64(keep+window+2)*sector, 1))(t)
		count := &counting{engine: reader.reads}
		reader.reads = count
		r := rand.New(rand.NewSource(3))
		for pass := range 6 {
			order := permuted(r, len(records))
			if pass == 2 {
				count.n = 0
			}
			need.NoError(t, reader.Begin(order))
			for range order {
				need.NoError(t, reader.Next(1))
			}
		}
		need.Equal(t, count.n, 4*(6000-keep), keep, "records in memory")
		reader.Close()
	}
}

// Records that were altered or cut off are refused, with and without the system's cache.
func TestReaderRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*os.File) error{
		"EOF":            func(f *os.File) error { return f.Truncate(sector) },
		"check the disk": func(f *os.File) error { _, err := f.WriteAt([]byte("xyz"), sector); return err },
	} {
		for _, past := range []bool{false, true} {
			f, _ := filled(t, 3, 100)
			need.NoError(t, spoil(f.file))
			reader := need.Value(f.NewReader(0, 3))(t)
			if past {
				uncached(reader.reads)
			}
			need.NoError(t, reader.Begin([]int32{0, 1, 2}))
			need.NoError(t, reader.Next(3))
			_, err := reader.Get(1)
			if err == nil || !strings.HasPrefix(err.Error(), "the file of what memory cannot hold: ") || !strings.HasSuffix(err.Error(), want) {
				t.Error(fmt.Sprint(past), "error", err, "want …"+want)
			}
			_, err = reader.Get(0)
			need.NoError(t, err)
			reader.Close()
		}
	}
}

// A reader has memory for no more records than there are.
func TestReaderReservesWhatThereIs(t *testing.T) {
	f, _ := filled(t, 10, 100)
	for _, memory := range []int64{0, 6 * sector, 1 << 40} {
		reader := need.Value(f.NewReader(memory, 4))(t)
		need.Equal(t, len(reader.arena), 10*sector, "bytes for 10 records of a sector")
		reader.Close()
	}
	reader := need.Value(f.NewReader(0, 1))(t)
	defer reader.Close()
	for range 2 {
		need.NoError(t, reader.Begin([]int32{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}))
		for range 10 {
			need.NoError(t, reader.Next(1))
			need.Value(reader.Get(0))(t)
		}
	}
}

// broken is an engine that fails.
type broken struct{ engine }

func (broken) wait(int, func(int32, error)) error { return os.ErrClosed }

// An engine that fails ends the pass with its error.
func TestReaderTellsThatReadingEnded(t *testing.T) {
	f, _ := filled(t, 3, 100)
	reader := need.Value(f.NewReader(0, 1))(t)
	reader.reads = broken{held{reader.reads}}
	need.NoError(t, reader.Begin([]int32{0, 1, 2}))
	need.Error(t, reader.Next(1), "the file of what memory cannot hold: file already closed")
	need.Error(t, reader.Begin([]int32{0, 1, 2}), "the file of what memory cannot hold: file already closed")
	reader.Close()
}

// held is an engine that reads nothing.
type held struct{ engine }

func (held) submit([]request, func(int32, error)) {}
