package cohort

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
)

// preprocessed are the preprocessed scans that fit what was chosen, but for space and resolution.
func (c *BIDSCohort) preprocessed(files []bids.File) []bids.File {
	others := func(f bids.File) bool { return !c.TakesName(f.Name) || !takesSession(c.Sessions, f.Get("ses")) }
	if c.Space == bids.Minimal { // a raw scan is known by its transforms of head motion
		return slices.DeleteFunc(bids.HeadMotion(files), others)
	}
	want := map[string]string{"desc": c.Description, "echo": ""}
	extensions := bids.Images
	if c.Space == surfaceSpace { // fMRIPrep's have no desc-
		if extensions = []string{".dtseries.nii"}; c.Description == "preproc" {
			want["desc"] = ""
		}
	}
	return slices.DeleteFunc(bids.Pick(files, "func", bids.Want{Suffixes: []string{"bold"},
		Extensions: extensions, Entities: want}), others)
}

// fits reports whether a grid is one of those asked for.
func (c *BIDSCohort) fits(g located.Grid) bool {
	space := c.Space == "auto" || c.Space == bids.Minimal || c.Space == cmp.Or(g.Space, bids.Native)
	return space && c.Takes("res", g.Res)
}

// chooseSpace makes up the space and the resolution of the scans from what is there: where all
// scans that fit have one, it is taken; between several nothing is guessed.
func (c *BIDSCohort) chooseSpace(l *listed.List, files map[string][]bids.File) (note string, err error) {
	if c.Space == bids.Minimal {
		return "", nil
	}
	have, fit := map[located.Grid]int{}, map[located.Grid]int{}
	with := 0
	for _, row := range l.Rows {
		own := map[located.Grid]bool{}
		scans := c.preprocessed(files[row.ID])
		for _, f := range scans {
			own[located.Grid{Space: f.Get("space"), Res: f.Get("res")}] = true
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
			if g.Space == "" {
				named--
			}
		}
		if named > 0 {
			maps.DeleteFunc(fit, func(g located.Grid, _ int) bool { return g.Space == "" })
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
		return "", fmt.Errorf("no scan matches %s; the scans are in %s; write %s, or remove space and resolution", asked, located.Counted(have, with), located.Alternatives(have))
	case len(fit) > 1:
		return "", fmt.Errorf("the scans are in %d spaces, but only one can be analyzed: %s; write %s", len(fit), located.Counted(fit, with), located.Alternatives(fit))
	}
	for g := range fit {
		if c.Space == "auto" {
			note = fmt.Sprintf("space: %s, the only one", g)
		}
		c.Space = cmp.Or(g.Space, bids.Native)
		c.Resolution = []string{cmp.Or(g.Res, bids.Native)}
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
