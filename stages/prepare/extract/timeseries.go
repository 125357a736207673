package extract

import (
	"context"
	"fmt"
	"math"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/connectivity/damage"
	"prgnn/dag"
	"prgnn/stages/bids"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var timeseriesKind = dag.Kind{
	Name: "timeseries",
	Doc: "regional time series from a file of another program\n" +
		"Reads TSV, CSV, 1D, npy, npz and MATLAB's .mat (volumes by regions), gzipped or not, and CIFTI parcellated time series (ptseries.nii). Columns with names are put in the order of the node list, by name, abbreviation or id; every node must have its column. A column of n/a is a missing region.",
	New: func() dag.Stage { return &Timeseries{} },
}

var (
	_ role.Drawer     = (*Timeseries)(nil)
	_ role.ScanReader = (*Timeseries)(nil)
	_ role.Timed      = (*Timeseries)(nil)
	_ role.Measurer   = (*Timeseries)(nil)
)

// Timeseries reads a file of series.
type Timeseries struct {
	TR float64 `param:"tr" doc:"repetition time; one that differs from the file's is refused" zero:"from the sidecar, or else from a CIFTI file, else unknown (filters, windows and models of events need it)" min:"0" max:"60" unit:"s"`
}

// DrawsOf is how many draws its series have.
func (*Timeseries) DrawsOf(int) int { return 1 }

// Measures are series, of which it is unknown whether they were denoised.
func (*Timeseries) Measures(output string, _ func(string) column.Data) column.Data {
	if output != "series" {
		return column.Data{}
	}
	return column.Data{Measure: column.TimeSeries, Series: column.AsGiven}
}

func (*Timeseries) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "series", Type: dag.Format("series"), Doc: "the participant's file"},
			{Name: "nodes", Type: column.Type[region.Node](), Doc: "the node list"},
			region.LayoutPort(),
			{Name: "sidecar", Type: dag.Format("json"), Optional: true, Doc: "the BIDS sidecar of the series, for its RepetitionTime or SamplingFrequency, and how the series were cleaned"},
		},
		Out: []dag.Port{
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Doc: "the time series, as one draw; NaN for a missing region"},
			{Name: "scan", Type: column.Type[seriesRow](), Doc: "the run in one row"},
		},
	}
}

func (s *Timeseries) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	in := t.In("series")
	c, layout, err := readSeries(t)
	if err != nil {
		return nil, err
	}
	nodes, err := t.In("nodes").Table()
	if err == nil {
		err = layout.AddAbsent(c, nodes)
	}
	if err != nil {
		return nil, err
	}
	x := c.Draws[0]
	place, err := region.PlaceColumns(c.Names, x.Cols, nodes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	stored := make([]float64, x.Cols)
	for v := range x.Rows {
		row := x.Row(v)
		copy(stored, row)
		for j, k := range place {
			row[k] = stored[j]
		}
	}
	names, _ := nodes.Strings("name")
	if _, err := connectivity.Inspect(x, names...); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	if err := damage.Unmeasured(x, names...); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	tr, from, err := timeOf(t, "series", s.TR, c.TR, x.Rows)
	if err != nil {
		return nil, err
	}
	row := seriesRow{TR: tr, Volumes: int32(x.Rows), From: from}
	if !(row.TR > 0) {
		row.TR, row.From = math.NaN(), ""
	}
	meta := map[string]string{column.CleanedBefore: column.SeriesGiven}
	if t.Has("sidecar") {
		how, err := denoised(t.In("sidecar"))
		if err != nil {
			return nil, err
		}
		if how != "" {
			meta[column.CleanedBy] = how
		}
	}
	return dag.Outputs{
		"series": encoding.NewArray(x.Data, 1, x.Rows, x.Cols),
		"scan":   column.WithMeta(column.Table([]seriesRow{row}), meta),
	}, nil
}

func readSeries(t *dag.Task) (*region.Contents, region.Layout, error) {
	in := t.In("series")
	layout, err := region.LayoutOf(t, "series")
	if err != nil {
		return nil, layout, err
	}
	r, err := region.Reader(in)
	if err != nil {
		return nil, layout, err
	}
	defer r.Close()
	c, err := region.ReadSeries(r, layout)
	if err != nil {
		return nil, layout, fmt.Errorf("%s: %w", in.Name, err)
	}
	return c, layout, nil
}

// TimeFrom is where it takes the repetition time from; "" where nothing gives it.
func (s *Timeseries) TimeFrom(has func(port string) bool) string {
	switch {
	case s.TR > 0:
		return "parameter"
	case has("sidecar"):
		return "sidecar"
	}
	return ""
}

// GivenTime is the parameter tr, s; 0 for none.
func (s *Timeseries) GivenTime() float64 { return s.TR }

// Validate refuses a repetition time in another unit.
func (s *Timeseries) Validate() []error { return bids.CheckTime(s.TR) }

// RefusesHeaders reports why the task of a participant would fail, by the sidecar and the numbers of its series: text
// has no header that states whether the rest is whole.
func (s *Timeseries) RefusesHeaders(files map[string]dag.Input) error {
	t := taskOf(files)
	volumes := 0
	if t.Has("series") {
		c, _, err := readSeries(t)
		if err == nil {
			if _, err = connectivity.Inspect(c.Draws[0], c.Names...); err == nil {
				err = damage.Unmeasured(c.Draws[0], c.Names...)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", t.In("series").Name, err)
			}
		}
		if err != nil {
			return err
		}
		volumes = c.Draws[0].Rows
	}
	if !t.Has("sidecar") {
		return nil
	}
	_, _, err := timeOf(t, "series", s.TR, 0, volumes)
	if _, other := denoised(t.In("sidecar")); err == nil {
		err = other
	}
	return err
}

// A seriesRow is the one row about series that were taken as they are.
type seriesRow struct {
	TR      float64 `column:"tr,missing" unit:"s" doc:"repetition time"`
	Volumes int32   `column:"volumes" doc:"volumes"`
	From    string  `column:"tr_from" doc:"source of the repetition time: parameter, sidecar or header; empty if unknown"`
}
