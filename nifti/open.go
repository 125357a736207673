package nifti

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"prgnn/internal/budget"
	"prgnn/internal/foreign"
	"prgnn/internal/regular"
)

// pairs are the names of the two files of a pair; each may be compressed.
var pairs = [2]string{".hdr", ".img"}

// Open opens an image file: NIfTI or MGH, gzipped or not, or either file of a
// NIfTI pair (.hdr and .img, each possibly gzipped).
func Open(path string) (*Reader, error) {
	base := strings.TrimSuffix(path, ".gz")
	for i, ext := range pairs {
		if strings.HasSuffix(base, ext) {
			stem := strings.TrimSuffix(base, ext)
			other, err := beside(stem+pairs[1-i], base != path)
			if err != nil && i == 1 {
				return nil, fmt.Errorf("%s: holds the voxels of a pair, and %w", path, err)
			}
			if i == 1 {
				return openPair(other, path, nil)
			}
			return openPair(path, other, err)
		}
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, openError(err)
	}
	r, err := NewReader(f, path)
	if err != nil {
		return nil, err
	}
	if err := r.seekable(f); err != nil {
		r.Close()
		return nil, r.fail(err)
	}
	return r, nil
}

// openError says what os.Open says, once.
func openError(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return foreign.Missing(e.Path, e.Err)
	}
	return err
}

// beside finds a file, compressed or not, the way of its fellow first.
func beside(path string, zipped bool) (string, error) {
	names := []string{path, path + ".gz"}
	if zipped {
		names[0], names[1] = names[1], names[0]
	}
	for _, n := range names {
		if _, err := os.Stat(n); err == nil {
			return n, nil
		}
	}
	return "", fmt.Errorf("neither %s nor %s exists; put the two files of the pair into one directory", names[0], names[1])
}

// openPair reads the header from one file and the voxels from another. Where the
// header says that the voxels are in the same file, they are, whatever its name.
func openPair(header, voxels string, missing error) (*Reader, error) {
	f, err := regular.Open(header)
	if err != nil {
		return nil, openError(err)
	}
	r := &Reader{name: header, closers: []io.Closer{f}}
	err = func() error {
		if err := r.open(f, true); err != nil {
			return err
		}
		if r.Header.single() {
			return errors.New("its magic states that the voxels are in the same file; rename it to .nii")
		}
		if missing != nil {
			return fmt.Errorf("the voxels are missing: %w", missing)
		}
		v, err := regular.Open(voxels)
		if err != nil {
			return openError(err)
		}
		r.closers = append(r.closers, v)
		r.name, r.mem = voxels, budget.Of(v)
		if err := r.claimVolume(); err != nil {
			return err
		}
		if r.src, err = unzip(v); err != nil {
			return err
		}
		r.at, r.start = 0, int64(r.Header.VoxOffset)
		if err := r.skipTo(r.start); err != nil {
			return err
		}
		return r.seekable(v)
	}()
	if err != nil {
		err = r.fail(err)
		r.Close()
		return nil, err
	}
	return r, nil
}

// seekable notes that volumes can be sought in f, when it is not compressed, and
// that the file is long enough for its header.
func (r *Reader) seekable(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if r.src != any(f) || !info.Mode().IsRegular() {
		return nil
	}
	r.file = f
	want := r.start + r.Volumes()*r.volumeBytes()
	if size := info.Size(); size < want || want < 0 {
		return fmt.Errorf("truncated at byte %d: its header requires %d bytes; fetch or write the file again", size, want)
	}
	return nil
}
