//go:build !unix

package results

import "prgnn/cmd/pipeline/exit"

// KeepPrivate knows no modes here: what may be read follows the directory that the store is in.
func KeepPrivate(_ string, asked bool) error {
	if asked {
		return exit.Wrongf("--private sets file modes, which this system does not have: keep the store in a directory that only you may read")
	}
	return nil
}
