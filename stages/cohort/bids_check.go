package cohort

import (
	"fmt"
	"os"

	"prgnn/nifti"
	"prgnn/nifti/hdf5"
	"prgnn/nifti/itk"
	"prgnn/stages/bids"
)

// unreadable says which files of a participant would fail when they are read: scans that break off, confounds of
// another length than their scan, a repetition time in milliseconds. It reads headers, sizes and tables, and no
// voxels of a scan whose size is right.
func (f *bidsFiles) unreadable() (problems []error) {
	for _, run := range f.each() {
		bad := func(path string, err error) { problems = append(problems, placed{err, path}) }
		for _, path := range []string{run.bold, run.labels, run.mask} {
			if path == "" {
				continue
			}
			if err := nifti.CheckWhole(path); err != nil {
				bad(path, err)
			}
		}
		for _, path := range []string{run.transform, run.warp} {
			if path == "" {
				continue
			}
			if err := checkTransform(path); err != nil {
				bad(path, fmt.Errorf("%s: %w", path, err))
			}
		}
		if run.noTime != nil {
			bad(run.sidecar, fmt.Errorf("%s: %w", run.sidecar, run.noTime))
		}
		if run.tr > 0 && !bids.IsTime(run.tr) {
			bad(run.sidecar, fmt.Errorf("%s: a RepetitionTime of %g; the unit must be s", run.sidecar, run.tr))
		}
		if run.confounds == "" || run.volumes == 0 {
			continue
		}
		if run.confoundRows != run.volumes {
			bad(run.confounds, fmt.Errorf("%s: %d rows of confounds for %d volumes", run.confounds, run.confoundRows, run.volumes))
		}
	}
	return problems
}

// checkTransform reads a transform, but for the values of a displacement field: of a file of HDF5 the beginning, which
// tells its size.
func checkTransform(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return plainError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	first := make([]byte, 8)
	if n, _ := f.ReadAt(first, 0); hdf5.Is(first[:n]) {
		_, err = hdf5.Open(f, info.Size())
	} else {
		_, err = itk.Read(f, info.Size())
	}
	return err
}
