package cohort

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// An InventoryRow is what was found of one participant, or of one of its runs (bids).
type InventoryRow struct {
	Participant string  `column:"participant_id"`
	Run         *string `column:"run" doc:"the run, with runs: all; with sessions the column is called session"`
	Bold        *string `column:"bold" doc:"name of the scan's file"`
	Labels      *string `column:"labels" doc:"source of the labels"`
	Confounds   bool    `column:"confounds" doc:"whether there is a table of confounds"`
	Sidecar     bool    `column:"sidecar" doc:"whether a JSON file gives the RepetitionTime"`
	TR          float64 `column:"tr,missing" unit:"s" doc:"the sidecar's RepetitionTime"`
	HeaderTR    float64 `column:"header_tr,missing" unit:"s" doc:"repetition time in the scan's header"`
	Volumes     *int32  `column:"volumes" doc:"number of volumes in the scan's header"`
	Space       *string `column:"space" doc:"the scan's space, with res- if its name has one"`
	Voxel       *string `column:"voxel" unit:"mm" doc:"voxel size in the scan's header"`
	MeanFD      float64 `column:"mean_fd,missing" unit:"mm" doc:"mean framewise displacement"`
	Complete    bool    `column:"complete" doc:"whether all files exist"`
}

// inventory is what was found of the participants.
func inventory(l *listed.List, found map[string]*bidsFiles, part string) *encoding.Table {
	var rows []InventoryRow
	for _, r := range l.Rows {
		for _, f := range found[r.ID].each() {
			row := InventoryRow{Participant: r.ID, Run: given(f.name), Labels: given(f.labelsFrom),
				Confounds: f.confounds != "", Sidecar: f.sidecar != "", Complete: f.problems == nil,
				TR: positive(f.tr), HeaderTR: positive(f.headerTR), MeanFD: math.NaN()}
			if f.bold != "" {
				row.Bold, row.Space = given(filepath.Base(f.bold)), given(f.grid.String())
			}
			if f.volumes > 0 {
				n, v := int32(f.volumes), f.voxel
				row.Volumes, row.Voxel = &n, given(fmt.Sprintf("%.3g×%.3g×%.3g", v[0], v[1], v[2]))
				if f.gray {
					row.Voxel = given("grayordinates")
				}
			}
			if f.moved.Has {
				row.MeanFD = f.moved.Mean
			}
			rows = append(rows, row)
		}
	}
	return renamed(column.Table(rows), "run", part)
}

// renamed is a table with another name for a column.
func renamed(t *encoding.Table, from, to string) *encoding.Table {
	all := *t
	all.Columns = slices.Clone(t.Columns)
	for i := range all.Columns {
		if all.Columns[i].Name == from {
			all.Columns[i].Name = to
		}
	}
	return &all
}

// Scans is what the methods of a report say of the participants' scans. (With runs: all, one participant counts once.)
func (r *Roster) Scans() column.Scans {
	s := column.Scans{MadeBy: r.MadeBy, Space: r.Space, Labels: map[string]int{}, DK84: IsDK84(r.Nodes)}
	if r.Description != "preproc" { // fMRIPrep's own goes without saying
		s.Description = r.Description
	}
	if r.labels != "" {
		s.Labels[r.labels] = len(r.Subjects)
	}
	rows, _ := r.Inventory()
	for _, subject := range r.Subjects {
		for i, row := range rows[subject.ID] {
			if row.Space != nil {
				s.Space = *row.Space // with its resolution
			}
			if i == 0 && row.Labels != nil {
				s.Labels[*row.Labels]++
			}
		}
	}
	if len(s.Labels) > 0 {
		s.Aligned = (&region.Frame{Space: s.Space}).Native() && hasPlaces(r.Nodes)
	}
	return s
}

// given is a text, or nil when it is empty.
func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// positive is a number, or NaN when it is not positive.
func positive(x float64) float64 {
	if x > 0 {
		return x
	}
	return math.NaN()
}

// Inventory is what was found of each participant's scans; ok is false where the cohort has no such table.
func (r *Roster) Inventory() (rows map[string][]InventoryRow, ok bool) {
	t, ok := r.Extra["inventory"].(*encoding.Table)
	if !ok {
		return nil, false
	}
	all, err := column.Rows[InventoryRow](renamed(t, "session", "run"))
	if err != nil {
		panic(fmt.Sprintf("cohort: its own inventory: %v", err))
	}
	rows = map[string][]InventoryRow{}
	for _, row := range all {
		rows[row.Participant] = append(rows[row.Participant], row)
	}
	return rows, true
}
