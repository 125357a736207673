package located

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/pattern"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/userfile"
)

var runNumber = pattern.New(`(?i)(?:^|[^\pL])run[-_ ]?0*([0-9]+)`)

// ofEarlierRuns are the files of a source whose names state an earlier run than that of the row before, since the rows
// of a participant are its runs in the order of time.
func ofEarlierRuns(l *listed.List, root string, files []RowFile) (refused []RowFile) {
	if l.Each != "run" || l.Sessions != "" || slices.ContainsFunc(l.Sheet.Columns, listed.RunColumn.MatchString) {
		return nil
	}
	stated := func(f RowFile) string { return firstOf(runNumber, filepath.Base(f.Path)) }
	for i := 1; i < len(files); i++ {
		before, f := files[i-1], files[i]
		is, was := stated(f), stated(before)
		if f.Row.ID != before.Row.ID || is == "" || was == "" {
			continue
		}
		if len(is) < len(was) || len(is) == len(was) && is < was {
			f.Err = fmt.Errorf("its %s file %s has the run %s in its name, but its row follows that of run %s (line %d), and "+
				"the rows of a participant are its runs in the order of time: correct the table (%s), or rename the files",
				f.Port, userfile.NameIn(root, f.Path), is, was, before.Row.Line, strings.Join(f.Naming(l.ID), " or "))
			refused = append(refused, f)
		}
	}
	return refused
}
