package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/encoding"
	"prgnn/artifacts/storetest"
	"prgnn/dag"
	"prgnn/internal/need"
)

// The first number of an npy file lies there, and the head ends behind it.
const firstNumber, headEnd = 128, 136

func numberIn(head []byte) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(head[firstNumber:]))
}

// ways are all ways in which a stage reads an input. Each gives its first number.
var ways = map[string]func(dag.Input) (float64, error){
	"bytes": func(in dag.Input) (float64, error) {
		b, err := in.Bytes()
		if err != nil {
			return 0, err
		}
		return numberIn(b), nil
	},
	"array": func(in dag.Input) (float64, error) {
		a, err := in.Array()
		if err != nil {
			return 0, err
		}
		return a.Float64s()[0], nil
	},
	"reader": func(in dag.Input) (float64, error) {
		return headOf(in, func(r io.ReadCloser) error {
			_, err := io.Copy(io.Discard, r)
			return errors.Join(err, r.Close())
		})
	},
	"head": func(in dag.Input) (float64, error) { return headOf(in, io.ReadCloser.Close) },
	"head left open": func(in dag.Input) (float64, error) {
		return headOf(in,
			func(io.ReadCloser) error { return nil })
	},
	"path": func(in dag.Input) (float64, error) {
		b, err := os.ReadFile(in.Path)
		if err != nil {
			return 0, err
		}
		return numberIn(b), nil
	},
	"read at": func(in dag.Input) (float64, error) {
		f, err := os.Open(in.Path)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		b := make([]byte, headEnd)
		_, err = f.ReadAt(b, 0)
		return numberIn(b), err
	},
	"another way before": func(in dag.Input) (float64, error) {
		if _, err := in.Bytes(); err != nil {
			return 0, err
		}
		if err := hook(in); err != nil {
			return 0, err
		}
		return headOf(in, io.ReadCloser.Close)
	},
}

// hook is what happens between two readings of a stage.
var hook = func(dag.Input) error { return nil }

func headOf(in dag.Input, end func(io.ReadCloser) error) (float64, error) {
	r, err := in.Reader()
	if err != nil {
		return 0, err
	}
	b := make([]byte, headEnd)
	if _, err := io.ReadFull(r, b); err != nil {
		return 0, err
	}
	return numberIn(b), end(r)
}

// A scale is an array of the numbers from 7 on.
type scale struct{ n int }

func (*scale) Ports() dag.Ports { return dag.Ports{Out: []dag.Port{{Name: "out"}}} }

func (w *scale) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	v := make([]float64, w.n)
	for i := range v {
		v[i] = float64(7 + i)
	}
	return dag.Outputs{"out": encoding.NewArray(v, w.n)}, nil
}

// A looker gives the first number of its input.
type looker struct {
	N    int `param:"n"`
	look func(dag.Input) (float64, error)
}

func (*looker) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{{Name: "file"}}, Out: []dag.Port{{Name: "out"}}}
}

func (l *looker) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	x, err := l.look(t.In("file"))
	return dag.Outputs{"out": artifacts.Text(fmt.Sprint(l.N, x))}, err
}

// A reader of an input has its size, which bounds what the input may claim.
func TestLengthOfInput(t *testing.T) {
	s := newSketch()
	s.task("a", &scale{1000})
	s.task("b", &looker{look: func(in dag.Input) (float64, error) {
		return headOf(in, func(r io.ReadCloser) error {
			need.Equal(t, r.(interface{ Len() int }).Len(), int(in.Ref.Size)-headEnd)
			return r.Close()
		})
	}})
	s.blob("b", "a")
	if res, ran := s.run(t, newStore(t), Options{}); res.Failed != 0 {
		t.Errorf("%s: %v", ran, res.Errors)
	}
}

// spoil changes the first number of an array behind the back of the program, in the bytes that lie there.
func spoil(t *testing.T, st *disk.Store, ref artifacts.Ref) {
	t.Helper()
	o := storetest.Find(t, st.Dir(), ref.Digest)
	info := need.Value(os.Stat(o.Path))(t)
	need.NoError(t, os.Chmod(o.Path, 0o644))
	f := need.Value(os.OpenFile(o.Path, os.O_WRONLY, 0))(t)
	_, err := f.WriteAt([]byte{0x55, 0x77}, o.At+headEnd-2)
	need.NoError(t, errors.Join(err, f.Close(), os.Chmod(o.Path, info.Mode())))
	need.NoError(t, os.Chtimes(o.Path, info.ModTime(), info.ModTime()))
}

