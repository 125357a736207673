package role

import (
	"fmt"
	"strconv"
	"strings"

	"prgnn/dag"
)

// A Promise is what a stage says of its outputs when it runs again on the same
// inputs: here or elsewhere, with one thread or with many. An audit holds it to
// that. The zero value is the promise that every stage makes unless it says
// otherwise: the same bits.
type Promise struct {
	// Tolerance is the greatest relative error, |a − b| / max(|a|, |b|), that two
	// runs may have in any number; 0 promises the same bits.
	Tolerance float64
	// Nothing is promised: the outputs may differ in any way.
	Nothing bool
}

// A Promiser (exec) does not promise the same bits: one whose
// parameters say what a program of the user's gives.
type Promiser interface{ Promise() Promise }

// PromiseOf is what a stage promises.
func PromiseOf(s dag.Stage) Promise {
	if p, ok := s.(Promiser); ok {
		return p.Promise()
	}
	return Promise{}
}

// ParsePromise reads "bits", "nothing", or a relative error such as "1e-6".
func ParsePromise(text string) (Promise, error) {
	switch text {
	case "", "bits":
		return Promise{}, nil
	case "nothing":
		return Promise{Nothing: true}, nil
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(x > 0 && x < 1) {
		return Promise{}, fmt.Errorf(`%q is not "bits", "nothing" or a relative error between 0 and 1, such as 1e-6`, text)
	}
	return Promise{Tolerance: x}, nil
}

func (p Promise) String() string {
	switch {
	case p.Nothing:
		return "nothing"
	case p.Tolerance > 0:
		return "a relative error of at most " + strconv.FormatFloat(p.Tolerance, 'g', -1, 64)
	}
	return "the same bits"
}
