package column

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"prgnn/internal/cell"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
)

// Spelling is what names have in common that are one name in two spellings: without capitals, blanks, punctuation
// between letters and zeros before a number, a letter with its accent as one character or two, and a letter of another
// script that looks like it. A number is its value. Signs stay, since they mean something:
// APOE4+ and APOE4-, <60 and >60.
func Spelling(name string) string {
	name = looks(name)
	if number.MatchString(name) {
		return value(name)
	}
	var out []rune
	between := rune(0) // what stands between the last letter or digit and this one
	all := []rune(strings.ReplaceAll(strings.ToLower(strings.ToUpper(name)), "ß", "ss"))
	for i, r := range all {
		last := rune(0)
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		switch {
		case r == '-' && (i == 0 || i == len(all)-1): // a sign
			out, between = append(out, r), 0
		case unicode.IsSpace(r), strings.ContainsRune("_-.,:;/()[]'’\"&", r):
			between = r
		case r == '0' && !unicode.IsDigit(last) && i+1 < len(all) && unicode.IsDigit(all[i+1]):
		default:
			if between != 0 && unicode.IsDigit(r) && unicode.IsDigit(last) { // 1.1 is not 11
				out = append(out, '-')
			}
			out, between = append(out, r), 0
		}
	}
	return string(out)
}

// looks is what a name looks like, as far as Unicode says: its composed form (NFKC), with the hyphen for each dash and
// without characters that show nothing.
func looks(name string) string {
	return strings.TrimSpace(norm.NFKC.String(strings.Map(func(r rune) rune {
		switch {
		case invisible(r):
			return -1
		case unicode.Is(unicode.Pd, r), r == '−':
			return '-'
		}
		return latin(r)
	}, name)))
}

// twinLetters are Cyrillic and Greek letters that look like Latin ones, before these.
var twinLetters = []rune("АAВBЕEІIЈJКKМMНHОOРPСCЅSТTУYХXаaеeоoрpсcуyхxіiјjѕs" + "ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXοo")

// latin is the Latin letter that a letter of another script looks like, or the letter itself.
func latin(r rune) rune {
	if at := slices.Index(twinLetters, r); r > unicode.MaxASCII && at >= 0 {
		return twinLetters[at+1]
	}
	return r
}

// invisible reports whether a character shows nothing: a joiner, a soft hyphen, a mark of direction or of variants.
func invisible(r rune) bool {
	return !unicode.IsSpace(r) && unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point)
}

// Composed is a name with each letter and its accent as one character (NFC): programs of macOS write two (NFD), which
// look the same. Names of regions are compared so.
func Composed(name string) string { return norm.NFC.String(name) }

