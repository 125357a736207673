package located

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
)

const (
	fewestWord = 3    // rows from which the word of a value is learned
	chanceWord = 1e-3 // with which a field follows a column to this extent
)

// offWords are rows whose field, by its place from the start or the end of the names, has the word of another value:
// each value has a word of its own (HC: controls), and all rows but a few follow. Words that are the values themselves,
// but each of another, are wrong in all rows. of is the other value, "" for a row that follows.
func offWords(cuts [][]field, values []string, known func(i, at int) bool) (of, word []string) {
	plain := lists.Map(values, canonical)
	longest := slices.Max(lists.Map(cuts, func(c []field) int { return len(c) }))
	for place := -longest; place < longest; place++ {
		word, of = make([]string, len(cuts)), make([]string, len(cuts))
		pairs, ofWord, ofValue := map[[2]string]float64{}, map[string]float64{}, map[string]float64{}
		for i, c := range cuts {
			at := place
			if place < 0 {
				at += len(c)
			}
			if 0 <= at && at < len(c) && values[i] != "" && !known(i, at) {
				word[i] = canonical(c[at].text)
				pairs[[2]string{word[i], values[i]}]++
				ofWord[word[i]]++
				ofValue[values[i]]++
			}
		}
		meant, taken, names := map[string]string{}, map[string]bool{}, 0
		for _, p := range sortedPairs(pairs) {
			if pairs[p] >= fewestWord && meant[p[0]] == "" && !taken[p[1]] {
				meant[p[0]], taken[p[1]] = p[1], true
				if canonical(p[1]) != p[0] && lettered(p[0]) && slices.Contains(plain, p[0]) {
					names++
				}
			}
		}
		n, wrong, follow := float64(len(cuts)), 0, 0.
		for i, w := range word {
			switch v := meant[w]; {
			case v == "":
			case v != values[i]:
				of[i], wrong = v, wrong+1
			default:
				follow++
			}
		}
		alike := 0. // whole numbers: their sum has no order
		for w, v := range meant {
			alike += float64(ofWord[w] * ofValue[v])
		}
		if len(meant) < 2 || 10*(follow+float64(wrong)) < 9*n || tail(n, follow, alike/n/n) > chanceWord {
			continue
		}
		if names == len(meant) { // each is the word of another
			for i, w := range word {
				at := slices.Index(plain, w)
				if of[i] = ""; at >= 0 && values[at] != values[i] {
					of[i] = values[at]
				}
			}
			return of, word
		}
		if wrong > 0 && wrong <= max(2, len(cuts)/10) {
			return of, word
		}
	}
	return nil, nil
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

// ofOtherValues are the files whose names have the word of another group, site, session or run than that of their row.
// Letters before the numbers of ids are such values too. A word that another column has explains nothing here.
func ofOtherValues(l *listed.List, root string, files []RowFile, everybody []string) (refused []RowFile) {
	if len(files) == 0 {
		return nil
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
		if len(lists.By(values, func(v string) string { return v })) > len(values)/fewestWord {
			continue
		}
		var others []string
		for _, name := range l.Sheet.Columns {
			if name != of {
				others = append(others, name)
			}
		}
		n := namesOf(named, everybody, columnsOf(l, files, everybody, others)...)
		off, word := offWords(n.cuts, values, func(i, at int) bool { return n.explained(i, mark{at: at, fields: 1}) })
		more := ""
		if n := len(slices.DeleteFunc(slices.Clone(off), func(v string) bool { return v == "" })); n > 1 {
			more = fmt.Sprintf(" (one of %s of which this is so)", words.Count(n, "row"))
		}
		for i, v := range off {
			if f := files[i]; v != "" {
				f.Err = fmt.Errorf("its %s file %s has %s in its name, the word of %s in the column %s, but its row has %s%s: "+
					"correct the table (%s), rename the file, or, if this is no such word, add a column with the word of each "+
					"file", f.Port, named[i].Path, strconv.Quote(word[i]), v, of, values[i], more,
					strings.Join(f.Naming(of), " or "))
				refused = append(refused, f)
			}
		}
	}
	return refused
}
