package region

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"prgnn/dag"
	"prgnn/nifti"
	"prgnn/stages/mat5"
)

// MeanOfVolumes is the description in the header of an image that is the mean over a scan's volumes.
const MeanOfVolumes = "mean over the volumes"

// Description is the description in the header of an image.
func Description(h *nifti.Header) string {
	text, _, _ := strings.Cut(string(h.Descrip[:]), "\x00")
	return text
}

// OpenImage opens an image that is an input.
func OpenImage(in dag.Input) (*nifti.Reader, error) {
	rc, err := in.Reader()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return nifti.NewReader(rc, in.Name)
}

// A File is an input that is read at any place. The engine compares an input that was read by
// its path with its digest when the stage is done.
type File struct {
	io.ReaderAt
	Size  int64
	close func() error
	at    int64 // of the next Read
}

// Close closes the file.
func (f *File) Close() error { return f.close() }

// Reader opens an input to be read in order; a file that is .mat of version 7.3 can be read at any place too.
func Reader(in dag.Input) (io.ReadCloser, error) {
	if in.Path != "" {
		f, err := Open(in)
		if err != nil {
			return nil, err
		}
		first := make([]byte, mat5.HeaderSize)
		if n, _ := f.ReadAt(first, 0); mat5.Is73(first[:n]) {
			return f, nil
		}
		f.Close()
	}
	return in.Reader()
}

// Read reads the next bytes.
func (f *File) Read(b []byte) (int, error) {
	n, err := f.ReadAt(b, f.at)
	f.at += int64(n)
	return n, err
}

// Open opens an input to be read at any place.
func Open(in dag.Input) (*File, error) {
	if in.Path == "" {
		b, err := in.Bytes()
		return &File{ReaderAt: bytes.NewReader(b), Size: int64(len(b)), close: func() error { return nil }}, err
	}
	f, err := os.Open(in.Path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return &File{ReaderAt: f, Size: info.Size(), close: f.Close}, nil
}