// Nothing is kept of bytes that were damaged when a stage read them, whichever way it did, and whether it shares what
// it made of them or not.
func TestDamagedWhileRead(t *testing.T) {
	hidden := hook
	defer func() { hook = hidden }()
	for way, look := range ways {
		for _, place := range []string{"file", "pack", "remote"} {
			for _, share := range []bool{false, true} {
				size := 20000
				if place == "pack" {
					if size = 100; strings.Contains(way, "path") || way == "read at" || way == "mmap" {
						continue // it has none
					}
				}
				t.Run(fmt.Sprint(way, " ", place, " shared ", share), func(t *testing.T) {
					st := newStore(t)
					s := newSketch()
					s.task("a", &scale{size})
					if place == "remote" {
						dir := filepath.Join(t.TempDir(), "remote")
						need.NoError(t, st.Remote.Attach(t.Context(), shared(t, dir)))
						s.run(t, st, Options{})
						st.Remote.Share(t.Context(), func(int) {})
						st = newStore(t)
						need.NoError(t, st.Remote.Attach(t.Context(), shared(t, dir)))
					}
					spoiled := false
					harm := func(in dag.Input) error {
						if !spoiled {
							spoiled = true
							spoil(t, st, in.Ref)
						}
						return nil
					}
					if way == "another way before" {
						hook = harm
					}
					then := func(in dag.Input) (float64, error) {
						if way != "another way before" {
							need.NoError(t, harm(in))
						}
						return look(in)
					}
					for n := range 3 {
						id := fmt.Sprint("b", n)
						s.task(id, &looker{N: n, look: func(in dag.Input) (float64, error) {
							if share {
								return dag.ReadOnce(in, &then)
							}
							return then(in)
						}})
						s.blob(id, "a")
					}
					res, ran := s.run(t, st, Options{Workers: 1})
					if res.Failed != 0 || !spoiled {
						t.Fatalf("%s: %v", ran, res.Errors)
					}
					for n := range 3 {
						need.Equal(t, s.text(t, st, res, fmt.Sprint("b", n)), fmt.Sprint(n, 7.0), "b", n)
					}
					if r, err := st.Health.Verify(t.Context(), nil); err != nil || r.Damaged() != 0 {
						t.Errorf("%v, %v", r.Findings, err)
					}
				})
			}
		}
	}
}

// What a stage read by its path counts only if the same file lies there when the stage has ended: a blob that it read
// damaged is whole again when another task, or another run, has found it and made it anew.
func TestReplacedWhileRead(t *testing.T) {
	for _, way := range []string{"path", "read at", "head", "head left open", "mmap"} {
		look := ways[way]
		if look == nil {
			continue // not on this system
		}
		st := newStore(t)
		s := newSketch()
		s.task("a", &scale{20000})
		attempts := 0
		s.task("b", &looker{look: func(in dag.Input) (float64, error) {
			attempts++
			if attempts > 1 {
				return look(in)
			}
			right := need.Value(os.ReadFile(in.Path))(t)
			spoil(t, st, in.Ref)
			x, err := look(in)
			need.NoError(t, st.Health.Discard(in.Ref))
			need.Value(st.Put(artifacts.Bytes{Data: right, Kind: "npy"}))(t)
			return x, err
		}})
		s.blob("b", "a")
		res, ran := s.run(t, st, Options{})
		if res.Failed != 0 || attempts != 2 || s.text(t, st, res, "b") != "0 7" {
			t.Errorf("%s: %s after %d attempts: %v", way, ran, attempts, res.Errors)
		}
	}
}

// A user's file that is edited, and edited back, while a stage reads it by its path, has changed.
func TestEditedBackWhileRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	write(t, path, "right")
	s := newSketch()
	s.task("a", &pathReader{
		during: func(context.Context, *dag.Task) error { write(t, path, "wrong"); return nil },
		after:  func() { write(t, path, "right") },
	})
	s.file("a", path)
	res, _ := s.run(t, newStore(t), Options{})
	if res.Failed != 1 || !errors.Is(res.Errors[0], artifacts.ErrChanged) {
		t.Errorf("%d failed: %v", res.Failed, res.Errors)
	}
}
