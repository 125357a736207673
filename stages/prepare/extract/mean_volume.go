package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/nifti"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var meanVolumeKind = dag.Kind{
	Name: "mean-volume",
	Doc: "the mean over the volumes of a scan, as a background image where there is no anatomical image\n" +
		"Of several scans the first, whose parcels the report also shows. Connect it to anatomy of report.",
	New:    func() dag.Stage { return &MeanVolume{} },
	Memory: 256 << 20,
}

var (
	_ role.ScanReader = (*MeanVolume)(nil)
	_ role.PortUser   = (*MeanVolume)(nil)
)

// MeanVolume averages a scan.
type MeanVolume struct{}

// UsesPorts are the inputs that take one setting of each participant.
func (*MeanVolume) UsesPorts() []role.PortUse {
	return role.OneSettingOf("bold")
}

func (*MeanVolume) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "bold", Type: dag.Format("nifti"), Gather: true, Doc: "the scans"}},
		Out: []dag.Port{{Name: "image", Type: dag.Format("nifti"), Doc: "float32 on the grid of the scan, or of its grayordinates (CIFTI dscalar); what is not a number counts as 0"}},
	}
}

func (s *MeanVolume) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	if len(t.All("bold")) == 0 {
		return nil, errors.New("there is no scan")
	}
	in := t.All("bold")[0]
	r, err := region.OpenImage(in)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.Header.CIFTI() {
		return meanOfGrayordinates(ctx, in)
	}
	if err := seriesFits(r, in); err != nil {
		return nil, err
	}
	grid, n := r.Header.Grid(), r.Volumes()
	sum, one := make([]float64, grid.Voxels()), make([]float64, grid.Voxels())
	for range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.Next(one); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		for i, v := range one {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				sum[i] += v
			}
		}
	}
	mean := lists.Map(sum, func(v float64) float32 { return float32(v / float64(n)) })
	var b bytes.Buffer
	if err := nifti.Encode(&b, &nifti.Image{Shape: grid.Shape[:], Affine: grid.Affine, Code: int(max(r.Header.SformCode,
		r.Header.QformCode)), Data: mean, Descrip: region.MeanOfVolumes}); err != nil {
		return nil, err
	}
	return dag.Outputs{"image": artifacts.Bytes{Kind: "nifti", Data: b.Bytes()}}, nil
}

// RefusesHeaders reports why the task of a participant would fail, by the header of its scan alone.
func (s *MeanVolume) RefusesHeaders(files map[string]dag.Input) error {
	return scanRefused(files, func(r *nifti.Reader, t *dag.Task) error { return seriesFits(r, t.In("bold")) })
}

// meanOfGrayordinates averages the series of each grayordinate.
func meanOfGrayordinates(ctx context.Context, in dag.Input) (dag.Outputs, error) {
	f, err := openGrayordinates(in)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	mean, series := make([]float64, f.Rows.N), make([]float64, f.Columns.N)
	for at := range mean {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := f.Next(series); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		for _, v := range series {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				mean[at] += v
			}
		}
		mean[at] /= float64(len(series))
	}
	var b bytes.Buffer
	if err := f.Rows.Models.WriteDense(&b, []string{region.MeanOfVolumes}, [][]float64{mean}); err != nil {
		return nil, err
	}
	return dag.Outputs{"image": artifacts.Bytes{Kind: "nifti", Data: b.Bytes()}}, nil
}
