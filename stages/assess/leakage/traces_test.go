package leakage

import (
	"bufio"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
)

// A recording is what a scanner would see: voxels over time, with a common signal, local ones and a drift.
type recording struct{ voxels [][]float64 } // voxel, time

func record(seed uint64, voxels, volumes int) recording {
	r := random.New(seed, "test", "traces")
	common, own := 0.0, make([]float64, voxels)
	out := recording{make([][]float64, voxels)}
	for i := range volumes {
		common = 0.6*common + r.Normal()
		for v := range voxels {
			own[v] = 0.5*own[v] + 1.5*r.Normal()
			out.voxels[v] = append(out.voxels[v], 1000+20*common+10*own[v]+float64(i)*0.5)
		}
	}
	return out
}

// regions averages voxels of a parcellation, volumes from … to, and changes each value.
func (r recording) regions(
	label func(voxel int) int, nodes, from, to int, change func(float64) float64,
) *encoding.Array {
	out := make([]float64, (to-from)*nodes)
	count := make([]float64, nodes)
	for v, x := range r.voxels {
		n := label(v)
		count[n]++
		for i := from; i < to; i++ {
			out[(i-from)*nodes+n] += change(x[i])
		}
	}
	for i := range out {
		out[i] /= count[i%nodes]
	}
	return encoding.NewArray(out, 1, to-from, nodes)
}

func seriesInput(a *encoding.Array, subject string) dag.Input {
	in := dag.InputOf(a, dag.Coord{Axis: "subject", Value: subject})
	in.Name = "series[" + subject + "].series"
	return in
}

func findTraces(ins []dag.Input, least float64, threads int) ([]fold.Duplicate, error) {
	all, _, _, err := readTraces(ins, 2, meanTrace)
	same, _, _ := (&Leakage{Correlation: least}).sameTraces(all, ins, threads)
	return same, err
}

// One scan is found under two ids when its beginning was cut and its labels are others, when it was scaled and rounded
// to whole numbers, when it was resampled, and when its sign was reversed; 60 others are not taken for one another,
// nor are two runs of a participant.
func TestTracesFindOneScan(t *testing.T) {
	const voxels, volumes, nodes = 240, 150, 12
	byBlock := func(v int) int { return v * nodes / voxels }
	byRest := func(v int) int { return v % 9 }
	same := func(x float64) float64 { return x }
	rounded := func(x float64) float64 { return math.Round(0.37*x - 90) }
	var others []dag.Input
	for i := range 60 {
		series := record(uint64(i+1), voxels, volumes).regions(byBlock, nodes, 0, volumes, same)
		others = append(others, seriesInput(series, "sub-"+strconv.Itoa(i+1)))
	}
	if twins, err := findTraces(others, 0.8, 2); err != nil || twins != nil {
		t.Fatalf("of 60 independent scans: %v, %v", twins, err)
	}
	scan := record(7, voxels, volumes)
	byReverse := func(v int) int { return nodes - 1 - byBlock(v) }
	times := func(factor, offset float64) func(float64) float64 {
		return func(x float64) float64 { return factor*x + offset }
	}
	noise := random.New(8, "test", "noise")
	signed := scan.regions(byBlock, nodes, 20, volumes, same)
	for i, v := range signed.Float64s() {
		if i%nodes%2 == 1 {
			signed.Float64s()[i] = -v
		}
	}
	blurred := recording{make([][]float64, voxels)}
	for v := range voxels {
		for i := range volumes {
			sum := scan.voxels[v][i] + scan.voxels[(v+1)%voxels][i] + scan.voxels[(v+2)%voxels][i]
			blurred.voxels[v] = append(blurred.voxels[v], sum/3)
		}
	}
	for _, c := range []struct {
		name string
		copy *encoding.Array
		want bool
	}{
		{"cut at the beginning, other labels", scan.regions(byRest, 9, 40, volumes, same), true},
		{"scaled and rounded", scan.regions(byBlock, nodes, 0, volumes, rounded), true},
		{"resampled, cut at both ends", blurred.regions(byBlock, nodes, 20, volumes-30, same), true},
		{"half of it, other labels", scan.regions(byRest, 9, volumes/2-1, volumes, same), true},
		{"a negative factor, cut", scan.regions(byBlock, nodes, 20, volumes, times(-1, 0)), true},
		{"a negative factor and an offset", scan.regions(byBlock, nodes, 20, volumes, times(-1, 5)), true},
		{"a negative factor, regions in reverse", scan.regions(byReverse, nodes, 0, volumes, times(-1, 0)), true},
		{"a negative factor, rounded, regions in reverse", scan.regions(byReverse, nodes, 20, volumes,
			func(x float64) float64 { return math.Round(-x) }), true},
		{"a negative factor and noise", scan.regions(byBlock, nodes, 0, volumes,
			func(x float64) float64 { return -x + 10*noise.Normal() }), true},
		{"a sign of its own for each region", signed, false}, // docs/leakage.md: not found
		{"fewer volumes than are compared", scan.regions(byBlock, nodes, 0, leastOverlap, same), false},
	} {
		twins, err := findTraces(append(slices.Clone(others), seriesInput(c.copy, "sub-99")), 0.8, 2)
		need.NoError(t, err)
		found := len(twins) == 1 && twins[0].First == "sub-7" && twins[0].Later == "sub-99"
		if found != c.want || !found && twins != nil {
			t.Errorf("%s: %v", c.name, twins)
		}
		own, err := findTraces([]dag.Input{others[6], seriesInput(c.copy, "sub-7")}, 0.8, 1)
		if err != nil || own != nil {
			t.Errorf("%s: two runs of one participant: %v, %v", c.name, own, err)
		}
	}
}

