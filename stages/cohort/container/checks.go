package container

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// checkNumbers refuses a column of members whose numbers are not those of the file that several participants share:
// one that is beyond its members or that two participants have, also of somebody who takes no part, one that is
// missing, and one where the ids in the file are others. All numbers are then doubtful, and nobody's exclusion helps.
func (w *Within) checkNumbers(all []*Reading, l *listed.List, source *located.Source) error {
	if w.Member == "" || whole(w.Member) != 0 {
		return nil
	}
	rows := w.rowsOf(l, source)
	sharing := map[string]map[string]bool{} // participants by file
	for _, r := range rows {
		if sharing[r.key] == nil {
			sharing[r.key] = map[string]bool{}
		}
		sharing[r.key][r.id] = true
	}
	one := source != nil && source.One()
	most := 0
	var shared []*Reading
	for _, f := range all {
		if source == nil || len(sharing[source.Key(f.Row)]) < 2 {
			continue
		}
		shared = append(shared, f)
		var beyond region.MemberError
		switch {
		case errors.As(f.Err, &beyond):
			return w.beyond(l, f.Row.Line, beyond)
		case whole(f.Row.Cells.Get(w.Member)) == 0:
			return fmt.Errorf("member: %s:%d: column %q has no number of %s, so the numbers may be those of other rows: write all of them, and exclude only who is not in the file",
				l.Path, f.Row.Line, w.Member, f.ID)
		case f.Found != nil && one:
			most = f.Found.Many
		}
	}
	first := map[string]memberRow{}
	for _, r := range rows {
		if most > 0 && r.number > most {
			return w.beyond(l, r.line, region.MemberError{Member: r.number, Many: most})
		}
		at := fmt.Sprintf("%s\x00%d", r.key, r.number)
		if was, there := first[at]; there && r.number > 0 && was.id != r.id {
			return fmt.Errorf("member: %s:%d: column %q is %d for %s and for %s (line %d), but each participant of a file has a number of its own; all numbers below may be shifted: correct the column",
				l.Path, r.line, w.Member, r.number, r.id, was.id, was.line)
		} else if !there {
			first[at] = r
		}
	}
	return w.checkIDs(shared, l)
}

// A memberRow is a row of the table, whoever takes part.
type memberRow struct {
	id, key string // key is one text for rows that have one file
	number  int    // 0 for none
	line    int
}

func (w *Within) rowsOf(l *listed.List, source *located.Source) (rows []memberRow) {
	if source == nil {
		return nil
	}
	for _, r := range l.BareRows() {
		r.ID = listed.ParticipantID(r.Cells.Get(l.ID))
		rows = append(rows, memberRow{r.ID, source.Key(r), whole(r.Cells.Get(w.Member)), r.Line})
	}
	return rows
}

func (w *Within) beyond(l *listed.List, line int, e region.MemberError) error {
	return fmt.Errorf("member: %s:%d: column %q is %d, but the file of all participants has %d: correct the numbers, which count its participants from 1",
		l.Path, line, w.Member, e.Member, e.Many)
}

// requireKeys refuses files without the names of their columns beside them (DPABI's order key) where other files have
// theirs: in a file without, a label that has no column shifts all columns behind it.
func requireKeys(all []*Reading) {
	var with *Reading
	many := 0
	for _, f := range all {
		if f.Err == nil && f.Layout.Labels != nil && f.Layout.Beside(f.Path) != "" {
			with = f
			many++
		}
	}
	for _, f := range all {
		if with == nil || f.Err != nil || f.Layout.Named() {
			continue
		}
		key := f.Layout.Beside(f.Path)
		f.Err = fmt.Errorf("%s, with the names of its columns, is missing, but %s their names, such as %s: copy it",
			filepath.Base(key), words.Count(many, "other file")+map[bool]string{true: " has",
				false: " have"}[many == 1],
			filepath.Base(with.Layout.Beside(with.Path)))
	}
}

