// Package spill keeps records that memory cannot hold in a file, and reads them again in an order that is known before.
//
// What is needed next is read while what is needed now is used (Reader). Memory that is left keeps the first records.
// Each record is used once in a pass: the share that is found in memory is the share that it holds when the pass
// begins, and no other choice of records is better.
package spill

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"unsafe"
)

// sector is the unit of the file: disks read whole ones into memory that begins at a multiple of it.
const sector = 512

// A File takes records, which are numbered from 0.
type File struct {
	file    *os.File
	records []extent
	largest int    // bytes of a record, in sectors
	tail    []byte // what is not yet written
	end     int64  // of what is written
}

// An extent is where a record is.
type extent struct {
	at   int64
	size int32
	sum  uint32
}

// NewFile writes to an empty file, which the caller closes after the last use.
func NewFile(file *os.File) *File { return &File{file: file} }

// chunk is how many bytes are written at once.
const chunk = 1 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Add takes a record and returns its number.
func (f *File) Add(b []byte) (int32, error) {
	if f.tail == nil {
		f.tail = aligned(chunk)[:0]
	}
	f.records = append(f.records, extent{f.end + int64(len(f.tail)), int32(len(b)), crc32.Checksum(b, castagnoli)})
	f.largest = max(f.largest, sectors(len(b)))
	for rest := b; len(rest) > 0; {
		n := copy(f.tail[len(f.tail):cap(f.tail)], rest)
		f.tail, rest = f.tail[:len(f.tail)+n], rest[n:]
		if len(f.tail) == cap(f.tail) {
			if err := f.flush(); err != nil {
				return 0, err
			}
		}
	}
	pad := sectors(len(b)) - len(b) // chunk is a multiple of sector: the padding fits
	clear(f.tail[len(f.tail):][:pad])
	f.tail = f.tail[:len(f.tail)+pad]
	return int32(len(f.records) - 1), nil
}

// flush writes the tail.
func (f *File) flush() error {
	if _, err := f.file.WriteAt(f.tail, f.end); err != nil {
		return failed(err)
	}
	f.end += int64(len(f.tail))
	f.tail = f.tail[:0]
	return nil
}

func sectors(n int) int { return (n + sector - 1) / sector * sector }

// aligned is memory that begins at a multiple of a sector.
func aligned(n int) []byte {
	b := make([]byte, n+sector)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (sector - 1)
	return b[skip : skip+n : skip+n]
}

func failed(err error) error { return fmt.Errorf("the file of what memory cannot hold: %w", err) }

var errAltered = failed(errors.New("a part is not as it was written: check the disk"))
