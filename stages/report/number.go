package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/words"
)

// Numbers as a report writes them; NaN is "n/a".

// Share writes a share or another number of that size to three places: 0.797.
func Share(x float64) string { return Fixed(x, 3) }

// Fixed writes a number with so many decimals; what is rounded to 0 has no sign. A large one has six significant digits
// and an exponent: the decimals of 1e98 are 99 digits that nobody measured.
func Fixed(x float64, decimals int) string {
	if math.IsNaN(x) {
		return "n/a"
	}
	if a := math.Abs(x); a >= 1e15 || a >= 1e7 && decimals > 0 {
		return signed(strconv.FormatFloat(x, 'g', 6, 64))
	}
	text := fmt.Sprintf("%.*f", decimals, x)
	if zero, negative := strings.CutPrefix(text, "-"); negative && strings.Trim(zero, "0.") == "" {
		return zero
	}
	return signed(text)
}

// Short writes three significant digits, and a whole or large number without decimals.
func Short(x float64) string {
	switch a := math.Abs(x); {
	case math.IsNaN(x):
		return "n/a"
	case a < 1e7 && (x == math.Trunc(x) || a >= 1000):
		return signed(strconv.FormatFloat(x, 'f', 0, 64))
	}
	return signed(strconv.FormatFloat(x, 'g', 3, 64))
}

// Measured writes up to six significant digits of a measured value: those that a table of data usually has.
func Measured(x float64) string {
	if math.IsNaN(x) {
		return "n/a"
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil || math.Abs(x) >= 1e6 {
		return Short(x)
	}
	return signed(strconv.FormatFloat(rounded, 'f', -1, 64))
}

// signed writes the sign of a number as a minus sign.
func signed(number string) string {
	if rest, negative := strings.CutPrefix(number, "-"); negative {
		return "−" + rest
	}
	return number
}

// Alike writes numbers of one row with the same decimals: as many as give the largest three significant digits, and
// none that are 0 in all of them.
func Alike(of ...float64) []string {
	decimals, most := 2, 0.0
	for _, x := range of {
		if !math.IsNaN(x) {
			most = max(most, math.Abs(x))
		}
	}
	for ; most >= 10 && decimals > 0; most /= 10 {
		decimals--
	}
	for ; most < 1 && decimals < 6; most *= 10 {
		decimals++
	}
	out := make([]string, len(of))
	for ; ; decimals-- {
		needed := false
		for i, x := range of {
			out[i] = Fixed(x, decimals)
			needed = needed || !math.IsNaN(x) && !strings.HasSuffix(out[i], "0")
		}
		if needed || decimals == 0 {
			return out
		}
	}
}

// Decimals are those that the numbers of a column have in common: those of Alike, of all its numbers.
type Decimals struct{ of []float64 }

// Any reports whether the column has numbers.
func (d *Decimals) Any() bool { return len(d.of) > 0 }

// Alike adds numbers of the column, and writes them with the decimals of those that it has so far.
func (d *Decimals) Alike(of ...float64) []string {
	d.of = append(d.of, of...)
	return Alike(append(slices.Clone(of), d.of...)...)[:len(of)]
}

// Percent writes a share in percent: 75%. One that is not 0 is at least < 1%.
func Percent(x float64) string { return percent(x, 0, "1") }

// Tenth writes a share in tenths of a percent: 7.5%. One that is not 0 is at least < 0.1%.
func Tenth(x float64) string { return percent(x, 1, "0.1") }

func percent(x float64, decimals int, least string) string {
	unit := math.Pow10(decimals)
	// A half is rounded up: 72.5 to 73, and 57.5 to 58 although 100 × 0.575 is less.
	text := Fixed(math.Round(float64(100*unit*x)+1e-9)/unit, decimals)
	switch {
	case math.IsNaN(x):
		return "n/a"
	case x > 0 && text == Fixed(0, decimals):
		return "< " + least + "%"
	}
	return text + "%"
}

// Probability writes a p or q to three places, or to as many as show on which side of 0.05 it is: 0.020, 0.0496,
// < 0.001.
func Probability(x float64) string {
	if x < 0.001 {
		return "< 0.001"
	}
	return besideLevel(x, func(places int) string { return Fixed(x, places) })
}

// besideLevel writes a p to three places, or to more where it would then be read as 0.05, but is below or above.
func besideLevel(x float64, write func(places int) string) string {
	places := 3
	for ; places < 9 && math.Abs(x-0.05) > 1e-9 && strings.TrimRight(write(places), "0") == "0.05"; places++ {
	}
	return write(places)
}

// P writes a p in a sentence: p = 0.020, p < 0.001.
func P(x float64) string {
	if text := Probability(x); strings.HasPrefix(text, "<") {
		return "p " + text
	}
	return "p = " + Probability(x)
}

// DrawnP writes the p of a test by so many permutations or random choices in a table, whose note gives their number:
// the smallest one that they can give is ≤ 0.05. 0 draws are not known.
func DrawnP(p float64, draws int32) string {
	return cmp.Or(words.LeastP(p, int(draws)), Probability(p))
}

// CorrectedP writes a p after a correction for several tests; atMost: a multiple of the smallest one that a test can
// give, rounded up.
func CorrectedP(p float64, atMost bool) string {
	if !atMost || p < 0.001*(1-1e-9) || p >= 1-1e-9 {
		return Probability(p)
	}
	return "≤ " + besideLevel(p, func(places int) string {
		unit := math.Pow(10, float64(places))
		return Fixed(math.Ceil(p*unit*(1-1e-9))/unit, places)
	})
}

// DrawnPText is DrawnP in a sentence: p = 0.020, p ≤ 0.05 (19 permutations).
func DrawnPText(p float64, draws int32) string {
	if text := DrawnP(p, draws); strings.HasPrefix(text, "≤") {
		return fmt.Sprintf("p %s (%s)", text, words.Count(int(draws), "permutation"))
	}
	return P(p)
}

// Range writes an interval, or n/a: 0.7–0.9, −0.1 to 0.2.
func Range(low, high float64, write func(float64) string) string {
	if math.IsNaN(low) || math.IsNaN(high) {
		return "n/a"
	}
	return Between(write(low), write(high))
}

// Between writes what lies between two numbers, with a dash where no end of it is negative.
func Between(low, high string) string {
	if strings.HasPrefix(low, "−") || strings.HasPrefix(high, "−") {
		return low + " to " + high
	}
	return low + "–" + high
}

// Thousands writes 1762972 as 1,762,972.
func Thousands(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	if math.Abs(x) >= 1e15 {
		return Fixed(x, 0)
	}
	sign, s := "", strconv.Itoa(int(math.Abs(x)))
	if x <= -1 {
		sign = "−"
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Digits writes all digits of a number, and of one that is very large or small six, with an exponent.
func Digits(x float64) string {
	if a := math.Abs(x); a >= 1e15 || a > 0 && a < 1e-6 {
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
