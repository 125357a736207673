package present

import (
	"errors"
	"fmt"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/region"
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
	settings, err := column.SettingsOf(table, "rank")
	if err != nil {
		return s, err
	}
	if len(settings) == 0 {
		return s, nil
	}
	of, said := r.told.regionsOf(settings)
	if said != "" {
		s.Blocks = append(s.Blocks, report.Block{Text: "Slices, dots and the first map show the regions" + said + "; the tables have all settings."})
	}
	if slices.ContainsFunc(r.told.untold, func(s string) bool { return unstagedText(s) == unstagedText(of) }) {
		s.Blocks = append(s.Blocks, report.Block{Text: "The models are not shown to tell the groups apart: what they look at marks nothing about the groups."})
	}
	ranking, err := figure.ReadRanking(r.t.In("ranking"))
	if err != nil {
		return s, err
	}
	slices.SortStableFunc(ranking, func(a, b column.RankingRow) int { // figures draw the first setting
		return otherThan(of, a.Coords) - otherThan(of, b.Coords)
	})
	if len(r.t.All("parcels")) > 0 {
		if err := r.inSpace(&s, figure.Readings(ranking, table.Meta["reading"] == "contrast")); err != nil {
			return s, err
		}
	}
	if r.at != nil {
		f, err := (&figure.BrainMap{Top: min(r.Top, 10)}).Draw(ranking, r.at)
		if err != nil {
			return s, fmt.Errorf("%s: %w", r.t.In("ranking").Name, err)
		}
		s.Blocks = append(s.Blocks, report.Block{Figure: &f})
	}
	var dots []report.Figure
	for _, draw := range []func(figure.RankingRows, int) *figure.Chart{figure.DrawRanking, figure.DrawContrast} {
		c := draw(ranking, 25)
		if c == nil {
			continue
		}
		f, err := c.InReport()
		if err != nil {
			return s, err
		}
		dots = append(dots, f)
	}
	if dots != nil {
		s.Blocks = append(s.Blocks, report.Block{Figures: dots})
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
		s.Blocks = append(s.Blocks, report.Block{Details: &report.Details{Screen: true, Summary: "All regions", Blocks: []report.Block{{Table: rest}}}})
	}
	return s, r.aboutRanking(&s)
}

// otherThan is 0 for the coordinates of a setting, and 1 for others.
func otherThan(setting string, coords []dag.Coord) int {
	if column.CoordText(coords) == setting {
		return 0
	}
	return 1
}

// rankingTable is the ranking: the first regions of each setting, and all.
func (r *reporter) rankingTable(table *encoding.Table) (first, all *report.Table, err error) {
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
	first, err = r.firstRegions(table, all, name)
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(all.Heads, func(h report.Head) bool { return h.Text == "name" })
	to := slices.IndexFunc(first.Heads, func(h report.Head) bool { return h.Text == "region" })
	if at < 0 {
		return nil, nil, errors.New("the ranking has no names")
	}
	var rows [][]report.Cell
	for i := range all.Rows {
		if p, ok := r.place[int(index[i])]; ok {
			all.Rows[i][at], first.Rows[i][to] = report.Cell{Text: name[i], Place: &p}, report.Cell{Text: name[i], Place: &p}
		}
		if rank[i] <= int64(r.Top) {
			rows = append(rows, first.Rows[i])
		}
	}
	first.Rows = rows
	first.Keys, all.Keys = to+1, at+1
	first.Caption = fmt.Sprintf("The %d most salient regions", min(r.Top, len(all.Rows)))
	all.Caption = "All regions"
	return first, all, nil
}

