package nifti

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/internal/need"
)

func float(t DataType) bool { return t == Float32 || t == Float64 }

// thirds chooses a fixed third: every third voxel from draw+roi on, ascending.
func thirds(draws int) func(roi, n int) [][]int32 {
	return func(roi, n int) [][]int32 {
		lists := make([][]int32, draws)
		for d := range lists {
			for v := (d + roi) % min(n, 3); v < n; v += 3 {
				lists[d] = append(lists[d], int32(v))
			}
		}
		return lists
	}
}

// nilearn's means of the golden scan; its sums are in float32.
func TestROIMeansGolden(t *testing.T) {
	labels := goldenLabels(t, "labels_resampled_expected.nii.gz")
	text, err := os.ReadFile(filepath.Join("testdata", "nilearn", "ts_raw.tsv"))
	need.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	head := strings.Split(lines[0], "\t")
	var rois ROIs
	for _, h := range head {
		id, _ := strconv.Atoi(h)
		var voxels []int32
		for at, v := range labels.Voxels {
			if int(v) == id {
				voxels = append(voxels, int32(at))
			}
		}
		rois.Voxels = append(rois.Voxels, voxels)
	}
	m, err := ROIMeans(func() (*Reader, error) { return Open(filepath.Join("testdata", "nilearn", "bold.nii.gz")) },
		rois)
	need.NoError(t, err)
	if len(lines)-1 != 60 || m.Volumes != 60 || len(m.Series) != 60*len(head) {
		t.Fatalf("%d lines, %d volumes", len(lines)-1, m.Volumes)
	}
	for v, line := range lines[1:] {
		for i, f := range strings.Split(line, "\t") {
			want, _ := strconv.ParseFloat(f, 64)
			if got := m.Series[v*len(head)+i]; math.Abs(got-want) > 1e-5*math.Abs(want) {
				t.Errorf("volume %d, label %s: %v, want %v", v, head[i], got, want)
			}
		}
	}
}

// A scan is a made-up series of one data type, as stored.
type scan struct {
	dtype        DataType
	big          bool
	slope, inter float64
	shape        [4]int
	values       []float64 // what is stored, x fastest
}

// file encodes the scan as an uncompressed NIfTI-1 file.
func (s scan) file() []byte {
	h := &Header{
		Version: 1, BigEndian: s.big, SizeofHdr: 348, VoxOffset: 352, SclSlope: s.slope, SclInter: s.inter,
		Datatype: int64(s.dtype), Bitpix: int64(8 * s.dtype.Size()), SformCode: 1, XYZTUnits: 10,
		Dim: [8]int64{4, 1, 1, 1, 1, 1, 1, 1}, Pixdim: [8]float64{1, 1, 1, 1, 2},
		Srow: [3][4]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}},
	}
	copy(h.Magic[:], "n+1\x00")
	for i, n := range s.shape {
		h.Dim[i+1] = int64(n)
	}
	b := append(h.encode(), 0, 0, 0, 0)
	for _, v := range s.values {
		b = appendVoxel(b, h.order(), s.dtype, v)
	}
	return b
}

func appendVoxel(b []byte, order binary.ByteOrder, t DataType, v float64) []byte {
	app := order.(binary.AppendByteOrder)
	switch t {
	case Uint8:
		return append(b, uint8(v))
	case Int8:
		return append(b, byte(int8(v)))
	case Int16:
		return app.AppendUint16(b, uint16(int16(v)))
	case Uint16:
		return app.AppendUint16(b, uint16(v))
	case Int32:
		return app.AppendUint32(b, uint32(int32(v)))
	case Uint32:
		return app.AppendUint32(b, uint32(v))
	case Float32:
		return app.AppendUint32(b, math.Float32bits(float32(v)))
	case Int64:
		return app.AppendUint64(b, uint64(int64(v)))
	case Uint64:
		return app.AppendUint64(b, uint64(v))
	}
	return app.AppendUint64(b, math.Float64bits(v))
}

// ranges are the least and greatest stored values worth a test.
var ranges = map[DataType][2]float64{
	Uint8: {0, 255}, Int8: {-128, 127}, Int16: {-32768, 32767}, Uint16: {0, 65535}, Int32: {-2147483648, 2147483647},
	Uint32: {0, 4294967295}, Int64: {-1e15, 1e15}, Uint64: {0, 1e15}, Float32: {-1000, 1000}, Float64: {-1e6, 1e6},
}

