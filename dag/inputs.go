package dag

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"

	"prgnn/artifacts"
	"prgnn/artifacts/whole"
	"prgnn/internal/regular"
)

// jobInputs are the inputs of one job on their way to its stage, and what became
// of them.
type jobInputs struct {
	store  *artifacts.Store
	byPort map[string][]Input
	all    []*source

	mu      sync.Mutex // guards what readers write: a stage may read in many goroutines
	damaged map[*source]bool
	changed error // a file of the user's is not what was hashed
}

// A source is one of them.
type source struct {
	*JobInput
	read bool // once to its end, and found right
}

func openInputs(s *artifacts.Store, j *Job) *jobInputs {
	in := &jobInputs{store: s, byPort: map[string][]Input{}, damaged: map[*source]bool{}}
	for i := range j.Inputs {
		src := &source{JobInput: &j.Inputs[i]}
		in.all = append(in.all, src)
		input := Input{Coords: src.Coords, Name: src.Name, Ref: src.Ref, Path: src.File}
		if src.File == "" {
			input.Path = s.Path(src.Ref)
		}
		input.Reader = func() (io.ReadCloser, error) { return in.reader(src) }
		if src.shelf != nil {
			input.shared = func(read func() (any, error)) (any, error) { return in.shared(src, read) }
		}
		in.byPort[src.Port] = append(in.byPort[src.Port], input)
	}
	return in
}

// absent brings the blobs into the store that are in its remote, and lists those
// that are nowhere.
func (in *jobInputs) absent(ctx context.Context) []artifacts.Digest {
	var refs []artifacts.Ref
	for _, s := range in.all {
		if s.File == "" {
			refs = append(refs, s.Ref)
		}
	}
	here := in.store.Fetch(ctx, refs...)
	at := -1
	return in.blobs(func(*source) bool { at++; return !here[at] })
}

// discardDamaged takes the blobs that were found damaged out of the store, and
// lists them.
func (in *jobInputs) discardDamaged() []artifacts.Digest {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.blobs(func(s *source) bool {
		if !in.damaged[s] {
			return false
		}
		// If it cannot be removed, the producer's new bytes replace it anyway.
		_ = in.store.Discard(s.Ref)
		return true
	})
}

func (in *jobInputs) blobs(that func(*source) bool) []artifacts.Digest {
	var list []artifacts.Digest
	for _, s := range in.all {
		if s.File == "" && that(s) {
			list = append(list, s.Ref.Digest)
		}
	}
	return list
}

// recheck looks again at every input that the stage did not read to its end
// through a checking reader (it may have read it by its path), so that nothing
// is recorded for bytes that were not there. It goes on after the first that is
// damaged: all of them are to be made again at once.
func (in *jobInputs) recheck() error {
	var first error
	for _, s := range in.all {
		in.mu.Lock()
		read := s.read
		in.mu.Unlock()
		if read {
			continue
		}
		if s.File != "" {
			now, err := in.store.HashFile(s.File, false)
			if err != nil || now.Digest != s.Ref.Digest {
				in.note(s, artifacts.ErrChanged)
			}
			continue
		}
		rc, err := in.reader(s)
		if err == nil {
			_, err = io.Copy(io.Discard, rc)
			rc.Close()
		}
		if err != nil && first == nil {
			first = fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return cmp.Or(first, in.changed)
}

// note keeps what a reader found wrong with an input. The engine goes by this
// and not by the stage's error, which may have lost the cause.
func (in *jobInputs) note(s *source, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if s.File == "" {
		in.damaged[s] = true
	} else if in.changed == nil {
		in.changed = fmt.Errorf("%s: %w", s.Name, err)
	}
}

// reader opens an input and checks it on the way.
func (in *jobInputs) reader(s *source) (io.ReadCloser, error) {
	if s.File != "" {
		f, err := regular.Open(s.File)
		if err != nil {
			return nil, err
		}
		wrong := func() error {
			in.note(s, artifacts.ErrChanged)
			return artifacts.ErrChanged
		}
		return whole.NewCheckedReader(f, s.Ref.Size, s.Ref.Digest, wrong, func(right bool) { in.seen(s, right) }), nil
	}
	rc, err := in.store.OpenBlob(s.Ref)
	if errors.Is(err, artifacts.ErrMiss) || errors.Is(err, artifacts.ErrCorrupt) {
		in.note(s, err)
	}
	if err != nil {
		return nil, err
	}
	return &watchedBlob{ReadCloser: rc, in: in, s: s}, nil
}

// shared is what read makes of an input. Where it was made before, the bytes were read then, and found right.
func (in *jobInputs) shared(s *source, read func() (any, error)) (any, error) {
	if v := s.shelf.get(s.Ref.Digest); v != nil {
		in.seen(s, true)
		return v, nil
	}
	v, err := read()
	if err == nil && s.again {
		s.shelf.put(s.Ref, v)
	}
	return v, err
}

// seen notes that an input was read to its end, and was what it is said to be.
func (in *jobInputs) seen(s *source, right bool) {
	if right {
		in.mu.Lock()
		s.read = true
		in.mu.Unlock()
	}
}

// A watchedBlob remembers how the reading of a blob ended.
type watchedBlob struct {
	io.ReadCloser
	in *jobInputs
	s  *source
}

func (w *watchedBlob) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		w.in.seen(w.s, true)
	case errors.Is(err, artifacts.ErrCorrupt), errors.Is(err, syscall.EIO):
		w.in.note(w.s, err)
	}
	return n, err
}
