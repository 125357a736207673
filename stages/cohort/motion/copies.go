package motion

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/regular"
	"prgnn/numeric/exact"
	"prgnn/stages/sheet"
)

// mostChance is the chance, as its negative logarithm, below which tables agree because one is a copy: 1e-12.
const mostChance = 28

// A timeCourse is a column of a table of confounds, and the unit of the last digit that each value was
// written with.
type timeCourse struct{ values, slack []float64 }

// Copies are the groups of tables of confounds that have measured columns of one scan, as places in paths,
// ascending: whatever the order of their columns, other columns, the number of digits and a few volumes more or less at
// the beginning or the end.
func Copies(paths []string) (groups [][]int) {
	tables := make([]map[string]timeCourse, len(paths))
	regular.Each(len(paths), func(i int) { tables[i] = timeCourses(paths[i]) })
	for i, one := range tables {
		if one == nil {
			continue
		}
		with := slices.IndexFunc(groups, func(g []int) bool {
			return slices.ContainsFunc(g, func(j int) bool { return sameMotion(one, tables[j]) })
		})
		if with < 0 {
			groups = append(groups, []int{i})
		} else {
			groups[with] = append(groups[with], i)
		}
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return len(g) < 2 })
}

// timeCourses are the measured columns of a table; nil where there are none.
func timeCourses(path string) map[string]timeCourse {
	s := open(path)
	if s == nil {
		return nil
	}
	var all map[string]timeCourse
	for _, name := range measured {
		texts, ok := s.Column(name)
		values, _ := sheet.Numbers(texts)
		if !ok || values == nil {
			continue
		}
		decimals, digits := 0, 0 // that the values are written with
		for _, text := range texts {
			a, b := writtenWith(text)
			decimals, digits = max(decimals, a), max(digits, b)
		}
		c := timeCourse{values, make([]float64, len(values))}
		for i, v := range values {
			_, power, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
			first, _ := strconv.Atoi(power) // digit of the number, as a power of ten
			c.slack[i] = math.Pow10(max(first-digits+1, -decimals))
		}
		if all == nil {
			all = map[string]timeCourse{}
		}
		all[name] = c
	}
	return all
}

// writtenWith are the digits of a number after its point and from its first one on: 4 and 2 for 0.0012.
func writtenWith(text string) (decimals, digits int) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), "e")
	mantissa = strings.TrimLeft(mantissa, "+-")
	power, _ := strconv.Atoi(exponent)
	whole, part, _ := strings.Cut(mantissa, ".")
	return len(part) - power, len(strings.TrimLeft(whole+part, "0"))
}

// mostDropped is how many volumes one table may lack at the beginning, and the other not.
const mostDropped = 20

// sameMotion reports whether some of the columns that two tables share have one course of time. Columns that barely
// move agree by chance: a step of k units of the coarser precision does so once in k + 1 times. At some of many lags it
// takes more.
func sameMotion(a, b map[string]timeCourse) bool {
	for lag := -mostDropped; lag <= mostDropped; lag++ {
		evidence := 0.0
		for _, name := range measured { // the order is that of the sum
			evidence += a[name].agrees(b[name], lag)
		}
		if evidence > 2*mostChance || lag == 0 && evidence > mostChance {
			return true
		}
	}
	return false
}

// agrees is the negative logarithm of the chance that two columns agree where both have volumes, which is at least half
// of the longer one; 0 for columns that do not.
func (x timeCourse) agrees(y timeCourse, lag int) (evidence float64) {
	first, end := max(0, lag), min(len(x.values), len(y.values)+lag)
	if 2*(end-first) < max(len(x.values), len(y.values)) {
		return 0
	}
	before := math.NaN()
	for t := first; t < end; t++ {
		v := x.values[t]
		apart, slack := math.Abs(v-y.values[t-lag]), max(x.slack[t], y.slack[t-lag])
		if math.IsNaN(apart) {
			continue
		}
		if apart > slack {
			return 0
		}
		if step := math.Abs(v - before); step > 0 {
			evidence += exact.Log(1 + step/slack)
		}
		before = v
	}
	return evidence
}
