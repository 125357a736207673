package region

import (
	"fmt"
	"strings"
	"testing"

	"prgnn/nifti"
)

// Of fewer regions than an affine transform needs, the distances are compared as they are, without hemispheres too.
func TestFewMisplaced(t *testing.T) {
	for _, n := range []int{3, 8, 11} {
		var nodes []Node
		var frame Frame
		labels := &nifti.Labels{Grid: nifti.Grid{Shape: [3]int{120, 1, 1}, Oriented: true,
			Affine: nifti.Affine{{1, 0, 0, -60}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}, Voxels: make([]int32, 120)}
		for i := range n {
			x := 30 + 2*i
			nodes = append(nodes, Node{Index: int32(i + 1), Name: fmt.Sprint("r", i)})
			frame.Places = append(frame.Places, Place{X: float64(x)})
			labels.Voxels[60+x] = int32(i + 1)
		}
		by := func(n Node) int32 { return n.Index }
		if err := Misplaced(nodes, frame, by, labels); err != nil {
			t.Errorf("%d: %v", n, err)
		}
		labels.Affine[0] = [4]float64{-1, 0, 0, 60} // mirrored
		if err := Misplaced(nodes, frame, by, labels); err == nil || !strings.Contains(err.Error(), "on average") {
			t.Errorf("%d mirrored: %v", n, err)
		}
	}
}
