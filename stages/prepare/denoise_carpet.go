package prepare

import (
	"fmt"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// carpet is what a carpet plot shows of the sampled voxels: z before and after denoising over the kept volumes, [before
// and after, time, voxel]; NaN for a voxel without a signal, and after denoising for a volume that was left out.
func carpet(t *dag.Task, c *connectivity.Cleaner, volumes []column.VolumeRow) (*encoding.Array, error) {
	if !t.Has("sampled") {
		return region.Float32(nil, 2, len(volumes), 0), nil
	}
	in := t.In("sampled")
	a, err := in.Array()
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Shape[0] != len(volumes) {
		return nil, fmt.Errorf("%s: an array of shape %v, and the series have %d volumes: connect the same scan", in.Name, a.Shape, len(volumes))
	}
	x := connectivity.Matrix{Rows: a.Shape[0], Cols: a.Shape[1], Data: a.Float64s()}
	if x.Cols == 0 {
		return region.Float32(nil, 2, x.Rows, 0), nil
	}
	y, _, err := c.Clean(x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	var kept, first, all []int
	for v, row := range volumes {
		if all = append(all, v); row.LeftOut == "" {
			first, kept = append(first, len(first)), append(kept, v)
		}
	}
	before, _, _ := region.Standardized(x, kept, all, x.Rows)
	after, _, _ := region.Standardized(y, first, kept, x.Rows)
	return region.Float32(slices.Concat(before, after), 2, x.Rows, x.Cols), nil
}
