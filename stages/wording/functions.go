package wording

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/report"
)

// functions format the values of entries.
var functions = map[string]func(arguments) (any, error){
	"share":    numbers(1, func(x []float64) string { return report.Share(x[0]) }),                     // 0.797
	"interval": numbers(2, func(x []float64) string { return report.Range(x[0], x[1], report.Share) }), // 0.7–0.9
	"between": func(a arguments) (any, error) { // between LOW HIGH: of texts
		if len(a.of) != 2 {
			return nil, a.wrong()
		}
		return report.Between(fmt.Sprint(a.of[0]), fmt.Sprint(a.of[1])), nil
	},
	"short": numbers(1, func(x []float64) string { return report.Short(x[0]) }), // 3 digits
	"significant": numbers(2, func(x []float64) string { // significant X 2: 0.00024
		return strconv.FormatFloat(x[0], 'g', int(x[1]), 64)
	}),
	"thousands": numbers(1, func(x []float64) string { return report.Thousands(x[0]) }), // 1,762,972
	"percent":   numbers(1, func(x []float64) string { return report.Percent(x[0]) }),   // 75%
	"tenth":     numbers(1, func(x []float64) string { return report.Tenth(x[0]) }),     // 7.5%
	"loss":      numbers(1, func(x []float64) string { return loss(x[0]) }),             // 12%
	"digits":    numbers(1, func(x []float64) string { return report.Digits(x[0]) }),    // all of them
	"estimate":  numbers(3, func(x []float64) string { return estimate(x) }),
	// 0.7 (0.6–0.8)
	"alike": func(a arguments) (any, error) { // in any unit: 0.00412 (−0.00020 to 0.00844); in a cell behind .Digits
		write, own := report.Alike, a
		if d, is := a.of[0].(*report.Decimals); is {
			write, own.of = d.Alike, a.of[1:]
		}
		return numbers(3, func(x []float64) string {
			of := write(x...)
			return of[0] + " (" + report.Between(of[1], of[2]) + ")"
		})(own)
	},
	"beside": numbers(3, func(x []float64) string { return beside(x[0], x[1], int(x[2])) }), // 4 (1.2)
	// drawn P DRAWS, of a table; drawn P DRAWS LEAST where the smallest p of a test is larger than that of its draws.
	"drawn":     withLeast(report.DrawnP, report.Probability),
	"plusminus": numbers(2, func(x []float64) string { return PlusMinus(x[0], x[1]) }),                // 0.70 ± 0.05
	"fixed":     numbers(2, func(x []float64) string { return report.Fixed(x[0], int(x[1])) }),        // x decimals
	"p":         numbers(2, func(x []float64) string { return report.DrawnPText(x[0], int32(x[1])) }), // p draws
	"pvalue":    withLeast(pValue, report.P),
	"corrected": numbers(3, func(x []float64) string { // corrected HOLM P LEAST, without "p": ≤ 0.004
		return report.CorrectedP(x[0], x[1] <= x[2]*(1+1e-9))
	}),
	"smallest": func(a arguments) (any, error) { // the p of so many draws that cannot be smaller
		draws, ok := number(a.of[0])
		if !ok || len(a.of) != 1 {
			return nil, a.wrong()
		}
		return 1 / (draws + 1), nil
	},
	"holm": func(a arguments) (any, error) { // holm P ATMOST: p ≤ 0.004
		p, ok := number(a.of[0])
		if !ok || len(a.of) != 2 {
			return nil, a.wrong()
		}
		if text := report.CorrectedP(p, a.of[1] == any(true)); strings.HasPrefix(text, "≤") {
			return "p " + text, nil
		}
		return report.P(p), nil
	},
	// without the number of draws
	"q": numbers(1, func(x []float64) string { return report.Probability(x[0]) }), // without "p ="
	"inverse": func(a arguments) (any, error) { // 1/x, rounded: of a least p the number of permutations
		if x, ok := number(a.of[0]); ok && len(a.of) == 1 {
			return int(math.Round(1 / x)), nil
		}
		return nil, a.wrong()
	},
	"least": numbers(1, func(x []float64) string { return words.DrawnLeast(int(x[0])) }), // of so many draws
	"upper": texts(UpperFirst),
	"plain": texts(PlainName), "quoted": texts(strconv.Quote),
	"cite": func(a arguments) (any, error) { // cite "key" …: a mark that Cited replaces
		keys, err := arguments{a.name, []any{a.of}}.list()
		return citeBegin + strings.Join(keys, " ") + citeEnd, err
	},
	"standard": func(a arguments) (any, error) { // standard VALUE "100": a parameter, or for 0 what stands for it
		text, is := a.of[0].(string)
		if len(a.of) != 2 || !is {
			return a.of[0], nil
		}
		of := strings.Split(text, separator)
		for i := range of {
			if standard, is := a.of[1].(string); is && of[i] == "0" {
				of[i] = standard
			}
		}
		return strings.Join(of, separator), nil
	},
	"percents": func(a arguments) (any, error) { // percents SHARES: 5% or 12.5%
		shares, ok := a.of[0].([]float64)
		if !ok {
			return nil, a.wrong()
		}
		return strings.Join(lists.Map(shares, func(x float64) string { return report.Short(100*x) + "%" }),
			" or "), nil
	},
	"inside": texts(InSentence), "subject": texts(Subject), "band": texts(Band),
	"ordinals": func(a arguments) (any, error) { // ordinals PLACES: second and third
		places, ok := a.of[0].([]int)
		if !ok {
			return nil, a.wrong()
		}
		return List(lists.Map(places, words.Ordinal)), nil
	},
	// count N "noun": 3 folds. each N "noun": each of the 3 folds.
	"count": counted(words.Count), "each": counted(words.Each), "the": counted(words.The), // of a span, count alone
	"some": func(a arguments) (any, error) { // some LIST most: a, b and c, or a, b and 3 more
		list, err := a.list()
		if err != nil {
			return nil, err
		}
		most := len(list)
		if len(a.of) > 1 {
			if n, ok := number(a.of[1]); ok {
				most = int(n)
			}
		}
		if len(list) <= most {
			return List(list), nil
		}
		if slices.ContainsFunc(list, hasComma) {
			return fmt.Sprintf("%s; and %d more", strings.Join(list[:most-1], "; "), len(list)-most+1), nil
		}
		return words.Some(list, most), nil
	},
	"names": func(a arguments) (any, error) { // names LIST most: a, b, c, or a, b and 3 more
		list, err := a.list()
		if most, ok := number(a.of[len(a.of)-1]); ok && len(a.of) == 2 && err == nil {
			return words.Some(list, int(most)), nil
		}
		return nil, a.wrong()
	},
	"list": func(a arguments) (any, error) { // a, b and c
		list, err := a.list()
		return List(list), err
	},
	"join": func(a arguments) (any, error) { // join LIST "; "
		list, err := a.list()
		if err != nil || len(a.of) < 2 {
			return nil, a.wrong()
		}
		return strings.Join(list, fmt.Sprint(a.of[1])), nil
	},
	// classifier MODEL: by its name in a file.
	"classifier": texts(func(model string) string { return cmp.Or(column.Classifiers[model], model) }),
	// N labeled GROUP: 5 GE, or 5 labeled 3.
	"labeled": texts(func(name string) string { return words.Labeled(name, " ") }),
	// sets COLUMN: families, who share its values.
	"sets":    texts(func(name string) string { return column.SetsOf(name) }),
	"coords":  coordinates(MemberText), // of a member of a fan-out: its stage, then its coordinates
	"setting": coordinates(column.ShownSetting),
	"len": func(a arguments) (any, error) {
		list, err := a.list()
		return len(list), err
	},
	"eq": equal,
	"ne": func(a arguments) (any, error) {
		is, err := equal(a)
		return is != true, err
	},
	"bound": func(a arguments) (any, error) { // whether p is the smallest that so many draws can give
		if len(a.of) != 2 {
			return nil, a.wrong()
		}
		p, _ := number(a.of[0])
		draws, _ := number(a.of[1])
		return words.LeastP(p, int(draws)) != "", nil
	},
	"known": func(a arguments) (any, error) { // whether a number is one
		x, ok := 0.0, false
		if len(a.of) == 1 {
			x, ok = number(a.of[0])
		}
		return ok && x == x, nil
	},
	"not": func(a arguments) (any, error) { return len(a.of) == 1 && !isSet(a.of[0]), nil },
	"and": func(a arguments) (any, error) {
		for _, v := range a.of {
			if !isSet(v) {
				return false, nil
			}
		}
		return true, nil
	},
	"or": func(a arguments) (any, error) { // the first that is set
		for _, v := range a.of {
			if isSet(v) {
				return v, nil
			}
		}
		return "", nil
	},
}

