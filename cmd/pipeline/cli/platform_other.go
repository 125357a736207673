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
