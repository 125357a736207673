package scaffold

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/cohort/located"
)

// ownOrder refuses numbers in names, in the place of a path's column, that are 1, 2, 3 … without gaps and not those of
// the ids, some of which they equal: of the program that numbered the files.
func (t *table) ownOrder(dir string, files []string, path, column string) error {
	for strings.Contains(path, "0{") {
		path = strings.ReplaceAll(path, "0{", "{")
	}
	values, _ := t.Column(column)
	its := like(files, path, column)
	there := lists.Set(lists.Map(its, bare))
	lacks := slices.ContainsFunc(values, func(v string) bool {
		whole, _ := cell.Whole(v)
		all := numberPart.FindAllString(whole, -1)
		return all != nil && !there[bare(all[len(all)-1])]
	})
	if !lacks || len(its) < fewest || !located.CountsUp(its, values) || located.CountsUp(values, nil) ||
		strings.Trim(strings.Join(its, ""), "0123456789") != "" {
		return nil
	}
	return fmt.Errorf("--from %s: the numbers in the names of the files (%s) are 1 to %d without gaps, and column "+
		"%s of %s has other numbers (%s), so the numbers in the names are the order in which a program wrote the "+
		"files, not ids; add a column scan_no with the number of each participant's file", dir, path, len(there), column, t.path,
		words.Some(values, 6))
}

// ordered is ownOrder where the name of a file has the last number of a value.
func (t *table) ordered(dir string, files []string, file, value, column string) error {
	whole, _ := cell.Whole(value)
	all := numberPart.FindAllString(whole, -1)
	if all == nil {
		return nil
	}
	for _, path := range around(file, bare(all[len(all)-1]), "{"+column+"}") {
		if err := t.ownOrder(dir, files, path, column); err != nil {
			return err
		}
	}
	return nil
}

// zeros refuses ids that the names of files have with other zeros before their numbers, or without decimals: 1 or 1.0
// for 001. least is for how many rows, and at least for half of them.
func (t *table) zeros(dir string, files []string, least int) error {
	by := map[string][]string{} // names of files, by a number in them without the zeros
	for _, f := range files {
		for _, digits := range numberPart.FindAllString(f, -1) {
			if n := bare(digits); len(by[n]) < 100 && !slices.Contains(by[n], f) {
				by[n] = append(by[n], f)
			}
		}
	}
	for _, name := range t.Columns {
		if !t.isKey(name) {
			continue
		}
		values, _ := t.Column(name)
		n, all, value, file := 0, 0, "", ""
		for _, v := range values {
			f, own := otherZeros(v, by)
			if f != "" {
				if n++; n == 1 {
					value, file = v, f
				}
			}
			if f != "" || own {
				all++
			}
		}
		if n < 2 || all < least || 2*all < len(values) {
			continue
		}
		if err := t.ordered(dir, files, file, value, name); err != nil {
			return err
		}
		why := "they differ in leading zeros"
		if digits := numberPart.FindString(value); strings.TrimLeft(digits, "0") == digits {
			why = "the table lost leading zeros or has decimals"
		}
		return fmt.Errorf("--from %s: column %s of %s has %s, and a file is named %s: %s; write its values as text, "+
			"as in the names of the files", dir, name, t.path, value, file, why)
	}
	return nil
}

// bare are the numbers of a text without zeros before them.
func bare(text string) string {
	return numberPart.ReplaceAllStringFunc(text, func(digits string) string {
		return cmp.Or(strings.TrimLeft(digits, "0"), "0")
	})
}

// otherZeros is a file whose name has a value with other zeros; "" where none has it, or one as it is (own).
func otherZeros(value string, by map[string][]string) (file string, own bool) {
	digits, _ := cell.Whole(value)
	numbers := numberPart.FindAllString(digits, -1)
	if numbers == nil {
		return "", false
	}
	for _, f := range by[bare(numbers[len(numbers)-1])] {
		if within(f, value) {
			return "", true
		}
		if file == "" && within(bare(f), bare(digits)) {
			file = f
		}
	}
	return file, false
}
