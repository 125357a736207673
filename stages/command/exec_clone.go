//go:build !linux && !darwin

package command

import "errors"

func cloneFile(string, string) error { return errors.ErrUnsupported }