// firstRegions are the columns of the ranking that fit a page; the folded table has
// all of them.
func (r *reporter) firstRegions(table *encoding.Table, all *report.Table, name []string) (*report.Table, error) {
	t := &report.Table{Rows: make([][]report.Cell, len(name))}
	add := func(head report.Head, cell func(i int) string) {
		t.Heads = append(t.Heads, head)
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], report.Cell{Text: cell(i)})
		}
	}
	settings, err := shownSettings(table, "rank")
	if err != nil {
		return nil, err
	}
	if len(slices.Compact(slices.Clone(settings))) > 1 {
		add(report.Head{Text: "setting"}, func(i int) string { return settings[i] })
	}
	columns := map[string][]float64{}
	for _, c := range []string{"rank", "score", "ci_low", "ci_high", "model_best", "model_worst", "frequency", "contrast", "q", "planted"} {
		if _, ok := table.Column(c); !ok {
			continue
		}
		if columns[c], err = table.Floats(c); err != nil {
			return nil, err
		}
	}
	number := func(c string, write func(float64) string) func(int) string {
		return func(i int) string { return write(columns[c][i]) }
	}
	add(report.Head{Text: "rank", Number: true}, number("rank", report.Short))
	add(report.Head{Text: "region"}, func(i int) string { return name[i] })
	if abbreviation, err := table.Strings("abbreviation"); err == nil {
		add(report.Head{Text: "short"}, func(i int) string { return abbreviation[i] })
	}
	add(report.Head{Text: "score", Number: true, Doc: "mean pooling score"}, number("score", report.Share))
	if columns["ci_low"] != nil && columns["ci_high"] != nil {
		add(report.Head{Text: "95 % CI", Number: true, Doc: "of the score, over participants; the models are held fixed"}, func(i int) string {
			return report.Share(columns["ci_low"][i]) + "–" + report.Share(columns["ci_high"][i])
		})
	}
	if columns["model_best"] != nil && columns["model_worst"] != nil {
		add(report.Head{Text: "rank by model", Number: true, Doc: "best and worst rank that a single model (fold, repeat) gives it"}, func(i int) string {
			return report.Short(columns["model_best"][i]) + "–" + report.Short(columns["model_worst"][i])
		})
	}
	if columns["frequency"] != nil {
		add(report.Head{Text: "kept", Number: true, Doc: "share of a participant's test graphs in which the layer keeps it"}, number("frequency", report.Percent))
	}
	if columns["contrast"] != nil {
		add(report.Head{Text: "contrast", Number: true, Doc: "difference of the groups' mean scores over the sd within them, in participants whom a model has not seen"}, number("contrast", func(x float64) string { return report.Fixed(x, 2) }))
	}
	if columns["q"] != nil {
		add(report.Head{Text: "q", Number: true, Doc: "of the contrast: false discovery rate over all regions"}, number("q", report.Probability))
	}
	if slices.Contains(columns["planted"], 1) {
		add(report.Head{Text: "planted", Doc: "a difference between the groups was made there"}, func(i int) string { return map[bool]string{true: "yes"}[columns["planted"][i] == 1] })
	}
	return t, nil
}

// individuals shows the regions of a few participants.
func (r *reporter) individuals(s *report.Section) error {
	table, err := r.t.In("individual").Table()
	if err != nil || table.Rows() == 0 {
		return err
	}
	c, err := (&figure.Individuals{People: 4}).Draw(r.t.In("individual"), r.at)
	if err != nil {
		return err
	}
	f, err := c.InReport()
	if err != nil {
		return err
	}
	s.Blocks = append(s.Blocks, report.Block{Figure: &f})
	return nil
}

// inSpace shows the first regions in slices, and in the viewer.
func (r *reporter) inSpace(s *report.Section, settings []figure.Ranked) error {
	in := r.t.All("parcels")[0]
	var nodes []region.Node
	if r.t.Has("nodes") {
		var err error
		if nodes, err = region.ReadNodes(r.t.In("nodes")); err != nil {
			return err
		}
	}
	p, err := figure.ReadParcels(in, nodes)
	if err != nil {
		return err
	}
	if len(p.Middle) == 0 {
		return fmt.Errorf("%s: it holds no region of the node list", in.Name)
	}
	var under *figure.Anatomy
	if r.t.Has("anatomy") {
		if under, err = figure.ReadAnatomy(r.t.In("anatomy")); err != nil {
			return err
		}
		if !under.Covers(p) {
			return fmt.Errorf("%s: it shows another part of space than the regions of %s: both have to be in one space", r.t.In("anatomy").Name, in.Name)
		}
	}
	chart := figure.DrawSlices(p, under, settings[0], r.Top)
	if who := in.Coord("subject"); who != "" && len(r.t.All("parcels")) > 1 {
		chart.Caption += " The parcellation is that of " + who + "."
	}
	still, err := chart.InReport()
	if err != nil {
		return err
	}
	names, err := r.regionNames()
	if err != nil {
		return err
	}
	viewer, err := figure.Viewer(p, under, settings, names)
	if err != nil {
		return err
	}
	viewer.Static = &still
	r.place = p.Middle // the space that is shown need not be that of the node list
	s.Blocks = append(s.Blocks, report.Block{Viewer: viewer})
	for _, other := range settings[1:] {
		if other.Contrast {
			c := figure.DrawSlices(p, under, other, r.Top)
			f, err := c.InReport()
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
