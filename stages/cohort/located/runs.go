package located

import (
	"fmt"
	"path/filepath"
	"strings"

	"prgnn/internal/pattern"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/userfile"
)

var (
	runNumber = pattern.New(`(?i)(?:^|[^\pL])run[-_ ]?0*([0-9]+)`)
	runColumn = pattern.New(`(?i)^runs?([ _.-]?(id|no|nr|num|number|index))?$`)
	runValue  = pattern.New(`(?i)^(?:run)?[-_ ]?0*([0-9]+)(?:\.0+)?$`)
)

// firstOf is what an expression finds; "" for nothing.
func firstOf(p pattern.Pattern, text string) string {
	if m := p.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// ofOtherRuns are the files of a source whose names state another run than the column of runs, where three of four
// files agree with it, or an earlier run than that of the row before, since the rows of a participant are its runs in
// the order of time.
func ofOtherRuns(l *listed.List, root string, files []RowFile) (refused []RowFile) {
	refuse := func(f RowFile, columns []string, format string, args ...any) {
		f.Err = fmt.Errorf("its %s file %s "+format+": correct the table (%s), or rename the files",
			append(append([]any{f.Port, userfile.NameIn(root, f.Path)}, args...), strings.Join(columns, " or "))...)
		refused = append(refused, f)
	}
	stated := func(f RowFile) string { return firstOf(runNumber, filepath.Base(f.Path)) }
	for _, column := range l.Sheet.Columns {
		if !runColumn.MatchString(column) {
			continue
		}
		own, both := 0, 0
		var wrong []RowFile
		for _, f := range files {
			is, of := stated(f), firstOf(runValue, f.Row.Cells.Get(column))
			if is == "" || of == "" {
				continue
			}
			if both++; is == of {
				own++
			} else {
				wrong = append(wrong, f)
			}
		}
		if own >= fewestOwn && 4*own >= 3*both {
			for _, f := range wrong {
				refuse(f, f.Naming(column), "has the run %s in its name, but the %s of its row is %s", stated(f), column,
					f.Row.Cells.Get(column))
			}
		}
	}
	if refused != nil || l.Each != "run" || l.Sessions != "" {
		return refused
	}
	for i := 1; i < len(files); i++ {
		before, f := files[i-1], files[i]
		is, was := stated(f), stated(before)
		if f.Row.ID != before.Row.ID || is == "" || was == "" {
			continue
		}
		if len(is) < len(was) || len(is) == len(was) && is < was {
			refuse(f, f.Naming(l.ID), "has the run %s in its name, but its row follows that of run %s (line %d), and the "+
				"rows of a participant are its runs in the order of time", is, was, before.Row.Line)
		}
	}
	return refused
}
