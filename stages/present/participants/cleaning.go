package participants

import (
	"cmp"
	"fmt"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding/quality"
	"prgnn/stages/wording"
)

// values are what entries of the catalog use.
type values = wording.Values

// readCleaned reads what is connected to the port cleaning, in its order: how each scan was cleaned, and the share of
// its voxels that bootstrap needed for a series. A table that is not denoise's has nothing on the cleaning.
func (a *Cohort) readCleaned() {
	a.Scans = nil
	listed := map[string]bool{}
	for in, table := range a.Tables("cleaning") {
		if a.leastValid == 0 {
			a.leastValid = column.MadeValue[float64](table.Meta["made"], "bootstrap.min_valid")
		}
		if _, ok := table.Column("strategy"); !ok {
			continue
		}
		rows, wrong := column.Rows[column.CleaningRow](table)
		column.Keep(rows)
		found, err := column.MissingCodesOf(table.Meta)
		runs, other := column.MetaOf[[]string](table.Meta, column.JoinedRuns)
		wrapped, unread := column.MetaOf[int](table.Meta, column.Wrapped)
		like, unlike := column.MetaOf[*float64](table.Meta, column.ReferenceR)
		times, bad := column.TimesOfRuns(table.Meta)
		if err = cmp.Or(wrong, err, other, unread, unlike, bad); err != nil {
			a.Fail(fmt.Errorf("%s: %w", in.Name, err))
		}
		codes := lists.Map(found, func(c column.MissingCode) quality.Code {
			return quality.Code{Name: a.RegionName(c.Region), MissingCode: c}
		})
		name := scanName(in)
		again := listed[name]
		listed[name] = true
		for i, r := range rows {
			s := quality.Scan{Who: name, Participant: participantOf(in), Session: in.Coord("session"), Again: again,
				Runs: len(runs), Coords: in.Coords, CleaningRow: r}
			if i == 0 {
				s.Codes, s.Wrapped, s.Times, s.ReferenceR = codes, wrapped, times, like
			}
			a.Scans = append(a.Scans, s)
		}
	}
}

// participantOf is whose scan an input is; a cohort of another kind has an axis of its own.
func participantOf(in dag.Input) string {
	id := in.Coord("subject")
	for _, c := range in.Coords {
		if c.Axis != "stage" && in.Coord("subject") == "" {
			id = c.Value
		}
	}
	return id
}

// cleaning states what was regressed out, and what is to be careful about in the scans.
func (a *Cohort) cleaning() {
	if ways := quality.Ways(a.Scans); ways != nil {
		a.Put("nuisance.regression", values{"Ways": ways,
			"Regressed": slices.ContainsFunc(ways, func(w quality.Way) bool { return w.Why == "" })})
	}
	conditions, of := quality.Events(a.Scans)
	for _, model := range []string{"spm", "glover", "fir"} {
		if n := quality.CountScans(of[model]); n > 0 {
			a.Put("scans.task", values{"Model": model, "Conditions": conditions[model], "N": n,
				"Joined": a.Joined() > 0})
		}
	}
	a.FindOf(a.At("cleaning"), quality.Cleaning{Scans: a.Scans, Group: a.GroupOf(), Element: a.Element(),
		Joined:     a.Joined() > 0,
		LeastValid: a.leastValid, MotionGiven: a.column("mean_fd"), Site: a.site(),
		Description: a.About.Description, RegionName: a.RegionName}.Findings()...)
}

// GroupOf is the group of each participant; nil without groups.
func (a *Cohort) GroupOf() map[string]string {
	if a.Who == nil {
		return nil
	}
	return a.Who.Group
}

// column reports whether the participants have a column.
func (a *Cohort) column(name string) (has bool) {
	if a.People != nil {
		_, has = a.People.Column(name)
	}
	return has
}

// site is the site of each participant; nil without sites.
func (a *Cohort) site() map[string]string {
	if a.People == nil {
		return nil
	}
	_, site, err := column.ByParticipant(a.People, "site")
	if err != nil { // no sites
		return nil
	}
	return site
}

// Joined is of how many participants what the page has on the cleaning is that of several runs or sessions, joined.
func (a *Cohort) Joined() int { return JoinedOf(a.Scans) }

// JoinedOf is of how many participants what the page has on the cleaning is that of several runs or sessions, joined,
// and not of one scan.
func JoinedOf(scans []quality.Scan) int {
	return quality.CountScans(slices.DeleteFunc(slices.Clone(scans), func(s quality.Scan) bool { return s.Runs <= 1 }))
}

// RunsOf are the fewest and the most runs of a joined series; 0 where none is joined.
func RunsOf(scans []quality.Scan) (low, high int) {
	for _, s := range scans {
		if s.Runs > 1 && (low == 0 || s.Runs < low) {
			low = s.Runs
		}
		high = max(high, s.Runs)
	}
	if low == 0 {
		high = 0
	}
	return low, high
}
