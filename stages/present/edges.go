package present

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
	"prgnn/stages/finding/claim"
	"prgnn/stages/finding/quality"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// An edgeRow is an edge with the names of its regions.
type edgeRow struct {
	First, Second string
	column.EdgeTestRow
}

// A componentRow is a component with the number of its regions.
type componentRow struct {
	column.ComponentRow
	Regions int
}

// shownComponents is how many components the table lists.
const shownComponents = 10

// edges writes the test of each edge over participants.
func (a *author) edges() {
	tests := section.Rows[column.EdgeSummaryRow](a.Writer, "edge_tests")
	if len(tests) == 0 {
		if a.T.Has("edge_tests") {
			a.foundIn(a.TableOf(a.T.In("edge_tests"))) // why nothing was tested
		}
		return
	}
	test := tests[0]
	if test.Test == column.Target {
		test.Test = a.Number // the column
	}
	var err error
	test.Pooled, err = figure.PooledGroups(a.T.In("edge_tests"))
	a.Fail(err)
	s := a.Run.Shown("edges", "edge_tests")
	test.Related = s != nil && finding.PermutesRelatives(section.Rows[column.Note](a.Writer, "notes"), s.Stage)
	of := figure.EdgeValues(test)
	of["Settings"] = a.oneOf()
	of["Data"], of["transform"] = values(finding.Values(column.Data{})), ""
	if s != nil {
		of["Data"] = values(finding.Values(a.Run.Holds(s, "matrices")))
		of["transform"] = s.Value("transform")
	}
	a.Put("edges.result", of)
	if !a.T.Has("evaluation") && !a.T.Has("regression") {
		a.Page.Answer = a.Text("edges.result", of) // of a page without models
		if test.Significant > 0 && !test.Related {
			a.claim(nil, "abstract.questioned", claim.Claim{Edges: &tests[0]})
		}
	}
	a.Find(quality.Skipped(finding.EdgeTest(test), a.GroupOf())...)
	if s != nil {
		a.Find(finding.SeveralTests(s)...)
		a.Find(finding.SmallGroup(test, s.Value("variance"))...)
	}
	if len(a.Accuracy) > 0 {
		a.Find(finding.OtherDirection(a.Accuracy[0].Positive, test)...)
	}
	a.foundIn(a.TableOf(a.T.In("edge_tests")))
	if len(test.Sessions) == 2 {
		first, second := a.motionOf(test.Sessions)
		a.Find(quality.EdgeMotion(test, first, second)...)
	}
	rows := section.Rows[column.EdgeTestRow](a.Writer, "edges")
	components := section.Rows[column.ComponentRow](a.Writer, "edge_components")
	var small *figure.Chart // in a brain, if the regions have places
	if a.Pictures && len(rows) > 0 {
		var matrix, connectome *figure.Chart
		if a.T.Has("nodes") {
			var err error
			matrix, err = figure.DrawEdges(test, rows, a.T.In("nodes"))
			a.Fail(err)
			connectome, small, err = figure.DrawConnectome(test, rows, a.T.In("nodes"))
			a.Fail(err)
		}
		null := section.Rows[column.EdgeNullRow](a.Writer, "edge_null")
		a.Figures(matrix, connectome, figure.DrawEdgeNull(test, rows, components, null))
	}
	switch c, value := (claim.Claim{Edges: &tests[0]}), a.Text("tile.edges.value", of); {
	case test.Related:
	case small != nil:
		a.Page.Tiles = append(a.Page.Tiles, a.pictureTile(small, value, c)...)
	case test.Significant > 0:
		a.tile(value, "tile.edges", of, nil)
		a.shown = append(a.shown, tileClaim{a.Page.Tiles[len(a.Page.Tiles)-1].Label, c})
	case test.Edges > 0:
		a.tile(value, "tile.edges", of, nil)
	}
	a.strongest(rows, of)
	a.components(components, of)
	regions := section.Rows[column.RegionTestRow](a.Writer, "edge_regions")
	for i, r := range regions {
		regions[i].Name = a.regionOf(r.Name, r.Index)
	}
	of["Regions"] = len(regions)
	regions = regions[:min(a.top, len(regions))]
	if of["N"] = len(regions); len(regions) > 0 {
		a.Table(section.Lay(a.Writer, "edges.regions", of, regions, "region | score edges significant p-max"))
	}
}

