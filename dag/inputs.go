package dag

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"sync"

	"prgnn/artifacts"
)

// taskInputs are the inputs of one task as it runs, and what became of them.
type taskInputs struct {
	r      *runner
	byPort map[string][]Input
	all    []*source

	mu      sync.Mutex // guards what readers write: a stage may read in many goroutines
	damaged map[*source]bool
	changed error // a file of the user's is not what was hashed
}

// A source is one input on its way to a stage.
type source struct {
	*Source
	producer int32 // −1 for a file
	ref      artifacts.Ref
	name     string
	read     bool // once to its end, and found right
}

func (r *runner) open(i int32, d *description) *taskInputs {
	n := r.nodes[i]
	in := &taskInputs{r: r, byPort: make(map[string][]Input, len(n.Inputs)), damaged: map[*source]bool{}}
	for b := range n.Inputs {
		gather := false
		for p := range d.ports.In {
			gather = gather || d.ports.In[p].Name == n.Inputs[b].Port && d.ports.In[p].Gather
		}
		list := make([]Input, 0, len(n.Inputs[b].Sources))
		for s := range n.Inputs[b].Sources {
			src := &source{Source: &n.Inputs[b].Sources[s], producer: -1, ref: d.refs[b][s]}
			in.all = append(in.all, src)
			input := Input{Ref: src.ref}
			if gather {
				input.Coords = src.Coords
			}
			if src.Node == nil {
				src.name = src.File
				input.Path = src.File
			} else {
				src.producer = r.of[src.Node]
				src.name = src.Node.ID + "." + src.Output
				input.Path = r.store.BlobPath(src.ref.Digest)
			}
			input.Name = src.name
			input.Reader = func() (io.ReadCloser, error) { return in.reader(src) }
			list = append(list, input)
		}
		in.byPort[n.Inputs[b].Port] = list
	}
	return in
}

func (in *taskInputs) size() (n int64) {
	for _, s := range in.all {
		n += s.ref.Size
	}
	return n
}

// absent lists the producers of inputs that the store does not have.
func (in *taskInputs) absent() []int32 {
	return in.producers(func(s *source) bool { return s.Node != nil && !in.r.store.Has(s.ref) })
}

// discardDamaged takes the blobs that were found damaged out of the store, and
// lists their producers.
func (in *taskInputs) discardDamaged() []int32 {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.producers(func(s *source) bool {
		if !in.damaged[s] {
			return false
		}
		// If it cannot be removed, the producer's new bytes replace it anyway.
		_ = in.r.store.Remove(s.ref.Digest)
		return true
	})
}

func (in *taskInputs) producers(of func(*source) bool) []int32 {
	var list []int32
	seen := map[int32]bool{}
	for _, s := range in.all {
		if of(s) && !seen[s.producer] {
			seen[s.producer] = true
			list = append(list, s.producer)
		}
	}
	return list
}

// recheck looks again at every input that the stage did not read to its end
// through a checking reader (it may have read it by its path), so that nothing
// is recorded for bytes that were not there.
func (in *taskInputs) recheck() error {
	for _, s := range in.all {
		in.mu.Lock()
		read := s.read
		in.mu.Unlock()
		if read {
			continue
		}
		if s.Node == nil {
			now, err := in.r.store.HashFile(s.File, false)
			if err != nil || now.Digest != s.ref.Digest {
				in.note(s, artifacts.ErrChanged)
			}
			continue
		}
		rc, err := in.reader(s)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, rc)
		rc.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.changed
}

// note keeps what a reader found wrong with an input. The engine goes by this
// and not by the stage's error, which may have lost the cause.
func (in *taskInputs) note(s *source, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if s.Node != nil {
		in.damaged[s] = true
	} else if in.changed == nil {
		in.changed = fmt.Errorf("%s: %w", s.name, err)
	}
}

// reader opens an input and checks it on the way.
func (in *taskInputs) reader(s *source) (io.ReadCloser, error) {
	if s.Node == nil {
		f, err := os.Open(s.File)
		if err != nil {
			return nil, err
		}
		return &checkedFile{f: f, in: in, s: s, hash: sha256.New()}, nil
	}
	rc, err := in.r.store.OpenBlob(s.ref)
	if errors.Is(err, artifacts.ErrMiss) {
		in.note(s, err)
	}
	if err != nil {
		return nil, err
	}
	return &watchedBlob{ReadCloser: rc, in: in, s: s}, nil
}

// A watchedBlob remembers how the reading of a blob ended.
type watchedBlob struct {
	io.ReadCloser
	in *taskInputs
	s  *source
}

func (w *watchedBlob) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		w.in.mu.Lock()
		w.s.read = true
		w.in.mu.Unlock()
	case errors.Is(err, artifacts.ErrCorrupt):
		w.in.note(w.s, err)
	}
	return n, err
}

// A checkedFile reads a file of the user's and compares it, at its end, with
// what it was when it was hashed.
type checkedFile struct {
	f    *os.File
	in   *taskInputs
	s    *source
	hash hash.Hash
	n    int64
	err  error
}

func (c *checkedFile) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.f.Read(p)
	c.hash.Write(p[:n])
	c.n += int64(n)
	c.err = err
	if err == io.EOF && (c.n != c.s.ref.Size || artifacts.Digest(c.hash.Sum(nil)) != c.s.ref.Digest) || c.n > c.s.ref.Size {
		c.err = artifacts.ErrChanged
		c.in.note(c.s, c.err)
	} else if err == io.EOF {
		c.in.mu.Lock()
		c.s.read = true
		c.in.mu.Unlock()
	}
	return n, c.err
}

func (c *checkedFile) Close() error { return c.f.Close() }
