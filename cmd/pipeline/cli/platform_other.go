//go:build !unix

package cli

import (
	"prgnn/artifacts"
	"prgnn/cmd/pipeline/exit"
)

func (a *app) detachRun(*artifacts.Store, string) error {
	return exit.Wrongf("--detach is for Linux and macOS")
}

func alive(int) bool { return false }

// keepPrivate knows no modes here: what may be read follows the directory that the store is in.
func keepPrivate(_ string, asked bool) error {
	if asked {
		return exit.Wrongf("--private sets modes, which this system does not have: keep the store in a directory that only you may read")
	}
	return nil
}
