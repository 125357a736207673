//go:build !amd64 || purego

package inflate

const hasFast = false

func decodeFast(_ *decoder, _ []byte, _, o, _, _ int) (int, bool) { return o, false }
