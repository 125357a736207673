// Package located finds the file of each row of a table: in a column, by a name made of columns, or one for all.
package located

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/userfile"
)

// A Source states where a port's file of a participant is: in a column, under a
// name made from columns ("func/{file_id}_bold.nii.gz"), or one for everybody.
type Source struct {
	Port    string
	Format  string
	Spec    string               // as the user wrote it
	Column  string               // that holds paths; "" for a pattern or one file
	Columns []string             // used
	Plain   []string             // files that were found by whole numbers without the decimals of the table
	noun    string               // what a member is called
	pieces  []string             // of a pattern: text, column, text, column, … text
	dirs    map[string]*readOnce // in which a * is looked for
}

// What names the file of a member in a message.
func (f *Source) What() string {
	if f.Port == "file" {
		return "its file"
	}
	return "its " + f.Port + " file"
}

// Of reads what the user gave for a port.
func Of(l *listed.List, port, format, spec string) (*Source, error) {
	f := &Source{Port: port, Format: format, noun: l.Noun(), Spec: spec}
	switch {
	case slices.Contains(l.Sheet.Columns, spec):
		f.Column, f.Columns = spec, []string{spec}
		return f, nil
	case strings.Contains(spec, "{"):
		return f, f.pattern(l)
	}
	path := userfile.Within(l.Dir, spec)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s: %w", port, userfile.Plain(path, err))
	} else if err != nil {
		return nil, fmt.Errorf("%s: %q is neither a column of %s%s nor a file (%s)%s", port, spec, l.Path,
			words.DidYouMean(spec, l.Sheet.Columns), path, userfile.Near(path))
	}
	return f, nil
}

// pattern cuts a file name at its {columns}.
func (f *Source) pattern(l *listed.List) error {
	rest := f.Spec
	var problems []error
	for {
		text, after, ok := strings.Cut(rest, "{")
		if !ok {
			f.pieces = append(f.pieces, rest)
			return errors.Join(problems...)
		}
		name, after, ok := strings.Cut(after, "}")
		if !ok {
			return fmt.Errorf("%s: %q has a { without its }", f.Port, f.Spec)
		}
		if (name != "participant_id" || l.Each == "row") && !slices.Contains(l.Sheet.Columns, name) {
			problems = append(problems, fmt.Errorf("%s: in %q, {%s} is not a column of %s%s; its columns are %s",
				f.Port, f.Spec, name, l.Path, words.DidYouMean(name, l.Sheet.Columns),
				strings.Join(l.Sheet.Columns, ", ")))
		}
		f.pieces = append(f.pieces, text, name)
		rest = after
	}
}

// File finds the file of a participant. In a pattern, a whole number with decimals, as pandas saves it, is that number
// too: the file that exists is taken, and two are refused.
func (f *Source) File(l *listed.List, r listed.Row) (string, error) {
	path, changed, err := f.named(l, r, false)
	if !changed {
		return path, err
	}
	whole, _, wrong := f.named(l, r, true)
	switch {
	case err != nil && errors.As(wrong, new(lostZeros)):
		return "", wrong
	case wrong != nil:
		return path, err
	case err != nil:
		f.Plain = append(f.Plain, r.ID+" ("+filepath.Base(whole)+")")
		return whole, nil
	}
	return "", Several{Err: fmt.Errorf("%s may be %s or %s, because %s has whole numbers with decimals; write them without decimals", f.What(),
		filepath.Base(path), filepath.Base(whole), filepath.Base(l.Path))}
}

// named is the file of a participant; with plain, by whole numbers without decimals. changed reports whether there are
// such numbers.
func (f *Source) named(l *listed.List, r listed.Row, plain bool) (path string, changed bool, err error) {
	name := f.Spec
	switch {
	case f.Column != "":
		if name = r.Cells.Get(f.Column); name == "" {
			return "", false, fmt.Errorf("column %q is empty, but it must have the path of %s", f.Column, f.What())
		}
	case f.pieces != nil:
		var b strings.Builder
		filled := slices.Clone(f.pieces)
		for i, piece := range f.pieces {
			if i%2 == 1 {
				v := r.Value(piece)
				if whole, decimals := cell.Whole(v); decimals {
					if changed = true; plain {
						v = whole
					}
				}
				if v == "" {
					return "", changed, fmt.Errorf("column %q is empty, but it is part of the name of %s", piece, f.What())
				}
				if isSlash(rune(v[0])) || slices.Contains(strings.FieldsFunc(v, isSlash), "..") {
					return "", changed, fmt.Errorf("column %q is %q, which leads out of the directory of %s; correct it", piece, v, f.What())
				}
				piece = v
			}
			filled[i] = piece
			b.WriteString(piece)
		}
		if name = b.String(); f.Starred() {
			if name, err = f.match(l.Dir, name, filled); err != nil {
				return "", changed, fmt.Errorf("%s: %w", f.What(), err)
			}
		}
	}
	path = userfile.Within(l.Dir, name)
	info, err := os.Stat(path)
	if err != nil {
		return "", changed, fmt.Errorf("%s: %w", f.What(), f.otherZeros(path, userfile.Plain(path, err)))
	}
	if what := regular.Otherwise(info); what != "" {
		return "", changed, userfile.Place(fmt.Errorf("%s: %w", f.What(), &regular.Error{Path: path, What: what}), path)
	}
	if info.Size() == 0 && strings.HasPrefix(filepath.Base(path), "tpl-") {
		return "", changed, userfile.Place(fmt.Errorf("%s: %s is an empty TemplateFlow placeholder; fetch it with: python -m templateflow get %s", f.What(), path, templateOf(path)), path)
	}
	return path, changed, nil
}

// One reports whether it is one file for all members.
func (f *Source) One() bool { return f.Column == "" && f.pieces == nil }

// Naming are the columns of the table that decide which file is a member's, and one that names the member.
func (f *Source) Naming(member string) []string {
	all := slices.Clone(f.Columns)
	for i := 1; i < len(f.pieces); i += 2 {
		all = append(all, f.pieces[i])
	}
	all = lists.Add(all, member)
	return all
}

// Asked is what a row puts in place of the source's columns.
func (f *Source) Asked(r listed.Row) string {
	filled := slices.Clone(f.pieces)
	for i := 1; i < len(filled); i += 2 {
		filled[i], _ = cell.Whole(r.Value(filled[i]))
	}
	return strings.Join(filled, "")
}

// Key is one text for rows that have one file.
func (f *Source) Key(r listed.Row) string { return r.Cells.Get(f.Column) + "\x00" + f.Asked(r) }
