package sheet

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/cell"
	"prgnn/internal/lists"
)

// A scale is the numbers of a column, divided into those that are written as codes for missing values (isCode) and the
// rest, by whose range all of the codes are judged: no code hides another one.
type scale struct {
	codes     map[string]float64 // by their texts
	low, high float64            // of the rest; +Inf and -Inf where there is none
}

func scaleOf(values []string) scale {
	s := scale{map[string]float64{}, math.Inf(1), math.Inf(-1)}
	for _, v := range values {
		switch x, ok := number(v); {
		case !ok:
		case isCode(x):
			s.codes[v] = x
		default:
			s.low, s.high = min(s.low, x), max(s.high, x)
		}
	}
	return s
}

// far are the positive codes above the rest by more than the range of the rest, ascending. Of ages, they are also those
// above 80 where no other number is.
func (s scale) far(ages bool) (far []string) {
	for v, x := range s.codes {
		if s.high > s.low && (x-s.high > s.high-s.low || ages && x > 80 && s.high < 80) {
			far = append(far, v)
		}
	}
	slices.SortFunc(far, byNumber)
	return far
}

// Codes are the values of a column of numbers that stand for a missing one, as SPSS and phenotype tables have them:
// -99, -999, -9999 … where no other value is negative; also those, and 999, 9999 …, that are more than five times as
// large as any other value. Other numbers that are written as codes are no other values.
func Codes(values []string) map[string]bool {
	s, codes := scaleOf(values), map[string]bool{}
	largest := max(math.Abs(s.low), math.Abs(s.high)) // infinite where there is nothing to compare with
	for v, x := range s.codes {
		nines := strconv.FormatFloat(math.Abs(x), 'f', -1, 64) // +999, 999.0 and 9.99e2 are one number
		if strings.Trim(nines, "9") == "" && len(nines) >= map[bool]int{true: 2, false: 3}[x < 0] &&
			(x < 0 && s.low >= 0 || math.Abs(x) > 5*largest) {
			codes[v] = true
		}
	}
	return codes
}

// GroupCodes are the values of a column of groups that stand for a missing one: Codes; one digit repeated from -7 on
// (-9, -88), where no other value is negative; 9, 999, 88 … among texts, or far above the other numbers; and signs and
// words that may stand for one (-, ?, unknown, none). Beside +, a - is none.
func GroupCodes(values []string) map[string]bool {
	s, codes := scaleOf(values), Codes(values)
	for _, v := range values {
		if _, ok := number(v); !ok && cell.DoubtOf(v) != cell.Value && !(v == "-" && slices.Contains(values, "+")) {
			codes[v] = true
		}
	}
	for v, x := range s.codes {
		codes[v] = codes[v] || x < 0 && s.low >= 0
	}
	for _, v := range slices.Concat(s.far(false), CodesAmongTexts(values)) {
		codes[v] = true
	}
	return codes
}

// Doubtful are the negative values of a column of numbers that is otherwise positive which may stand for a missing
// one, ascending: whole numbers in less than half of the rows, where all others are above 0, or which are larger than
// those in magnitude, or written as codes (-77); at most three, unless all of them are written so.
func Doubtful(values []string) []string {
	known, far := Codes(values), FarCodes(values, false)
	negative := map[string]float64{}
	n, plain, zero, largest := 0, false, false, -1.0
	for _, v := range values {
		switch x, ok := number(v); {
		case !ok || known[v] || slices.Contains(far, v):
		case x < 0 && x != math.Trunc(x):
			return nil
		case x < 0:
			negative[v] = x
			plain = plain || !isCode(x)
			n++
		default:
			zero, largest = zero || x == 0, max(largest, x)
		}
	}
	if plain && len(negative) > 3 || largest < 0 || 2*n >= len(values) {
		return nil
	}
	var doubtful []string
	for v, x := range negative {
		if !zero || -x > largest || isCode(x) {
			doubtful = append(doubtful, v)
		}
	}
	slices.SortFunc(doubtful, byNumber)
	return doubtful
}

// FarCodes are the positive values of a column of numbers that may stand for a missing one, ascending: 9, 99, 88 …
// in less than half of the rows and far above the other values (scale.far).
func FarCodes(values []string, ages bool) []string {
	known := Codes(values)
	far := slices.DeleteFunc(scaleOf(values).far(ages), func(v string) bool { return known[v] })
	n := lists.Count(values, func(v string) bool { return slices.Contains(far, v) })
	if 2*n >= len(values) {
		return nil
	}
	return far
}

// CodesAmongTexts are the numbers of a column of texts, none of which is another number, that may stand for a missing
// value, ascending: 9, 999, 88 … (isCode).
func CodesAmongTexts(values []string) (codes []string) {
	found, texts := map[string]bool{}, false
	for _, v := range values {
		switch x, ok := number(v); {
		case v == "" || cell.DoubtOf(v) != cell.Value || ok && x < 0:
		case !ok:
			texts = true
		case !isCode(x):
			return nil
		default:
			found[v] = true
		}
	}
	if texts {
		codes = slices.SortedFunc(maps.Keys(found), byNumber)
	}
	return codes
}

