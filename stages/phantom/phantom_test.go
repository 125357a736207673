package phantom

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
	"prgnn/stages/atlas"
)

var nodes = atlas.DK84()

// settings of a quick scan.
func settings() Settings {
	return Settings{Seed: 1, Subject: "sub-sim001", Strength: 1, Volumes: 40, TR: 2, Grid: 8, Motion: 1, Noise: 1,
		Autocorrelation: 0.4}
}

func mustMake(t *testing.T, s Settings) *Scan {
	t.Helper()
	scan := need.Value(Make(s, nodes))(t)
	return scan
}

func (scan *Scan) place(v int) [3]float64 {
	nx, ny := scan.Shape[0], scan.Shape[1]
	return [3]float64{
		scan.Origin[0] + scan.Grid*float64(v%nx),
		scan.Origin[1] + scan.Grid*float64(v/nx%ny),
		scan.Origin[2] + scan.Grid*float64(v/(nx*ny)),
	}
}

// Every region has voxels, in its hemisphere, about its centroid, and as many as
// its volume asks for.
func TestRegionsLieWhereTheyShould(t *testing.T) {
	for _, grid := range []float64{6, 8, 10} {
		s := settings()
		s.Grid, s.Volumes = grid, 2
		scan := mustMake(t, s)
		voxels := map[int16][]int{}
		for v, l := range scan.Labels {
			if l != 0 {
				voxels[l] = append(voxels[l], v)
			}
		}
		if len(voxels) != 84 {
			t.Fatalf("grid %g: %d regions", grid, len(voxels))
		}
		var sizes, volumes []float64
		for _, n := range nodes {
			in := voxels[int16(n.ID)]
			if len(in) < least {
				t.Errorf("grid %g: %s has %d voxels", grid, n.Name, len(in))
			}
			var mean [3]float64
			for _, v := range in {
				p := scan.place(v)
				if (p[0] < 0) != (n.Hemisphere == "L") {
					t.Errorf("grid %g: %s has a voxel at x = %g", grid, n.Name, p[0])
				}
				for d := range mean {
					mean[d] += p[d] / float64(len(in))
				}
			}
			off := length([]float64{mean[0] - n.X, mean[1] - n.Y, mean[2] - n.Z})
			if radius := math.Cbrt(3 * n.Volume / (4 * math.Pi)); off > radius+grid {
				t.Errorf("grid %g: the center of %s is %.1f mm from its centroid", grid, n.Name, off)
			}
			sizes, volumes = append(sizes, float64(len(in))), append(volumes, n.Volume)
		}
		if r := stat.Correlation(sizes, volumes, nil); r < 0.85 {
			t.Errorf("grid %g: sizes follow volumes with r = %.2f", grid, r)
		}
	}
}

func TestTooCoarseAGrid(t *testing.T) {
	s := settings()
	s.Grid = 20
	if _, err := Make(s, nodes); err == nil || err.Error() != "a grid of 20 mm leaves fewer than 4 voxels for each of 84 regions" {
		t.Errorf("got %v", err)
	}
}

func TestMissingRegion(t *testing.T) {
	s := settings()
	s.Missing = []int{49} // R.AC
	with, without := mustMake(t, settings()), mustMake(t, s)
	if slices.Contains(without.Labels, 58) || !slices.Contains(with.Labels, 58) {
		t.Error("the missing region has voxels, or never had")
	}
	moved := 0
	for v, l := range with.Labels {
		if l != without.Labels[v] && l != 58 && without.Labels[v] != 0 {
			moved++
		}
	}
	if moved > 30 {
		t.Errorf("%d voxels of other regions moved", moved)
	}
}

// What the mixing promises: correlations, the same in both groups but for the
// planted edges.
func TestExpected(t *testing.T) {
	n := len(nodes)
	hc, asd := Expected(nodes, false, 1, 0), Expected(nodes, true, 1, 0)
	planted := lists.SetOf(Planted(nodes), func(e Edge) [2]int { return [2]int{e.Source - 1, e.Target - 1} })
	need.Equal(t, len(planted), 16*15/2, "planted edges among 16 regions")
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(n, hc), false) || eigen.Values(nil)[0] < 0 {
		t.Error("the correlations are not those of any signals")
	}
	for i := range n {
		if math.Abs(hc[i*n+i]-1) > 1e-12 {
			t.Errorf("node %d correlates with itself at %v", i+1, hc[i*n+i])
		}
		for j := i + 1; j < n; j++ {
			d := asd[i*n+j] - hc[i*n+j]
			if hc[i*n+j] != hc[j*n+i] {
				t.Errorf("nodes %d and %d: not symmetric", i+1, j+1)
			}
			if planted[[2]int{i, j}] && d < 0.2 {
				t.Errorf("planted edge %s–%s differs by %.3f", nodes[i].Name, nodes[j].Name, d)
			}
			if !planted[[2]int{i, j}] && math.Abs(d) > 1e-12 {
				t.Errorf("edge %s–%s is not planted and differs by %v", nodes[i].Name, nodes[j].Name, d)
			}
		}
	}
	if !slices.Equal(Expected(nodes, true, 0, 0), Expected(nodes, false, 0, 0)) {
		t.Error("the groups differ at strength 0")
	}
}

