package simulate

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/nifti"
	"prgnn/stages/atlas"
	"prgnn/stages/phantom"
)

var simulateKind = dag.Kind{
	Name: "simulate",
	Doc: "a simulated scan\n" +
		"A BOLD image with known connectivity, with its label image and confounds; used by the cohort \"simulate\", one task per participant. Package stages/phantom documents the method.",
	New:    func() dag.Stage { return &Scan{Scanner: DefaultScanner(), Group: "HC"} },
	Memory: 64 << 20,
}

// Scanner are the parameters that every simulated participant shares.
type Scanner struct {
	Strength        float64 `param:"strength" doc:"size of the planted difference in the ASD group: 0 for none; values above 1 have little more effect" min:"0" max:"10"`
	Heterogeneity   float64 `param:"heterogeneity" doc:"share of the planted regions that are unaltered in an ASD participant, at random for each: 0: all are altered in all participants; at 0.7 each region is altered in 30% of the participants and each edge in 9%, and a t-test no longer finds all of them" min:"0" max:"1"`
	Volumes         int     `param:"volumes" doc:"length of a scan" min:"2" max:"100000"`
	TR              float64 `param:"tr" doc:"repetition time" unit:"s" min:"0.01" max:"60"`
	Grid            float64 `param:"grid" doc:"voxel size, isotropic" unit:"mm" min:"2" max:"15"`
	Motion          float64 `param:"motion" doc:"amount of head motion: 0 none, 1 that of a child who tries to lie still" min:"0" max:"100"`
	Noise           float64 `param:"noise" doc:"standard deviation of a voxel's own noise, as a multiple of that of its region's signal" min:"0" max:"100"`
	SiteEffect      float64 `param:"site_effect" doc:"scanner effect, with several scanners: weight of a source common to all regions, with region weights specific to the scanner; 0 none, 0.5 clearly visible" min:"0" max:"10"`
	Autocorrelation float64 `param:"autocorrelation" doc:"of signals and noise, from one volume to the next: φ of AR(1)" min:"0" max:"0.99"`
}

// DefaultScanner has the defaults of the parameters.
func DefaultScanner() Scanner {
	return Scanner{Strength: 1, Volumes: 146, TR: 2, Grid: 6, Motion: 1, Noise: 1, Autocorrelation: 0.4}
}

// Scan makes one scan.
type Scan struct {
	Seed    uint64 `param:"seed" doc:"of all random numbers"`
	Subject string `param:"subject" doc:"the participant, filled in by the cohort"`
	Group   string `param:"group" choices:"ASD|HC" doc:"ASD has the planted difference"`
	Site    int    `param:"site" doc:"number of the scanner; 0 for no scanner effect" min:"0"`
	Scanner
	Missing []string `param:"missing" doc:"abbreviations of regions (such as R.AC) without voxels"`
	Corrupt bool     `param:"corrupt" doc:"truncate the BOLD file in the middle, to test how a pipeline handles it"`
}

func (*Scan) Ports() dag.Ports {
	return dag.Ports{Out: []dag.Port{
		{Name: "bold", Type: dag.Format("nifti"), Doc: "the scan"},
		{Name: "labels", Type: dag.Format("nifti"), Doc: "its parcellation on the same grid: FreeSurfer's ids of the 84 regions"},
		{Name: "confounds", Type: dag.Format("tsv"), Doc: "motion, tissue signals and framewise displacement, in fMRIPrep's columns"},
	}}
}

func (s *Scan) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	nodes := atlas.DK84()
	var missing []int
	for _, name := range s.Missing {
		i := slices.IndexFunc(nodes, func(n atlas.Node) bool { return n.Abbreviation == name })
		if i < 0 {
			return nil, fmt.Errorf("parameter missing: there is no region %q", name)
		}
		missing = append(missing, nodes[i].Index)
	}
	scan, err := phantom.Make(phantom.Settings{
		Seed: s.Seed, Subject: s.Subject, Affected: s.Group == "ASD", Strength: s.Strength,
		Heterogeneity: s.Heterogeneity,
		Volumes:       s.Volumes, TR: s.TR, Grid: s.Grid, Motion: s.Motion, Noise: s.Noise,
		Autocorrelation: s.Autocorrelation,
		Site:            s.Site, SiteEffect: s.SiteEffect, Missing: missing,
	}, nodes)
	if err != nil {
		return nil, err
	}
	affine := nifti.Affine{
		{scan.Grid, 0, 0, scan.Origin[0]},
		{0, scan.Grid, 0, scan.Origin[1]},
		{0, 0, scan.Grid, scan.Origin[2]},
		{0, 0, 0, 1},
	}
	const aligned = 2 // code of a participant's own anatomical space
	var bold, labels bytes.Buffer
	if err := nifti.Encode(&bold, &nifti.Image{
		Shape: scan.Shape[:], Affine: affine, Code: aligned, TR: s.TR, Data: scan.BOLD, Descrip: "simulated",
	}); err != nil {
		return nil, err
	}
	if err := nifti.Encode(&labels, &nifti.Image{
		Shape: scan.Shape[:3], Affine: affine, Code: aligned, Data: scan.Labels, Descrip: "simulated", Intent: 1002,
	}); err != nil {
		return nil, err
	}
	if s.Corrupt {
		bold.Truncate(bold.Len() / 2)
	}
	return dag.Outputs{
		"bold":      artifacts.Bytes{Kind: "nifti", Data: bold.Bytes()},
		"labels":    artifacts.Bytes{Kind: "nifti", Data: labels.Bytes()},
		"confounds": artifacts.Bytes{Kind: "tsv", Data: confoundsTSV(scan.Confounds)},
	}, nil
}

// confoundsTSV writes the table as fMRIPrep does: tabs, n/a where there is no value. The column simulated, of ones,
// tells it from a table of a real scan: denoise's regress: auto leaves simulated series as they are, whose nuisance
// is part of the simulation.
func confoundsTSV(columns []phantom.Column) []byte {
	marks := make([]float64, len(columns[0].Values))
	for i := range marks {
		marks[i] = 1
	}
	columns = append(slices.Clip(columns), phantom.Column{Name: "simulated", Values: marks})
	var b []byte
	for i, c := range columns {
		if i > 0 {
			b = append(b, '\t')
		}
		b = append(b, c.Name...)
	}
	b = append(b, '\n')
	for t := range columns[0].Values {
		for i, c := range columns {
			if i > 0 {
				b = append(b, '\t')
			}
			if v := c.Values[t]; math.IsNaN(v) {
				b = append(b, "n/a"...)
			} else {
				b = strconv.AppendFloat(b, v, 'g', 8, 64)
			}
		}
		b = append(b, '\n')
	}
	return b
}
