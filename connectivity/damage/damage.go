// Package damage finds what measured series and confounds do not have: repeated volumes, volumes far from all others,
// regions that are copies, and codes for missing values.
package damage

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/connectivity"
	"prgnn/internal/lists"
	"prgnn/numeric/exact"
)

// A block of equal volumes has so many volumes, and so many values, or more: numbers of few digits may agree by chance
// in fewer.
const fewestRepeated, fewestRepeatedValues = 5, 32

// RepeatedBlock is the least number of volumes, of so many regions, whose equality is no chance.
func RepeatedBlock(regions int) int {
	return max(fewestRepeated, (fewestRepeatedValues+regions-1)/max(regions, 1))
}

// Repeats counts the volumes of a series, T×N, that equal the volume before them in all regions, or lie in a block that
// equals an earlier one, and the regions with a signal that equal an earlier one in all volumes. A measured series has
// neither.
func Repeats(x connectivity.Matrix, status []connectivity.Status) (volumes, regions int) {
	again := repeatedBlocks(x)
	for t := 1; t < x.Rows; t++ {
		if again[t] || slices.Compare(x.Row(t-1), x.Row(t)) == 0 { // a missing region equals itself
			volumes++
		}
	}
	compare := func(i, j int) int {
		for t := range x.Rows {
			if c := cmp.Compare(x.At(t, i), x.At(t, j)); c != 0 {
				return c
			}
		}
		return 0
	}
	var order []int
	for j, st := range status {
		if st == connectivity.Present {
			order = append(order, j)
		}
	}
	slices.SortFunc(order, compare)
	for k := 1; k < len(order); k++ {
		if compare(order[k-1], order[k]) == 0 {
			regions++
		}
	}
	return volumes, regions
}

// repeatedBlocks marks the volumes of blocks that equal an earlier block.
func repeatedBlocks(x connectivity.Matrix) (again []bool) {
	order := lists.UpTo(x.Rows)
	slices.SortStableFunc(order, func(s, t int) int { return slices.Compare(x.Row(s), x.Row(t)) })
	first := make([]int, x.Rows) // of the volumes that equal it
	for k, t := range order {
		if first[t] = t; k > 0 && slices.Compare(x.Row(order[k-1]), x.Row(t)) == 0 {
			first[t] = first[order[k-1]]
		}
	}
	again = make([]bool, x.Rows)
	n := RepeatedBlock(x.Cols)
	seen, key := map[string]bool{}, []byte(nil)
	for t := 0; t+n <= x.Rows; t++ {
		key = key[:0]
		for _, f := range first[t : t+n] {
			key = binary.LittleEndian.AppendUint32(key, uint32(f))
		}
		if seen[string(key)] {
			for i := t; i < t+n; i++ {
				again[i] = true
			}
		}
		seen[string(key)] = true
	}
	return again
}

// A volume is far from the others beyond these limits, in robust standard deviations (1.4826 times the median absolute
// deviation): FarLimit in its place among the medians over regions, FirstLimit there at the beginning of a scan, and
// leastShift in most regions. In 1,075 real scans, ordinary volumes reach 11.1, 4.7 and 7.1.
const (
	FarLimit   = 15.0
	FirstLimit = 8.0
	leastShift = 5.0
)

// Fewer volumes or regions have no volume far from the others; a scan that is not in steady state for more volumes is
// damaged in another way.
const fewestJudged, fewestRegions, mostFirst = 10, 3, 10

// Far are the volumes, from 0, that are far from all others in most regions. Each alone makes all correlations of a
// scan about 1.
type Far struct {
	Empty []int // one value in all regions: not measured
	First []int // the first ones: before the steady state
	Other []int

	// Distances of the first used volume, and of the one among the others that is furthest, in robust standard
	// deviations; NaN where they are unknown.
	FirstDistance, OtherDistance float64
}

// FarVolumes finds them among the used volumes of a series, T×N.
func FarVolumes(x connectivity.Matrix, status []connectivity.Status, used []bool) (far Far) {
	far.FirstDistance, far.OtherDistance = math.NaN(), math.NaN()
	var regions, volumes, sound []int
	for j, st := range status {
		if st == connectivity.Present {
			regions = append(regions, j)
		}
	}
	empty := make([]bool, x.Rows)
	for t := range x.Rows {
		if !used[t] {
			continue
		}
		volumes = append(volumes, t)
		if empty[t] = len(regions) >= fewestRegions && oneValue(x.Row(t), regions); !empty[t] {
			sound = append(sound, t)
		}
	}
	if len(sound) < fewestJudged {
		return far
	}
	distances := make([][]float64, x.Rows) // of each volume, by region
	for _, j := range regions {
		if center, scale := robust(sound, func(t int) float64 { return x.At(t, j) }); scale > 0 {
			for _, t := range volumes {
				distances[t] = append(distances[t], (x.At(t, j)-center)/scale)
			}
		}
	}
	if distances[sound[0]] == nil {
		return far
	}
	shift := make([]float64, x.Rows)
	for _, t := range volumes {
		shift[t] = exact.Median(distances[t])
	}
	center, scale := robust(sound, func(t int) float64 { return shift[t] })
	beyond := func(t int, limit float64) bool {
		return math.Abs(shift[t]) > leastShift && math.Abs(shift[t]-center) > limit*scale
	}
	if scale > 0 {
		far.FirstDistance, far.OtherDistance = (shift[volumes[0]]-center)/scale, 0
		for _, t := range volumes[1:] {
			far.OtherDistance = max(far.OtherDistance, math.Abs(shift[t]-center)/scale)
		}
	}
	first := 0
	for first < len(volumes) && !empty[volumes[first]] && beyond(volumes[first], FirstLimit) {
		first++
	}
	if first > mostFirst {
		first = 0
	}
	far.First = volumes[:first]
	for _, t := range volumes[first:] {
		switch {
		case !beyond(t, FarLimit):
		case empty[t]:
			far.Empty = append(far.Empty, t)
		default:
			far.Other = append(far.Other, t)
		}
	}
	return far
}

