//go:build !linux

package pack

import "os"

func local(*os.File) bool { return false }
