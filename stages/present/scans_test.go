package present

import (
	"fmt"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
)

// TestScansAreRated: a report shows up to 50 scans, each with a place for its rating, and leads to pages of up to 1000.
func TestScansAreRated(t *testing.T) {
	for _, n := range []int{2, shownScans, shownScans + 1, pagedScans, pagedScans + 1} {
		var in []dag.Input
		for i := range n {
			in = append(in, dag.InputOf(artifacts.Bytes{Kind: "svg",
				Data: []byte("<svg width=\"500pt\"><title>Quality of the scan</title><desc>Traces</desc></svg>")}, dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%02d", i)}))
		}
		task := dag.NewTask(map[string][]dag.Input{"scans": in})
		page, err := (&Report{Top: 5}).Page(task)
		if err != nil {
			t.Fatal(err)
		}
		pages, err := ScanPages(task)
		if err != nil {
			t.Fatal(err)
		}
		rated, linked := 0, 0
		for _, s := range page.Sections {
			for _, b := range s.Blocks {
				if b.Figure != nil && b.Figure.Rated == fmt.Sprintf("sub-%02d", rated) &&
					b.Figure.Title == b.Figure.Rated {
					rated++
				}
				if b.Table != nil {
					for i, row := range b.Table.Rows {
						if s := row[0].Sheet; s != nil && s.File == pages[i].File && s.Participant == row[0].Text {
							linked++
						}
					}
				}
			}
		}
		if want := map[bool]int{true: n}[n > shownScans && n <= pagedScans]; linked != want || len(pages) != want {
			t.Errorf("of %d scans %d have links and %d have pages, want %d", n, linked, len(pages), want)
		}
		if want := map[bool]int{true: n}[n <= shownScans]; rated != want {
			t.Errorf("%d of %d scans are shown, want %d", rated, n, want)
		}
	}
}
