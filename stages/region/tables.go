package region

import (
	"fmt"
	"maps"
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

// OneTable is the label table of several files of grayordinates, which must agree, with the labels of all and the first
// file. Other files, and those that cannot be read, are passed over; name is how an error calls a file.
func OneTable(paths []string, name func(path string) string) (table []cifti.Label, values []int32, first string,
	err error) {
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
		return nil, nil, "", nil
	case others != nil:
		return nil, nil, "", fmt.Errorf("labels: the label tables of %s differ from that of %s in the names of regions or their values: %s; use files of one atlas, or set nodes to a TSV with the columns index and name that holds for all",
			words.Count(len(others), "file"), name(first), words.Some(others, 6))
	}
	slices.Sort(values)
	return table, slices.Compact(values), first, nil
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
