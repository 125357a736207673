//go:build !(linux && (amd64 || arm64))

package spill

import "os"

func newEngine(file *os.File) engine { return newGoroutines(file) }

func newArena(n int) ([]byte, error) { return aligned(n), nil }

func freeArena([]byte) {}
