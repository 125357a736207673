package listed

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/sheet"
)

// ExcludedByName is why a participant that exclude names takes no part.
const ExcludedByName = "excluded by name"

// BeyondLimit is why a participant takes no part whom nothing speaks against.
const BeyondLimit = "beyond limit"

// A LeftOut is an excluded participant.
type LeftOut struct {
	ID    string // "sub-004"
	Group string // "" where it is not known
	Why   string // "inclusion criterion not met: mean_fd < 0.3"
	// what the methods of a paper count it as, where Why is about this participant alone; "" for Why itself
	Category string
	Unmet    sheet.Unmet // where select excludes the participant
}

// Categories of reasons that are about one participant (LeftOut.Category).
const (
	UnusableData = "missing or unusable data"
	NotDenoised  = "not enough volumes or confounds for denoising"
	MuchMotion   = "too few volumes left after censoring for motion"
)

// Counted is what the methods of a paper count the participant as: without ids, files or advice.
func (l LeftOut) Counted() string { return cmp.Or(l.Category, l.Why) }

// An Exclusion collects the members that exclude leaves out, with the reason of each: within a kind of cohort, where
// select does not see them any more, and beside it, of every kind.
type Exclusion struct {
	Noun string // what a member is called: participant, or row
	Find func(name string) (id string, err error)
	Why  map[string]string // by id
}

// Add leaves out the member of a name: ExcludedByName, which counts more, or RatedFail.
func (x *Exclusion) Add(name, why string) error {
	id, err := x.Find(name)
	if err == nil && x.Why[id] != ExcludedByName {
		x.Why[id] = why
	}
	return err
}

// Notes says how many are left out for each reason, and which.
func (x *Exclusion) Notes() (notes []column.Note) {
	for _, why := range []string{RatedFail, ExcludedByName} {
		ids := lists.Keep(slices.Sorted(maps.Keys(x.Why)), func(id string) bool { return x.Why[id] == why })
		how := map[string]string{RatedFail: "excluded, rated fail", ExcludedByName: ExcludedByName}[why]
		if ids != nil {
			notes = append(notes, column.Notef("%s %s: %s", words.Count(len(ids), x.Noun), how, words.Some(ids, 10)))
		}
	}
	return notes
}

// bareName is a participant's name without sub-. SUB-08 is sub-08: some file systems cannot tell the two apart.
func bareName(name string) string {
	const prefix = "sub-"
	if len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
		name = name[len(prefix):]
	}
	return name
}

// ParticipantID makes a BIDS name: "sub-" and the letters and digits of the name. A whole number with decimals, as
// pandas saves it (1.0), is that number.
func ParticipantID(name string) string {
	digits, _ := cell.Whole(bareName(name))
	return lettersAndDigits(digits)
}

// lettersAndDigits is "sub-" and the letters and digits of a name: of 1.0 it is sub-10.
func lettersAndDigits(name string) string {
	keep := func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}
	return "sub-" + strings.Map(keep, bareName(name))
}

// Names are the ids of participants, sub-…, with the name of each as a table has it ("" for none).
type Names map[string]string

// Find finds the participant of a name: its id, with sub- or without, or its name as the table has it. A whole number
// with decimals is that number. Nobody is found by leaving out characters.
func (ids Names) Find(name string) (string, error) {
	for id, source := range ids {
		if source == name && name != "" {
			return id, nil
		}
	}
	id := ParticipantID(name)
	_, there := ids[id]
	if bare, decimals := cell.Whole(bareName(name)); there && "sub-"+bare == id {
		if other := lettersAndDigits(name); decimals && other != id {
			if _, also := ids[other]; also {
				return "", fmt.Errorf("%q may be %s or %s: write one of the two", name, id, other)
			}
		}
		return id, nil
	}
	return "", fmt.Errorf("there is no participant %q%s", name, ids.near(name))
}

// near proposes the participant that may have been meant: names differ by zeros that YAML and
// spreadsheets drop, or by a slip.
func (ids Names) near(name string) string {
	all := slices.Sorted(maps.Keys(ids))
	if one := SameNumber(name, all); one != nil {
		return fmt.Sprintf(" (did you mean %s?)", strings.Join(lists.Map(one, strconv.Quote), " or "))
	}
	if near := words.DidYouMean(name, all); near != "" || len(all) == 0 {
		return near
	}
	return fmt.Sprintf(" (available: %s)", words.Some(all, 6))
}

// SameNumber are the ids whose letters and digits are those of a name, but for case, for zeros that YAML and
// spreadsheets drop, and for decimals and scientific notation that they add.
func SameNumber(name string, ids []string) (same []string) {
	short := func(id string) string { return strings.ToLower(strings.TrimLeft(strings.TrimPrefix(id, "sub-"), "0")) }
	readings := []string{short(ParticipantID(name)), short(lettersAndDigits(name))}
	if bare := strings.ReplaceAll(bareName(name), ",", "."); cell.Scientific(bare) {
		if x, _ := new(big.Rat).SetString(bare); x != nil && len(x.RatString()) < 30 {
			readings = append(readings, x.RatString())
		}
	}
	for _, id := range ids {
		if slices.Contains(readings, short(id)) {
			same = append(same, id)
		}
	}
	return same
}

// prefix is what BIDS puts before a name, in any spelling: sub-1, SUB_1, sub1, ses-1.
var prefix = pattern.New(`^(?i:(sub(j(ect)?)?|ses(sion)?)[-_ ]?)+`)

// DoubtNames notes names in two spellings that may be one: 01 loses its zero in a spreadsheet. of gives the name of a
// row, and within whom it counts.
func (l *List) DoubtNames(what, in string, of func(Row) (who, name string)) {
	first, said := map[[2]string]Row{}, map[[2]string]bool{}
	var pairs []column.Values
	for _, r := range l.Rows {
		who, name := of(r)
		spelled, written := [2]string{who, column.Spelling(prefix.ReplaceAllString(name, ""))}, [2]string{who, name}
		if name == "" || said[written] {
			continue
		}
		said[written] = true
		if f, there := first[spelled]; there {
			_, other := of(f)
			pairs = append(pairs, column.Values{"First": other, "FirstLine": f.Line, "Second": name,
				"SecondLine": r.Line, "Who": who})
			continue
		}
		first[spelled] = r
	}
	if pairs != nil {
		l.Notes = append(l.Notes, column.Doubtful(column.DoubtAlike, "noted.names-alike",
			column.Values{"What": what, "Column": in, "Pairs": pairs}))
	}
}

// plainItem are names that are items of a list in YAML without quotes.
var plainItem = pattern.New(`^[\p{L}\p{N}_.]([\p{L}\p{N}_.+()/'-]|:[\p{L}\p{N}]| [\p{L}\p{N}(])*$`)

// Item is a name as an item of a list in YAML, in quotes where it needs them.
func Item(name string) string {
	if plainItem.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}
