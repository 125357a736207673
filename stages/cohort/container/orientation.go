package container

import (
	"fmt"
	"math"
	"slices"

	"prgnn/connectivity"
	"prgnn/numeric/exact"
	"prgnn/stages/region"
)

// checkOrientation refuses series whose rows are regions where volumes are expected, or the reverse with transpose. It
// judges up to 20 files, and after 5 whether more are needed. Names of columns, or a list of as many regions, decide.
func (w *Within) checkOrientation(all []*Reading, matrix bool) error {
	all = slices.DeleteFunc(slices.Clone(all), func(f *Reading) bool { return f.Err != nil })
	if matrix || len(all) == 0 {
		return nil
	}
	var series []connectivity.Matrix
	most := min(20, len(all))
	for i := range most {
		f := all[i*len(all)/most]
		c := f.Found
		if c == nil {
			c = f.series()
		}
		switch {
		case c == nil: // its task reports it
			continue
		case c.Names != nil || c.Draws[0].Cols == f.Layout.Size():
			return nil
		}
		series = append(series, c.Draws[0])
		if len(series) == 5 && turned(series) == "" && i+1 < most {
			return nil
		}
	}
	why := turned(series)
	if why == "" {
		return nil
	}
	if w.Transpose {
		return fmt.Errorf("transpose: without it, the columns of the files are regions: %s; remove transpose, or set nodes to the list of the regions in the rows",
			why)
	}
	return fmt.Errorf("series: the rows of the files are regions, and not volumes: %s; set transpose: true, or, if the rows are volumes, nodes to the list of the regions in the columns",
		why)
}

// alike is the mean correlation between the participants' profiles, up to the length of the shortest.
func alike(profiles [][]float64) float64 {
	length := len(slices.MinFunc(profiles, func(a, b []float64) int { return len(a) - len(b) }))
	var all []float64
	for i, a := range profiles {
		for _, b := range profiles[:i] {
			if r := connectivity.Correlation(a[:length], b[:length]); !math.IsNaN(r) {
				all = append(all, r)
			}
		}
	}
	return exact.Mean(all)
}

// turned reports whether series of several participants, read as volumes × regions, are regions × volumes, and why.
// Neighboring regions correlate differently from pair to pair, and alike in all participants; neighboring volumes do
// not. Without such differences, rows that are fewer than the columns are regions if they are unrelated and nearly
// all participants' columns are autocorrelated.
func turned(all []connectivity.Matrix) (why string) {
	const fewest, few, differ, same = 5, 4, 0.1, 0.2
	var down, along [][]float64
	var downs, alongs []float64
	smooth := 0
	for _, x := range all {
		if min(x.Rows, x.Cols) < few {
			return ""
		}
		rows, columns := region.Neighbors(x)
		down, along = append(down, rows), append(along, columns)
		downs, alongs = append(downs, exact.Mean(rows)), append(alongs, exact.Mean(columns))
		last := len(downs) - 1
		if x.Rows < x.Cols && x.Rows >= region.FewestRows && downs[last] < region.ClearlyMore &&
			alongs[last] > downs[last]+2*region.ClearlyMore {
			smooth++
		}
	}
	if len(all) < fewest || exact.Mean(alongs) < region.ClearlyMore || alike(along) >= differ {
		return ""
	}
	switch found := alike(down); {
	case found >= same:
		return fmt.Sprintf("the correlations of neighboring rows agree between participants (r = %.2f), as those of regions do, and the correlations of neighboring columns do not (r = %.2f), as those of volumes", found, alike(along))
	case 10*smooth >= 9*len(all):
		return fmt.Sprintf("there are fewer rows than columns, and the lag-1 autocorrelation is %.2f along the rows and %.2f down the columns",
			exact.Mean(alongs), exact.Mean(downs))
	}
	return ""
}
