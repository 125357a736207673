// Command asm writes the assembly of packages dense, gnn, baseline and inflate for amd64, by avo, and that of
// dense and gnn for arm64. It is a module of its own, so that the program does not depend on avo. The packages call it
// by go generate:
//
//	go generate ./numeric/dense ./gnn ./gnn/baseline ./nifti/inflate
//
// Each function does what the portable one in Go does, operation by operation: products are fused
// with what they are added to where it has math.FMA, and nowhere else, sums run in the same order, and
// several sums are computed side by side in the lanes of a register. So the bits are the same.
package main

import (
	"flag"
	"log"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sets are the files that can be written, by name; for arm64 in the second table.
var (
	sets = map[string]func(){"products": products, "vectors": vectors, "gnn": inGNN, "crossed": crossed, "svm": svm,
		"inflate": inInflate}
	neonSets = map[string]func(n *neon){"neonproducts": neonProducts, "neonvectors": neonVectors, "neongnn": neonGNN}
)

func main() {
	flag.Parse()
	if set, known := neonSets[flag.Arg(0)]; known {
		arm64(set)
		return
	}
	set, known := sets[flag.Arg(0)]
	if !known || flag.NArg() != 1 {
		log.Fatalf("asm: name one of products, vectors, gnn, crossed, svm, inflate, neonproducts, neonvectors and neongnn, not %q",
			flag.Args())
	}
	ConstraintExpr("!purego")
	set()
	Generate()
}

func load(name string) GPVirtual { return Load(Param(name), GP64()).(GPVirtual) }

var labels int

func label(name string) string {
	labels++
	return name + "_" + string(rune('a'+labels/26)) + string(rune('a'+labels%26))
}

// loop runs body while count, which it uses up, is above 0.
func loop(name string, count GPVirtual, body func()) {
	top, end := label(name), label(name+"_end")
	Label(top)
	TESTQ(count, count)
	JLE(LabelRef(end))
	body()
	DECQ(count)
	JMP(LabelRef(top))
	Label(end)
}

// atLeastOnce runs body count times, count being above 0.
func atLeastOnce(name string, count GPVirtual, body func()) {
	top := label(name)
	Label(top)
	body()
	DECQ(count)
	JNZ(LabelRef(top))
}

// rowPointers point to every third row of a, whose rows are ai bytes apart.
func rowPointers(a, ai GPVirtual, rows int) []GPVirtual {
	var base []GPVirtual
	for r := 0; r < rows; r += 3 {
		p := GP64()
		if r == 0 {
			MOVQ(a, p)
		} else {
			LEAQ(Mem{Base: base[len(base)-1], Index: ai, Scale: 2}, p)
			ADDQ(ai, p)
		}
		base = append(base, p)
	}
	return base
}

// rowAt is the element of row r, one or two strides on from the pointer before it.
func rowAt(base []GPVirtual, ai GPVirtual, r int) Mem {
	at := Mem{Base: base[r/3]}
	if r%3 > 0 {
		at.Index, at.Scale = ai, uint8(r%3)
	}
	return at
}
