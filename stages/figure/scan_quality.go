package figure

import (
	"context"
	"math"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/role"
	"prgnn/stages/wording"
)

var kindScanQuality = dag.Kind{
	Name: "figure-qc",
	Doc: "the quality of one participant's scan: motion, carpet plots before and after denoising, connectivity, tSNR\n" +
		"Over the volumes: framewise displacement with a threshold, DVARS, global signal, removed volumes in gray; carpet plots before and after denoising, of single voxels in bands by tissue or network (with sample and carpet), else of regions, each row standardized over the kept volumes. Below: the correlation matrix of draw 0, the distribution of its edges, and the temporal signal-to-noise ratio of each region; with mean and parcels the outlines of the regions over the mean of the scan. The report shows these pages, and keeps ratings of them. Of runs or sessions that were joined it takes all members, and marks where one begins: before: \"series[*]\", after: \"clean[*]\", quality: joined.quality.",
	New: func() dag.Stage { return &ScanQuality{FD: 0.5} },
}

var _ role.PortUser = (*ScanQuality)(nil)

// ScanQuality draws one participant's quality control.
type ScanQuality struct {
	FD float64 `param:"fd" doc:"threshold line in the trace of framewise displacement; what is censored is set in denoise" min:"0" unit:"mm"`
}

// UsesPorts are the inputs that take one setting of each participant.
func (*ScanQuality) UsesPorts() []role.PortUse {
	return role.OneSettingOf("before", "after", "volumes", "mean", "parcels", "sample", "carpet")
}

func (*ScanQuality) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "before", Type: dag.NPY("<f8", "draw", "time", "roi"), Gather: true, Doc: "mean series, as they come from the scan"},
			{Name: "after", Type: dag.NPY("<f8", "draw", "time", "roi"), Gather: true, Doc: "denoise's series"},
			{Name: "volumes", Type: column.Type[column.VolumeRow](), Gather: true,
				Doc: "denoise's volumes: motion, and which were kept"},
			{Name: "quality", Type: column.Type[column.CleaningRow](), Doc: "denoise's quality; of several runs join's"},
			{Name: "matrix", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "correlation matrices"},
			{Name: "nodes", Type: dag.Arrow("index", "name"), Doc: "the node list"},
			{Name: "mean", Type: dag.Format("nifti"), Gather: true, Optional: true, Doc: "bootstrap's mean of the scan; with parcels, to see whether the regions fit the scan"},
			{Name: "parcels", Type: dag.Format("nifti"), Gather: true, Optional: true, Doc: "parcellate's parcels, on the grid of the mean; of grayordinates no outlines are drawn"},
			{Name: "sample", Type: column.Type[column.SampleRow](), Gather: true, Optional: true,
				Doc: "parcellate's sample: the voxels of the carpet plots; without it, or without carpet, they show regions"},
			{Name: "carpet", Type: dag.NPY("<f4", "cleaning", "time", "voxel"), Gather: true, Optional: true,
				Doc: "denoise's carpet"},
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
	TSNR  float64 `column:"tsnr,missing" doc:"temporal signal-to-noise ratio of the region's mean series before denoising: mean over SD (n − 1) of the kept volumes; of several runs the mean of those that have one; missing where the mean is not above 0"`
}

func (s *ScanQuality) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	quality, err := column.One[column.CleaningRow](t.In("quality"))
	if err != nil {
		return nil, err
	}
	p := chart.Participant{Threshold: s.FD, TR: quality.TR}
	if p.Head, err = wording.Text("figure.scan.head", quality); err != nil {
		return nil, err
	}
	if p.Groups, err = region.BlocksOf(t.In("nodes")); err != nil {
		return nil, err
	}
	n := len(p.Groups)
	matrix, err := drawZero(t.In("matrix"), n, n)
	if err != nil {
		return nil, err
	}
	scans, err := readScans(t, n)
	if err != nil {
		return nil, err
	}
	p.Matrix = withoutSilent(matrix.Data, scans)
	for _, scan := range scans {
		if len(scans) > 1 {
			p.Runs = append(p.Runs, chart.Run{Name: scan.name, From: len(p.Out)})
		}
		for _, row := range scan.volumes {
			p.FD, p.DVARS, p.Global = append(p.FD, row.FD), append(p.DVARS, row.DVARS), append(p.Global, row.Global)
			p.Out = append(p.Out, row.LeftOut != "")
		}
		if scan.brain != nil {
			p.Brains = append(p.Brains, chart.NamedBrain{Name: scan.name, Brain: scan.brain})
		}
	}
	p.Bands, p.Before, p.After = joinedCarpet(scans, p.Groups)
	if p.Rows = "regions"; scans[0].sample != nil {
		p.Rows = scans[0].rows
	}
	rows, tsnr, known := make([]regionQualityRow, n), make([]float64, n), false
	for i := range rows {
		tsnr[i] = meanTSNR(scans, i)
		known = known || tsnr[i] >= 1 // of a demeaned series it is near 0
		rows[i] = regionQualityRow{int32(i + 1), tsnr[i]}
	}
	if known {
		p.TSNR = tsnr
	}
	c := Captioned(chart.ScanQuality(p), "figure.scan", scanValues(p, t.All("before")[0].Coord("subject"),
		quality.MeanFD))
	svg, err := c.svg()
	if err != nil {
		return nil, err
	}
	return dag.Outputs{"picture": artifacts.Bytes{Kind: "svg", Data: svg}, "regions": column.Table(rows)}, nil
}

// scanValues are what the figure of one scan shows.
func scanValues(p chart.Participant, participant string, fd float64) values {
	averaged, kept := 0, 0
	for _, out := range p.Out {
		if !out {
			kept++
		}
	}
	if len(p.Bands) > 160 {
		averaged = 160
	}
	known := func(v float64) bool { return !math.IsNaN(v) }
	return values{"Participant": participant, "Volumes": len(p.Out), "Kept": kept, "MeanFD": fd,
		"Lines": len(p.Bands), "Rows": p.Rows,
		"Regions": len(p.Groups), "Traces": slices.ContainsFunc(slices.Concat(p.FD, p.DVARS, p.Global), known),
		"Removed": slices.Contains(p.Out, true), "Averaged": averaged, "Joined": p.Runs != nil, "TSNR": p.TSNR != nil,
		"Outlined": p.Brains != nil}
}
