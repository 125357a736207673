//go:build unix

// Package nifti_test measures ROI extraction: one 64×76×64×150 int16 scan, 84 labels,
// the plain mean and ten bootstrap draws. See README.md.
package nifti_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"prgnn/bench/measure"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/nifti/inflate"
	"prgnn/numeric/random"
)

// data finds a file that generate.py wrote.
func data(b *testing.B, name string) string {
	dir := os.Getenv("PRGNN_BENCH_DATA")
	if dir == "" {
		b.Skip("PRGNN_BENCH_DATA is not set: the directory that generate.py filled")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		b.Skip(err)
	}
	return path
}

// regions are the voxels of the 84 labels, and thirds of them to draw.
func regions(b *testing.B, draws int) nifti.ROIs {
	r := need.Value(nifti.Open(data(b, "labels.nii.gz")))(b)
	defer r.Close()
	l := need.Value(nifti.ReadLabels(r))(b)
	rois := nifti.ROIs{Voxels: make([][]int32, 84), Draws: draws}
	for at, v := range l.Voxels {
		if v > 0 {
			rois.Voxels[v-1] = append(rois.Voxels[v-1], int32(at))
		}
	}
	rois.Choose = func(roi, n int) [][]int32 {
		lists := make([][]int32, draws)
		for d := range lists {
			mark := make([]bool, n)
			for _, v := range random.New(2020, "bench", roi, d).Perm(n)[:(n+2)/3] {
				mark[v] = true
			}
			for v, m := range mark {
				if m {
					lists[d] = append(lists[d], int32(v))
				}
			}
		}
		return lists
	}
	return rois
}

func means(b *testing.B, name string, draws int) {
	path := data(b, name)
	rois := regions(b, draws)
	info := need.Value(os.Stat(path))(b)
	b.SetBytes(info.Size())
	base, cpu, runs := measure.PeakMiB(), measure.Processor(), 0
	for b.Loop() {
		runs++
		m, err := nifti.ROIMeans(func() (*nifti.Reader, error) { return nifti.Open(path) }, rois)
		need.NoError(b, err)
		if m.Volumes != 150 {
			b.Fatal(m.Volumes)
		}
	}
	b.ReportMetric(1000*(measure.Processor()-cpu)/float64(runs), "cpu-ms")
	peak := measure.PeakMiB()
	b.ReportMetric(peak, "peak-MB")
	// Of several benchmarks in one process, later ones show 0 where an earlier one needed as much.
	b.ReportMetric(peak-base, "more-MB")
}

func BenchmarkGzipTenDraws(b *testing.B)  { means(b, "bold.nii.gz", 10) }
func BenchmarkGzipMeanOnly(b *testing.B)  { means(b, "bold.nii.gz", 0) }
func BenchmarkPlainTenDraws(b *testing.B) { means(b, "bold.nii", 10) }

// Decompression alone.
func BenchmarkInflate(b *testing.B) {
	path := data(b, "bold.nii.gz")
	cpu, runs := measure.Processor(), 0
	defer func() { b.ReportMetric(1000*(measure.Processor()-cpu)/float64(max(1, runs)), "cpu-ms") }()
	for b.Loop() {
		runs++
		f := need.Value(os.Open(path))(b)
		z := inflate.NewReader(f)
		n := need.Value(io.Copy(io.Discard, z))(b)
		f.Close()
		b.SetBytes(n)
	}
}