// isCode reports whether a number is written as codes for missing values are: nines, or sevens or eights, of which
// there are at least two where the number is positive.
func isCode(x float64) bool {
	digits := strconv.FormatFloat(math.Abs(x), 'f', -1, 64)
	d := digits[:1]
	return d >= "7" && strings.Trim(digits, d) == "" && (d == "9" || len(digits) > 1 || x < 0)
}

// byNumber compares numbers, then their texts.
func byNumber(a, b string) int {
	x, _ := number(a)
	y, _ := number(b)
	return cmp.Or(cmp.Compare(x, y), strings.Compare(a, b))
}

// A Cluster is a range of values of a column, and the unit that it seems to be in.
type Cluster struct {
	N         int
	Low, High float64
	Unit      string
}

// InTwoUnits are the clusters of ages that seem to be in two units: with a gap between them, their medians as far apart
// as a year and its months, weeks or days, and the larger ones beyond the age of people; nil for others.
func InTwoUnits(ages []float64) []Cluster {
	known := slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(ages),
		func(x float64) bool { return !(x > 0) })))
	const gap, fewest, oldest = 2.5, 3, 110
	at := 0
	for k := 1; k < len(known); k++ {
		if ratio := known[k] / known[k-1]; ratio >= gap && (at == 0 || ratio > known[at]/known[at-1]) {
			at = k
		}
	}
	n := len(known)
	if at < fewest || n-at < fewest || 5*min(at, n-at) < n || known[n-1] <= oldest {
		return nil
	}
	ratio := known[at+(n-at)/2] / known[at/2]
	for _, u := range []struct {
		name string
		in   float64 // a year
	}{{"months", 12}, {"weeks", 52}, {"days", 365}} {
		if ratio > u.in/1.5 && ratio < 1.5*u.in {
			return []Cluster{{at, known[0], known[at-1], "years"}, {n - at, known[at], known[n-1], u.name}}
		}
	}
	return nil
}

// InTwoClusters are the clusters of numbers of two clusters, each with several values, between which there is a gap
// that is wider than either, or a ratio of 2.5 with none of half of it elsewhere, as where sites use other units; nil
// for others.
func InTwoClusters(numbers []float64) []Cluster {
	known := slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(numbers), math.IsNaN)))
	const fewest, values, ratio = 10, 5, 2.5
	n := len(known)
	if n < fewest {
		return nil
	}
	distinct := func(part []float64) int { return len(slices.Compact(slices.Clone(part))) }
	for at := (n + 4) / 5; at <= n-(n+4)/5; at++ {
		low, high := known[:at], known[at:]
		gap := high[0] - low[at-1]
		apart := gap > max(low[at-1]-low[0], high[n-at-1]-high[0])
		if !apart && low[0] > 0 && high[0] >= ratio*low[at-1] {
			apart = true
			for k := 1; k < n; k++ {
				apart = apart && (k == at || math.Log(known[k]/known[k-1]) < math.Log(high[0]/low[at-1])/2)
			}
		}
		if apart && min(distinct(low), distinct(high)) >= values {
			return []Cluster{{N: at, Low: low[0], High: low[at-1]}, {N: n - at, Low: high[0], High: high[n-at-1]}}
		}
	}
	return nil
}

// LargestRepeated is the largest number where it is written as codes for missing values are (999) and occurs three
// times or more, and more often than any other; 0 elsewhere.
func LargestRepeated(numbers []float64) (code float64, times int) {
	count := map[float64]int{}
	for _, x := range numbers {
		if !math.IsNaN(x) {
			count[x]++
			code = max(code, x)
		}
	}
	times = count[code]
	for x, n := range count {
		if x != code && 2*n > times {
			return 0, 0
		}
	}
	if times < 3 || code < 99 || !isCode(code) {
		return 0, 0
	}
	return code, times
}

// Outlying are the places of numbers that are far from all others, at most a fifth of them: more than 6 SD from the
// median, the SD estimated by the median absolute deviation, and behind a gap of half their distance from it. Ages of
// people are also below 0 or above 120, unless more than a fifth are, as standardized ages or months. NaN is no number.
func Outlying(numbers []float64, ages bool) (places []int) {
	known := slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(numbers), math.IsNaN)))
	const fewest, far, oldest = 10, 6, 120
	n := len(known)
	if n < fewest {
		return nil
	}
	middle := known[n/2]
	from := make([]float64, n)
	for i, x := range known {
		from[i] = math.Abs(x - middle)
	}
	slices.Sort(from)
	low, high := math.Inf(-1), math.Inf(1) // bounds of what is not outlying
	if sd := 1.4826 * from[n/2]; sd > 0 {
		for k := n - 1; k >= n-n/5; k-- {
			if d := known[k] - middle; d > far*sd && known[k]-known[k-1] > d/2 {
				high = known[k-1]
			}
		}
		for k := range n / 5 {
			if d := middle - known[k]; d > far*sd && known[k+1]-known[k] > d/2 {
				low = known[k+1]
			}
		}
	}
	older := lists.Count(known, func(x float64) bool { return x < 0 || x > oldest })
	if ages && 5*older <= n {
		low, high = max(low, 0), min(high, oldest)
	}
	for i, x := range numbers {
		if x < low || x > high {
			places = append(places, i)
		}
	}
	return places
}