// oneAtlas refuses files whose keys define a label by another image than those of more than half of the files that have
// the label; where none has so many, all are.
func oneAtlas(all []*Reading) {
	images := map[string]map[string][]*Reading{} // by label and image
	places := map[string]map[string]bool{}       // directories, by the name of the image
	for _, f := range all {
		if f.Err != nil {
			continue
		}
		for label, path := range f.Layout.Atlas {
			path = ownImage(path, f)
			at := strings.LastIndexAny(path, `/\`) + 1
			image := path[at:]
			if places[image] == nil {
				places[image] = map[string]bool{}
			}
			places[image][path[:at]] = true
			if images[label] == nil {
				images[label] = map[string][]*Reading{}
			}
			images[label][image] = append(images[label][image], f)
		}
	}
	for _, image := range slices.Sorted(maps.Keys(places)) {
		if of := slices.Sorted(maps.Keys(places[image])); len(of) > 1 {
			all[0].Doubts = append(all[0].Doubts, column.Doubtful(column.DoubtAlike, "noted.directories",
				column.Values{"Image": image, "Directories": of}))
		}
	}
	for _, label := range slices.Sorted(maps.Keys(images)) {
		of := images[label]
		if len(of) < 2 {
			continue
		}
		total := 0
		var each []string
		for _, image := range slices.Sorted(maps.Keys(of)) {
			total += len(of[image])
			each = append(each, fmt.Sprintf("%s (%s)", image, words.Count(len(of[image]), "file")))
		}
		for _, those := range of {
			for _, f := range those {
				if 2*len(those) <= total && f.Err == nil {
					f.Err = fmt.Errorf("by the order keys, label %s is of several images: %s; labels with one number must be of one atlas",
						label, strings.Join(each, ", "))
				}
			}
		}
	}
}

// ownImage is the path of an image without the name of the participant, as a mask has it that was warped to each
// (DPARSF writes SUB_AAL.nii).
func ownImage(image string, f *Reading) string {
	_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(f.Layout.Beside(f.Path)), ".tsv"), "OrderKey_")
	if name == "" {
		return image
	}
	at := strings.LastIndexAny(image, `/\`) + 1
	return strings.ReplaceAll(image[:at], name, "SUB") + strings.Replace(image[at:], name, "SUB", 1)
}

// oneOrder refuses files whose own names of the columns differ from those of most files where labels of another file
// replace them, by the place of a column alone.
func oneOrder(all []*Reading) {
	of := map[string][]*Reading{}
	read := 0
	for _, f := range all {
		if f.Err == nil && f.Found != nil && f.Found.Own != nil && !slices.Equal(f.Found.Own, f.Layout.Labels) {
			own := strings.Join(f.Found.Own, "\x00")
			of[own] = append(of[own], f)
			read++
		}
	}
	for _, those := range of {
		for _, f := range those {
			if slices.Equal(slices.Sorted(slices.Values(f.Found.Own)), slices.Sorted(slices.Values(f.Layout.Labels))) {
				f.Err = errors.New("names has the same names as the columns of the file, in another order: leave names out, so that the columns keep their own")
			} else if 2*len(those) <= read && len(of) > 1 {
				f.Err = errors.New("names replaces the names of the columns by their place, but the columns of the files have different names or orders: leave names out, and set nodes to the list of these names")
			}
		}
	}
}

// oneWidth refuses files whose columns have no names, and are not as many as those of most files, where columns_range
// takes some by their place: one more in front shifts all.
func oneWidth(all []*Reading) {
	of := map[int][]*Reading{}
	read := 0
	for _, f := range all {
		if f.Err == nil && f.Found != nil && f.Found.Names == nil && f.Layout.Range != nil {
			of[f.Found.Width] = append(of[f.Found.Width], f)
			read++
		}
	}
	widths := lists.Map(slices.Sorted(maps.Keys(of)), func(n int) string {
		return fmt.Sprintf("%s (%s)", words.Count(n, "column"), words.Count(len(of[n]), "file"))
	})
	for _, those := range of {
		for _, f := range those {
			if 2*len(those) <= read && len(of) > 1 {
				f.Err = fmt.Errorf("columns_range takes columns by their place, but the files have different widths and no names: %s; give the names of the columns (names), or files of one width",
					strings.Join(widths, ", "))
			}
		}
	}
}

var conditionNumber = pattern.New(`_(Condition\d+)\.mat$`)

// oneCondition refuses files of CONN whose condition is not that of more than half of the files, of a run or session
// where there are several; where none is, all are refused. Files without the name of the condition have its number in
// theirs.
func oneCondition(all []*Reading) {
	type key struct {
		part   string
		stated bool
	}
	of, files := map[key]map[string][]*Reading{}, map[key]int{}
	for _, f := range all {
		if f.Err != nil || f.Found == nil {
			continue
		}
		k, state := key{f.Part, f.Found.State != ""}, f.Found.State
		if !k.stated && f.Layout.Program == "CONN" {
			if found := conditionNumber.FindStringSubmatch(f.Path); found != nil {
				state = found[1]
			}
		}
		if state == "" {
			continue
		}
		if of[k] == nil {
			of[k] = map[string][]*Reading{}
		}
		of[k][state] = append(of[k][state], f)
		files[k]++
	}
	for k, states := range of {
		if len(states) < 2 {
			continue
		}
		var each []string
		for _, state := range slices.Sorted(maps.Keys(states)) {
			each = append(each, fmt.Sprintf("%s (%s: %s)", state, words.Count(len(states[state]), "file"),
				words.Some(lists.Map(states[state], func(f *Reading) string { return f.ID }), 4)))
		}
		for _, those := range states {
			for _, f := range those {
				if 2*len(those) <= files[k] {
					f.Err = fmt.Errorf("the files are of different conditions of the task: %s; use files of one condition",
						strings.Join(each, ", "))
				}
			}
		}
	}
}
