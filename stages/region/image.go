package region

import (
	"fmt"

	"prgnn/dag"
	"prgnn/nifti"
)

// OpenImage opens an image that is an input.
func OpenImage(in dag.Input) (*nifti.Reader, error) {
	rc, err := in.Reader()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return nifti.NewReader(rc, in.Name)
}
