package export

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
)

// ballRadius is how far a region without a label image reaches, mm.
const ballRadius = 4

// parcels are the regions in space: those of the label image that is given, or balls
// around the points of the node list.
func (m *member) parcels() (*cifti.Parcels, error) {
	nodes, err := m.Nodes()
	if err != nil {
		return nil, err
	}
	names, err := nodes.Strings("name")
	if err != nil {
		return nil, err
	}
	if m.Labels != "" {
		ids, err := nodes.Ints("id")
		if err != nil {
			return nil, err
		}
		return labelParcels(m.Labels, ids, names)
	}
	points := make([][3]float64, len(names))
	for a, axis := range []string{"x", "y", "z"} {
		v, err := nodes.Floats(axis)
		if err != nil {
			return nil, err
		}
		for i, x := range v {
			if math.IsNaN(x) {
				return nil, exit.Wrongf("the node list has no position for %s: name a label image of the regions by --labels IMAGE, or a node list with x, y and z by nodes in the cohort", names[i])
			}
			points[i][a] = x
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
func (m *member) parcelled() ([]float64, *cifti.Parcels, error) {
	v, cols, err := m.matrixOf()
	if err != nil {
		return nil, nil, err
	}
	if _, err := m.names(cols); err != nil {
		return nil, nil, err
	}
	p, err := m.parcels()
	return v, p, err
}

func (m *member) pconn(w io.Writer) error {
	v, p, err := m.parcelled()
	if err != nil {
		return err
	}
	return p.WriteConn(w, v)
}

func (m *member) ptseries(w io.Writer) error {
	v, p, err := m.parcelled()
	if err != nil {
		return err
	}
	tr, quality, err := m.tr()
	if err != nil {
		return err
	}
	m.gaps(quality)
	return p.WriteSeries(w, v, tr)
}

// tr is the time between volumes: --tr, or what a table of the same task tells.
func (m *member) tr() (tr float64, quality results.Content, err error) {
	for _, port := range m.task.Work.Ports().Out {
		if !slices.Contains(port.Type.Columns, "tr") {
			continue
		}
		if quality, err = m.Read(m.task, port); err != nil {
			return 0, quality, err
		}
		if v, err := quality.Table.Floats("tr"); err == nil && len(v) > 0 {
			tr = v[0]
		}
	}
	if m.Options.TR > 0 {
		tr = m.Options.TR
	}
	if !(tr > 0) {
		return 0, quality, exit.Wrongf("the repetition time is unknown: set --tr SECONDS")
	}
	return tr, quality, nil
}

// gaps tells of censored volumes, which an even axis of time cannot show.
func (m *member) gaps(quality results.Content) {
	if quality.Table == nil {
		return
	}
	all, err1 := quality.Table.Ints("volumes")
	kept, err2 := quality.Table.Ints("kept")
	if err1 == nil && err2 == nil && len(all) == 1 && kept[0] < all[0] {
		m.Note("%s: %d of %d volumes were censored; the file's time axis ignores the gaps", m.task.ID, all[0]-kept[0], all[0])
	}
}

func (m *member) pscalar(w io.Writer) error {
	maps, err := m.maps()
	if err != nil {
		return err
	}
	p, err := m.parcels()
	if err != nil {
		return err
	}
	var names []string
	var values [][]float64
	for _, r := range maps {
		names, values = append(names, r.name), append(values, r.values)
	}
	return p.WriteScalars(w, names, values)
}
