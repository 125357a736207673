//go:build !unix

package cli

import "prgnn/artifacts"

func (a *app) detachRun(*artifacts.Store, string) error {
	return wrongf("--detach is for Linux and macOS")
}

func alive(int) bool { return false }
