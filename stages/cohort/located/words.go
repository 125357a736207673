package located

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
)

const (
	fewestWord = 3 // rows from which the word of a value is learned
	// rows from which two at most that do not follow are a caution, where the others may follow by chance
	fewestDoubted = 8
	chanceWord    = 1e-3 // with which a field follows a column to this extent
)

// offWords are rows whose field, by its place from the start or the end of the names, has the word of another value:
// each value has a word of its own (HC: controls), and all rows but a few follow. Words that mean a value, but stand
// with another, are wrong in all rows. weak: the others may follow by chance. at is the word of a file at a field, ""
// for none; each is how many rows are one observation. of is the other value, "" for a row that follows.
func offWords(n *naming, values []string, each float64, means func(word, value string) string,
	at func(i, field int) string) (of, word []string, weak bool) {
	var doubted [2][]string
	cuts := n.cuts
	longest := slices.Max(lists.Map(cuts, func(c []field) int { return len(c) }))
	for place := -longest; place < longest; place++ {
		word, of = make([]string, len(cuts)), make([]string, len(cuts))
		pairs, ofWord, ofValue := map[[2]string]float64{}, map[string]float64{}, map[string]float64{}
		rows := float64(len(cuts))
		for i, c := range cuts {
			field := place
			if place < 0 {
				field += len(c)
			}
			if 0 <= field && field < len(c) && values[i] != "" && !n.explained(i, mark{at: field, fields: 1}) {
				word[i] = at(i, field)
			}
			if word[i] != "" {
				pairs[[2]string{word[i], values[i]}]++
				ofWord[word[i]]++
				ofValue[values[i]]++
			} else if each > 1 {
				rows--
			}
		}
		meant, taken, other := map[string]string{}, map[string]bool{}, map[string]string{}
		for _, p := range sortedPairs(pairs) {
			if pairs[p] >= fewestWord && meant[p[0]] == "" && !taken[p[1]] {
				meant[p[0]], taken[p[1]] = p[1], true
				if v := means(p[0], p[1]); v != "" {
					other[v], other[p[1]] = cmp.Or(other[v], p[1]), v
				}
			}
		}
		wrong, follow, alike := 0, 0., 0. // alike is a sum of whole numbers: it has no order
		for i, w := range word {
			switch v := meant[w]; {
			case v == "":
			case v != values[i]:
				of[i], wrong = v, wrong+1
			default:
				follow++
			}
		}
		for w, v := range meant {
			alike += float64(ofWord[w] * ofValue[v])
		}
		switch {
		case len(meant) < 2, 10*(follow+float64(wrong)) < 9*rows:
		case tail(rows/each, follow/each, alike/rows/rows) > chanceWord:
			if doubted[0] == nil && 0 < wrong && wrong <= 2 && len(cuts) >= fewestDoubted && each == 1 &&
				!slices.ContainsFunc(word, func(w string) bool { return !lettered(w) }) {
				doubted = [2][]string{of, word}
			}
		case len(other) > 0:
			for i, w := range word {
				if of[i] = ""; w != "" && meant[w] == values[i] {
					of[i] = other[values[i]]
				}
			}
			return of, word, false
		case wrong > 0 && wrong <= max(2, len(cuts)/10):
			return of, word, false
		}
	}
	return doubted[0], doubted[1], doubted[0] != nil
}

// sortedPairs are words and values, the most frequent first.
func sortedPairs(pairs map[[2]string]float64) [][2]string {
	all := make([][2]string, 0, len(pairs))
	for p := range pairs {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(pairs[b], pairs[a]), strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	})
	return all
}

// tail is the probability of at least k of n events of a probability.
func tail(n, k, p float64) (sum float64) {
	for ; k <= n && 0 < p && p < 1; k++ {
		a, _ := math.Lgamma(n + 1)
		b, _ := math.Lgamma(k + 1)
		c, _ := math.Lgamma(n - k + 1)
		sum += math.Exp(a - b - c + float64(k*math.Log(p)) + float64((n-k)*math.Log(1-p)))
	}
	return sum
}