// With heterogeneity h, a region is altered in a share 1 − h of the affected participants, an edge
// in (1 − h)², independently; the expected correlations are the mean over all subsets.
func TestHeterogeneity(t *testing.T) {
	const h, people = 0.7, 400
	times, both := map[int]float64{}, 0.0
	s := settings()
	s.Affected, s.Heterogeneity = true, h
	var circuit []int
	for i, n := range nodes {
		if inCircuit(n) {
			circuit = append(circuit, i)
		}
	}
	column := func(s Settings, r *random.Stream) []float64 { // weight² of the circuit's source, of each node
		return s.couplings(nodes, 0.9, 0, r)
	}
	mean := 0.0 // of the product of the first two regions' weights
	for p := range people {
		r := random.New(1, "test", "heterogeneity", p)
		k := column(s, r)
		mean += math.Sqrt(k[circuit[0]]*k[circuit[1]]) / people
		for _, i := range circuit {
			if k[i] == 0.9 {
				times[i]++
			} else if k[i] != Coupling {
				t.Fatalf("region %d has the coupling %v", i+1, k[i])
			}
		}
		if k[circuit[0]] == 0.9 && k[circuit[1]] == 0.9 {
			both++
		}
	}
	for _, i := range circuit { // 120 ± 9.2
		if math.Abs(times[i]-(1-h)*people) > 37 {
			t.Errorf("%s is altered in %.0f of %d", nodes[i].Name, times[i], people)
		}
	}
	if math.Abs(both-(1-h)*(1-h)*people) > 23 { // 36 ± 5.7
		t.Errorf("both ends are altered in %.0f of %d", both, people)
	}
	average := column(s, nil)
	if want := average[circuit[0]]; math.Abs(mean-want) > 0.05 {
		t.Errorf("the mean product is %.3f, that of the average participant %.3f", mean, want)
	}
	// Closed form: E √k = (1−h)√0.9 + h√0.15.
	if want := math.Pow((1-h)*math.Sqrt(0.9)+h*math.Sqrt(0.15), 2); math.Abs(average[circuit[0]]-want) > 1e-12 {
		t.Errorf("average coupling %v, want %v", average[circuit[0]], want)
	}
	reference, affected := Expected(nodes, false, 1, h), Expected(nodes, true, 1, h)
	full := Expected(nodes, true, 1, 0)
	n := len(nodes)
	for _, e := range Planted(nodes) {
		at := (e.Source-1)*n + e.Target - 1
		if d, whole := affected[at]-reference[at], full[at]-reference[at]; d < 0.05*whole || d > 0.3*whole {
			t.Errorf("edge %d–%d differs by %.3f, and by %.3f without heterogeneity", e.Source, e.Target, d, whole)
		}
	}
	// Nobody of the reference group is touched, and at 0 nobody at all.
	same := func(a, b Settings) bool { return slices.Equal(mustMake(t, a).BOLD, mustMake(t, b).BOLD) }
	plain := settings()
	varied := plain
	varied.Heterogeneity = h
	if !same(plain, varied) {
		t.Error("heterogeneity changes the reference group")
	}
	plain.Affected, varied.Affected = true, true
	if same(plain, varied) {
		t.Error("heterogeneity changes nothing in the affected group")
	}
}

// The circuit is what the paper names: dorsal striatum, thalamus, frontal gyri.
func TestCircuit(t *testing.T) {
	var got []string
	for _, n := range nodes {
		if inCircuit(n) {
			got = append(got, n.Abbreviation)
		}
	}
	want := "L.CMFG L.POP L.PTR L.RMFG L.SFG L.TH L.CA L.PU R.TH R.CA R.PU R.CMFG R.POP R.PTR R.RMFG R.SFG"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s", got)
	}
	member := map[string]int{}
	for _, s := range systems {
		for _, r := range s.regions {
			member[r]++
		}
	}
	for _, n := range nodes {
		need.Equal(t, member[region(n)], 1, n.Name, "is in", "systems")
	}
}

