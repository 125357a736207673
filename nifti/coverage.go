package nifti

// Counts are the numbers of voxels of each label, without 0.
func (l *Labels) Counts() map[int32]int {
	counts := map[int32]int{}
	for _, v := range l.Voxels {
		if v != 0 {
			counts[v]++
		}
	}
	return counts
}

// Within are the numbers of voxels of each label whose middle lies inside of a
// voxel of the grid: what a scan with this grid saw of the region.
func (l *Labels) Within(g Grid) map[int32]int {
	if l.Grid.Same(g) {
		return l.Counts()
	}
	counts := map[int32]int{}
	inv, ok := g.Affine.Inverse()
	if !ok {
		return counts
	}
	m := inv.Mul(&l.Affine)
	at := 0
	for k := range l.Shape[2] {
		for j := range l.Shape[1] {
			for i := range l.Shape[0] {
				v := l.Voxels[at]
				at++
				if v == 0 {
					continue
				}
				x, y, z := m.Apply(float64(i), float64(j), float64(k))
				inside := true
				for a, c := range [3]float64{x, y, z} {
					inside = inside && c >= -0.5 && c < float64(g.Shape[a])-0.5
				}
				if inside {
					counts[v]++
				}
			}
		}
	}
	return counts
}
