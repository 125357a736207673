// Package words puts names and numbers into sentences for a person.
package words

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Count is a number with its noun: 1 task, 3 tasks, 2 entries.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %s", n, plural(noun))
}

// Ordinal is the place of something in a list: first, tenth, 11th, 21st.
func Ordinal(place int) string {
	few := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	if 0 < place && place <= len(few) {
		return few[place-1]
	}
	end := "th"
	if tens := place / 10 % 10; tens != 1 && 0 < place%10 && place%10 < 4 {
		end = []string{"st", "nd", "rd"}[place%10-1]
	}
	return strconv.Itoa(place) + end
}

// plural is the regular plural: task, tasks; entry, entries; way, ways; class, classes; group of people, groups of
// people.
func plural(noun string) string {
	if what, of, found := strings.Cut(noun, " of "); found {
		return plural(what) + " of " + of
	}
	stem, y := strings.CutSuffix(noun, "y")
	sibilant := func(end string) bool { return strings.HasSuffix(noun, end) }
	switch {
	case sibilant("epoch"): // a hard ch
	case y && strings.TrimRight(stem, "aeiou") == stem: // after a consonant
		return stem + "ies"
	case slices.ContainsFunc([]string{"s", "x", "z", "ch", "sh"}, sibilant):
		return noun + "es"
	}
	return noun + "s"
}

// Verb is the form of a verb behind Count(n, …): is, are.
func Verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// The is one thing or a number of them: the region, the 10 regions.
func The(n int, noun string) string {
	if n == 1 {
		return "the " + noun
	}
	return "the " + Count(n, noun)
}

// Each is every one of some things: the region, each of the 10 regions.
func Each(n int, noun string) string {
	if n == 1 {
		return The(n, noun)
	}
	return "each of " + The(n, noun)
}

// LeastP is BoundP of a test by so many permutations or random choices; "" where their number is not known.
func LeastP(p float64, draws int) string {
	if draws < 1 {
		return ""
	}
	return BoundP(p, 1/float64(draws+1))
}

// BoundP writes a p that is the smallest that a test can give as a bound: ≤ 0.05. It is "" for any other p, and where
// three decimals say as much: < 0.001.
func BoundP(p, least float64) string {
	if !(least >= 0.001 && least < 1 && p <= least*(1+1e-9)) {
		return ""
	}
	return "≤ " + upTo(least)
}

// DrawnLeast is the smallest p that a test by so many random draws can give, (0+1)/(draws+1) (Phipson and Smyth 2010),
// rounded up to two digits.
func DrawnLeast(draws int) string { return upTo(1 / float64(draws+1)) }

func upTo(p float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(p))-1)
	return strconv.FormatFloat(math.Ceil(p/unit*(1-1e-9))*unit, 'g', 2, 64)
}

// Some lists at most so many names: a, b and 3 more.
func Some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most-1], ", "), len(names)-most+1)
}

// Needs lists things, each of which needs the next: a needs b needs c. Of many, it lists the first and the last.
func Needs(names []string) string {
	const most, first, last = 20, 6, 4
	if n := len(names) - first - last; len(names) > most {
		names = slices.Concat(names[:first], []string{fmt.Sprintf("… (%d more) …", n)}, names[len(names)-last:])
	}
	return strings.Join(names, " needs ")
}

// Errors joins at most so many errors, and states how many more there are.
func Errors(errs []error, most int) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if n := len(errs) - most; n > 0 {
		errs = append(slices.Clone(errs[:most]), fmt.Errorf("and %d more", n))
	}
	return errors.Join(errs...)
}

// longest is how much of an error is kept, bytes: a list of a thousand participants. A file can hold a name of many MB.
const longest = 64 << 10

// Bound is an error whose text is cut where it is too long for a person.
func Bound(err error) error {
	if err == nil || len(err.Error()) <= longest {
		return err
	}
	return &bounded{err}
}

type bounded struct{ error }

func (b *bounded) Unwrap() error { return b.error }

func (b *bounded) Error() string {
	text := b.error.Error()
	return fmt.Sprintf("%s … and %d more bytes of this message", strings.ToValidUTF8(text[:longest], ""), len(text)-longest)
}

// DidYouMean ends an error about an unknown name with the nearest of the candidates; it is
// empty when none is near.
func DidYouMean(name string, candidates []string) string {
	candidates = candidates[:min(len(candidates), 1000)] // a fan-out may have a hundred thousand
	if near := Nearest(name, candidates); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// OrAll is DidYouMean, or all candidates when none is near.
func OrAll(name string, candidates []string) string {
	if near := DidYouMean(name, candidates); near != "" {
		return near
	}
	switch len(candidates) {
	case 0:
		return " (none are available)"
	case 1:
		return fmt.Sprintf(" (the only one is %s)", candidates[0])
	}
	return fmt.Sprintf(" (available: %s)", Some(candidates, 30))
}

// CountOf is how many have a category: "5 GE", and "5 labeled 3" where its name is a number.
func CountOf(n int, name, blank string) string {
	return fmt.Sprint(n) + blank + Labeled(name, blank)
}

// Labeled is the name of a category behind how many have it.
func Labeled(name, blank string) string {
	if _, err := strconv.ParseFloat(name, 64); err != nil || !strings.ContainsAny(name, "0123456789") { // NaN, Inf
		return name
	}
	return "labeled" + blank + name
}
