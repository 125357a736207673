package figure

import (
	"context"
	"errors"
	"fmt"
	"math"

	"prgnn/artifacts"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

var kindScanQuality = dag.Kind{
	Name: "figure-qc",
	Doc: "the quality of one participant's scan: motion, carpet plots before and after cleaning, connectivity, tSNR\n" +
		"Over the volumes: framewise displacement with a threshold, DVARS, global signal, volumes left out in grey; the series of all regions before and after cleaning, each region standardized over the kept volumes. Below: the correlation matrix of draw 0, the distribution of its edges, and the temporal signal-to-noise ratio of each region; with mean and parcels the outlines of the regions over the mean of the scan. The report shows these pages, and keeps ratings of them.",
	New: func() dag.Stage { return &ScanQuality{FD: 0.5} },
}

// ScanQuality draws one participant's quality control.
type ScanQuality struct {
	FD float64 `param:"fd" doc:"threshold line in the trace of framewise displacement; what is censored is set in denoise" min:"0" unit:"mm"`
}

// Ports are the stage's inputs and outputs.
func (*ScanQuality) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "before", Type: dag.NPY("<f8", "draw", "time", "roi"), Doc: "mean series, as they come from the scan"},
			{Name: "after", Type: dag.NPY("<f8", "draw", "time", "roi"), Doc: "denoise's series"},
			{Name: "volumes", Type: column.Type[column.VolumeRow](), Doc: "denoise's volumes: motion, and which were kept"},
			{Name: "quality", Type: column.Type[column.CleaningRow](), Doc: "denoise's quality"},
			{Name: "matrix", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "correlation matrices"},
			{Name: "nodes", Type: dag.Arrow("index", "name"), Doc: "the node list"},
			{Name: "mean", Type: dag.Format("nifti"), Optional: true, Doc: "bootstrap's mean of the scan; with parcels, to see whether the regions fit the scan"},
			{Name: "parcels", Type: dag.Format("nifti"), Optional: true, Doc: "parcellate's parcels, on the grid of the mean; of grayordinates no outlines are drawn"},
		},
		Out: []dag.Port{
			{Name: "picture", Type: dag.Format("svg"), Doc: "quality of the scan, as SVG"},
			{Name: "regions", Type: column.Type[regionQualityRow](), Doc: "tSNR of each region"},
		},
	}
}

// A regionQualityRow is the signal of one region.
type regionQualityRow struct {
	Index int32   `column:"index" doc:"node number"`
	TSNR  float64 `column:"tsnr,missing" doc:"temporal signal-to-noise ratio of the region's mean series before cleaning: mean over SD (n − 1) of the kept volumes; missing where the mean is not above 0"`
}

// Run draws.
func (s *ScanQuality) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	volumes, err := column.Read[column.VolumeRow](t.In("volumes"))
	if err != nil {
		return nil, err
	}
	quality, err := column.Read[column.CleaningRow](t.In("quality"))
	if err != nil {
		return nil, err
	}
	nodes, err := t.In("nodes").Table()
	if err != nil {
		return nil, err
	}
	p := chart.Participant{Threshold: s.FD}
	if p.Groups, err = RegionBlocks(nodes); err != nil {
		return nil, err
	}
	var kept []int
	for v, row := range volumes {
		p.FD, p.DVARS, p.Global = append(p.FD, row.FD), append(p.DVARS, row.DVARS), append(p.Global, row.Global)
		p.Out = append(p.Out, row.LeftOut != "")
		if row.LeftOut == "" {
			kept = append(kept, v)
		}
	}
	n := len(p.Groups)
	read := func(port string, rows int) (connectivity.Matrix, error) {
		in := t.In(port)
		draws, err := region.ReadDraws(in, "draw, row, column")
		if err == nil && (draws[0].Rows != rows || draws[0].Cols != n) {
			err = fmt.Errorf("%s: %d×%d, want %d×%d: connect the same scan everywhere", in.Name, draws[0].Rows, draws[0].Cols, rows, n)
		}
		if err != nil {
			return connectivity.Matrix{}, err
		}
		return draws[0], nil
	}
	before, err := read("before", len(volumes))
	if err != nil {
		return nil, err
	}
	after, err := read("after", len(kept))
	if err != nil {
		return nil, err
	}
	matrix, err := read("matrix", n)
	if err != nil {
		return nil, err
	}
	if len(quality) != 1 {
		return nil, fmt.Errorf("%s: %d rows, want one", t.In("quality").Name, len(quality))
	}
	q := quality[0]
	p.Matrix, p.TR = matrix.Data, q.TR
	all := make([]int, len(volumes))
	for v := range all {
		all[v] = v
	}
	var mean, sd []float64
	p.Before, mean, sd = standardised(before, kept, all, len(volumes))
	first := make([]int, len(kept))
	for v := range first {
		first[v] = v
	}
	p.After, _, _ = standardised(after, first, kept, len(volumes))
	rows, tsnr, known := make([]regionQualityRow, n), make([]float64, n), false
	for i := range rows {
		tsnr[i] = math.NaN()
		if mean[i] > 0 && sd[i] > 0 {
			tsnr[i], known = mean[i]/sd[i], true
		}
		rows[i] = regionQualityRow{int32(i + 1), tsnr[i]}
	}
	if known {
		p.TSNR = tsnr
	}
	p.Head = scanHead(q)
	if p.Brain, err = outlined(t, n); err != nil {
		return nil, err
	}
	c := &Chart{Figure: chart.ScanQuality(p), Title: "Quality of the scan",
		Alt: fmt.Sprintf("Traces of motion over %d volumes, carpet plots of %d regions before and after cleaning, the correlation matrix with the distribution of its values, and tSNR of each region", len(volumes), n)}
	if subject := t.In("before").Coord("subject"); subject != "" {
		c.Title = subject
	}
	c.Caption = ScanCaption
	svg, err := c.svg()
	if err != nil {
		return nil, err
	}
	return dag.Outputs{"picture": artifacts.Bytes{Kind: "svg", Data: svg}, "regions": column.Table(rows)}, nil
}

