//go:build !unix

package cli

import (
	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/exit"
)

func (a *app) detachRun(*disk.Store, string) error {
	return exit.Wrongf("--detach is for Linux and macOS")
}

func alive(int) bool { return false }