// The expected correlations look like those of resting people: group average of
// the Human Connectome Project between 68 cortical regions (ENIGMA toolbox;
// values are Fisher's z).
func TestLooksLikeABrain(t *testing.T) {
	f, err := os.Open(need.Shared(t, "data", "enigma_hcp_group_dk", "funcMatrix_ctx.csv"))
	need.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	need.NoError(t, err)
	var cortex []int // left before right, each by id: their order
	for i, n := range nodes {
		if n.Structure == "cortex" {
			cortex = append(cortex, i)
		}
	}
	hc := Expected(nodes, false, 1, 0)
	var ours, theirs []float64
	for i := range cortex {
		for j := i + 1; j < len(cortex); j++ {
			z := need.Value(strconv.ParseFloat(rows[i][j], 64))(t)
			ours, theirs = append(ours, hc[cortex[i]*len(nodes)+cortex[j]]), append(theirs, math.Tanh(z))
		}
	}
	r := stat.Correlation(ours, theirs, nil)
	t.Logf("r = %.3f over %d pairs", r, len(ours))
	if r < 0.75 {
		t.Errorf("r = %.3f with the real group average", r)
	}
}

// The signals have the promised correlations: their mean over participants, each
// of 2000 volumes, against the average participant's.
func TestSignalsCorrelateAsExpected(t *testing.T) {
	n := len(nodes)
	for _, affected := range []bool{false, true} {
		want := Expected(nodes, affected, 0.5, 0) // in the middle, where the coupling is hardly cut off at 0 and 1
		mean := make([]float64, n*n)
		const people = 40
		for p := range people {
			s := settings()
			s.Subject, s.Volumes, s.Affected, s.Strength, s.Autocorrelation = fmt.Sprint(p), 2000, affected, 0.5, 0
			x := signals(s, nodes)
			for i := range n {
				for j := range n {
					mean[i*n+j] += stat.Correlation(x[i], x[j], nil) / people
				}
			}
		}
		worst, bias := 0.0, 0.0
		for i, w := range want {
			worst = max(worst, math.Abs(mean[i]-w))
			bias += (mean[i] - w) / float64(len(want))
		}
		// A weight spreads by 15% and the coupling by 0.25: 40 people leave errors of some hundredths.
		if worst > 0.1 || math.Abs(bias) > 0.02 {
			t.Errorf("affected %v: correlations are off by up to %.3f, %.4f on average", affected, worst, bias)
		}
	}
}

func TestAR1(t *testing.T) {
	x := make([]float64, 200_000)
	for _, phi := range []float64{0, 0.4, 0.9} {
		ar1(x, phi, random.New(1, "ar1"))
		_, sd := stat.MeanStdDev(x, nil)
		r := stat.Correlation(x[:len(x)-1], x[1:], nil)
		if math.Abs(sd-1) > 0.03 || math.Abs(r-phi) > 0.01 {
			t.Errorf("φ = %g: sd %.3f, correlation with the next %.3f", phi, sd, r)
		}
	}
}

// The groups differ in the voxels of the circuit alone, and at strength 0 nowhere.
func TestOnlyTheCircuitDiffers(t *testing.T) {
	inPlanted := map[int16]bool{}
	for _, n := range nodes {
		inPlanted[int16(n.ID)] = inCircuit(n)
	}
	for _, strength := range []float64{0, 1} {
		s := settings()
		s.Strength = strength
		hc := mustMake(t, s)
		s.Affected = true
		asd := mustMake(t, s)
		differ := map[bool]int{}
		for i, v := range hc.BOLD {
			if v != asd.BOLD[i] {
				differ[inPlanted[hc.Labels[i%len(hc.Labels)]]]++
			}
		}
		if differ[false] > 0 || (differ[true] > 0) != (strength > 0) {
			t.Errorf("strength %g: %d values differ in the circuit, %d elsewhere", strength, differ[true], differ[false])
		}
		if !slices.Equal(hc.Labels, asd.Labels) ||
			!slices.Equal(hc.Confounds[36].Values[1:], asd.Confounds[36].Values[1:]) {
			t.Errorf("strength %g: the groups differ in anatomy or motion", strength)
		}
	}
}

