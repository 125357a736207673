package located

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
)

// A RowFile is the file of a source for a row.
type RowFile struct {
	*Source
	Row  listed.Row
	Path string
	Err  error // that of Misnamed
}

// mostOwn is how many participants may have one file by mistake. One for more, such as the events of a task, is as the
// user wrote it; scans are compared elsewhere.
const mostOwn = 2

// Misnamed are the files whose names have the id of another participant, or another session or run, and not that of
// their own row, and doubts where numbers alone show this; each source is compared for itself, and root is not part of
// names.
func Misnamed(l *listed.List, root string, files []RowFile) (refused []RowFile, doubts []column.Note) {
	if l.Each == "row" {
		return nil, nil
	}
	everybody, visits := l.Everybody()
	sharing := map[string][]string{}
	for _, f := range files {
		if key := f.Port + "\x00" + f.Path; !slices.Contains(sharing[key], f.Row.ID) {
			sharing[key] = append(sharing[key], f.Row.ID)
		}
	}
	var sources []*Source
	used := []string{l.ID, l.Group, l.Target, l.Sessions}
	for _, f := range files {
		if !f.One() && !slices.Contains(sources, f.Source) {
			sources = append(sources, f.Source)
			used = append(used, f.Columns...)
		}
	}
	for _, source := range sources {
		of := slices.DeleteFunc(slices.Clone(files), func(f RowFile) bool {
			return f.Source != source || len(sharing[f.Port+"\x00"+f.Path]) > mostOwn
		})
		refuse := func(others []Other, by, format string) {
			more := ""
			if len(others) > 1 {
				more = fmt.Sprintf(" (one of %s of which this is so)", words.Count(len(others), "row"))
			}
			for _, other := range others {
				f, column := of[other.At], ""
				if other.Number != "" {
					column = fmt.Sprintf("; if these numbers are not ids, add a column with the number of each file, such as %s (%s in "+
						"line %d)", free(l), other.Number, f.Row.Line)
				}
				f.Err = fmt.Errorf("its %s file %s "+format+"%s", f.Port, userfile.NameIn(root, f.Path), other.Whose,
					more, strings.Join(f.Naming(by), " or "), column)
				refused = append(refused, f)
			}
		}
		doubt := func(of []RowFile, by *Numbering, what, name string) {
			f, whose := of[by.Others[0].At], by.Others[0].Whose
			doubts = append(doubts, column.Doubtful(column.DoubtNumbered, "noted.numbered", column.Values{
				"Port": f.Port, "What": what, "N": len(by.Others), "Of": len(of), "Line": f.Row.Line,
				"File": userfile.NameIn(root, f.Path), "Whose": whose, "Naming": f.Naming(name)}))
		}
		others, by := OfOthers(lists.Map(of, func(f RowFile) Named {
			return Named{ID: f.Row.ID, Path: userfile.NameIn(root, f.Path)}
		}), everybody, columnsOf(l, of, everybody, l.Sheet.Columns)...)
		if by != nil && !by.Whole {
			doubt(of, by, "participant", l.ID)
		}
		beside := slices.DeleteFunc(slices.Clone(others), func(o Other) bool { return !o.Beside })
		refuse(beside, l.ID, "has the id of %s where the names of the others have their own%s: correct the table (%s), or rename the files")
		others = slices.DeleteFunc(others, func(o Other) bool { return o.Beside })
		refuse(others, l.ID, "has the id of %s in its name, and not its own%s: correct the table (%s), or rename the participants or the files, also if the word or number in the name is no id")
		byColumn, crossed := byColumns(l, root, of, everybody, used)
		refused, doubts = append(refused, byColumn...), append(doubts, crossed...)
		byWord, doubted := ofOtherValues(l, root, of, everybody)
		doubts = append(doubts, doubted...)
		if off, usual := ofOtherScans(l, root, of, everybody); off != nil && byWord == nil && doubted == nil {
			f := of[off[0]]
			doubts = append(doubts, column.Doubtful(column.DoubtWords, "noted.other-scan", column.Values{
				"Port": f.Port, "N": len(off), "Of": len(of), "Line": f.Row.Line, "File": userfile.NameIn(root, f.Path),
				"Usual": usual, "Naming": f.Columns}))
		}
		// One for several sessions, such as the labels of an anatomical image, is as the user wrote it.
		ofParts := func(column string, p parts, leftOut []string) {
			part := func(f RowFile) string { return listed.SessionName(f.Row.Cells.Get(column)) }
			shared := map[[2]string]map[string]bool{}
			for _, f := range of {
				key := [2]string{f.Path, f.Row.ID}
				if shared[key] == nil {
					shared[key] = map[string]bool{}
				}
				shared[key][part(f)] = true
			}
			all := of
			of = slices.DeleteFunc(slices.Clone(of), func(f RowFile) bool {
				return part(f) == "" || len(shared[[2]string{f.Path, f.Row.ID}]) > 1
			})
			others, by := p.others(lists.Map(of, func(f RowFile) InPart {
				return InPart{part(f), userfile.NameIn(root, f.Path), f.Row.ID}
			}), leftOut)
			if source.Port == "labels" { // also those of a session whose scan takes no part
				others = slices.DeleteFunc(others, func(other Other) bool {
					return !slices.ContainsFunc(of, func(f RowFile) bool {
						return f.Row.ID == of[other.At].Row.ID && part(f) == other.Whose
					})
				})
			}
			refuse(others, column, "has the "+p.noun+" %s in its name, and not that of its row%s: correct the table (%s), or rename the "+p.noun+"s or the files")
			if by != nil {
				doubt(of, by, p.noun, column)
			}
			of = all
		}
		before := len(refused)
		for _, column := range l.Sheet.Columns {
			if listed.RunColumn.MatchString(column) && column != l.Sessions {
				ofParts(column, runs, nil)
			}
		}
		if len(refused) == before {
			refused = append(refused, ofEarlierRuns(l, root, of)...)
		}
		if l.Sessions != "" {
			ofParts(l.Sessions, sessions, visits)
		}
		refused = append(refused, byWord...) // the first of a row counts
	}
	return refused, doubts
}

