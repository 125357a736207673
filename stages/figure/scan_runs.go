package figure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// A scan is what is shown of one run or session of a participant.
type scan struct {
	name          string
	volumes       []column.VolumeRow
	before, after []float64          // of regions: volume × region, z; NaN where there is none
	tsnr          []float64          // of each region; NaN where it has none
	sample        []column.SampleRow // nil where no voxels were sampled
	rows          string             // what they are: voxels or grayordinates
	carpet        []float64          // before and after denoising × volume × sampled voxel, z
	brain         *chart.Brain       // nil for none
}

// readScans reads the members of the gathering ports, which must be of the same runs.
func readScans(t *dag.Task, regions int) ([]scan, error) {
	ins := t.All("before")
	for _, port := range []string{"after", "volumes", "mean", "parcels", "sample", "carpet"} {
		if n := len(t.All(port)); n != len(ins) && n > 0 {
			return nil, fmt.Errorf("before has %d members, and %s has %d: connect the same runs everywhere", len(ins), port, n)
		}
	}
	scans := make([]scan, len(ins))
	for i := range ins {
		scans[i].name = fmt.Sprint(i + 1)
		for _, axis := range []string{"run", "session"} {
			if name := ins[i].Coord(axis); name != "" {
				scans[i].name = axis + " " + name
			}
		}
		if err := scans[i].read(t, i, regions); err != nil {
			return nil, err
		}
	}
	return scans, nil
}

// read reads member i of each port.
func (s *scan) read(t *dag.Task, i, regions int) (err error) {
	if s.volumes, err = column.Read[column.VolumeRow](t.All("volumes")[i]); err != nil {
		return err
	}
	var all, kept, first []int
	for v, row := range s.volumes {
		if all = append(all, v); row.LeftOut == "" {
			first, kept = append(first, len(first)), append(kept, v)
		}
	}
	before, err := drawZero(t.All("before")[i], len(all), regions)
	if err != nil {
		return err
	}
	after, err := drawZero(t.All("after")[i], len(kept), regions)
	if err != nil {
		return err
	}
	var mean, sd []float64
	s.before, mean, sd = region.Standardized(before, kept, all, len(all))
	s.after, _, _ = region.Standardized(after, first, kept, len(all))
	s.tsnr = make([]float64, regions)
	for r := range s.tsnr {
		if s.tsnr[r] = math.NaN(); mean[r] > 0 && sd[r] > 0 {
			s.tsnr[r] = mean[r] / sd[r]
		}
	}
	if err := s.readCarpet(t, i); err != nil {
		return err
	}
	s.brain, err = outlined(t, i, regions)
	return err
}

// drawZero reads the first matrix of an input.
func drawZero(in dag.Input, rows, cols int) (connectivity.Matrix, error) {
	draws, err := region.ReadDraws(in, "draw, row, column")
	if err != nil {
		return connectivity.Matrix{}, err
	}
	if m := draws[0]; m.Rows != rows || m.Cols != cols {
		return m, fmt.Errorf("%s: %d×%d, want %d×%d: connect the same scan everywhere", in.Name, m.Rows, m.Cols, rows, cols)
	}
	return draws[0], nil
}

// readCarpet reads the sampled voxels, where both ports are connected and hold some.
func (s *scan) readCarpet(t *dag.Task, i int) error {
	if !t.Has("sample") || !t.Has("carpet") {
		return nil
	}
	table, err := t.All("sample")[i].Table()
	if err != nil {
		return err
	}
	sample, err := column.Rows[column.SampleRow](table)
	if err != nil {
		return fmt.Errorf("%s: %w", t.All("sample")[i].Name, err)
	}
	in := t.All("carpet")[i]
	a, err := in.Array()
	if err != nil {
		return err
	}
	if len(a.Shape) != 3 || a.Shape[0] != 2 || a.Shape[1] != len(s.volumes) ||
		a.Shape[2] != 0 && a.Shape[2] != len(sample) {
		return fmt.Errorf("%s: an array of shape %v, want 2 × %d volumes × %d voxels: connect the same scan everywhere", in.Name, a.Shape, len(s.volumes), len(sample))
	}
	if a.Shape[2] > 0 {
		s.sample, s.carpet, s.rows = sample, a.Float64s(), cmp.Or(table.Meta["rows"], "voxels")
	}
	return nil
}

