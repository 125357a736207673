package nifti

import (
	"math"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// Labels of the scan's shape must lie on it, in whatever order and direction of the axes.
func TestOver(t *testing.T) {
	scan := Grid{Shape: [3]int{40, 50, 60}, Oriented: true,
		Affine: Affine{{2, 0, 0, -40}, {0, 2, 0, -50}, {0, 0, 2, -60}, {0, 0, 0, 1}}}
	s, c := math.Sincos(10 * math.Pi / 180)
	for name, labels := range map[string]Grid{
		"": scan,
		"x leftward": {Shape: scan.Shape, Oriented: true,
			Affine: Affine{{-2, 0, 0, 38}, {0, 2, 0, -50}, {0, 0, 2, -60}, {0, 0, 0, 1}}},
		"y and z exchanged": {Shape: [3]int{40, 60, 50}, Oriented: true,
			Affine: Affine{{2, 0, 0, -40}, {0, 0, 2, -50}, {0, 2, 0, -60}, {0, 0, 0, 1}}},
		"4 mm beside": {Shape: scan.Shape, Oriented: true,
			Affine: Affine{{2, 0, 0, -40}, {0, 2, 0, -46}, {0, 0, 2, -60}, {0, 0, 0, 1}}},
		"another shape": {Shape: [3]int{40, 50, 61}, Oriented: true,
			Affine: Affine{{2, 0, 0, 40}, {0, 2, 0, 50}, {0, 0, 2, -60}, {0, 0, 0, 1}}},
		"10 mm beside refused": {Shape: scan.Shape, Oriented: true,
			Affine: Affine{{2, 0, 0, -40}, {0, 2, 0, -40}, {0, 0, 2, -60}, {0, 0, 0, 1}}},
		"turned by 10° refused": {Shape: scan.Shape, Oriented: true,
			Affine: Affine{{2, 0, 0, -40}, {0, 2 * c, -2 * s, -50}, {0, 2 * s, 2 * c, -60}, {0, 0, 0, 1}}},
	} {
		if err := labels.Over(scan); (err != nil) != strings.HasSuffix(name, "refused") {
			t.Errorf("%s: %v", name, err)
		}
		// 4 mm are two voxels.
		fills := !strings.HasSuffix(name, "refused") && name != "4 mm beside" && name != "another shape"
		need.Equal(t, labels.Fills(scan), fills, name)
		labels.Affine[1][3] += 0.9
		need.Equal(t, labels.Fills(scan), fills, name, ", nearly half a voxel off")
		labels.Oriented = false
		need.Equal(t, labels.Fills(scan), name != "another shape", name, ", of unknown place")
	}
}
