// Package forge tests readers of files with files that are right in all but one number: bytes that are
// changed at random rarely get past a checksum, or past the first length.
package forge

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"
	"time"
)

// A File is a file while it is written. Its maker passes every number that a reader may believe
// through Num, and computes checksums and places from what came back.
type File struct {
	bytes.Buffer
	lie, seen int
	value     uint64
}

// Num is the number, or the lie.
func (f *File) Num(v uint64) uint64 {
	if f.seen++; f.seen == f.lie {
		return f.value
	}
	return v
}

// Put writes numbers of some bytes each, little-endian.
func (f *File) Put(size int, numbers ...uint64) {
	for _, v := range numbers {
		f.Write(binary.LittleEndian.AppendUint64(nil, f.Num(v))[:size])
	}
}

// Part is what write writes, which is taken off again: a header whose checksum or place follows. Its numbers count with
// the others.
func (f *File) Part(write func()) []byte {
	at := f.Len()
	write()
	b := bytes.Clone(f.Bytes()[at:])
	f.Truncate(at)
	return b
}

// Limits for a file of less than 5 MB.
const (
	mostMemory = 600 << 20 // bytes allocated in all
	mostTime   = 20 * time.Second
)

// lies are numbers over which readers stumble.
var lies = []uint64{0, 1, 3, 255, 1 << 16, 20_000_000, 1<<31 - 1, 1 << 40, 1<<63 - 1, 1<<64 - 8}

// Fuzz reads files of several kinds, each with one lie. Seeds are up to 300 numbers of every kind with all of these
// values. A file without a lie has to be read.
func Fuzz(f *testing.F, kinds int, make func(f *File, kind int), read func(b []byte) error) {
	forged := func(kind, lie int, value uint64) *File {
		file := &File{lie: lie, value: value}
		make(file, kind)
		return file
	}
	for kind := range kinds {
		whole := forged(kind, 0, 0)
		if err := read(whole.Bytes()); err != nil {
			f.Fatalf("kind %d without a lie: %v", kind, err)
		}
		for lie := 0; lie < whole.seen; lie += 1 + whole.seen/300 {
			for _, value := range lies {
				f.Add(uint8(kind), uint16(lie+1), value)
			}
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, lie uint16, value uint64) {
		b := forged(int(kind)%kinds, int(lie), value).Bytes()
		Bounded(t, b, func() { _ = read(b) })
	})
}

// Bounded fails where a reader takes more memory or time than any small file may.
func Bounded(t testing.TB, b []byte, read func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	read()
	took := time.Since(begin)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > mostMemory+32*uint64(len(b)) {
		t.Errorf("%d bytes took %d MiB of memory", len(b), n>>20)
	}
	if took > mostTime {
		t.Errorf("%d bytes took %v", len(b), took)
	}
}