// arguments are those of one call.
type arguments struct {
	name string
	of   []any
}

func (a arguments) wrong() error { return fmt.Errorf("%s does not accept %v", a.name, a.of) }

// equal reports whether the first argument, a number or a text, is one of the others.
func equal(a arguments) (any, error) {
	if len(a.of) < 2 {
		return nil, a.wrong()
	}
	x, isNumber := number(a.of[0])
	text := reflect.ValueOf(a.of[0])
	if !isNumber && text.Kind() != reflect.String {
		return nil, a.wrong()
	}
	for _, v := range a.of[1:] {
		if y, ok := number(v); isNumber && ok && x == y {
			return true, nil
		}
		if other := reflect.ValueOf(v); !isNumber && other.Kind() == reflect.String && text.String() == other.String() {
			return true, nil
		}
	}
	return false, nil
}

// The marks of a citation in a text: no text of a user has these control characters.
const citeBegin, citeEnd = "\x02", "\x03"

// Cited replaces the citations in a text, from left to right, by what write gives for the keys of each.
func Cited(text string, write func(keys []string) string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, citeBegin)
		keys, after, closed := strings.Cut(rest, citeEnd)
		b.WriteString(before)
		if !found || !closed {
			return b.String()
		}
		b.WriteString(write(strings.Fields(keys)))
		text = after
	}
}

