//go:build !purego

package baseline

import (
	"math"

	"golang.org/x/sys/cpu"
)

//go:generate -command asm go run -C ../../internal/asm . -pkg baseline
//go:generate asm -out ../../gnn/baseline/svm_amd64.s -stubs ../../gnn/baseline/svm_stubs_amd64.go svm

// fastestPasses are the passes for this machine; their results are those of the portable ones, bit for bit.
func fastestPasses() passes {
	if cpu.X86.HasAVX2 {
		return passes{moveFast, secondFast}
	}
	return passes{moveGo, secondGo}
}

func moveFast(g, grow, row, other []float64, ci, cj float64) (i int, best float64) {
	n := len(g) &^ 7
	if n == 0 {
		return moveGo(g, grow, row, other, ci, cj)
	}
	var value [8]float64
	var at [8]int64
	_, _, _ = grow[n-1], row[n-1], other[n-1]
	moveVec(&value, &at, &g[0], &grow[0], &row[0], &other[0], ci, cj, n)
	most := topOf(&value, &at, math.Inf(-1))
	most.move(n, g, grow, row, other, ci, cj)
	return most.at, most.value
}

func secondFast(g, shrink, diagonal, row []float64, best, own float64) (j int, worst float64) {
	n := len(g) &^ 7
	if n == 0 {
		return secondGo(g, shrink, diagonal, row, best, own)
	}
	var value [8]float64
	var at [8]int64
	var worsts [4]float64
	_, _, _ = shrink[n-1], diagonal[n-1], row[n-1]
	secondVec(&value, &at, &worsts, &g[0], &shrink[0], &diagonal[0], &row[0], best, own, n)
	most := topOf(&value, &at, 0)
	worst = most.second(n, g, shrink, diagonal, row, best, own, max(worsts[0], worsts[1], worsts[2], worsts[3]))
	return most.at, worst
}

// topOf is the top of the lanes, the last of equal ones.
func topOf(value *[8]float64, at *[8]int64, least float64) top {
	most := top{least, -1}
	for lane, v := range value {
		if at := int(at[lane]); v > most.value || v == most.value && at > most.at {
			most = top{v, at}
		}
	}
	return most
}
