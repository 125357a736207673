package column

import (
	"strconv"
	"strings"
	"unicode"

	"prgnn/internal/pattern"
	"prgnn/internal/words"
)

// Spelling is what names have in common that are one name in two spellings: without capitals, blanks, punctuation
// between letters and zeros before a number. Signs stay, since they mean something: APOE4+ and APOE4-, <60 and >60.
func Spelling(name string) string {
	const exact = 15 // digits
	if x, err := strconv.ParseFloat(name, 64); err == nil && len(name) <= exact &&
		strings.Trim(name, "0123456789.+-") == "" {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	var out []rune
	between := rune(0) // what stands between the last letter or digit and this one
	all := []rune(strings.ToLower(name))
	for i, r := range all {
		last := rune(0)
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		switch {
		case unicode.Is(unicode.Cf, r): // shows nothing
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
