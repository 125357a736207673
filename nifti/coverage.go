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

// Centroids are the mean places of the voxels of each label, mm.
func (l *Labels) Centroids() map[int32]Point {
	type sum struct{ n, i, j, k int }
	sums := map[int32]sum{}
	for at, v := range l.Voxels {
		if v != 0 {
			c, s := l.coords(at), sums[v]
			sums[v] = sum{s.n + 1, s.i + c[0], s.j + c[1], s.k + c[2]}
		}
	}
	centroids := map[int32]Point{}
	for v, s := range sums {
		n := float64(s.n)
		x, y, z := l.Affine.Apply(float64(s.i)/n, float64(s.j)/n, float64(s.k)/n)
		centroids[v] = Point{x, y, z}
	}
	return centroids
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
