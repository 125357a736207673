//go:build (!amd64 && !arm64) || purego

package gnn

func vectorKernels() map[string]*kernels[float32] { return nil }
