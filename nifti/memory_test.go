package nifti

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/gzip"

	"prgnn/internal/need"
	"prgnn/internal/peak"
)

// A few megabytes that stand for gigabytes of one volume, or of an extension, are refused.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		name string
		head func() []byte
		want string
	}{
		{"a volume", with(func(h *Header) { h.Dim[1], h.Dim[2], h.Dim[3], h.Dim[0] = 1500, 1500, 1500, 3 }), "the limit is 1024 MiB"},
		{"an extension", extended(0x70000000, 4294967296), "further bytes of extensions, too many for a file of "},
	} {
		t.Run(c.name, func(t *testing.T) {
			peak.Below(t, 150, func(t *testing.T) {
				var z bytes.Buffer
				w, _ := gzip.NewWriterLevel(&z, gzip.BestSpeed)
				w.Write(c.head())
				zeros := make([]byte, 1<<20)
				for range 600 {
					w.Write(zeros)
				}
				w.Close()
				r, err := NewReader(&z, "x.nii.gz")
				if err == nil {
					_, err = ReadLabels(r)
				}
				need.Error(t, err, c.want)
			})
		})
	}
}

// A label image of FreeSurfer, 256³ voxels of 4 bytes, takes its 64 MiB of labels once.
func TestMemoryOfLabels(t *testing.T) {
	peak.Below(t, 100, func(t *testing.T) {
		var z bytes.Buffer
		w, _ := gzip.NewWriterLevel(&z, gzip.BestSpeed)
		w.Write(with(func(h *Header) {
			h.Dim[0], h.Dim[1], h.Dim[2], h.Dim[3], h.Datatype, h.Bitpix = 3, 256, 256, 256, 8, 32
		})())
		zeros := make([]byte, 1<<20)
		for range 64 {
			w.Write(zeros)
		}
		w.Close()
		r := need.Value(NewReader(&z, "x.nii.gz"))(t)
		if l, err := ReadLabels(r); err != nil || len(l.Voxels) != 256*256*256 {
			t.Error(err)
		}
	})
}