// list is the first argument as a list of texts.
func (a arguments) list() ([]string, error) {
	if len(a.of) == 0 {
		return nil, a.wrong()
	}
	switch v := a.of[0].(type) {
	case []string:
		return v, nil
	case nil: // an empty list in JSON
		return nil, nil
	}
	v := reflect.ValueOf(a.of[0])
	if v.Kind() != reflect.Slice {
		return nil, a.wrong()
	}
	out := make([]string, v.Len())
	for j := range out {
		out[j] = fmt.Sprint(v.Index(j).Interface())
	}
	return out, nil
}

// number is a value of any type of number.
func number(v any) (float64, bool) {
	if v == nil { // not a number, in JSON
		return math.NaN(), true
	}
	switch of := reflect.ValueOf(v); of.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return float64(of.Int()), true
	case reflect.Float32, reflect.Float64:
		return of.Float(), true
	}
	return 0, false
}

// numbers makes a function of a function of so many numbers; of one that differs it writes the range.
func numbers(n int, f func([]float64) string) func(arguments) (any, error) {
	return func(a arguments) (any, error) {
		if len(a.of) != n {
			return nil, a.wrong()
		}
		low, high := make([]float64, n), make([]float64, n)
		for i, v := range a.of {
			if s, is := v.(finding.Span); is {
				low[i], high[i] = s.Low, s.High
				continue
			}
			x, ok := number(v)
			if !ok {
				return nil, a.wrong()
			}
			low[i], high[i] = x, x
		}
		if from, to := f(low), f(high); from != to {
			return report.Between(from, to), nil
		}
		return f(low), nil
	}
}

