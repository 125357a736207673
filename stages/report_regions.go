package stages

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/stages/report"
)

// regions shows the salient regions, in the brain and in a table.
func (r *reporter) regions() (report.Section, error) {
	s := report.Section{ID: "regions", Title: "Salient regions"}
	if !r.t.Has("ranking") {
		return s, nil
	}
	table, err := r.t.In("ranking").Table()
	if err != nil {
		return s, err
	}
	settings, err := settingsOf(table, "rank")
	if err != nil {
		return s, err
	}
	if len(settings) == 0 {
		return s, nil
	}
	if slices.ContainsFunc(r.told.untold, func(s string) bool { return unstagedText(s) == unstagedText(settings[0]) }) {
		s.Blocks = append(s.Blocks, report.Block{Text: "The models are not shown to tell the groups apart: what they look at marks nothing about the groups."})
	}
	if len(r.t.All("parcels")) > 0 {
		if err := r.inSpace(&s, table); err != nil {
			return s, err
		}
	}
	if r.at != nil {
		svg, err := (&BrainMap{Top: min(r.Top, 10)}).picture(table, r.at)
		if err != nil {
			return s, fmt.Errorf("%s: %w", r.t.In("ranking").Name, err)
		}
		s.Blocks = append(s.Blocks, report.Block{Figure: &report.Figure{
			Title: "Salient regions at their places", Format: "svg", Data: []byte(svg), Wide: true,
			Alt:     "The brain from the left, from above and from behind; a disc at each region, coloured by its score; the first ones are named",
			Caption: "Yellow to red is the mean pooling score; the first regions are named. Regions in which a difference was planted are ringed in green.",
		}})
	}
	c, err := rankingChart(table, 25)
	if err != nil {
		return s, fmt.Errorf("%s: %w", r.t.In("ranking").Name, err)
	}
	if c != nil {
		f, err := c.figure()
		if err != nil {
			return s, err
		}
		s.Blocks = append(s.Blocks, report.Block{Figure: &f})
	}
	if r.t.Has("individual") && r.at != nil {
		if err := r.individuals(&s); err != nil {
			return s, err
		}
	}
	shown, rest, err := r.rankingTable(table)
	if err != nil {
		return s, err
	}
	s.Blocks = append(s.Blocks, report.Block{Table: shown})
	if rest != nil {
		s.Blocks = append(s.Blocks, report.Block{Details: &report.Details{Summary: "All regions", Blocks: []report.Block{{Table: rest}}}})
	}
	for _, part := range [][2]string{{"consistency", "How far rankings agree"}, {"null", "Against trainings with permuted groups"}} {
		if !r.t.Has(part[0]) {
			continue
		}
		of, err := r.t.In(part[0]).Table()
		if err != nil {
			return s, err
		}
		if of.Rows() == 0 {
			continue
		}
		t, err := shownTable(of, 400, "index")
		if err != nil {
			return s, err
		}
		t.Caption = part[1]
		block := report.Block{Table: t}
		if of.Rows() > 12 {
			block = report.Block{Details: &report.Details{Summary: part[1], Blocks: []report.Block{block}}}
		}
		s.Blocks = append(s.Blocks, block)
	}
	if r.t.Has("recovery") {
		found, err := r.t.In("recovery").Table()
		if err != nil {
			return s, err
		}
		if found.Rows() > 0 {
			t, err := shownTable(found, 200)
			if err != nil {
				return s, err
			}
			t.Caption = "How well the planted regions were found"
			s.Blocks = append(s.Blocks, report.Block{Table: t})
		}
	}
	return s, nil
}

