package container

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// A Head is the names of the columns of a participant's file.
type Head struct {
	File  string // as it is shown
	Names []string
}

// OtherHeads are the files, by their places in the list, whose columns are not named like those of most files, and why.
// Where columns have no names, or numbers, their places would give the regions, and in other files their names.
// given is whether the cohort has a node list; whole reads the names of a file from all of its rows. unnamed reports
// that no columns have names.
func OtherHeads(all []Head, given bool, whole func(at int) []string) (refused map[int]error, unnamed bool) {
	named := map[string]bool{} // sets of names
	hasNames := func(names []string) bool {
		if names == nil || region.Counted(names) && !named[nameSet(names)] {
			return false
		}
		named[nameSet(names)] = true
		return true
	}
	split := func(places []int, is func(names []string) bool) (groups [2][]int) {
		for _, at := range places {
			i := 0
			if is(all[at].Names) {
				i = 1
			}
			groups[i] = append(groups[i], at)
		}
		return groups
	}
	groups := split(lists.UpTo(len(all)), hasNames)
	unnamed = len(groups[1]) == 0
	if len(groups[0]) > 0 && !unnamed { // whether whole numbers are names depends on all rows
		all = slices.Clone(all)
		for _, at := range groups[0] {
			all[at].Names = whole(at)
		}
		again := split(groups[0], hasNames)
		groups[0], groups[1] = again[0], append(groups[1], again[1]...)
		slices.Sort(groups[1])
	}
	if apart := split(groups[1], func(names []string) bool { return !numbered(names, given) }); len(apart[1]) > 0 {
		groups = [2][]int{append(groups[0], apart[0]...), apart[1]}
	}
	few, many := groups[0], groups[1]
	switch {
	case len(many) == 0:
		return nil, unnamed && len(few) > 0
	case len(few) == 0 && given:
		return nil, false
	case len(few) == 0:
		return otherNames(all), false
	case len(few) > len(many):
		few, many = many, few
	}
	refused = map[int]error{}
	for _, at := range few {
		refused[at] = fmt.Errorf("the columns of %s %s, but those of %d files, such as %s, %s: give the columns the same names in all files",
			all[at].File, howNamed(all[at].Names), len(many), all[many[0]].File, howNamed(all[many[0]].Names))
	}
	return refused, false
}

// numbered reports whether names are whole numbers, which in a node list that is given may be those of its index if
// they are not 1, 2, 3 …, the places of the columns.
func numbered(names []string, given bool) bool {
	places := true
	for i, name := range names {
		n, err := strconv.Atoi(strings.TrimSpace(name))
		if err != nil {
			return false
		}
		places = places && n == i+1
	}
	return places || !given
}

func howNamed(names []string) string {
	switch {
	case names == nil:
		return "have no names"
	case region.Counted(names):
		return fmt.Sprintf("are numbered 0 to %d", len(names)-1)
	}
	return fmt.Sprintf("are named %s to %s", names[0], names[len(names)-1])
}

// nameSet is a set of names, in any order.
func nameSet(names []string) string { return fmt.Sprintf("%q", slices.Sorted(slices.Values(names))) }

// otherNames are the files whose columns have other names than those of more than half of the files, from which the
// regions are taken, and how they differ.
func otherNames(all []Head) map[int]error {
	all = lists.Map(all, func(h Head) Head { return Head{h.File, lists.Map(h.Names, column.Composed)} })
	of := map[string][]Head{}
	for _, h := range all {
		set := nameSet(h.Names)
		of[set] = append(of[set], h)
	}
	refused := map[int]error{}
	for _, many := range of {
		if len(of) == 1 || 2*len(many) <= len(all) {
			continue
		}
		for at, h := range all {
			var how []string
			if lacks := lacking(many[0].Names, h.Names); len(lacks) > 0 {
				how = append(how, "lacks the columns "+words.Some(lacks, 5))
			}
			if more := lacking(h.Names, many[0].Names); len(more) > 0 {
				how = append(how, "has the columns "+words.Some(more, 5))
			}
			if how != nil {
				refused[at] = fmt.Errorf("%s %s, against %d files, such as %s: give the columns the same names in all files, or set nodes",
					h.File, strings.Join(how, " and "), len(many), many[0].File)
			}
		}
	}
	return refused
}

// lacking are the names of a list that another has not.
func lacking(names, other []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(other, name) })
}