// The mean over a region's voxels shows the signal that was put into it.
func TestScanShowsItsSignals(t *testing.T) {
	s := settings()
	s.Volumes, s.Motion, s.Noise = 200, 0, 0.5
	scan := mustMake(t, s)
	nv, all := len(scan.Labels), 0.0
	for i, n := range nodes {
		mean := make([]float64, s.Volumes)
		for v, l := range scan.Labels {
			if l == int16(n.ID) {
				for k := range mean {
					mean[k] += float64(scan.BOLD[k*nv+v])
				}
			}
		}
		r := stat.Correlation(mean, scan.Signals[i], nil)
		if all += r / float64(len(nodes)); r < 0.4 {
			t.Errorf("%s: r = %.2f", n.Name, r)
		}
	}
	if all < 0.85 { // drift, which no cleaning has taken out here, and noise are the rest
		t.Errorf("r = %.2f on average", all)
	}
}

// Confounds by their definitions.
func TestConfounds(t *testing.T) {
	scan := mustMake(t, settings())
	column := map[string][]float64{}
	for _, c := range scan.Confounds {
		column[c.Name] = c.Values
	}
	if want := 37 + 2 + 5 + len(cosines(settings().Volumes, settings().TR)); len(column) != want ||
		len(scan.Confounds) != want || scan.Confounds[36].Name != "framewise_displacement" {
		t.Errorf("%d columns, want the 36 parameters, framewise displacement, two of DVARS, five components and the cosines: %d", len(column), want)
	}
	fd := column["framewise_displacement"]
	if !math.IsNaN(fd[0]) || !math.IsNaN(column["csf_derivative1"][0]) || math.IsNaN(column["csf"][0]) {
		t.Error("the first volume has no displacement and no derivative, but a signal")
	}
	for k := 1; k < len(fd); k++ {
		want := 0.0
		for _, name := range []string{"trans_x", "trans_y", "trans_z"} {
			want += math.Abs(column[name][k] - column[name][k-1])
		}
		for _, name := range []string{"rot_x", "rot_y", "rot_z"} {
			want += 50 * math.Abs(column[name][k]-column[name][k-1])
		}
		if math.Abs(fd[k]-want) > 1e-12 {
			t.Errorf("volume %d: displacement %v, want %v", k, fd[k], want)
		}
		d := column["rot_y"][k] - column["rot_y"][k-1]
		if column["rot_y_derivative1"][k] != d || column["rot_y_derivative1_power2"][k] != d*d {
			t.Errorf("volume %d: derivative of rot_y", k)
		}
	}
	nv := len(scan.Labels)
	for k := range fd {
		sum, n := 0.0, 0.0
		for v := range nv {
			if x := scan.BOLD[k*nv+v]; x != 0 {
				sum, n = sum+float64(x), n+1
			}
		}
		if got := column["global_signal"][k]; math.Abs(got-sum/n) > 1e-9 {
			t.Errorf("volume %d: global signal %v, want %v", k, got, sum/n)
		}
	}
	s := settings()
	s.Motion = 2
	twice := mustMake(t, s)
	for k := 1; k < len(fd); k++ {
		if got := twice.Confounds[36].Values[k]; math.Abs(got-2*fd[k]) > 1e-9 {
			t.Errorf("volume %d: twice the motion moves by %v, once by %v", k, got, fd[k])
		}
	}
}

// One seed and one name give one scan; each of them matters, and a site too.
func TestScansAreKeyed(t *testing.T) {
	digest := func(change func(*Settings)) string {
		s := settings()
		change(&s)
		scan := mustMake(t, s)
		h := sha256.New()
		binary.Write(h, binary.LittleEndian, scan.BOLD)
		binary.Write(h, binary.LittleEndian, scan.Labels)
		for _, c := range scan.Confounds {
			fmt.Fprint(h, c.Name)
			binary.Write(h, binary.LittleEndian, c.Values[1:])
		}
		return hex.EncodeToString(h.Sum(nil)[:8])
	}
	// These bits are the same on every machine: made on amd64, and seen on arm64.
	const golden = "dc27a0a98bc71093"
	first := digest(func(*Settings) {})
	need.Equal(t, first, golden, "the simulated scans have changed")
	seen := map[string]bool{first: true}
	for _, change := range []func(*Settings){
		func(s *Settings) { s.Seed++ },
		func(s *Settings) { s.Subject = "sub-sim002" },
		func(s *Settings) { s.Site = 1 },
		func(s *Settings) { s.Site, s.SiteEffect = 1, 0.5 },
		func(s *Settings) { s.Site, s.SiteEffect = 2, 0.5 },
		func(s *Settings) { s.Noise = 2 },
		func(s *Settings) { s.TR = 1 },
	} {
		d := digest(change)
		if seen[d] {
			t.Error("a change of the settings changes nothing")
		}
		seen[d] = true
	}
}

