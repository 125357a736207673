package present

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/present/participants"
)

// TestScansAreRated: a report shows up to 50 scans, each with a place for its rating, and leads to pages of up to 1000.
func TestScansAreRated(t *testing.T) {
	const shown, paged = participants.ShownScans, participants.PagedScans
	for _, n := range []int{2, shown, shown + 1, paged, paged + 1} {
		var in []dag.Input
		for i := range n {
			in = append(in, dag.InputOf(artifacts.Bytes{Kind: "svg",
				Data: []byte("<svg width=\"500pt\"><title>Quality of the scan</title><desc>Traces</desc></svg>")}, dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%02d", i)}))
		}
		task := dag.NewTask(map[string][]dag.Input{"scans": in})
		page := need.Value((&Report{Top: 5}).Page(task))(t)
		pages := need.Value(participants.ScanPages(task))(t)
		for i, p := range pages { // each leads to the one before and the one after
			if i > 2 && i < n-3 {
				continue
			}
			html := need.Value(p.HTML())(t)
			if i > 0 != strings.Contains(string(html), `href="`+pages[max(i-1, 0)].File+`"`) ||
				i < n-1 != strings.Contains(string(html), `href="`+pages[min(i+1, n-1)].File+`"`) {
				t.Errorf("page %d of %d does not lead to its neighbors", i+1, n)
			}
		}
		rated, linked := 0, 0
		for _, s := range page.Sections {
			for _, b := range s.Blocks {
				if b.Figure != nil && b.Figure.Rated == fmt.Sprintf("sub-%02d", rated) &&
					b.Figure.Title == b.Figure.Rated {
					rated++
					need.Equal(t, b.Figure.Label(), fmt.Sprint("Scan ", rated)) // apart from the figures
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
		if want := map[bool]int{true: n}[n > shown && n <= paged]; linked != want || len(pages) != want {
			t.Errorf("of %d scans %d have links and %d have pages, want %d", n, linked, len(pages), want)
		}
		need.Equal(t, rated, map[bool]int{true: n}[n <= shown], "of", n, "scans are shown")
	}
}

// What the captions of all scans say is said once, before them; a page of its own has the whole caption.
func TestScanCaptionsAreSaidOnce(t *testing.T) {
	for _, n := range []int{1, 3, participants.ShownScans + 1} {
		var in []dag.Input
		for i := range n {
			own := ""
			if i == 1 {
				own = "Gray: removed volumes. "
			}
			in = append(in, dag.InputOf(artifacts.Bytes{Kind: "svg", Data: []byte("<svg width=\"500pt\"><title>Quality of the scan</title><desc>Traces</desc><metadata>Over the volumes: FD. " + own + "Below: correlations.</metadata></svg>")},
				dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%02d", i)}))
		}
		task := dag.NewTask(map[string][]dag.Input{"scans": in})
		page := need.Value((&Report{Top: 5}).Page(task))(t)
		lead, captions := "", []string(nil)
		for _, s := range page.Sections {
			for _, b := range s.Blocks {
				lead += b.Text
				if b.Figure != nil {
					captions = append(captions, b.Figure.Caption)
				}
			}
		}
		switch n {
		case 1:
			need.Equal(t, strings.Join(captions, "|"), "Over the volumes: FD. Below: correlations.")
		case 3:
			need.Equal(t, strings.Join(captions, "|"), "|Gray: removed volumes.|")
			if !strings.Contains(lead, "Over the volumes: FD. Below: correlations.") {
				t.Error(lead)
			}
		default:
			html := need.Value(need.Value(participants.ScanPages(task))(t)[1].HTML())(t)
			if !strings.Contains(string(html), "Over the volumes: FD. Gray: removed volumes. Below: correlations.") {
				t.Error("a page of its own lacks its caption")
			}
		}
	}
}

// The table of the scans has the motion by which outliers were found: that of the participants where denoise has none.
func TestScansHaveTheMotionOfOutliers(t *testing.T) {
	in := map[string][]dag.Input{}
	var ids, groups []string
	var motion []float64
	var rows []column.TypicalityRow
	for i := range participants.ShownScans + 1 {
		id := fmt.Sprintf("sub-%02d", i)
		at := dag.Coord{Axis: column.Subject, Value: id}
		in["scans"] = append(in["scans"], dag.InputOf(artifacts.Bytes{Kind: "svg",
			Data: []byte("<svg width=\"500pt\"><title>Quality of the scan</title><desc>Traces</desc></svg>")}, at))
		in["cleaning"] = append(in["cleaning"], dag.InputOf(column.Table([]column.CleaningRow{{Strategy: "none",
			Why: column.SeriesGiven, Kept: 90, Volumes: 90, TEff: 80, MeanFD: math.NaN(), MaxFD: math.NaN()}}), at))
		ids, groups, motion = append(ids, id), append(groups, []string{"ASD", "HC"}[i%2]), append(motion, 0.1)
		rows = append(rows, column.TypicalityRow{Participant: id, Typicality: 0.5})
	}
	motion[3], rows[3].Outlier = 0.7, []string{"mean_fd"}
	in["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(
		encoding.Column{Name: "participant_id", Values: ids}, encoding.Column{Name: "group", Values: groups},
		encoding.Column{Name: column.MeanFD, Values: motion}))}
	in["typicality"] = []dag.Input{dag.InputOf(column.Table(rows))}
	page := need.Value((&Report{Top: 5}).Page(dag.NewTask(in)))(t)
	found := false
	for _, s := range page.Sections {
		for _, b := range s.Blocks {
			if b.Table == nil || b.Table.Head("outlier in") < 0 {
				continue
			}
			found = true
			need.Equal(t, b.Table.Rows[3][b.Table.Head("mean FD (mm)")].Text, "0.700")
			need.Equal(t, b.Table.Head("largest FD (mm)"), -1)
		}
	}
	need.Equal(t, found, true)
}

// TestScansOfSessions: each session of a participant has a page of its own, and the rating is the participant's.
func TestScansOfSessions(t *testing.T) {
	for _, n := range []int{3, participants.ShownScans} {
		var in []dag.Input
		for i := range 2 * n {
			in = append(in, dag.InputOf(artifacts.Bytes{Kind: "svg",
				Data: []byte("<svg width=\"500pt\"><title>Quality of the scan</title><desc>Traces</desc></svg>")},
				dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%02d", i/2)},
				dag.Coord{Axis: "session", Value: fmt.Sprint(i%2 + 1)}))
		}
		task := dag.NewTask(map[string][]dag.Input{"scans": in})
		page := need.Value((&Report{Top: 5}).Page(task))(t)
		pages := need.Value(participants.ScanPages(task))(t)
		titles, files := map[string]string{}, map[string]bool{}
		for _, s := range page.Sections {
			for _, b := range s.Blocks {
				if b.Figure != nil && b.Figure.Rated != "" {
					titles[b.Figure.Title] = b.Figure.Rated
				}
				if b.Table != nil {
					for _, row := range b.Table.Rows {
						if s := row[0].Sheet; s != nil {
							titles[row[0].Text] = s.Participant
						}
					}
				}
			}
		}
		for _, p := range pages {
			files[p.File] = true
		}
		if len(titles) != 2*n || titles["sub-01 session 2"] != "sub-01" || len(pages) != len(files) {
			t.Errorf("%d scans: %d titles %v, %d pages in %d files", 2*n, len(titles), titles["sub-01 session 2"], len(pages), len(files))
		}
	}
}
