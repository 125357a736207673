package atlas

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"prgnn/internal/words"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
)

// ReadCIFTI reads a label file of grayordinates.
func ReadCIFTI(r *nifti.Reader, path string) (*cifti.File, []int32, error) {
	f, err := cifti.Read(r, path)
	if err != nil {
		return nil, nil, fmt.Errorf("labels: %w", err)
	}
	labels, err := f.Labels()
	if err != nil {
		return nil, nil, fmt.Errorf("labels: %w", err)
	}
	return f, labels, nil
}

// OfTable are the regions of a label table that occur in its map.
func OfTable(table []cifti.Label, values []int32, path string) ([]Node, error) {
	var nodes []Node
	for _, l := range table {
		if l.Key == 0 {
			if err := Zero(l.Name); err != nil {
				return nil, fmt.Errorf("labels: the label table of %s: %w", path, err)
			}
		} else if _, there := slices.BinarySearch(values, int32(l.Key)); there {
			nodes = append(nodes, Node{Index: len(nodes) + 1, ID: l.Key, Name: l.Name, Color: l.Color,
				X: math.NaN(), Y: math.NaN(), Z: math.NaN(), Volume: math.NaN()})
		}
	}
	return Listed(nodes, path)
}

// OfFiles are the regions of several label files of grayordinates, whose tables must agree, with the table of the first
// and the labels of all. Other files, and those that cannot be read, are passed over; name is how an error calls a file.
func OfFiles(paths []string, name func(path string) string) (nodes []Node, table []cifti.Label, values []int32,
	err error) {
	var first string
	var others []string
	var names map[int]string
	for _, path := range paths {
		of, own := tableOf(path)
		if of == nil {
			continue
		}
		called := map[int]string{}
		for _, l := range of {
			if l.Key != 0 {
				called[l.Key] = l.Name
			}
		}
		switch {
		case first == "":
			first, table, names = path, of, called
		case !maps.Equal(names, called):
			others = append(others, name(path))
			continue
		}
		values = append(values, own...)
	}
	switch {
	case first == "":
		return nil, nil, nil, nil
	case others != nil:
		return nil, nil, nil, fmt.Errorf("labels: the label tables of %s differ from that of %s in the names of regions or their values: %s; use files of one atlas, or set nodes to a TSV with the columns index and name that holds for all",
			words.Count(len(others), "file"), name(first), words.Some(others, 6))
	}
	slices.Sort(values)
	values = slices.Compact(values)
	nodes, err = OfTable(table, values, first)
	return nodes, table, values, err
}

// tableOf is the label table of a CIFTI file and the labels that occur in it; nil of another file.
func tableOf(path string) ([]cifti.Label, []int32) {
	r, err := nifti.Open(path)
	if err != nil {
		return nil, nil
	}
	defer r.Close()
	if !r.Header.CIFTI() {
		return nil, nil
	}
	f, labels, err := ReadCIFTI(r, path)
	if err != nil {
		return nil, nil
	}
	return f.Columns.Labels, (&nifti.Labels{Voxels: labels}).Values()
}
