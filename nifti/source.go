package nifti

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"prgnn/internal/foreign"
	"prgnn/nifti/inflate"
)

// unzip looks at the first bytes and decompresses gzip on the way.
func unzip(src io.Reader) (io.Reader, error) {
	if f, ok := src.(*os.File); ok {
		// No buffer between us and an uncompressed file.
		var b [2]byte
		n, err := f.ReadAt(b[:], 0)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if n < 2 || b != [2]byte{0x1f, 0x8b} {
			return f, nil
		}
		return inflate.NewReader(f), nil
	}
	b := bufio.NewReaderSize(src, 1<<16)
	if first, _ := b.Peek(2); bytes.Equal(first, []byte{0x1f, 0x8b}) {
		return inflate.NewReader(b), nil
	}
	return b, nil
}

// readHeader reads the fixed part of the header, whatever its format.
func (r *Reader) readHeader() error {
	b := make([]byte, headerSize[2]+4)
	n, err := r.read(b[:headerSize[1]])
	if ended(n, err) {
		if _, ok := r.src.(*inflate.Reader); ok {
			return errors.New("the file is empty (decompressed); fetch or write the file again")
		}
		return errors.New("the file is empty; fetch or write the file again")
	}
	version, big := versionOf(b[:n])
	if what := foreign.Name(b[:n]); what != "" {
		return errors.New(what)
	}
	if _, short := err.(*truncation); err != nil && !short {
		return err
	}
	switch {
	case version == 1:
		if n == headerSize[1] {
			r.Header = decodeHeader(b, version, big)
			return nil
		}
	case version == 2:
		if n == headerSize[1] {
			if _, err := r.read(b[n:headerSize[2]]); err != nil {
				return fmt.Errorf("the header: %w", err)
			}
			r.Header = decodeHeader(b, version, big)
			return nil
		}
	case isMGH(b[:n]):
		// An MGH file may end before a NIfTI header would.
		if n >= mghHeaderSize {
			h, err := decodeMGH(b)
			if err != nil {
				return err
			}
			r.Header = h
			r.src = io.MultiReader(bytes.NewReader(b[mghHeaderSize:n]), r.src)
			r.at = mghHeaderSize
			return nil
		}
	default:
		return fmt.Errorf("not a NIfTI or MGH image: it starts with the bytes % x", b[:min(n, 8)])
	}
	return fmt.Errorf("the header: %w", r.truncated(int64(n)))
}

// A truncation says that a file ended too early: sound, as far as decompression is
// concerned, but shorter than its header says.
type truncation struct {
	at           int64
	decompressed bool
}

func (t *truncation) Error() string {
	what := ""
	if t.decompressed {
		what = " (decompressed)"
	}
	return fmt.Sprintf("truncated at byte %d%s; fetch or write the file again (%v)", t.at, what, io.ErrUnexpectedEOF)
}

func (t *truncation) Unwrap() error { return io.ErrUnexpectedEOF }

// truncated says that src ended after n bytes.
func (r *Reader) truncated(n int64) error {
	_, ok := r.src.(*inflate.Reader)
	return &truncation{n, ok}
}

// ended reports whether an error of read is that src ended at once.
func ended(n int, err error) bool {
	_, ok := err.(*truncation)
	return ok && n == 0
}

// read fills b and counts; a src that ends too early is an error that names the place.
func (r *Reader) read(b []byte) (int, error) {
	n, err := io.ReadFull(r.src, b)
	r.at += int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = r.truncated(r.at)
	}
	return n, err
}

// readGrowing reads n bytes into dst's memory, which grows as they come: a header
// may promise any number, and only what is really there is worth memory.
func (r *Reader) readGrowing(dst []byte, n int64) ([]byte, error) {
	const first = 1 << 20
	dst = dst[:0]
	for int64(len(dst)) < n {
		have := len(dst)
		room := min(n, int64(max(first, 2*have, cap(dst))))
		if int64(cap(dst)) < room {
			grown := make([]byte, have, room)
			copy(grown, dst)
			dst = grown
		}
		dst = dst[:room]
		if _, err := r.read(dst[have:]); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// skipTo reads on to a place in src.
func (r *Reader) skipTo(place int64) error {
	n, err := io.CopyN(io.Discard, r.src, place-r.at)
	r.at += n
	if err == io.EOF {
		return fmt.Errorf("before the voxels, which start at byte %d: %w", place, r.truncated(r.at))
	}
	return err
}

// readExtensions reads the chain of extensions that ends at byte end, or with the
// file when end is negative. A file may end right after its header.
func (r *Reader) readExtensions(end int64) error {
	if r.Header.Version == 0 {
		return nil
	}
	var flag [4]byte
	if n, err := r.read(flag[:]); err != nil {
		if end < 0 && ended(n, err) {
			return nil
		}
		return fmt.Errorf("the header: %w", err)
	}
	for flag[0] != 0 && (end < 0 || r.at+8 <= end) {
		var head [8]byte
		at := r.at
		if n, err := r.read(head[:]); err != nil {
			if end < 0 && ended(n, err) {
				return nil
			}
			return fmt.Errorf("the extension at byte %d: %w", at, err)
		}
		size := int64(int32(r.Header.order().Uint32(head[:])))
		code := int(int32(r.Header.order().Uint32(head[4:])))
		if size < 8 || end >= 0 && at+size > end {
			return fmt.Errorf("the extension at byte %d has a size of %d bytes, expected at least 8 and no more than fits before the voxels; %s", at, size, reexport)
		}
		// Twice, for it grows as it comes; an empty one is kept too.
		if err := r.mem.Take(2*size+256, 1, "further bytes of extensions"); err != nil {
			return fmt.Errorf("the extension at byte %d: %w", at, err)
		}
		data, err := r.readGrowing(nil, size-8)
		if err != nil {
			return fmt.Errorf("the extension at byte %d: %w", at, err)
		}
		r.Extensions = append(r.Extensions, Extension{code, data})
	}
	return nil
}
