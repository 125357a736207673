package cohort

import (
	"fmt"

	"prgnn/nifti"
	"prgnn/nifti/itk"
	"prgnn/stages/cohort/userfile"
)

// unreadable says which files of a participant would fail when they are read: scans that break off, confounds of
// another length than their scan, a repetition time in milliseconds. It reads headers, sizes and tables, and no
// voxels of a scan whose size is right.
func (f *bidsFiles) unreadable(read func(path string) bool) (problems []error) {
	for _, run := range f.each() {
		bad := func(path string, err error) { problems = append(problems, userfile.Place(err, path)) }
		for _, path := range []string{run.bold, run.labels, run.mask} {
			if path == "" || !read(path) {
				continue
			}
			if err := nifti.CheckWhole(path); err != nil {
				bad(path, err)
			}
		}
		for _, path := range []string{run.transform, run.warp} {
			if path == "" || !read(path) {
				continue
			}
			if err := itk.Check(path); err != nil {
				bad(path, fmt.Errorf("%s: %w", path, err))
			}
		}
		if run.noTime != nil && read(run.sidecar) {
			bad(run.sidecar, fmt.Errorf("%s: %w", run.sidecar, run.noTime))
		}
		if run.confounds == "" || run.volumes == 0 || !read(run.confounds) {
			continue
		}
		if run.moved.Rows != run.volumes {
			bad(run.confounds, fmt.Errorf("%s: %d rows of confounds for %d volumes", run.confounds, run.moved.Rows, run.volumes))
		}
	}
	return problems
}
