package extract

import (
	"bytes"
	"math"
	"slices"

	"prgnn/artifacts"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
	"prgnn/stages/region"
)

// meanImage is the mean of a scan over every fourth volume: 8 bits on its grid, which is enough to look at, or a
// dscalar of its
// grayordinates.
func meanImage(m *nifti.Means, models *cifti.Models) (artifacts.Value, error) {
	var b bytes.Buffer
	if models != nil {
		err := models.WriteDense(&b, []string{region.MeanOfVolumes}, [][]float64{m.Mean})
		return artifacts.Bytes{Kind: "nifti", Data: b.Bytes()}, err
	}
	low, high := usualRange(m.Mean)
	gray := make([]uint8, len(m.Mean))
	for i, v := range m.Mean {
		if high > low {
			gray[i] = uint8(math.Round(255 * min(max((v-low)/(high-low), 0), 1)))
		}
	}
	g := m.Header.Grid()
	err := nifti.Encode(&b, &nifti.Image{Shape: g.Shape[:], Affine: g.Affine,
		Code: int(max(m.Header.SformCode, m.Header.QformCode)), Data: gray, Descrip: region.MeanOfVolumes})
	return artifacts.Bytes{Kind: "nifti", Data: b.Bytes()}, err
}

// usualRange are the 1st and the 99.5th percentile, of evenly spaced voxels where there are many: a few bright vessels
// leave the rest its contrast.
func usualRange(v []float64) (low, high float64) {
	const most = 50000
	step := (len(v) + most - 1) / most
	var some []float64
	for i := 0; i < len(v); i += step {
		some = append(some, v[i])
	}
	slices.Sort(some)
	last := len(some) - 1
	return some[last/100], some[last-last/200]
}
