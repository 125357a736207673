package nifti

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"testing"

	"prgnn/internal/need"
)

// nibabel's test_mgh_affine_default: without orientation the axes point left,
// inferior and anterior, and the middle of the grid is at the origin.
func TestMGHDefault(t *testing.T) {
	r := need.Value(NewReader(bytes.NewReader(mgh(func([]byte) {})()), "x.mgh"))(t)
	want := Affine{{-1, 0, 0, 2}, {0, 0, 1, -1}, {0, -1, 0, 1.5}, {0, 0, 0, 1}}
	if got := r.Header.Affine(); got != want || got.Axes() != "LIA" {
		t.Errorf("affine %v, want %v", got, want)
	}
	if g := r.Header.Grid(); !g.Oriented || g.Shape != [3]int{4, 3, 2} {
		t.Errorf("grid %v", g)
	}
}

// nibabel's test_cosine_order: the cosines stand axis by axis.
func TestMGHCosines(t *testing.T) {
	b := mgh(func(b []byte) {
		b[29] = 1
		put := func(at int, v ...float32) {
			for i, x := range v {
				binary.BigEndian.PutUint32(b[at+4*i:], math.Float32bits(x))
			}
		}
		put(30, 2, 3, 4)                     // sizes
		put(42, 0, 1, 0, 0, 0, -1, -1, 0, 0) // of x: anterior; of y: inferior; of z: left
		put(78, 10, 20, 30)                  // the middle
	})()
	r := need.Value(NewReader(bytes.NewReader(b), "x.mgh"))(t)
	want := Affine{{0, 0, -4, 10 + 4}, {2, 0, 0, 20 - 4}, {0, -3, 0, 30 + 4.5}, {0, 0, 0, 1}}
	need.Equal(t, r.Header.Affine(), want, "affine")
}

// Every type, gzipped or not, with a footer that is not read.
func TestMGHTypes(t *testing.T) {
	for code, dtype := range mghTypes {
		b := mgh(func(b []byte) { b[23] = byte(code) })()[:mghHeaderSize]
		want := make([]float64, 24)
		for i := range want {
			want[i] = float64(i * 5)
			b = appendVoxel(b, binary.BigEndian, dtype, want[i])
		}
		b = append(b, make([]byte, 20)...)
		for _, file := range [][]byte{b, zipped(b)} {
			r := need.Value(NewReader(bytes.NewReader(file), "x.mgz"))(t)
			got := make([]float64, 24)
			if err := r.Next(got); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v: %v, error %v", dtype, got, err)
			}
			need.Equal(t, r.Next(got), io.EOF, dtype, "error", "at the end")
		}
	}
}