// rankingTable is the ranking: the first regions of each setting, and all.
func (r *reporter) rankingTable(table *artifacts.Table) (first, all *report.Table, err error) {
	rank, err := table.Ints("rank")
	if err != nil {
		return nil, nil, err
	}
	index, err := table.Ints("index")
	if err != nil {
		return nil, nil, err
	}
	name, err := table.Strings("name")
	if err != nil {
		return nil, nil, err
	}
	all, err = shownTable(table, 20000, "index", "id")
	if err != nil {
		return nil, nil, err
	}
	// What fits a page; the folded table has the rest.
	first, err = shownTable(table, 20000, "index", "id", "sd", "rank_low", "rank_high", "top_share", "model_best", "model_worst", "participants", "mean_score", "contrast_chance", "p", "p_any")
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(all.Heads, func(h report.Head) bool { return h.Text == "name" })
	if at < 0 {
		return nil, nil, errors.New("the ranking has no names")
	}
	var rows [][]report.Cell
	for i := range all.Rows {
		if p, ok := r.place[int(index[i])]; ok {
			all.Rows[i][at], first.Rows[i][at] = report.Cell{Text: name[i], Place: &p}, report.Cell{Text: name[i], Place: &p}
		}
		if rank[i] <= int64(r.Top) {
			rows = append(rows, first.Rows[i])
		}
	}
	first.Rows = rows
	first.Keys, all.Keys = at+1, at+1
	first.Caption = fmt.Sprintf("The %d most salient regions", r.Top)
	all.Caption = "All regions"
	return first, all, nil
}

// individuals shows the regions of a few participants.
func (r *reporter) individuals(s *report.Section) error {
	table, err := r.t.In("individual").Table()
	if err != nil || table.Rows() == 0 {
		return err
	}
	c, err := (&FigureIndividuals{People: 4, Regions: max(1, len(r.at[0])/4)}).chart(table, r.at)
	if err != nil {
		return fmt.Errorf("%s: %w", r.t.In("individual").Name, err)
	}
	f, err := c.figure()
	if err != nil {
		return err
	}
	s.Blocks = append(s.Blocks, report.Block{Figure: &f})
	return nil
}

// inSpace shows the first regions in slices, and in the viewer.
func (r *reporter) inSpace(s *report.Section, table *artifacts.Table) error {
	in := r.t.All("parcels")[0]
	p, err := readParcels(in)
	if err != nil {
		return err
	}
	if len(p.middle) == 0 {
		return fmt.Errorf("%s: it holds no region", in.Name)
	}
	var under *underlay
	if r.t.Has("anatomy") {
		if under, err = readAnatomy(r.t.In("anatomy")); err != nil {
			return err
		}
	}
	settings, err := rankedSettings(table)
	if err != nil || len(settings) == 0 {
		return err
	}
	chart := slicesChart(p, under, settings[0], r.Top)
	if who := in.Coord("subject"); who != "" && len(r.t.All("parcels")) > 1 {
		chart.caption += " The parcellation is that of " + who + "."
	}
	still, err := chart.figure()
	if err != nil {
		return err
	}
	names, err := r.regionNames()
	if err != nil {
		return err
	}
	viewer, err := viewerOf(p, under, settings, names)
	if err != nil {
		return err
	}
	viewer.Static = &still
	r.place = p.middle // the space that is shown need not be that of the node list
	s.Blocks = append(s.Blocks, report.Block{Viewer: viewer})
	for _, other := range settings[1:] {
		if strings.HasSuffix(other.name, byContrast) && len(other.score) > 0 {
			c := slicesChart(p, under, other, r.Top)
			c.title = "Regions that the models score differently in the groups"
			f, err := c.figure()
			if err != nil {
				return err
			}
			s.Blocks = append(s.Blocks, report.Block{Figure: &f})
			break
		}
	}
	return nil
}

// regionNames are the name and the abbreviation of each node, by its number.
func (r *reporter) regionNames() (map[int][2]string, error) {
	names := map[int][2]string{}
	if !r.t.Has("nodes") {
		return names, nil
	}
	nodes, err := r.t.In("nodes").Table()
	if err != nil {
		return nil, err
	}
	index, err := nodes.Ints("index")
	if err != nil {
		return nil, err
	}
	name, err := nodes.Strings("name")
	if err != nil {
		return nil, err
	}
	short := name
	if _, ok := nodes.Column("abbreviation"); ok {
		if short, err = nodes.Strings("abbreviation"); err != nil {
			return nil, err
		}
	}
	for i, n := range index {
		names[int(n)] = [2]string{name[i], short[i]}
	}
	return names, nil
}
