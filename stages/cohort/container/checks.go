package container

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/region"
)

// checkNumbers refuses a column of members whose numbers are not those of the file that several participants share: one
// that is beyond its members, also of somebody who takes no part, and one where the ids in the file are others. All
// numbers are then doubtful, and nobody's exclusion helps.
func (w *Within) checkNumbers(all []*Reading, l *listed.List) error {
	if w.Member == "" || whole(w.Member) != 0 {
		return nil
	}
	sharing := map[string]map[string]bool{} // participants by file
	for _, f := range all {
		if sharing[f.Path] == nil {
			sharing[f.Path] = map[string]bool{}
		}
		sharing[f.Path][f.ID] = true
	}
	most := 0
	for _, f := range all {
		var beyond region.MemberError
		switch {
		case len(sharing[f.Path]) < 2:
		case errors.As(f.Err, &beyond):
			return w.beyond(l, f.Row.Line, beyond)
		case f.Found != nil && len(sharing) == 1:
			most = f.Found.Many
		}
	}
	values, _ := l.Sheet.Column(w.Member)
	for i, value := range values {
		if n := whole(value); most > 0 && n > most {
			return w.beyond(l, l.Sheet.Lines[i], region.MemberError{Member: n, Many: most})
		}
	}
	return w.checkIDs(all, l)
}

func (w *Within) beyond(l *listed.List, line int, e region.MemberError) error {
	return fmt.Errorf("member: %s:%d: column %q is %d, but the file of all participants has %d: correct the numbers, which count its participants from 1",
		l.Path, line, w.Member, e.Member, e.Many)
}

// checkIDs compares the participants with the ids that the file itself lists, which are those of the list with the most
// of the table's participants, half of them or more.
func (w *Within) checkIDs(all []*Reading, l *listed.List) error {
	known := map[string]bool{}
	ids, _ := l.Sheet.Column(l.ID)
	for _, id := range ids {
		known[listed.ParticipantID(id)] = true
	}
	var apart []string
	of := ""
	for _, f := range all {
		if f.Found == nil {
			continue
		}
		for _, list := range f.Found.Members {
			here := lists.Map(list.Values, listed.ParticipantID)
			theirs := 0
			for _, id := range here {
				if known[id] {
					theirs++
				}
			}
			at := f.Layout.Member - 1
			if 2*theirs >= min(len(here), len(known)) && at < len(here) && here[at] != f.ID {
				apart = append(apart, fmt.Sprintf("%s (%d, which is %s)", f.ID, at+1, list.Values[at]))
				of = fmt.Sprintf("%s of %s", list.Name, filepath.Base(f.Path))
			}
		}
	}
	if apart == nil {
		return nil
	}
	return fmt.Errorf("member: by column %q of %s, %d of %d participants are others than by %s: %s; number the participants in the order of the file",
		w.Member, l.Path, len(apart), len(all), of, words.Some(apart, 4))
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
	for _, f := range all {
		if f.Err != nil {
			continue
		}
		for label, image := range f.Layout.Atlas {
			image = ownImage(image, f)
			if images[label] == nil {
				images[label] = map[string][]*Reading{}
			}
			images[label][image] = append(images[label][image], f)
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

// ownImage is the name of an image without that of the participant, as a mask has that was warped to each
// (DPARSF writes SUB_AAL.nii).
func ownImage(image string, f *Reading) string {
	_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(f.Layout.Beside(f.Path)), ".tsv"), "OrderKey_")
	if name == "" {
		return image
	}
	return strings.Replace(image, name, "SUB", 1)
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
			if 2*len(those) <= read && len(of) > 1 {
				f.Err = errors.New("names replaces the names of the columns by their place, but the columns of the files have different names or orders: leave names out, and set nodes to the list of these names")
			}
		}
	}
}
