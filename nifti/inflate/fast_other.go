//go:build !amd64 || purego

package inflate

const hasFast = false

func decodeFast[T symbol](_ *decoder, _ []T, _, o, _, _ int) (int, bool) { return o, false }
