package extract

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/region"
	"prgnn/stages/stagetest"
)

// TestMeanImage: by the definition, on the grid of the scan.
func TestMeanImage(t *testing.T) {
	out := goldenBootstrap(t, stagetest.NewStage[*Bootstrap](t, "bootstrap"))
	scan := stagetest.Sure(region.OpenImage(goldenScan(t, "bold.nii.gz")))
	defer scan.Close()
	n := scan.Header.Grid().Voxels()
	mean, one := make([]float64, n), make([]float64, n)
	for v := 0; scan.Next(one) == nil; v++ {
		if v%4 == 0 {
			for i, x := range one {
				mean[i] += x / float64((scan.Volumes()+3)/4)
			}
		}
	}
	sorted := slices.Sorted(slices.Values(mean))
	low, high := sorted[(n-1)/100], sorted[n-1-(n-1)/200]
	got := stagetest.Sure(region.OpenImage(dag.InputOf(out["mean"].(artifacts.Bytes))))
	defer got.Close()
	if g := got.Header.Grid(); !g.Same(scan.Header.Grid()) || nifti.DataType(got.Header.Datatype) != nifti.Uint8 {
		t.Fatalf("grid %v of type %v, want uint8 on %v", g, nifti.DataType(got.Header.Datatype), scan.Header.Grid())
	}
	need.NoError(t, got.Next(one))
	for i, v := range mean {
		if want := 255 * min(max((v-low)/(high-low), 0), 1); !(math.Abs(one[i]-want) <= 0.5+1e-6) {
			t.Fatalf("voxel %d: %v, want %v", i, one[i], want)
		}
	}
	if !bytes.Contains(got.Header.Descrip[:], []byte(region.MeanOfVolumes)) {
		t.Errorf("description %q", got.Header.Descrip)
	}
}
