package echo

import (
	"context"
	"strconv"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
)

var echoKind = dag.Kind{
	Name: "echo",
	Doc: "returns its parameter (for tests)\n" +
		"For examples, tests and benchmarks: matrix: { value: [1..1000] } makes a thousand trivial tasks. Inputs only determine the order of tasks and do not affect the result.",
	New: func() dag.Stage { return &Echo{} },
}

// Echo returns its parameter (for tests).
type Echo struct {
	Value string `param:"value" doc:"the value to return: a number or text"`
}

func (*Echo) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "input", Optional: true, Doc: "any input; not read"},
			{Name: "inputs", Optional: true, Gather: true, Doc: "any number of inputs; not read"},
		},
		Out: []dag.Port{{Name: "value", Type: dag.Format("npy"), Doc: "a number as float64, without axes; a text as its UTF-8 bytes"}},
	}
}

// Run gives the value.
func (e *Echo) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	if x, err := strconv.ParseFloat(e.Value, 64); err == nil {
		return dag.Outputs{"value": encoding.NewArray([]float64{x})}, nil
	}
	text := []byte(e.Value)
	return dag.Outputs{"value": encoding.NewArray(text, len(text))}, nil
}
