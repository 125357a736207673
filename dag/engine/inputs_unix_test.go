//go:build unix

package engine

import (
	"os"
	"prgnn/dag"
	"syscall"
)

func init() {
	ways["mmap"] = func(in dag.Input) (float64, error) {
		f, err := os.Open(in.Path)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		b, err := syscall.Mmap(int(f.Fd()), 0, headEnd, syscall.PROT_READ, syscall.MAP_SHARED)
		if err != nil {
			return 0, err
		}
		defer syscall.Munmap(b)
		return numberIn(b), nil
	}
}
