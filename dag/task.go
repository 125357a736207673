package dag

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
)

// A Task is what a running stage has: its inputs, and ways to report.
type Task struct {
	// No output may depend on these, but on a parameter, which an axis of a file fills by name.
	ID      string  // "train[pool=topk,fold=2]"
	Coords  []Coord // in the order of the stage's axes
	Threads int     // goroutines that it may use; no result may depend on it

	inputs map[string][]Input

	// The way out to the engine. They are functions, so that the code identity
	// of a stage, which reaches all of Task, does not reach the engine.
	progress       func(done, total int, note string)
	log            io.Writer
	checkpoint     func() []byte
	saveCheckpoint func([]byte) error
	tookMemory     func(bytes int64)
}

// An Input is what an input port reads: a result or a file.
type Input struct {
	Coords []Coord // of a gathered member
	Name   string  // for messages: a path, or "bootstrap[sub-003].series"
	Ref    artifacts.Ref
	Path   string                        // where the bytes lie, for readers that seek; "" in memory
	Reader func() (io.ReadCloser, error) // checks the bytes against Ref on the way

	// nil where there are no other tasks. by is its identity: a function has none, its variable does.
	shared func(by any, read func(Input) (any, error)) (any, error)
}

// A Wiring connects a task to the engine that runs it.
type Wiring struct {
	Inputs         map[string][]Input // by port; of one that gathers, in the order of CompareCoords
	Log            io.Writer
	Progress       func(done, total int, note string)
	Checkpoint     func() []byte
	SaveCheckpoint func([]byte) error
	TookMemory     func(bytes int64)
}

// Task is a task with this wiring.
func (w Wiring) Task(id string, coords []Coord, threads int) *Task {
	return &Task{ID: id, Coords: coords, Threads: threads, inputs: w.Inputs, log: w.Log, progress: w.Progress,
		checkpoint: w.Checkpoint, saveCheckpoint: w.SaveCheckpoint, tookMemory: w.TookMemory}
}

// Share sets what ReadOnce calls, with its reader and a call of it.
func (in *Input) Share(with func(by any, read func(Input) (any, error)) (any, error)) {
	in.shared = with
}

// NewTask is a task for tests. Its Log is a fmt.Stringer.
func NewTask(inputs map[string][]Input) *Task {
	var saved []byte
	t := &Task{
		ID: "test", Threads: 1, inputs: make(map[string][]Input, len(inputs)),
		progress:       func(int, int, string) {},
		log:            new(heard),
		tookMemory:     func(int64) {},
		checkpoint:     func() []byte { return slices.Clone(saved) },
		saveCheckpoint: func(b []byte) error { saved = slices.Clone(b); return nil },
	}
	for port, ins := range inputs {
		ins = slices.Clone(ins)
		slices.SortStableFunc(ins, func(a, b Input) int { return CompareCoords(a.Coords, b.Coords) })
		t.inputs[port] = ins
	}
	return t
}

// heard is a log in memory.
type heard struct {
	mu   sync.Mutex // guards text: a stage may speak in many goroutines
	text []byte
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p...)
	return len(p), nil
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.text)
}

// InputOf is a value as an input of NewTask.
func InputOf(v artifacts.Value, coords ...Coord) Input {
	var b bytes.Buffer
	if err := v.Encode(&b); err != nil {
		panic(fmt.Sprintf("dag: the value does not encode: %v", err))
	}
	return Input{
		Coords: coords,
		Name:   "a value in memory",
		Ref:    artifacts.Ref{Digest: artifacts.DigestOf(b.Bytes()), Size: int64(b.Len()), Format: v.Format()},
		Reader: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil },
	}
}

// Has reports whether an optional port is connected.
func (t *Task) Has(port string) bool { return len(t.inputs[port]) > 0 }

// In is the input of a port. Reading it is an error where there is not one.
func (t *Task) In(port string) Input {
	ins := t.inputs[port]
	if len(ins) != 1 {
		err := fmt.Errorf("the stage reads one input there, but it has %d", len(ins))
		return Input{Name: fmt.Sprintf("port %q", port), Reader: func() (io.ReadCloser, error) { return nil, err }}
	}
	return ins[0]
}

// All are the inputs of a gathering port, in the order of CompareCoords.
func (t *Task) All(port string) []Input { return t.inputs[port] }

// Progress reports done of total, and a note. Any goroutine may call it.
func (t *Task) Progress(done, total int, note string) { t.progress(done, total, note) }

// Log is for a person to read. Any goroutine may write to it.
func (t *Task) Log() io.Writer { return t.log }

// TookMemory records the peak memory of a process that the task started.
func (t *Task) TookMemory(bytes int64) { t.tookMemory(bytes) }

// Checkpoint was saved for this key, or is nil. No result may depend on it.
func (t *Task) Checkpoint() []byte { return t.checkpoint() }

// SaveCheckpoint keeps b until the task is done.
func (t *Task) SaveCheckpoint(b []byte) error { return t.saveCheckpoint(b) }

// Bytes reads the whole input, and checks it.
func (in Input) Bytes() ([]byte, error) {
	r, err := in.Reader()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	defer r.Close()
	// The size is a hint: a file that has grown since is read to its end, and
	// then refused for what it holds.
	const most = 1 << 30
	b := bytes.NewBuffer(make([]byte, 0, min(max(in.Ref.Size, 0), most)+bytes.MinRead))
	if _, err := b.ReadFrom(r); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return b.Bytes(), nil
}

// Array reads an npy input of real numbers.
func (in Input) Array() (*encoding.Array, error) {
	b, err := in.Bytes()
	if err != nil {
		return nil, err
	}
	a, err := encoding.DecodeArray(b)
	if err == nil && a.IsComplex() {
		err = fmt.Errorf("its elements are complex (%s), but the stage computes with real numbers", a.DType())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return a, nil
}

// Table reads an Arrow input. Text that is dictionary-encoded is text.
func (in Input) Table() (*encoding.Table, error) {
	b, err := in.Bytes()
	if err != nil {
		return nil, err
	}
	t, err := encoding.ReadTable(bytes.NewReader(b))
	if err == nil {
		t, err = t.Decoded()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return t, nil
}

// SharedArray is Array, read once for all tasks of a run: do not change it.
func (in Input) SharedArray() (*encoding.Array, error) { return ReadOnce(in, &readArray) }

var readArray = Input.Array

// ReadOnce is what read, a package variable, makes of an input once in a run.
func ReadOnce[T any](in Input, read *func(Input) (T, error)) (T, error) {
	if in.shared == nil {
		return (*read)(in)
	}
	v, err := in.shared(read, func(in Input) (any, error) { return (*read)(in) })
	made, _ := v.(T) // not ok for an error, and for a nil interface
	return made, err
}

// Coord is the value of a coordinate, or "".
func (in Input) Coord(axis string) string {
	for _, c := range in.Coords {
		if c.Axis == axis {
			return c.Value
		}
	}
	return ""
}
