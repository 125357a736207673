package nifti

import (
	"encoding/binary"
	"io"
	"os"
)

// CheckWhole reports why an image cannot be read to its end. It reads the header and compares the size that it gives
// with that of the file, or with the one that gzip keeps at the end of a file; where the two differ, it reads
// everything. Damage that leaves the size as it was is found by whoever reads the voxels.
func CheckWhole(path string) error {
	r, err := Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	if size, ok := storedSize(path); ok && size == uint32(r.start+r.Volumes()*r.volumeBytes()) {
		return nil
	}
	for {
		if _, err := r.NextRaw(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// storedSize is the size of a file's contents modulo 2³²: of a gzip file the last four bytes (RFC 1952, ISIZE).
func storedSize(path string) (size uint32, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < 18 { // header and trailer of gzip
		return 0, false
	}
	var magic [2]byte
	var last [4]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil {
		return 0, false
	}
	if magic != [2]byte{0x1f, 0x8b} {
		return uint32(info.Size()), true
	}
	_, err = f.ReadAt(last[:], info.Size()-4)
	return binary.LittleEndian.Uint32(last[:]), err == nil
}
