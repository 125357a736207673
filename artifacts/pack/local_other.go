//go:build !linux

package pack

import "os"

// Local reports whether a directory is known to be on a local disk.
func Local(string) bool { return false }

func local(*os.File) bool { return false }