// outlined is the regions over the mean of the scan; nil without both, and of grayordinates.
func outlined(t *dag.Task, regions int) (*chart.Brain, error) {
	if !t.Has("mean") || !t.Has("parcels") {
		return nil, nil
	}
	parcels, err := ReadParcels(t.In("parcels"), nil)
	if errors.Is(err, ErrGrayordinates) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, v := range parcels.Values() {
		if v < 0 || int(v) > regions {
			return nil, fmt.Errorf("%s: holds the node number %d, and the series have %d regions: connect the parcels of the same scan", t.In("parcels").Name, v, regions)
		}
	}
	under, err := ReadAnatomy(t.In("mean"))
	if err != nil {
		return nil, err
	}
	if !under.Grid.Same(parcels.Grid) {
		return nil, fmt.Errorf("%s: its grid (%v) is not that of the parcels (%v): connect the mean of the same scan", t.In("mean").Name, under.Grid, parcels.Grid)
	}
	b := &chart.Brain{Region: parcels.at, Under: under.at}
	b.Low, b.High = parcels.extent()
	return b, nil
}

// ScanCaption describes the figure of one scan.
const ScanCaption = "Over the volumes: framewise displacement (FD) with its threshold, DVARS and global signal of the table of confounds; volumes left out in grey. Carpet plots: a row a region, each standardized over the kept volumes. Below: Pearson correlations of draw 0, their distribution over the edges, and temporal signal-to-noise ratio (tSNR: mean over SD of a region's mean series before cleaning). At the bottom, of scans of voxels: outlines of the regions, in the colors of the carpet plots, over the mean of every fourth volume."

// scanHead says in numbers how the scan was cleaned.
func scanHead(q column.CleaningRow) string {
	motion := "mean FD not known"
	if !math.IsNaN(q.MeanFD) {
		motion = fmt.Sprintf("mean FD %.2f mm, largest %.2f mm", q.MeanFD, q.MaxFD)
	}
	return fmt.Sprintf("%d of %d volumes kept (%d censored, %d not in steady state), %s; strategy %s (%d regressors), %.0f degrees of freedom left",
		q.Kept, q.Volumes, q.Censored, q.NonSteady, motion, q.Strategy, q.Regressors, q.TEff)
}

// standardised is z of each column of x over the rows of, put at the volumes at, volumes × columns; NaN elsewhere and
// where a column is missing or does not vary. mean and sd are over the rows of.
func standardised(x connectivity.Matrix, of, at []int, volumes int) (z, mean, sd []float64) {
	z, mean, sd = make([]float64, volumes*x.Cols), make([]float64, x.Cols), make([]float64, x.Cols)
	for i := range z {
		z[i] = math.NaN()
	}
	for j := range x.Cols {
		v := make([]float64, len(of))
		for i, row := range of {
			v[i] = x.At(row, j)
		}
		mean[j], sd[j] = column.MeanSD(v)
		if !(sd[j] > 0) {
			continue
		}
		for i, volume := range at {
			z[volume*x.Cols+j] = (x.At(i, j) - mean[j]) / sd[j]
		}
	}
	return z, mean, sd
}