// The best lag is that of the slow definition: Pearson's correlation of the parts that overlap, whatever its sign.
func TestMeetByDefinition(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		meetByDefinition(t, sign)
	}
}

func meetByDefinition(t *testing.T, sign float64) {
	t.Helper()
	r := random.New(3, "test", "meet")
	x, y := make([]float64, 90), make([]float64, 130)
	for i := range x {
		x[i] = r.Normal()
	}
	for i := range y {
		y[i] = r.Normal()
		if i >= 37 && i-37 < len(x) {
			y[i] += sign * 0.4 * x[i-37]
		}
	}
	best := meeting{}
	for lag := -40; lag <= 80; lag++ {
		var a, b []float64
		for i := range x {
			if j := i + lag; j >= 0 && j < len(y) {
				a, b = append(a, x[i]), append(b, y[j])
			}
		}
		n := float64(len(a))
		if len(a) < 50 {
			continue
		}
		var ma, mb, ab, aa, bb float64
		for i := range a {
			ma, mb = ma+a[i]/n, mb+b[i]/n
		}
		for i := range a {
			ab, aa, bb = ab+(a[i]-ma)*(b[i]-mb), aa+(a[i]-ma)*(a[i]-ma), bb+(b[i]-mb)*(b[i]-mb)
		}
		c := ab / math.Sqrt(aa*bb)
		if z := math.Atanh(math.Abs(c)) * math.Sqrt(n-3); z > best.z {
			best = meeting{c, z, lag, len(a)}
		}
	}
	if best.r*sign < 0 {
		t.Fatalf("the lag that was planted is not the best: %+v", best)
	}
	got := newTrace(x).meet(newTrace(y))
	if math.Abs(got.r-best.r) > 1e-9 || math.Abs(got.z-best.z) > 1e-9 || got.lag != best.lag ||
		got.shared != best.shared {
		t.Errorf("%+v, by definition %+v", got, best)
	}
	if back := newTrace(y).meet(newTrace(x)); math.Abs(back.z-got.z) > 1e-9 || back.lag != -got.lag {
		t.Errorf("%+v and back %+v", got, back)
	}
}

// abideSeries are the files of time series of some sites.
func abideSeries(t *testing.T, sites ...string) (files []string) {
	t.Helper()
	dir := need.Shared(t, "data", "abide_pcp")
	if testing.Short() {
		t.Skip("hundreds of participants")
	}
	for _, site := range sites {
		files = append(files, need.Value(filepath.Glob(filepath.Join(dir, "cpac", "*", site+"*.1D.gz")))(t)...)
	}
	return files
}

