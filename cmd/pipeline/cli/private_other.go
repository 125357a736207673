//go:build !unix

package cli

import "prgnn/cmd/pipeline/exit"

// keepPrivate knows no modes here: what may be read follows the directory that the store is in.
func keepPrivate(_ string, asked bool) error {
	if asked {
		return exit.Wrongf("--private sets modes, which this system does not have: keep the store in a directory that only you may read")
	}
	return nil
}
