//go:build !linux && !darwin

package stages

import "errors"

func cloneFile(string, string) error { return errors.ErrUnsupported }
