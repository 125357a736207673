//go:build !purego

package random

import "golang.org/x/sys/cpu"

//go:generate -command asm go run -C ../../internal/asm . -pkg random
//go:generate asm -out ../../numeric/random/radii_amd64.s -stubs ../../numeric/random/radii_stubs_amd64.go random

func radii(q []float64) {
	n := len(q) &^ 3
	if !cpu.X86.HasAVX2 {
		n = 0
	}
	if n > 0 {
		radiiVec(&q[0], n)
	}
	radiiGo(q[n:])
}