// Of the real scans of three sites (of all 1,035: docs/leakage.md) exactly those that were published twice are
// found, and every copy of a fourth of them that was cut at its beginning, scaled and rounded. Of copies with wholly
// other regions, most are.
func TestTracesOnABIDE(t *testing.T) {
	files := abideSeries(t, "UM_1", "Yale", "OHSU")
	slices.Sort(files)
	if len(files) < 100 {
		t.Fatalf("%d scans", len(files))
	}
	var ins []dag.Input
	part := func(v []float64, nodes, skip, low, high int, change func(float64) float64) *encoding.Array {
		var out []float64
		for i := skip * nodes; i < len(v); i += nodes {
			for _, x := range v[i+low : i+high] {
				out = append(out, change(x))
			}
		}
		return encoding.NewArray(out, 1, len(out)/(high-low), high-low)
	}
	same := func(x float64) float64 { return x }
	long, cut, others := 0, 0, 0
	const limit = -30 // 1e-13: of all pairs of 40,000 participants with 80 volumes
	for i, f := range files {
		v, nodes := readSeries(t, f)
		name := strings.TrimSuffix(filepath.Base(f), "_rois_ho.1D.gz")
		ins = append(ins, seriesInput(part(v, nodes, 0, 0, nodes, same), name))
		if i%4 > 0 { // copies of a fourth of the scans
			continue
		}
		n := len(v) / nodes
		whole := meanTrace(part(v, nodes, 0, 0, nodes, same))
		rounded := meanTrace(part(v, nodes, n/5, 0, nodes, func(x float64) float64 { return 10 * math.Round(0.137*x) }))
		first := meanTrace(part(v, nodes, 0, 0, nodes/2, same))
		second := meanTrace(part(v, nodes, n/5, nodes/2, nodes, same))
		if whole == nil || rounded == nil || first == nil || second == nil {
			continue
		}
		long++
		if m := whole.meet(rounded); m.r >= 0.8 && need.Value(whole.chance(rounded, m.lag, limit))(t) <= limit {
			cut++
		}
		if m := first.meet(second); m.r >= 0.8 && need.Value(first.chance(second, m.lag, limit))(t) <= limit {
			others++
		}
	}
	twins := need.Value(findTraces(ins, 0.8, 2))(t)
	pairs := lists.Map(twins, func(d fold.Duplicate) string { return d.First + " " + d.Later })
	if want := []string{"UM_1_0050279 UM_1_0050286", "Yale_0050578 Yale_0050602"}; !slices.Equal(pairs, want) {
		t.Errorf("%q, want %q", twins, want)
	}
	t.Logf("%d scans; of %d long ones %d copies that were cut and rounded were found, and %d with wholly other regions", len(ins), long, cut, others)
	if long < 30 || cut < long*99/100 || others < long/2 {
		t.Errorf("of %d scans %d copies that were cut and rounded were found, and %d with wholly other regions", long, cut, others)
	}
}

// Of the Pearson matrices of 30 real scans exactly the file that was published twice is found, and every copy of
// another that was transformed by Fisher and lost three regions. (Of all sites: docs/leakage.md.)
func TestFeaturesOnABIDE(t *testing.T) {
	dir := need.Shared(t, "data", "abide_pcp")
	files, err := filepath.Glob(filepath.Join(dir, "cpac", "*", "UM_1_*.1D.gz"))
	if err != nil || len(files) < 80 {
		t.Fatalf("%d scans, %v", len(files), err)
	}
	slices.Sort(files)
	var ins, copies []dag.Input
	for k, f := range files[:30] {
		series, n := readSeries(t, f)
		columns := make([][]float64, n)
		for i, x := range series {
			columns[i%n] = append(columns[i%n], x)
		}
		matrix, altered := make([]float64, n*n), make([]float64, n*n)
		for i := range n {
			for j := range i {
				r := inference.Correlation(columns[i], columns[j])
				matrix[i*n+j], matrix[j*n+i] = r, r
				if z := math.Atanh(r); i%40 != k%40 && j%40 != k%40 {
					altered[i*n+j], altered[j*n+i] = z, z
				}
			}
		}
		id := dag.Coord{Axis: "subject", Value: strings.TrimSuffix(filepath.Base(f), "_rois_ho.1D.gz")}
		ins = append(ins, dag.InputOf(encoding.NewArray(matrix, 1, n, n), id))
		id.Value += "-copy"
		copies = append(copies, dag.InputOf(encoding.NewArray(altered, 1, n, n), id))
	}
	pair := fold.Duplicate{First: "UM_1_0050279", Later: "UM_1_0050286"}
	twins, err := fold.Duplicates(ins)
	if err != nil || len(twins) != 1 || !twins[0].SamePair(pair) {
		t.Errorf("%v, %v, want %s and %s", twins, err, pair.First, pair.Later)
	}
	// The file that was published twice and its two copies are four of one scan, and so six pairs.
	if twins, err = fold.Duplicates(append(ins, copies...)); err != nil || len(twins) != 6+len(copies)-2 {
		t.Errorf("%d pairs of %d copies, %v", len(twins), len(copies), err)
	}
	of := func(id string) string {
		if id = strings.TrimSuffix(id, "-copy"); id == pair.Later {
			return pair.First
		}
		return id
	}
	for _, d := range twins {
		if of(d.First) != of(d.Later) {
			t.Error(d)
		}
	}
}

// readSeries reads numbers in lines: volume by volume, so many regions each.
func readSeries(t *testing.T, path string) (v []float64, nodes int) {
	t.Helper()
	f := need.Value(os.Open(path))(t)
	defer f.Close()
	z := need.Value(gzip.NewReader(f))(t)
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Fields(lines.Text())
		nodes = len(fields)
		for _, text := range fields {
			x := need.Value(strconv.ParseFloat(text, 64))(t)
			v = append(v, x)
		}
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	return v, nodes
}
