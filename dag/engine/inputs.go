package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"syscall"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/memo"
	"prgnn/artifacts/whole"
	"prgnn/dag"
	"prgnn/internal/regular"
)

// jobInputs are the inputs of one job on their way to its stage, and what became
// of them.
type jobInputs struct {
	ctx    context.Context // of the job: once it has ended, nothing of it is kept
	store  *disk.Store
	byPort map[string][]dag.Input

	mu      sync.Mutex // guards what follows: a stage may read in many goroutines
	all     []*source
	open    map[*watched]bool
	damaged map[*source]bool
	changed error // a file of the user's is not what was hashed, or reading was interrupted
}

// A source is one of them, or one reading of it whose result other tasks share.
type source struct {
	*JobInput
	path string // "" in a pack
	then state  // of the file there, before the stage began
	read bool   // once to its end, and found right
}

func openInputs(ctx context.Context, s *disk.Store, j *Job) *jobInputs {
	in := &jobInputs{ctx: ctx, store: s, byPort: map[string][]dag.Input{}, open: map[*watched]bool{},
		damaged: map[*source]bool{}}
	begun := false
	for i := range j.Inputs {
		src := in.add(&j.Inputs[i])
		input := in.input(src)
		if src.shelf != nil {
			if !begun {
				src.shelf.Begin()
				begun = true
			}
			input.Share(func(by any, read func(dag.Input) (any, error)) (any, error) {
				return in.shared(src, by, read)
			})
		}
		in.byPort[src.Port] = append(in.byPort[src.Port], input)
	}
	return in
}

