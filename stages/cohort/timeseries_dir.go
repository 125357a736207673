package cohort

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
)

// loadDir finds series by their names.
func (c *TimeseriesCohort) loadDir(dir string) (*Roster, error) {
	if c.Series != "" {
		return nil, errors.New("dir and series exclude each other: dir finds the files by their names")
	}
	if err := checkSessions(c.Sessions, c.All()); err != nil {
		return nil, err
	}
	several := c.All() || len(c.Sessions) > 0
	root, err := bids.Find(userfile.Within(dir, c.Dir))
	if err != nil {
		return nil, fmt.Errorf("dir: %w", err)
	}
	l, err := c.ReadBIDS(dir, c.Dir, root, c.Raw)
	if err != nil {
		return nil, err
	}
	tables := addSessionColumns(l, located.RawRoots(dir, root, c.Raw, l), func(id string) (sessions []string) {
		found, _, _ := c.find(root, id) // what is wrong with them is refused below
		for _, f := range found {
			if ses := f.Get("ses"); ses != "" && !slices.Contains(sessions, ses) {
				sessions = append(sessions, ses)
			}
		}
		return sessions
	})
	if err := errors.Join(l.Keep(c.Columns), l.Choose(), l.Doubt()); err != nil {
		return nil, err
	}
	r := &Roster{Participants: l.Participants([]string{c.Member}),
		Files: map[string]dag.Type{"series": dag.Format("series")},
		Left:  l.LeftOut(), PerRun: several, Sessions: len(c.Sessions) > 0, Root: root, Table: l.Path,
		Lines: l.Lines(), Sources: l.Sources(),
		one: map[string]string{"atlas": "atlas", "space": "space", "res": "resolution", "den": ""}}
	sidecars, all := &bids.Sidecars{Root: root}, map[string][]error{} // problems
	for _, row := range l.Rows {
		s := Subject{ID: row.ID, Files: map[string]string{}}
		var problems []error
		if row.Label == "" {
			problems = append(problems, l.Unlabeled(row, l.Path))
		}
		if err := tables.problems[row.ID]; err != nil {
			problems = append(problems, err)
		}
		if found, names, err := c.find(root, row.ID); err != nil {
			problems = append(problems, err)
		} else {
			for i, f := range found {
				sidecar, err := sidecars.Of(f, bids.TimeFields...)
				if err != nil {
					problems = append(problems, unread(filepath.Dir(f.Path), err))
				}
				if s.Files = seriesFiles(f.Path, sidecar); several {
					s.Runs = append(s.Runs, Run{names[i], s.Files})
				}
			}
			if several {
				s.Files = nil
			}
		}
		if problems != nil {
			s.Problem = listed.Without(row.ID, fmt.Errorf("participant %s: %w", row.ID, userfile.OneLine(problems)))
		}
		r.Subjects, all[row.ID] = append(r.Subjects, s), problems
	}
	if err := undecided(l.Rows, func(id string) []error { return all[id] }); err != nil {
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	r.addSessions()
	r.OfRuns = l.OfRuns
	by := generator(root)
	r.Here = append(r.Here, userfile.WhereFound(root, l.Path))
	r.Notes = append(r.Notes, column.Notef("%s, participants of %s", by, userfile.NameIn(root, l.Path)))
	r.Notes = append(r.Notes, l.Notes...)
	r.About = func(ids map[string]bool) (notes, timesApart []column.Note) {
		if r.Sessions {
			notes, timesApart = r.aboutSessions(ids)
		}
		without := func(row listed.Row) bool { return !ids[row.ID] }
		return append(notes, tables.notes(slices.DeleteFunc(slices.Clone(l.Rows), without))...), timesApart
	}
	return c.finish(l, r)
}

// find finds the file of series that is meant, or those of all runs or sessions with their names. The dialects:
//
//	XCP-D from 26.0     …_atlas-A_stat-mean_timeseries.tsv
//	XCP-D 0.7 to 0.x    …_seg-A_stat-mean_timeseries.tsv
//	XCP-D before        …_atlas-A_timeseries.tsv
//	giga_connectome     …_seg-A_desc-denoiseX_timeseries.tsv
//	XCP-D, CIFTI        …_space-fsLR_…_stat-mean_timeseries.ptseries.nii
//	C-PAC               …_atlas-A_…_desc-Mean_timeseries.1D (or desc-Mean-1)
func (c *TimeseriesCohort) find(root, id string) (found []bids.File, names []string, err error) {
	files, err := bids.Files(root, id)
	if err != nil {
		return nil, nil, absent(root, id, err)
	}
	want := bids.Want{Suffixes: []string{"timeseries"}, Extensions: []string{".tsv", ".tsv.gz", ".csv", ".1D", ".1D.gz",
		".npy", ".ptseries.nii"}, Entities: map[string]string{}}
	if c.Space != "" {
		want.Entities["space"] = strings.TrimPrefix(c.Space, "space-")
	}
	if c.Desc != "" {
		want.Entities["desc"] = strings.TrimPrefix(c.Desc, "desc-")
	}
	all := bids.Want{Suffixes: want.Suffixes, Extensions: want.Extensions}
	every := slices.DeleteFunc(bids.Pick(files, "func", all),
		func(f bids.File) bool {
			stat := f.Get("stat")
			return atlasOf(f) == "" || stat != "" && stat != "mean"
		})
	fits := slices.DeleteFunc(slices.Clone(every), func(f bids.File) bool {
		return !want.Fits(f.Name) || !c.TakesName(f.Name) || !c.Takes("res", f.Get("res")) ||
			!takesSession(c.Sessions, f.Get("ses")) || c.Atlas != "" && !strings.EqualFold(atlasOf(f), c.Atlas)
	})
	parameters := map[string]string{"atlas": "atlas", "seg": "atlas", "space": "space", "desc": "desc"}
	switch {
	case len(fits) > 0 && len(c.Sessions) > 0:
		names, err = sortSessions(fits)
		return fits, names, err
	case len(fits) > 0 && c.All():
		if names, err = bids.SortRuns(fits, parameters); err != nil {
			return nil, nil, err
		}
		return fits, names, nil
	case len(fits) == 1:
		return fits, nil, nil
	case len(fits) > 1:
		return nil, nil, bids.ChoiceError{Err: fmt.Errorf("%d time series files match; they differ in %s%s", len(fits),
			bids.Differences(fits, parameters), sessionsHint(fits)+bids.JoinHint(fits, parameters))}
	case len(every) == 0:
		return nil, nil, errors.New("it has no time series of an atlas (func/…_atlas-…_timeseries.tsv or .1D)")
	}
	have := lists.Map(every, func(f bids.File) string { return filepath.Base(f.Path) })
	return nil, nil, fmt.Errorf("none of its time series matches; it has %s", words.Some(have, 6))
}

// atlasOf is the atlas that a file of series is about, "" for one of confounds.
func atlasOf(f bids.File) string {
	if a := f.Get("atlas"); a != "" {
		return a
	}
	return f.Get("seg")
}
