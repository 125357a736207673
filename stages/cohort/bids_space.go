package cohort

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
)

// A gridName is the space of scans, and the res- entity where there is one.
type gridName struct{ space, res string }

// String names the grid as the parameters do.
func (g gridName) String() string {
	text := cmp.Or(g.space, bids.Native)
	if g.res != "" {
		text += " res-" + g.res
	}
	return text
}

// preprocessed are the preprocessed scans that fit what was chosen, but for space and resolution.
func (c *BIDSCohort) preprocessed(files []bids.File) []bids.File {
	want := map[string]string{"desc": c.Description, "echo": ""}
	extensions := []string{".nii.gz", ".nii"}
	if c.Space == surfaceSpace { // fMRIPrep's have no desc-
		if extensions = []string{".dtseries.nii"}; c.Description == "preproc" {
			want["desc"] = ""
		}
	}
	return slices.DeleteFunc(pick(files, "func", bids.Want{Suffixes: []string{"bold"},
		Extensions: extensions, Entities: want}),
		func(f bids.File) bool { return !c.TakesName(f.Name) || !takesSession(c.Sessions, f.Get("ses")) })
}

// fits reports whether a grid is one of those asked for.
func (c *BIDSCohort) fits(g gridName) bool {
	space := c.Space == "auto" || c.Space == cmp.Or(g.space, bids.Native)
	return space && c.Takes("res", g.res)
}

// chooseSpace makes up the space and the resolution of the scans from what is there: where all
// scans that fit have one, it is taken; between several nothing is guessed.
func (c *BIDSCohort) chooseSpace(l *listed.List, files map[string][]bids.File) (note string, err error) {
	have, fit := map[gridName]int{}, map[gridName]int{}
	with := 0
	for _, row := range l.Rows {
		own := map[gridName]bool{}
		scans := c.preprocessed(files[row.ID])
		for _, f := range scans {
			own[gridName{f.Get("space"), f.Get("res")}] = true
		}
		c.noteBare(scans)
		if len(own) > 0 {
			with++
		}
		for g := range own {
			if have[g]++; c.fits(g) {
				fit[g]++
			}
		}
	}
	if named := len(fit); c.Space == "auto" { // nothing leads from labels to a scan's own space
		for g := range fit {
			if g.space == "" {
				named--
			}
		}
		if named > 0 {
			maps.DeleteFunc(fit, func(g gridName, _ int) bool { return g.space == "" })
		}
	}
	switch {
	case len(have) == 0: // each participant says what it lacks
		return "", nil
	case len(fit) == 0:
		asked := "space: " + c.Space
		if res := c.Values("res"); res != nil {
			asked += ", resolution: " + strings.Join(res, " or ")
		}
		return "", fmt.Errorf("no scan matches %s; the scans are in %s; write %s, or remove space and resolution", asked, counted(have, with), alternatives(have))
	case len(fit) > 1:
		return "", fmt.Errorf("the scans are in %d spaces, but only one can be analyzed: %s; write %s", len(fit), counted(fit, with), alternatives(fit))
	}
	for g := range fit {
		if c.Space == "auto" {
			note = fmt.Sprintf("space: %s, the only one", g)
		}
		c.Space = cmp.Or(g.space, bids.Native)
		c.Resolution = []string{cmp.Or(g.res, bids.Native)}
	}
	return note, nil
}

// noteBare notes the entities that no scan of a participant has: a value chosen for another participant would leave
// this one without a scan.
func (c *BIDSCohort) noteBare(scans []bids.File) {
	for _, e := range bids.ChoiceParameters {
		has := func(f bids.File) bool { return f.Get(e.Key) != "" }
		if e.Key == "res" || len(scans) == 0 || slices.ContainsFunc(scans, has) {
			continue
		}
		if c.bare == nil {
			c.bare = map[string]string{}
		}
		c.bare[e.Key] = fmt.Sprintf("%s to a list with none, since other participants' scans have no %s-", e.Parameter, e.Key)
	}
}

// byCount are grids, those of most participants first.
func byCount(n map[gridName]int) []gridName {
	return slices.SortedFunc(maps.Keys(n), func(a, b gridName) int {
		return cmp.Or(n[b]-n[a], strings.Compare(a.space, b.space), strings.Compare(a.res, b.res))
	})
}

// counted lists grids with the number of participants who have a scan there.
func counted(n map[gridName]int, of int) string {
	var text []string
	for _, g := range byCount(n) {
		text = append(text, fmt.Sprintf("%s (%d of %d participants)", g, n[g], of))
	}
	return strings.Join(text, ", ")
}

// alternatives says what to write for each grid.
func alternatives(n map[gridName]int) string {
	spaces := map[string]int{}
	for g := range n {
		spaces[g.space]++
	}
	var text []string
	for _, g := range byCount(n) {
		line := "space: " + cmp.Or(g.space, bids.Native)
		if spaces[g.space] > 1 {
			line += " with resolution: " + cmp.Or(g.res, bids.Native)
		}
		text = append(text, line)
	}
	return strings.Join(text, ", or ")
}