func (in *jobInputs) add(j *JobInput) *source {
	src := &source{JobInput: j, path: j.File}
	if src.path == "" {
		src.path = in.store.Path(j.Ref)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.all = append(in.all, src)
	return src
}

// input is an input as a stage sees it.
func (in *jobInputs) input(s *source) dag.Input {
	return dag.Input{Coords: s.Coords, Name: s.Name, Ref: s.Ref, Path: s.path,
		Reader: func() (io.ReadCloser, error) { return in.reader(s) }}
}

// absent brings the blobs into the store that are in its remote, and lists those
// that are nowhere.
func (in *jobInputs) absent() []artifacts.Digest {
	var refs []artifacts.Ref
	for _, s := range in.all {
		if s.File == "" {
			refs = append(refs, s.Ref)
		}
	}
	here := in.store.Remote.Fetch(in.ctx, refs...)
	for _, s := range in.all {
		s.then = stateOf(s.path)
	}
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
		_ = in.store.Health.Discard(s.Ref)
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
	in.mu.Lock()
	all := slices.Clone(in.all)
	in.mu.Unlock()
	var first error
	for _, s := range all {
		if err := in.check(s); err != nil && first == nil {
			first = fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return cmp.Or(first, in.changed)
}

// check makes sure that all that was read of an input was right.
func (in *jobInputs) check(s *source) error {
	in.mu.Lock()
	open := slices.DeleteFunc(slices.Collect(maps.Keys(in.open)), func(w *watched) bool { return w.s != s })
	in.mu.Unlock()
	for _, w := range open {
		w.Close()
	}
	in.mu.Lock()
	read, wrong := s.read, in.damaged[s]
	in.mu.Unlock()
	switch {
	case wrong:
		return artifacts.ErrCorrupt
	case read && stateOf(s.path) == s.then:
		return nil
	case s.File != "":
		now, err := in.hash(s.File, false)
		if in.ctx.Err() != nil {
			return in.ended()
		}
		if err != nil || now.Digest != s.Ref.Digest || !read && !s.same(stateOf(s.path)) {
			in.note(s, artifacts.ErrChanged)
		}
		return nil
	}
	rc, err := in.reader(s)
	if err == nil {
		_, err = io.Copy(io.Discard, rc)
		rc.Close()
	}
	if err == nil && !read && !s.same(stateOf(s.path)) {
		err = errReplaced
		in.note(s, err)
	}
	return err
}

var errReplaced = errors.New("its file was replaced while the stage ran")

// A state is that of the file of an input; none has the zero value. The file system gives the inode number of a file
// that is gone to a new one, which has another birth.
type state struct {
	memo.State
	born int64
}

func stateOf(path string) state {
	if path == "" {
		return state{}
	}
	st, err := memo.StateOf(path)
	if err != nil {
		return state{}
	}
	return state{st, memo.Born(path)}
}

// same reports whether the file that a stage may have read by its path is the one that lies there now. The times of a
// blob do not count: another run moves them when it marks the blob as used.
func (s *source) same(now state) bool {
	then := s.then
	return then.Inode == now.Inode && then.Device == now.Device && then.Size == now.Size && then.born == now.born &&
		(s.File == "" || then.Mtime == now.Mtime)
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

// ended is the error of a context that has ended. What a stage made of an input that it read in part is not kept,
// also where the stage takes the error for a fault of the file.
func (in *jobInputs) ended() error {
	err := in.ctx.Err()
	if err != nil {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.changed = cmp.Or(in.changed, err)
	}
	return err
}

// hash digests a file until the job is to end.
func (in *jobInputs) hash(path string, rehash bool) (artifacts.Ref, error) {
	return in.store.HashFile(in.ctx, path, rehash)
}

// reader opens an input and checks it on the way.
func (in *jobInputs) reader(s *source) (io.ReadCloser, error) {
	w := &watched{in: in, s: s}
	if s.File != "" {
		f, err := regular.Open(s.File)
		if err != nil {
			return nil, err
		}
		w.rc = whole.NewCheckedReader(f, s.Ref.Size, s.Ref.Digest, func() error { return artifacts.ErrChanged }, nil)
		return w, nil
	}
	var err error
	if w.rc, err = in.store.OpenBlob(s.Ref); err != nil {
		if errors.Is(err, artifacts.ErrMiss) || errors.Is(err, artifacts.ErrCorrupt) {
			in.note(s, err)
		}
		return nil, err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.open[w] = true
	return w, nil
}

// Shared, if set, gets each value that a task shares with tasks before it: tests see there whether one changed it.
var Shared func(artifacts.Ref, any)

// shared is what read, a reader with the identity by, makes of an input. What goes to the shelf was made of bytes that
// were found right, however they were read: once there, nothing reads them again.
func (in *jobInputs) shared(s *source, by any, read func(dag.Input) (any, error)) (any, error) {
	defer in.seen(s)
	if v := s.shelf.Get(s.Ref.Digest, by); v != nil {
		if Shared != nil && s.File == "" {
			Shared(s.Ref, v)
		}
		return v, nil
	}
	own := in.add(s.JobInput)
	own.then = stateOf(own.path)
	v, err := read(in.input(own))
	if err != nil || !s.again {
		return v, err
	}
	if err := in.check(own); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	s.shelf.Put(s.Ref, by, v)
	return v, nil
}

// seen notes that an input was read to its end, and was what it is said to be.
func (in *jobInputs) seen(s *source) {
	in.mu.Lock()
	defer in.mu.Unlock()
	s.read = true
}

// watched remembers how the reading of an input ended.
type watched struct {
	in *jobInputs
	s  *source

	mu    sync.Mutex // a stage may close it while another of its goroutines reads
	rc    io.ReadCloser
	count int64 // bytes read
	began bool
	ended bool // at the end, or at an error
}

func (w *watched) Read(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.in.ended(); err != nil {
		return 0, err
	}
	w.began = true
	n, err := w.rc.Read(p)
	w.count, w.ended = w.count+int64(n), err != nil
	switch {
	case err == io.EOF:
		w.in.seen(w.s)
	case errors.Is(err, artifacts.ErrCorrupt), errors.Is(err, artifacts.ErrChanged), errors.Is(err, syscall.EIO):
		w.in.note(w.s, err)
	}
	return n, err
}

// Len is how many bytes are still to come: readers bound by it what a file may claim.
func (w *watched) Len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return int(max(0, w.s.Ref.Size-w.count))
}

// Close reads a blob that was read in part to its end: only then it shows whether the part was right. A user's file
// may be a scan of gigabytes of which a stage reads the header, and nothing of ours replaces it: see check.
func (w *watched) Close() error {
	w.mu.Lock()
	rest := w.s.File == "" && w.began && !w.ended && w.in.ctx.Err() == nil
	w.mu.Unlock()
	if rest {
		_, _ = io.Copy(io.Discard, struct{ io.Reader }{w}) // Read notes what is wrong
	}
	w.in.mu.Lock()
	delete(w.in.open, w)
	w.in.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	return w.rc.Close()
}