// batches are words of batches, versions and times, which groups and sites may follow but for a few rows.
var batches = pattern.New(`^((batch|scanner|scan|ver|version|v|wave|phase|release|rel|coil|system|machine|part|set|year|` +
	`upgrade|pipeline)s?[a-z]?|pre|post|old|new|20[0-9]{2})$`)

// ofBatch reports whether a field is such a word, or a number or a letter after one.
func (n *naming) ofBatch(i, field int) bool {
	text := n.cuts[i][field].text
	return batches.MatchString(text) || field > 0 && (!lettered(text) || len(text) == 1) &&
		batches.MatchString(n.cuts[i][field-1].text)
}

// orders are the places, from 1, of the numbers at a field among those of one participant: of dates, times and counters
// of scans, where each has another, and one for each value.
func orders(n *naming, values int) func(i, field int) string {
	number := func(i, field int) (text string) { // 2019-01-05 too
		for ; field < len(n.cuts[i]) && !lettered(n.cuts[i][field].text); field++ {
			if text += n.cuts[i][field].text; n.explained(i, mark{at: field, fields: 1}) {
				return ""
			}
		}
		return text
	}
	its := map[string][]int{}
	for i, f := range n.files {
		its[f.ID] = append(its[f.ID], i)
	}
	return func(i, field int) string {
		own, before := number(i, field), 1
		all := map[string]bool{}
		for _, k := range its[n.files[i].ID] {
			if n.layouts[k] == n.layouts[i] {
				other := number(k, field)
				if all[other] = true; other < own {
					before++
				}
			}
		}
		if !long(own) || len(all) != values || values < 2 {
			return ""
		}
		return strconv.Itoa(before)
	}
}

// ofOtherValues are the files whose names have the word of another group, site, session or run than that of their row,
// or the numbers of a participant's sessions or runs in another order than those of most others. Letters before the
// numbers of ids are such values too. A word that another column has explains nothing here.
func ofOtherValues(l *listed.List, root string, files []RowFile, everybody []string) (refused []RowFile,
	doubts []column.Note) {
	if len(files) == 0 {
		return nil, nil
	}
	named := lists.Map(files, func(f RowFile) Named { return Named{f.Row.ID, userfile.NameIn(root, f.Path)} })
	for _, of := range l.Sheet.Columns {
		value := func(r listed.Row) string { return r.Cells.Get(of) }
		switch {
		case of == l.ID:
			value = func(r listed.Row) string {
				return strings.TrimRight(strings.TrimPrefix(r.ID, "sub-"), "0123456789")
			}
		case of != l.Group && of != l.Sessions && !listed.RunColumn.MatchString(of) &&
			(!column.NamesSite(of) || strings.Contains(strings.ToLower(of), "scanner")):
			continue
		}
		values := lists.Map(files, func(f RowFile) string { return value(f.Row) })
		distinct := lists.By(values, func(v string) string { return v })
		if len(distinct) > len(values)/fewestWord {
			continue
		}
		control := map[string]bool{} // one value, or none is known
		for i, f := range files {
			label := values[i]
			if of == l.Group {
				label = cmp.Or(f.Row.Label, label)
			}
			if (of == l.Group || of == l.ID) && lettered(label) && column.IsControl(label) {
				control[values[i]] = true
			}
		}
		means := func(word, value string) string {
			at := slices.IndexFunc(values, func(v string) bool {
				return canonical(v) == word || len(control) == 1 && control[v] && column.IsControl(word)
			})
			if at < 0 || !lettered(word) || canonical(value) == word || values[at] == value {
				return ""
			}
			return values[at]
		}
		n := namesOf(named, everybody, columnsOf(l, files, everybody, lists.Keep(l.Sheet.Columns,
			func(name string) bool { return name != of }))...)
		parts := of == l.Sessions || listed.RunColumn.MatchString(of)
		off, word, weak := offWords(n, values, 1, means, func(i, field int) string {
			text := n.cuts[i][field].text
			is := func(v string) bool { return canonical(v) == text }
			if !parts && n.ofBatch(i, field) && !slices.ContainsFunc(values, is) {
				return ""
			}
			return canonical(text)
		})
		has := func(i int) string { return "has " + strconv.Quote(word[i]) + " in its name, the word of" }
		advice := "if this is no such word, add a column with the word of each file"
		if parts && (off == nil || weak) {
			off, word, weak = offWords(n, values, float64(len(distinct)), means, orders(n, len(distinct)))
			has = func(i int) string {
				return fmt.Sprintf("is number %s of its participant by a date or number in the names, as most files of", word[i])
			}
			advice = "if this order is right, add a column with the date or number of each file"
		}
		more, wrong := "", lists.Count(off, func(v string) bool { return v != "" })
		if weak {
			i := slices.IndexFunc(off, func(v string) bool { return v != "" })
			doubts = append(doubts, column.Doubtful(column.DoubtWords, "noted.other-word", column.Values{
				"Port": files[i].Port, "N": wrong, "Of": len(files), "Column": of, "Line": files[i].Row.Line,
				"File": named[i].Path, "Word": word[i], "Value": off[i], "Own": values[i],
				"Naming": files[i].Naming(of)}))
			continue
		}
		if n := wrong; n > 1 {
			more = fmt.Sprintf(" (one of %s of which this is so)", words.Count(n, "row"))
		}
		for i, v := range off {
			if f := files[i]; v != "" {
				f.Err = fmt.Errorf("its %s file %s %s %s in the column %s, but its row has %s%s: correct the table (%s), rename "+
					"the file, or, %s", f.Port, named[i].Path, has(i), v, of, values[i], more,
					strings.Join(f.Naming(of), " or "), advice)
				refused = append(refused, f)
			}
		}
	}
	return refused, doubts
}