func TestSettingsAreChecked(t *testing.T) {
	s := Settings{Volumes: 1, Grid: math.NaN(), TR: -1, Autocorrelation: 1, Noise: -1}
	_, err := Make(s, nodes)
	want := `volumes is 1; it must be from 2 to 100000
grid is NaN mm; it may be from 1 to 30
tr is -1 s; it may be up to 60
autocorrelation is 1; it may be from 0 to less than 1
noise is -1, motion 0, strength 0; each may be from 0 to 100`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func BenchmarkMake(b *testing.B) {
	s := settings()
	s.Grid, s.Volumes = 6, 146
	for b.Loop() {
		if _, err := Make(s, nodes); err != nil {
			b.Fatal(err)
		}
	}
}

// DVARS, cosines and components by their definitions, slowly.
func TestNuisance(t *testing.T) {
	s := settings()
	s.Volumes = 150
	scan := mustMake(t, s)
	column := map[string][]float64{}
	for _, c := range scan.Confounds {
		column[c.Name] = c.Values
	}
	nv := len(scan.Labels)
	series := func(v int) []float64 {
		x := make([]float64, s.Volumes)
		for k := range x {
			x[k] = float64(scan.BOLD[k*nv+v])
		}
		return x
	}
	spread, n := 0.0, 0.0
	sums := make([]float64, s.Volumes)
	for v := range nv {
		if scan.BOLD[v] == 0 {
			continue
		}
		x := series(v)
		for k := 1; k < len(x); k++ {
			sums[k] += (x[k] - x[k-1]) * (x[k] - x[k-1])
		}
		mean := stat.Mean(x, nil)
		g0, g1 := 0.0, 0.0
		for k := range x {
			g0 += (x[k] - mean) * (x[k] - mean) / float64(len(x))
			if k > 0 {
				g1 += (x[k] - mean) * (x[k-1] - mean) / float64(len(x))
			}
		}
		spread += math.Sqrt(2) * math.Sqrt(g0) * math.Sqrt(1-g1/g0)
		n++
	}
	for k := 1; k < s.Volumes; k++ {
		want := math.Sqrt(sums[k] / n)
		if got := column["dvars"][k]; math.Abs(got-want) > 1e-9*want {
			t.Errorf("volume %d: DVARS %v, want %v", k, got, want)
		}
		if got := column["std_dvars"][k]; math.Abs(got-want*n/spread) > 1e-9*got {
			t.Errorf("volume %d: standardized DVARS %v, want %v", k, got, want*n/spread)
		}
	}
	if !math.IsNaN(column["dvars"][0]) || !math.IsNaN(column["std_dvars"][0]) {
		t.Error("the first volume has a DVARS")
	}
	basis := cosines(s.Volumes, s.TR)
	if len(basis) != 4 { // ⌊2·150·2 s / 128 s⌋
		t.Errorf("%d cosines", len(basis))
	}
	for i, c := range basis {
		for k, v := range c {
			want := math.Sqrt(2.0/150) * math.Cos(math.Pi*(float64(k)+0.5)*float64(i+1)/150)
			if math.Abs(v-want) > 1e-12 {
				t.Errorf("cosine %d, volume %d: %v, want %v", i, k, v, want)
			}
		}
	}
	for i := range 5 {
		c := column[fmt.Sprintf("a_comp_cor_%02d", i)]
		for j := range 5 {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := dense.Inner(c, column[fmt.Sprintf("a_comp_cor_%02d", j)]); math.Abs(got-want) > 1e-2 {
				t.Errorf("components %d and %d: product %v", i, j, got)
			}
		}
		if d := dense.Inner(c, basis[0]); math.Abs(d) > 1e-9 {
			t.Errorf("component %d has a slow part: %v", i, d)
		}
	}
}

// The eigenvectors are gonum's.
func TestPrincipal(t *testing.T) {
	const n = 12
	r := random.New(1, "test", "principal")
	a := make([][]float64, n)
	sym := mat.NewSymDense(n, nil)
	for i := range a {
		a[i] = make([]float64, n)
	}
	for i := range a {
		for j := range a[:i+1] {
			v := 0.3 * r.Normal()
			if i == j {
				v = float64(int(1) << i)
			}
			a[i][j], a[j][i] = v, v
			sym.SetSym(i, j, v)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(sym, true) {
		t.Fatal("no eigenvectors")
	}
	var q mat.Dense
	e.VectorsTo(&q)
	for k, v := range principal(a, 4) {
		want := mat.Col(nil, n-1-k, &q)
		if got := math.Abs(dense.Inner(v, want)); math.Abs(got-1) > 1e-9 {
			t.Errorf("vector %d: |product| with gonum's %v", k, got)
		}
	}
}