// Shown is a name for a note in which it stands beside one that may look the same: as it is, or with what cannot be
// seen written out (Zu\u0308rich), as in a YAML text between quotation marks.
func Shown(name string) string {
	seems := !strings.ContainsFunc(strings.Map(latin, name), func(r rune) bool { return r > unicode.MaxASCII })
	foreign := func(r rune) bool { return seems && latin(r) != r } // in a name that looks Latin
	if !strings.ContainsFunc(name, unseen) && !strings.ContainsFunc(name, foreign) && norm.NFC.IsNormalString(name) {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if unseen(r) || foreign(r) || unicode.Is(unicode.Mn, r) {
			quoted := strconv.QuoteToASCII(string(r))
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unseen reports whether a character cannot be told from another one, or from none.
func unseen(r rune) bool {
	return invisible(r) || unicode.IsSpace(r) && r != ' ' || unicode.Is(unicode.Pd, r) && r != '-' || r == '−' ||
		r > unicode.MaxASCII && norm.NFKC.String(string(r)) != string(r)
}

// Twins is the doubt about two names that may be one; "" where they are two.
func Twins(a, b string) string {
	switch {
	case strings.EqualFold(a, b):
		return DoubtCase
	case Spelling(a) == Spelling(b):
		return DoubtAlike
	}
	return ""
}

var number = pattern.New(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)

// value writes a number as a whole one or a fraction, exactly: 1.0, 01 and 1e0 as 1, and -0 as 0.
func value(text string) string {
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		return text
	}
	return x.RatString()
}

var (
	digits = pattern.New(`\d+`)
	// levelCode is a letter or a roman number that ends a name: MCI-A, type B, BD II, GroupA, ASDa.
	levelCode = pattern.New(`^(.+?)[ _-]+(?:\pL|[IVXivx]+)$|^(.*[\p{Ll}\d])(?:\p{Lu}|[IVX]+)$|^(.*[\p{Lu}\d])\p{Ll}$`)
	// abbreviation is a name in which each letter counts: TD and TC, EMCI and LMCI.
	abbreviation = pattern.New(`^\p{Lu}{1,5}$`)
)

// Slip asks whether a name is another one by a wrong letter: not where they differ as names of levels do, in a number,
// in a letter at the end (ASD-A, ASD-B), or as abbreviations.
func Slip(from, to string) bool {
	switch {
	case strings.Join(digits.FindAllString(from, -1), " ") != strings.Join(digits.FindAllString(to, -1), " "):
	case strings.EqualFold(stem(from), stem(to)):
	case abbreviation.MatchString(from) && abbreviation.MatchString(to):
	default:
		return words.Nearest(from, []string{to}) != ""
	}
	return false
}

// stem is a name without the letter at its end that tells levels apart.
func stem(name string) string {
	if m := levelCode.FindStringSubmatch(name); m != nil {
		return m[1] + m[2] + m[3]
	}
	return name
}

// meanings are words, letters and numbers that stand for one thing in tables.
var meanings = []struct {
	words  []string // as Spelling gives them
	unless []string // words beside which the letters mean something else: F is false, or female
}{
	{[]string{"true", "yes", "t", "y", "1"}, []string{"m", "male", "female"}},
	{[]string{"false", "no", "f", "n", "0"}, []string{"m", "male", "female"}},
	{[]string{"male", "man", "boy", "m"}, nil},
	{[]string{"female", "woman", "girl", "f", "w"}, []string{"t", "true", "false"}},
	{[]string{"left", "l"}, nil}, {[]string{"right", "r"}, nil},
}

// Synonyms are the values of a column that stand for one thing in several ways, M and male: each group sorted. One of
// a group is a word, and numbers are in a group only where all values are words of yes and no.
func Synonyms(values []string) (groups [][]string) {
	spelled := map[string][]string{}
	binary := true
	for _, v := range slices.Compact(slices.Sorted(slices.Values(values))) {
		if cell.Missing(v) || cell.DoubtOf(v) != cell.Value {
			continue
		}
		s := Spelling(v)
		spelled[s] = append(spelled[s], v)
		binary = binary && (slices.Contains(meanings[0].words, s) || slices.Contains(meanings[1].words, s))
	}
	has := func(s string) bool { return spelled[s] != nil }
	for _, m := range meanings {
		if slices.ContainsFunc(m.unless, has) {
			continue
		}
		var group []string
		ways, word := 0, false
		for _, s := range m.words {
			if !has(s) || number.MatchString(s) && !binary {
				continue
			}
			ways, word = ways+1, word || len(s) > 1
			group = append(group, spelled[s]...)
		}
		if ways > 1 && word {
			slices.Sort(group)
			groups = append(groups, group)
		}
	}
	return groups
}

// CodesBesideWords describes values of which some are words (of sexes, sides, yes and no) and the others 0, 1 or 2,
// as of two tables that code them differently: F, M and 1, 2. It is nil for any other values.
func CodesBesideWords(values []string) []string {
	var codes, texts []string
	known := map[string]bool{}
	for _, m := range meanings {
		for _, word := range m.words {
			known[word] = true
		}
	}
	distinct := map[string]bool{}
	for _, v := range slices.Compact(slices.Sorted(slices.Values(values))) {
		if cell.Missing(v) || cell.DoubtOf(v) != cell.Value {
			continue
		}
		s := Spelling(v)
		distinct[s] = true
		switch {
		case s == "0" || s == "1" || s == "2":
			codes = append(codes, v)
		case known[s]:
			texts = append(texts, Shown(v))
		default:
			return nil
		}
	}
	if codes == nil || texts == nil || len(distinct) < 3 { // of two values each may be written in its way
		return nil
	}
	for _, group := range Synonyms(values) {
		if slices.ContainsFunc(group, func(v string) bool { return slices.Contains(codes, v) }) {
			return nil // yes and 1
		}
	}
	return []string{strings.Join(texts, ", ") + " beside " + strings.Join(codes, ", ")}
}
