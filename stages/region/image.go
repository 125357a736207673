package region

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"prgnn/dag"
	"prgnn/nifti"
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
}

// Close closes the file.
func (f *File) Close() error { return f.close() }

// Open opens an input to be read at any place.
func Open(in dag.Input) (*File, error) {
	if in.Path == "" {
		b, err := in.Bytes()
		return &File{bytes.NewReader(b), int64(len(b)), func() error { return nil }}, err
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
	return &File{f, info.Size(), f.Close}, nil
}