// slowMeans is the definition: valid voxels first, then each mean by itself.
func slowMeans(s scan, rois ROIs) (series []float64, counts []Count) {
	n := s.shape[0] * s.shape[1] * s.shape[2]
	at := func(voxel int32, t int) float64 { return s.values[t*n+int(voxel)] }
	counts = make([]Count, len(rois.Voxels))
	series = make([]float64, (1+rois.Draws)*s.shape[3]*len(rois.Voxels))
	for r, voxels := range rois.Voxels {
		var valid []int32
		for _, v := range voxels {
			finite, constant := true, true
			for t := range s.shape[3] {
				x := at(v, t)
				finite = finite && !math.IsNaN(x) && !math.IsInf(x, 0)
				constant = constant && x == at(v, 0)
			}
			switch {
			case !finite:
				counts[r].NonFinite++
			case constant:
				counts[r].Constant++
			default:
				counts[r].Used++
				valid = append(valid, v)
			}
		}
		lists := [][]int32{nil}
		for i := range valid {
			lists[0] = append(lists[0], int32(i))
		}
		if len(valid) > 0 && rois.Draws > 0 {
			lists = append(lists, rois.Choose(r, len(valid))...)
		}
		for d := range 1 + rois.Draws {
			for t := range s.shape[3] {
				mean := math.NaN()
				if len(valid) > 0 {
					mean = 0
					for _, i := range lists[d] {
						mean += at(valid[i], t)
					}
					mean = mean/float64(len(lists[d]))*s.slope + s.inter
				}
				series[(d*s.shape[3]+t)*len(rois.Voxels)+r] = mean
			}
		}
	}
	return series, counts
}

// Every data type in either byte order, of a number of volumes that the lanes
// divide and of one that they do not, with voxels that are constant, constant at
// first, NaN, NaN late, and infinite.
func TestROIMeans(t *testing.T) {
	for dtype, span := range ranges {
		for _, volumes := range []int{2, 8, 17} {
			for _, big := range []bool{false, true} {
				t.Run(fmt.Sprint(dtype, volumes, big), func(t *testing.T) {
					s := scan{dtype, big, 0.5, 100, [4]int{5, 6, 7, volumes}, nil}
					rnd := rand.New(rand.NewPCG(1, uint64(volumes)))
					n := 5 * 6 * 7
					for range n * volumes {
						v := math.Round(span[0] + (span[1]-span[0])*rnd.Float64())
						if float(dtype) {
							v = float64(float32(span[0] + (span[1]-span[0])*rnd.Float64()))
						}
						s.values = append(s.values, v)
					}
					set := func(voxel, from, to int, v float64) {
						for vol := from; vol < to; vol++ {
							s.values[vol*n+voxel] = v
						}
					}
					set(0, 0, volumes, 7)         // constant
					set(3, 0, volumes-1, span[1]) // constant but for the last volume
					set(30, 0, volumes, span[0])  // constant
					for v := 60; v < 70; v++ {    // a whole ROI
						set(v, 0, volumes, 0)
					}
					if float(dtype) {
						set(1, 0, 1, math.NaN())
						set(32, volumes-1, volumes, math.NaN())
						set(33, volumes-1, volumes, math.Inf(-1))
						set(34, 0, volumes, math.NaN())
						set(35, 0, volumes, math.Inf(1))
					}
					rois := ROIs{Voxels: make([][]int32, 5), Draws: 3, Choose: thirds(3)}
					for v := range n - 100 { // ROI 3 is empty, ROI 4 one voxel
						r := []int{0, 1, 2}[v/30%3]
						rois.Voxels[r] = append(rois.Voxels[r], int32(v))
					}
					rois.Voxels[2] = rois.Voxels[2][:10] // 60…69
					rois.Voxels[4] = []int32{int32(n - 1)}
					rois.Sample = []int32{0, 32, 33, 200, 5}
					file := s.file()
					opened := 0
					m, err := ROIMeans(func() (*Reader, error) {
						opened++
						return NewReader(bytes.NewReader(file), "scan")
					}, rois)
					need.NoError(t, err)
					series, counts := slowMeans(s, rois)
					if !slices.Equal(m.Counts, counts) {
						t.Errorf("counts %v, want %v", m.Counts, counts)
					}
					if m.Volumes != volumes || len(m.Series) != len(series) {
						t.Fatalf("%d volumes, %d values, want %d, %d", m.Volumes, len(m.Series), volumes, len(series))
					}
					for i, want := range series {
						// The definition and the code add in one order: integers are
						// exact, and floats have the same roundings.
						if got := m.Series[i]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
							t.Fatalf("value %d: %v, want %v", i, got, want)
						}
					}
					for v, got := range m.Mean {
						sum, used := 0.0, 0.0
						for vol := 0; vol < volumes; vol += 4 {
							used++
							if x := s.values[vol*n+v]; !math.IsNaN(x) && !math.IsInf(x, 0) {
								sum += x
							}
						}
						if want := sum/used*s.slope + s.inter; got != want {
							t.Fatalf("mean of voxel %d over time: %v, want %v", v, got, want)
						}
					}
					if len(m.Sample) != 5*volumes {
						t.Fatalf("%d sampled values, want %d", len(m.Sample), 5*volumes)
					}
					for i, got := range m.Sample {
						voxel := rois.Sample[i%5]
						want := s.values[i/5*n+int(voxel)]*s.slope + s.inter
						if float(dtype) && (voxel == 32 || voxel == 33) { // not finite in the last volume
							want = math.NaN()
						}
						if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
							t.Fatalf("voxel %d in volume %d: %v, want %v", voxel, i/5, got, want)
						}
					}
					need.Equal(t, len(m.Mean), n, "means of", "voxels over time")
					// Few volumes show all that there is at once.
					if late := volumes > guessed*lanes; late != (opened == 2) {
						t.Errorf("%d passes over %d volumes", opened, volumes)
					}
				})
			}
		}
	}
}