func coordinates(f func([]dag.Coord) string) func(arguments) (any, error) {
	return func(a arguments) (any, error) {
		if coords, ok := a.of[0].([]dag.Coord); ok && len(a.of) == 1 {
			return f(coords), nil
		}
		return nil, a.wrong()
	}
}

func texts(f func(string) string) func(arguments) (any, error) {
	return func(a arguments) (any, error) {
		if len(a.of) != 1 {
			return nil, a.wrong()
		}
		s, ok := a.of[0].(string)
		if !ok {
			return nil, a.wrong()
		}
		return f(s), nil
	}
}

// separator stands between the values of a parameter in a sentence: 10 or 20 epochs.
const separator = " or "

func counted(of func(int, string) string) func(arguments) (any, error) {
	f := func(n int, noun string) string { // 1,762,972 edges
		return strings.Replace(of(n, noun), strconv.Itoa(n), report.Thousands(float64(n)), 1)
	}
	return func(a arguments) (any, error) {
		if len(a.of) != 2 {
			return nil, a.wrong()
		}
		noun, text := a.of[1].(string)
		if s, is := a.of[0].(finding.Span); is && text { // of participants: 4–6 regions
			return report.Between(report.Thousands(s.Low), f(int(s.High), noun)), nil
		}
		n, ok := number(a.of[0])
		if parameter, is := a.of[0].(string); is { // of a stage, in its own digits
			values := strings.Split(parameter, separator)
			whole, err := strconv.Atoi(values[len(values)-1])
			if len(values) > 1 {
				return parameter + strings.TrimPrefix(of(2, a.of[1].(string)), "2"), err
			}
			return strings.Replace(of(whole, noun), strconv.Itoa(whole), parameter, 1), err
		}
		if !ok || !text {
			return nil, a.wrong()
		}
		return f(int(n), noun), nil
	}
}

// withLeast are functions of a p, the draws and perhaps the smallest p of a test.
func withLeast(drawn func(p float64, draws int32) string, plain func(float64) string) func(arguments) (any, error) {
	two := numbers(2, func(x []float64) string { return drawn(x[0], int32(x[1])) })
	three := numbers(3, func(x []float64) string {
		if bound := words.BoundP(x[0], x[2]); bound != "" {
			return strings.TrimSuffix(plain(0), "< 0.001") + bound
		}
		return drawn(x[0], int32(x[1]))
	})
	return func(a arguments) (any, error) {
		if len(a.of) == 3 {
			return three(a)
		}
		return two(a)
	}
}

// pValue is a p in a sentence: p = 0.020, p ≤ 0.05.
func pValue(p float64, draws int32) string {
	if bound := words.LeastP(p, int(draws)); bound != "" {
		return "p " + bound
	}
	return report.P(p)
}

// loss is a share without decimals; what is not all is at most 99%.
func loss(share float64) string {
	if p := report.Percent(share); p != "100%" || share >= 1 {
		return p
	}
	return "99%"
}

// estimate is a value, and its interval in parentheses where it is known.
func estimate(x []float64) string {
	if math.IsNaN(x[1]) {
		return report.Share(x[0])
	}
	return report.Share(x[0]) + " (" + report.Range(x[1], x[2], report.Share) + ")"
}

// beside is a value, and that of chance in parentheses where it is known; that of a count is no whole number.
func beside(x, chance float64, digits int) string {
	if math.IsNaN(chance) {
		return report.Fixed(x, digits)
	}
	return report.Fixed(x, digits) + " (" + report.Fixed(chance, max(digits, 1)) + ")"
}

// List writes names in a sentence: a, b and c.
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	if slices.ContainsFunc(names, hasComma) {
		return strings.Join(names[:last], "; ") + "; and " + names[last]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// hasComma reports whether a name has a comma outside parentheses, as those of universes do: a list of such names has
// semicolons.
func hasComma(name string) bool {
	depth := 0
	for _, c := range name {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			return true
		}
	}
	return false
}