// joinedCarpet puts the carpets of the scans one after the other: the rows' bands, and volume × row before and after
// cleaning. Of voxels, scans have others of a band, so a band has as many rows as in the scan with the fewest.
func joinedCarpet(scans []scan, blocks []string) (bands []string, before, after []float64) {
	if slices.ContainsFunc(scans, func(s scan) bool { return s.sample == nil }) {
		for i := range scans {
			scans[i].sample = nil
			before, after = append(before, scans[i].before...), append(after, scans[i].after...)
		}
		return blocks, before, after
	}
	voxels := make([]map[string][]int, len(scans)) // of each band
	for i, s := range scans {
		voxels[i] = map[string][]int{}
		for k, row := range s.sample {
			if voxels[i][row.Band] = append(voxels[i][row.Band], k); i == 0 && !slices.Contains(bands, row.Band) {
				bands = append(bands, row.Band)
			}
		}
	}
	names, chosen := bands, make([][]int, len(scans))
	bands = nil
	for _, name := range names {
		count := len(voxels[0][name])
		for _, of := range voxels {
			count = min(count, len(of[name]))
		}
		for i, of := range voxels {
			for k := range count {
				chosen[i] = append(chosen[i], of[name][(2*k+1)*len(of[name])/(2*count)])
			}
		}
		bands = append(bands, slices.Repeat([]string{name}, count)...)
	}
	for i, s := range scans {
		half := s.carpet[len(s.carpet)/2:]
		for v := range s.volumes {
			for _, k := range chosen[i] {
				before = append(before, s.carpet[v*len(s.sample)+k])
				after = append(after, half[v*len(s.sample)+k])
			}
		}
	}
	return bands, before, after
}

// meanTSNR is a region's tSNR, over the scans that have one; NaN where none has.
func meanTSNR(scans []scan, r int) float64 {
	mean, _ := column.MeanSD(column.Known(lists.Map(scans, func(s scan) float64 { return s.tsnr[r] })))
	return mean
}

// withoutSilent is a matrix in which regions have no value that have no signal in some scan: there it holds 0.
func withoutSilent(matrix []float64, scans []scan) []float64 {
	n := len(scans[0].tsnr)
	out := slices.Clone(matrix)
	for _, s := range scans {
		for r := range n {
			silent := true
			for at := r; at < len(s.after); at += n {
				silent = silent && math.IsNaN(s.after[at])
			}
			for i := 0; silent && i < n; i++ {
				out[r*n+i], out[i*n+r] = math.NaN(), math.NaN()
			}
		}
	}
	return out
}

// outlined is the regions over the mean of scan i; nil without both, and of grayordinates.
func outlined(t *dag.Task, i, regions int) (*chart.Brain, error) {
	if !t.Has("mean") || !t.Has("parcels") {
		return nil, nil
	}
	in, mean := t.All("parcels")[i], t.All("mean")[i]
	parcels, err := ReadParcels(in, nil)
	if errors.Is(err, ErrGrayordinates) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, v := range parcels.Values() {
		if v < 0 || int(v) > regions {
			return nil, fmt.Errorf("%s: holds the node number %d, and the series have %d regions: connect the parcels of the same scan", in.Name, v, regions)
		}
	}
	under, err := ReadAnatomy(mean)
	if err != nil {
		return nil, err
	}
	if !under.Grid.Same(parcels.Grid) {
		return nil, fmt.Errorf("%s: its grid (%v) is not that of the parcels (%v): connect the mean of the same scan", mean.Name, under.Grid, parcels.Grid)
	}
	b := &chart.Brain{Region: parcels.at, Under: under.at}
	b.Low, b.High = parcels.extent()
	return b, nil
}