// pictureTile is a tile with a picture, and notes the claim that it makes; none without a picture.
func (a *author) pictureTile(small *figure.Chart, value string, c claim.Claim) []report.Tile {
	if small == nil {
		return nil
	}
	picture, err := small.InReport(false)
	a.Fail(err)
	a.shown = append(a.shown, tileClaim{picture.Title, c})
	return []report.Tile{{Value: value, Label: picture.Title, Note: picture.Caption, Picture: &picture}}
}

// motionOf are the mean framewise displacements (mm) in two sessions, over the participants who have both; NaN where
// none is known.
func (a *author) motionOf(sessions []string) (first, second float64) {
	of := [2]map[string][]float64{{}, {}}
	for in, rows := range section.Members[column.CleaningRow](a.Writer, "cleaning") {
		at := slices.IndexFunc(sessions, func(name string) bool {
			return strings.TrimPrefix(name, "ses-") == strings.TrimPrefix(in.Coord("session"), "ses-")
		})
		if at >= 0 && len(rows) == 1 && !math.IsNaN(rows[0].MeanFD) {
			id := in.Coord(column.Subject)
			of[at][id] = append(of[at][id], rows[0].MeanFD)
		}
	}
	var means [2][]float64
	for _, id := range slices.Sorted(maps.Keys(of[0])) {
		if of[1][id] == nil {
			continue
		}
		for at := range of {
			mean, _ := column.MeanSD(of[at][id])
			means[at] = append(means[at], mean)
		}
	}
	first, _ = column.MeanSD(means[0])
	second, _ = column.MeanSD(means[1])
	return first, second
}

// strongest is the table of the edges with the largest statistics.
func (a *author) strongest(rows []column.EdgeTestRow, of values) {
	tested := slices.DeleteFunc(rows, func(r column.EdgeTestRow) bool { return math.IsNaN(r.Statistic) })
	slices.SortStableFunc(tested, func(x, y column.EdgeTestRow) int {
		return cmp.Compare(math.Abs(y.Statistic), math.Abs(x.Statistic))
	})
	var shown []edgeRow
	for _, r := range tested[:min(a.top, len(tested))] {
		shown = append(shown, edgeRow{a.regionOf(r.SourceName, r.Source), a.regionOf(r.TargetName, r.Target), r})
	}
	if of["N"] = len(shown); len(shown) == 0 {
		return
	}
	of["Numbered"] = slices.ContainsFunc(shown, func(r edgeRow) bool { return r.First == fmt.Sprint(r.Source) })
	columns := "first second | statistic estimate? size p-edge q p-max p-free"
	if slices.ContainsFunc(shown, func(r edgeRow) bool { return r.Component != shown[0].Component }) {
		columns += " component"
	}
	if !a.Pictures { // too wide for a text
		columns = "first second | statistic size q p-max"
	}
	a.Table(section.Lay(a.Writer, "edges.strongest", of, shown, columns))
}

// regionOf is the name of a region of an edge: that of the node list of the page where the test had none, or its
// number.
func (a *author) regionOf(name string, index int32) string {
	return cmp.Or(name, a.Names[int(index)][0], fmt.Sprint(index))
}

// components is the table of the largest components above the tested threshold.
func (a *author) components(all []column.ComponentRow, of values) {
	var shown []componentRow
	for _, c := range all {
		if c.Tested {
			shown = append(shown, componentRow{c, len(c.Nodes)})
		}
	}
	slices.SortStableFunc(shown, func(x, y componentRow) int { return cmp.Compare(y.Edges, x.Edges) })
	of["All"] = len(shown)
	shown = shown[:min(shownComponents, len(shown))]
	if of["N"] = len(shown); len(shown) > 0 {
		a.Table(section.Lay(a.Writer, "edges.components", of, shown,
			"component | edges regions intensity p-size p-intensity"))
	}
}