// scanParts are words before the number of a session or a run.
var scanParts = pattern.New(`^(ses|sess|session|visit|wave|run|rest)$`)

// ofOtherScans are the files whose names have other words than those of all but a few, as of a different task,
// session, run or atlas, and the first of the usual ones. Ids, and what a column of the table explains, are no such
// words; of names of BIDS only the task, the session and the run count, since the others are compared elsewhere.
func ofOtherScans(l *listed.List, root string, files []RowFile, everybody []string) (off []int, usual string) {
	ids := map[string]bool{}
	for _, f := range files {
		ids[f.Row.ID] = true
	}
	if len(files) < fewestDoubted || len(ids) < len(files) {
		return nil, ""
	}
	named := lists.Map(files, func(f RowFile) Named { return Named{f.Row.ID, userfile.NameIn(root, f.Path)} })
	n := namesOf(named, everybody, columnsOf(l, files, everybody, l.Sheet.Columns)...)
	of, first := map[string][]int{}, map[string]int{}
	for i, f := range files {
		var frame []string
		if own := bids.Entities(f.Path); own != nil {
			frame = []string{"bids", own["task"], own["ses"], own["run"]}
		}
		for k, at := range n.cuts[i] {
			m := mark{at: k, fields: 1}
			id := slices.ContainsFunc(n.marks[i], func(m mark) bool {
				return m.at <= k && k < m.at+m.fields && slices.Contains(m.whose, f.Row.ID)
			})
			// S in S005 or E in E1171 is part of an id or a number of scans, of whoever
			letter := len(at.text) == 1 && k+1 < len(n.cuts[i]) && !lettered(n.cuts[i][k+1].text)
			part := k > 0 && scanParts.MatchString(n.cuts[i][k-1].text)
			if (frame == nil || frame[0] != "bids") && (part || !id && !letter && lettered(at.text)) &&
				!n.explained(i, m) {
				frame = append(frame, at.text)
			}
		}
		text := strings.Join(frame, " ")
		if of[text] == nil {
			first[text] = i
		}
		of[text] = append(of[text], i)
	}
	for text, its := range of {
		if len(files)-len(its) <= max(2, len(files)/10) && 4*len(its) >= 3*len(files) {
			usual = named[first[text]].Path
			for i := range files {
				if !slices.Contains(its, i) {
					off = append(off, i)
				}
			}
		}
	}
	return off, usual
}
