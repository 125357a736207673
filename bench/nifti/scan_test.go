// Package nifti_test measures ROI extraction: one 64×76×64×150 int16 scan, 84 labels,
// the plain mean and ten bootstrap draws. See README.md.
package nifti_test

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

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
	base, cpu, runs := peakMB(), cpuSeconds(), 0
	for b.Loop() {
		runs++
		m, err := nifti.ROIMeans(func() (*nifti.Reader, error) { return nifti.Open(path) }, rois)
		need.NoError(b, err)
		if m.Volumes != 150 {
			b.Fatal(m.Volumes)
		}
	}
	if used := cpuSeconds(); used > 0 {
		b.ReportMetric(1000*(used-cpu)/float64(runs), "cpu-ms")
	}
	if peak := peakMB(); peak > 0 {
		b.ReportMetric(peak, "peak-MB")
		b.ReportMetric(peak-base, "more-MB")
	}
}

// peakMB is the most memory that the process has had so far, by Linux; else 0. Of
// several benchmarks in one process the later ones show more-MB of 0 when an
// earlier one needed as much.
func peakMB() float64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.ParseFloat(strings.Fields(kb)[0], 64)
			return n / 1024
		}
	}
	return 0
}

// cpuSeconds is the processor time of the process so far, by Linux, in steps of 10 ms;
// else 0.
func cpuSeconds() float64 {
	b, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

func BenchmarkGzipTenDraws(b *testing.B)  { means(b, "bold.nii.gz", 10) }
func BenchmarkGzipMeanOnly(b *testing.B)  { means(b, "bold.nii.gz", 0) }
func BenchmarkPlainTenDraws(b *testing.B) { means(b, "bold.nii", 10) }

// Decompression alone.
func BenchmarkInflate(b *testing.B) {
	path := data(b, "bold.nii.gz")
	cpu, runs := cpuSeconds(), 0
	defer func() { b.ReportMetric(1000*(cpuSeconds()-cpu)/float64(max(1, runs)), "cpu-ms") }()
	for b.Loop() {
		runs++
		f := need.Value(os.Open(path))(b)
		z := inflate.NewReader(f)
		n := need.Value(io.Copy(io.Discard, z))(b)
		f.Close()
		b.SetBytes(n)
	}
}