// A ROI so large that its sum needs more than 32 bits.
func TestROIMeansLarge(t *testing.T) {
	const n = 70000
	s := scan{Uint16, false, 1, 0, [4]int{n, 1, 1, 2}, nil}
	s.shape = [4]int{n / 100, 100, 1, 2}
	for i := range 2 * n {
		s.values = append(s.values, 65535-float64(i/n))
	}
	voxels := make([]int32, n)
	for i := range voxels {
		voxels[i] = int32(i)
	}
	file := s.file()
	m, err := ROIMeans(func() (*Reader, error) { return NewReader(bytes.NewReader(file), "scan") },
		ROIs{Voxels: [][]int32{voxels}})
	need.NoError(t, err)
	if !slices.Equal(m.Series, []float64{65535, 65534}) {
		t.Errorf("means %v, want 65535 and 65534", m.Series)
	}
}

func TestROIMeansErrors(t *testing.T) {
	s := scan{Int16, false, 1, 0, [4]int{4, 4, 4, 9}, make([]float64, 4*4*4*9)}
	file := s.file()
	_, err := ROIMeans(func() (*Reader, error) { return NewReader(bytes.NewReader(file[:352+128*6+5]), "scan.nii") },
		ROIs{Voxels: [][]int32{{1, 2}}})
	need.Error(t, err, "scan.nii: volume 7 of 9: truncated at byte 1125; fetch or write the file again (unexpected EOF)")
	s.shape[3], s.values = 1, s.values[:64]
	file = s.file()
	_, err = ROIMeans(func() (*Reader, error) { return NewReader(bytes.NewReader(file), "scan.nii") }, ROIs{})
	need.Error(t, err, "scan.nii: shape [4 4 4 1] has one volume")
}

// Room for means grows, and what is in it stays in its place.
func TestMeansRoom(t *testing.T) {
	m := &meansRoom{draws: 3, cols: 1, first: 4}
	write := func(v int) {
		for d := range 3 {
			m.series[d*m.room+v] = float64(10*v + d)
		}
	}
	for v := range 9 {
		if !m.reserve(v+1, 9) {
			t.Fatal("no room")
		}
		write(v)
		need.Equal(t, m.room, []int{4, 4, 4, 4, 8, 8, 8, 8, 9}[v], "room for", "volumes after", v+1)
	}
	for i, x := range m.series { // which is full
		need.Equal(t, x, float64(10*(i%9)+i/9), "number", i)
	}
	m = &meansRoom{draws: 3, cols: 1, first: 4}
	for v := range 9 {
		m.reserve(v+1, 100) // of a header that promises more than there is
		write(v)
	}
	m.fix(9)
	for d := range 3 {
		for v := range 9 {
			need.Equal(t, m.series[d*9+v], float64(10*v+d), "draw", d, "volume", v)
		}
	}
	if m.reserve(10, 100) || len(m.series) != 27 {
		t.Errorf("there is room beyond what is fixed: %d", len(m.series))
	}
}