// columnsOf are the columns of the table that may explain parts of the names of files: not that of the ids, nor one of
// the names themselves.
func columnsOf(l *listed.List, files []RowFile, ids, columns []string) (all []Column) {
	rows := l.BareRows()
	for _, column := range columns {
		value := func(r listed.Row) string { return r.Cells.Get(column) }
		if column == l.ID || slices.ContainsFunc(files, func(f RowFile) bool {
			return filepath.Base(value(f.Row)) == filepath.Base(f.Path)
		}) {
			continue
		}
		all = append(all, Column{lists.Map(files, func(f RowFile) string { return value(f.Row) }),
			CountsUp(lists.Map(rows, value), ids)})
	}
	return all
}

// free is a name that no column of the table has.
func free(l *listed.List) string {
	name := "scan_no"
	for slices.Contains(l.Sheet.Columns, name) {
		name += "_2"
	}
	return name
}

// byColumns are the files of a source whose names have what another participant has in a column of the table, and not
// what their own row has: in a column of different values that the names of most files have. A name that has the id of
// its participant is that of its row, and a value of a different row beside this id is a caution.
func byColumns(l *listed.List, root string, files []RowFile, everybody, used []string) (refused []RowFile,
	doubts []column.Note) {
	names := func(files []RowFile, id func(listed.Row) string, others []string) *naming {
		return namesOf(lists.Map(files, func(f RowFile) Named {
			return Named{id(f.Row), userfile.NameIn(root, f.Path)}
		}), others)
	}
	for _, of := range l.Sheet.Columns {
		if slices.Contains(used, of) {
			continue
		}
		value := func(r listed.Row) string { return listed.ParticipantID(r.Cells.Get(of)) }
		rows := map[string]listed.Row{}
		var others []string
		for _, r := range l.BareRows() {
			if r.Cells.Get(of) != "" {
				rows[value(r)], others = r, append(others, value(r))
			}
		}
		filled := slices.DeleteFunc(slices.Clone(files), func(f RowFile) bool { return f.Row.Cells.Get(of) == "" })
		who, own, wrong := map[string]string{}, 0, []RowFile(nil)
		unique := true
		by := names(filled, value, others)
		for i, f := range filled {
			first, there := who[value(f.Row)]
			unique = unique && (!there || first == f.Row.ID)
			who[value(f.Row)] = f.Row.ID
			if by.own(i) {
				own++
				continue
			}
			other, _ := by.other(i)
			whose, there := rows[other]
			if there && listed.ParticipantID(whose.Cells.Get(l.ID)) != f.Row.ID {
				f.Err = fmt.Errorf("its %s file %s has %s of line %d in its name, but the %s of its row is %s: correct the table (%s), or rename the files",
					f.Port, userfile.NameIn(root, f.Path), whose.Cells.Get(of), whose.Line, of,
					f.Row.Cells.Get(of), strings.Join(append(slices.Clone(f.Columns), of), " or "))
				wrong = append(wrong, f)
			}
		}
		if !unique || own < fewestOwn || 2*own <= len(files) || wrong == nil {
			continue
		}
		byID := names(files, func(r listed.Row) string { return r.ID }, everybody)
		before := wrong
		for i, f := range files {
			if byID.own(i) {
				wrong = slices.DeleteFunc(slices.Clone(wrong), func(w RowFile) bool { return w.Row.Line == f.Row.Line })
			}
		}
		refused = append(refused, wrong...)
		if f := before[0]; len(wrong) == 0 && len(before) <= max(2, len(files)/10) {
			doubts = append(doubts, column.Doubtful(column.DoubtWords, "noted.other-value", column.Values{
				"Port": f.Port, "N": len(before), "Of": len(files), "Column": of, "Line": f.Row.Line,
				"File": userfile.NameIn(root, f.Path), "Own": f.Row.Cells.Get(of),
				"Naming": append(slices.Clone(f.Columns), of)}))
		}
	}
	return refused, doubts
}
