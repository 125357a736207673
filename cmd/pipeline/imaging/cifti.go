package imaging

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/export"
	"prgnn/cmd/pipeline/results"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
	"prgnn/stages/column"
)

// ballRadius is how far a region without a label image reaches, mm.
const ballRadius = 4

// parcels are the regions in space: those of the label image that is given, or balls
// around the points of the node list.
func parcels(m *export.Member) (*cifti.Parcels, error) {
	regions, err := m.Regions()
	if err != nil {
		return nil, err
	}
	names := lists.Map(regions, func(r results.Region) string { return r.Name })
	if m.Labels != "" {
		return labelParcels(m.Labels, lists.Map(regions, func(r results.Region) int64 { return int64(r.ID) }), names)
	}
	points := make([][3]float64, len(names))
	for i, r := range regions {
		points[i] = [3]float64{r.X, r.Y, r.Z}
		for _, x := range points[i] {
			if math.IsNaN(x) {
				return nil, exit.Wrongf("the node list has no position for %s: name a label image of the regions by --labels IMAGE, or a node list with x, y and z by nodes in the cohort", names[i])
			}
		}
	}
	return cifti.Balls(points, ballRadius, names)
}

// labelParcels reads a label image that holds ids, or node numbers from 1.
func labelParcels(path string, ids []int64, names []string) (*cifti.Parcels, error) {
	r, err := nifti.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, exit.Wrongf("--labels %s: there is no such file", path)
		}
		return nil, err
	}
	defer r.Close()
	l, err := nifti.ReadLabels(r)
	if err != nil {
		return nil, err
	}
	there := l.Values()
	byID, byNumber := make([]int32, len(ids)), make([]int32, len(ids))
	known := true
	for i, id := range ids {
		byID[i], byNumber[i] = int32(id), int32(i+1)
		known = known && slices.Contains(there, byID[i])
	}
	if !known && len(there) > 0 && there[len(there)-1] <= int32(len(ids)) { // as parcellate writes them
		byID = byNumber
	}
	p, err := cifti.FromLabels(l, byID, names)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// parcelled are the values of an array of regions, with the regions' places.
func parcelled(m *export.Member) ([]float64, *cifti.Parcels, error) {
	v, cols, err := m.Matrix()
	if err != nil {
		return nil, nil, err
	}
	if _, err := m.Names(cols); err != nil {
		return nil, nil, err
	}
	p, err := parcels(m)
	return v, p, err
}

func pconn(m *export.Member, w io.Writer) error {
	v, p, err := parcelled(m)
	if err != nil {
		return err
	}
	return p.WriteConn(w, v)
}

func ptseries(m *export.Member, w io.Writer) error {
	v, p, err := parcelled(m)
	if err != nil {
		return err
	}
	tr, quality, err := m.Time()
	if err != nil {
		return err
	}
	gaps(m, quality)
	return p.WriteSeries(w, v, tr)
}

// gaps tells of censored volumes, which an even axis of time cannot show.
func gaps(m *export.Member, quality results.Content) {
	if quality.Table == nil {
		return
	}
	rows, err := column.Rows[struct {
		Volumes int32 `column:"volumes"`
		Kept    int32 `column:"kept"`
	}](quality.Table)
	if err == nil && len(rows) == 1 && rows[0].Kept < rows[0].Volumes {
		left := rows[0].Volumes - rows[0].Kept
		m.Note("%s: %d of %s %s censored; the file's time axis ignores the gaps", m.Of.ID(),
			left, words.Count(int(rows[0].Volumes), "volume"), words.Verb(int(left), "was", "were"))
	}
}

func pscalar(m *export.Member, w io.Writer) error {
	maps, err := m.Maps()
	if err != nil {
		return err
	}
	p, err := parcels(m)
	if err != nil {
		return err
	}
	return p.WriteScalars(w, lists.Map(maps, func(r export.RegionMap) string { return r.Name }),
		lists.Map(maps, func(r export.RegionMap) []float64 { return r.Values }))
}
