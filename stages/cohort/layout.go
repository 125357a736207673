package cohort

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/atlas"
	"prgnn/stages/cohort/container"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// layouts finds where the numbers stand within each participant's files, and makes the port layout where they need it.
// given are the nodes of a list that is given, nil for none.
func (r *Roster) layouts(w *container.Within, base region.Layout, l *listed.List, given []atlas.Node,
	port string) error {
	matrix := port != "series"
	rows := map[string][]listed.Row{}
	for _, row := range l.Rows {
		rows[row.ID] = append(rows[row.ID], row)
	}
	var all []*container.Reading
	of := map[*container.Reading]*Subject{}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		own := rows[s.ID]
		for j, run := range append([]Run{{Files: s.Files}}, s.Runs...) {
			if path, there := run.Files[port]; there {
				f := &container.Reading{ID: s.ID, Part: run.Name, Path: path, Row: own[min(max(j-1, 0), len(own)-1)]}
				all, of[f] = append(all, f), s
			}
		}
	}
	var source *located.Source // of the port, where the table has its files
	if at := slices.IndexFunc(r.located, func(f *located.Source) bool { return f.Port == port }); at >= 0 {
		source = r.located[at]
	}
	base.Nodes = listTable(given)
	if err := w.Locate(all, l, source, base, matrix); err != nil {
		return err
	}
	r.volumes = map[string]int{}
	if r.heads == nil {
		r.heads = map[string][]string{}
	}
	any, by := false, map[string][]string{} // note → participants
	weighted := map[string][]string{}       // condition of unequal weights → participants
	var said []string
	for _, f := range all {
		s := of[f]
		for _, n := range f.Doubts {
			r.Notes = append(r.Notes, n.With("Port", port))
		}
		if f.Err != nil {
			s.fault = userfile.Place(fmt.Errorf("%s: %w", f.Path, f.Err), f.Path)
			if s.Problem == nil {
				s.Problem = r.Without(s.ID, fmt.Errorf("participant %s: its %s file: %w", s.ID, port, s.fault))
			}
			continue
		}
		for _, note := range f.Notes(port, matrix) {
			if note != "" && by[note] == nil {
				said = append(said, note)
			}
			by[note] = append(by[note], s.ID)
		}
		if f.Found != nil {
			weighted[f.Found.Unequal] = append(weighted[f.Found.Unequal], s.ID)
		}
		if f.Found != nil && !matrix && f.Layout.Member == 0 {
			r.volumes[f.Path] = f.Found.Draws[0].Rows
		}
		if f.Listed {
			r.heads[port+f.Path] = f.Names
		}
		any = any || !f.Layout.Plain()
		if s.layouts == nil {
			s.layouts = region.Layouts{}
		}
		if first, there := s.layouts[port]; there &&
			string(region.Layouts{"": first}.JSON()) != string(region.Layouts{"": f.Layout}.JSON()) {
			s.Problem = r.Without(s.ID, fmt.Errorf("participant %s: its %s files have the numbers in different places (%s); write them alike",
				s.ID, port, filepath.Base(f.Path)))
		}
		s.layouts[port] = f.Layout
	}
	for _, condition := range slices.Sorted(maps.Keys(weighted)) {
		if condition != "" {
			r.Notes = append(r.Notes, column.Doubtful(column.DoubtProcessing, "noted.weights", column.Values{
				"Port": port, "Condition": condition, "Participants": slices.Compact(weighted[condition])}))
		}
	}
	for _, note := range said {
		who := ""
		if ids := slices.Compact(by[note]); len(ids) < len(r.Subjects) {
			who = " (" + words.Some(ids, 6) + ")"
		}
		r.Notes = append(r.Notes, column.Notef("%s%s", note, who))
	}
	if !any {
		return nil
	}
	r.Values = map[string]dag.Type{"layout": dag.Format("json")}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		s.Values = map[string]artifacts.Value{"layout": artifacts.Bytes{Kind: "json", Data: s.layouts.JSON()}}
	}
	return nil
}

// labelNames are the labels of all participants' files, of which one may lack some: in the order of their numbers,
// where all are numbers. It is nil where the files have no such labels.
func (r *Roster) labelNames(port string) (names []string) {
	for _, s := range r.Subjects {
		y := s.layouts[port]
		if y.Labels == nil || s.Problem != nil {
			continue
		}
		for _, name := range y.Chosen() {
			names = lists.Add(names, name)
		}
	}
	if !slices.ContainsFunc(names, func(name string) bool { _, err := strconv.Atoi(name); return err != nil }) {
		slices.SortFunc(names, dag.CompareValues)
	}
	return names
}