// oneValue reports whether a volume has one value in all regions, but for rounding.
func oneValue(row []float64, regions []int) bool {
	v := row[regions[0]]
	return !slices.ContainsFunc(regions, func(j int) bool { return !(math.Abs(row[j]-v) <= 1e-9*math.Abs(v)) })
}

// robust are the median and the robust standard deviation of the values of some volumes.
func robust(volumes []int, value func(t int) float64) (center, scale float64) {
	v := lists.Map(volumes, value)
	center = exact.Median(v)
	for i := range v {
		v[i] = math.Abs(v[i] - center)
	}
	return center, 1.4826 * exact.Median(v)
}

// Code finds a whole number that stands for missing values among measured ones: the smallest or the largest value,
// further from all others than ten times their range. It is all nines (999, -9999), or is there more than once. times
// is 0 where there is none; a column of which all other values are the same, such as of one outlier, has none. Other
// numbers of nines are no measured values: 999 does not hide -999.
func Code(values []float64) (code float64, times int) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if number(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low != math.Trunc(low) && high != math.Trunc(high) || low > high { // as in nearly all series
		return 0, 0
	}
	sorted := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !number(v) })
	slices.Sort(sorted)
	first := func(x float64) int { at, _ := slices.BinarySearch(sorted, x); return at }
	after, before := first(math.Nextafter(low, math.Inf(1))), first(high)
	for _, c := range []struct {
		code   float64
		others []float64
		times  int
	}{{low, sorted[after:], after}, {high, sorted[:before], len(sorted) - before}} {
		if len(c.others) == 0 || c.code != math.Trunc(c.code) {
			continue
		}
		others := c.others
		for len(others) > 0 && nines(others[0]) {
			others = others[1:]
		}
		for len(others) > 0 && nines(others[len(others)-1]) {
			others = others[:len(others)-1]
		}
		if len(others) == 0 {
			continue
		}
		least, most := others[0], others[len(others)-1]
		apart := max(least-c.code, c.code-most)
		if most > least && apart > 10*(most-least) && (nines(c.code) || c.times > 1) {
			return c.code, c.times
		}
	}
	return 0, 0
}

// Spikes are the volumes, from 0, that one of these regressors takes out alone: it is 0 in all others.
func Spikes(c connectivity.Confounds, regressors []string) (volumes []int) {
	for j, name := range c.Names {
		at, n := 0, 0
		for t := range c.Values.Rows {
			if c.Values.At(t, j) != 0 {
				at, n = t, n+1
			}
		}
		if n == 1 && slices.Contains(regressors, name) {
			volumes = append(volumes, at)
		}
	}
	return volumes
}

// OtherCosines counts the columns of these names that are fMRIPrep's cosines, but not the half waves of the volumes
// after the first ones, such as those of a scan of another length.
func OtherCosines(c connectivity.Confounds, names []string, first int) (n int) {
	volumes := c.Values.Rows - first
	for j, name := range c.Names {
		digits := strings.TrimPrefix(name, "cosine")
		k, err := strconv.Atoi(digits)
		if err != nil || k < 0 || volumes <= 0 || !strings.HasPrefix(name, "cosine") || !slices.Contains(names, name) {
			continue
		}
		alike := func(k int) bool { // k half waves
			both, own, wave := 0.0, 0.0, 0.0
			for t := range volumes {
				_, w := exact.Sincos(math.Pi * float64(k*(2*t+1)%(4*volumes)) / float64(2*volumes))
				v := c.Values.At(first+t, j)
				both, own, wave = both+float64(v*w), own+float64(v*v), wave+float64(w*w)
			}
			return math.Abs(both) > 0.99*math.Sqrt(own*wave)
		}
		if !alike(k+1) && (len(digits) > 1 || !alike(k)) { // fMRIPrep counts from 00, others from 1
			n++
		}
	}
	return n
}

// A Coded is a column with a code for missing values, in so many volumes.
type Coded struct {
	Column  string
	Code    float64
	Volumes int
}

// Codes lists the columns of motion, and those that regressors of these names are made of, that hold a code for missing
// values (Code).
func Codes(c connectivity.Confounds, regressors []string) (found []Coded) {
	for j, name := range c.Names {
		uses := func(regressor string) bool { return regressor == name || strings.HasPrefix(regressor, name+"_") }
		if name != "framewise_displacement" && name != "std_dvars" && !slices.ContainsFunc(regressors, uses) {
			continue
		}
		v := make([]float64, c.Values.Rows)
		for t := range v {
			v[t] = c.Values.At(t, j)
		}
		if code, times := Code(v); times > 0 {
			found = append(found, Coded{name, code, times})
		}
	}
	return found
}

// number reports whether v is neither NaN nor infinite.
func number(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// nines reports whether a number has at least two digits, all of which are nines.
func nines(x float64) bool {
	digits := strconv.FormatFloat(math.Abs(x), 'f', -1, 64)
	return len(digits) > 1 && strings.Trim(digits, "9") == ""
}
