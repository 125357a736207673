package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages"
)

// Stage kinds for the stories: a program of one's own has kinds of its own.

func init() {
	stages.Register(dag.Kind{Name: "slow", Doc: "takes its time", Code: "slow 1", New: func() dag.Stage { return &slow{Milliseconds: 100} }})
	stages.Register(dag.Kind{Name: "faulty", Doc: "goes wrong", Code: "faulty 1", New: func() dag.Stage { return &faulty{How: "error"} }})
	stages.Register(dag.Kind{Name: "fickle", Doc: "never gives the same twice", Code: "fickle 1", New: func() dag.Stage { return &fickle{} }})
	stages.Register(dag.Kind{Name: "letter", Doc: "writes a text for a person", Code: "letter 1", New: func() dag.Stage { return &letter{} }})
}

type slow struct {
	Milliseconds int    `param:"milliseconds" doc:"how long it takes" unit:"ms" min:"0"`
	Value        string `param:"value" doc:"tells tasks apart"`
	Stubborn     bool   `param:"stubborn" doc:"do not listen when told to stop"`
}

func (*slow) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "input", Optional: true, Doc: "anything"}},
		Out: []dag.Port{{Name: "steps", Type: dag.NPY("<i4", "step"), Doc: "ten numbers"}},
	}
}

func (s *slow) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	for i := range 10 {
		t.Progress(i, 10, fmt.Sprintf("step %d", i))
		told := ctx.Done()
		if s.Stubborn {
			told = nil
		}
		select {
		case <-told:
			return nil, ctx.Err()
		case <-time.After(time.Duration(s.Milliseconds) * time.Millisecond / 10):
		}
	}
	steps := make([]int32, 10)
	for i := range steps {
		steps[i] = int32(i)
	}
	return dag.Outputs{"steps": artifacts.NewArray(steps, 10)}, nil
}

type faulty struct {
	How   string   `param:"how" doc:"in which way" choices:"error|panic|none"`
	Value string   `param:"value" doc:"tells tasks apart"`
	Fine  []string `param:"fine" doc:"values that do not go wrong"`
}

func (*faulty) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "input", Optional: true, Doc: "anything"}},
		Out: []dag.Port{{Name: "value", Type: dag.NPY("<f8"), Doc: "a number"}},
	}
}

func (f *faulty) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	for _, v := range f.Fine {
		if v == f.Value {
			return dag.Outputs{"value": artifacts.NewArray([]float64{1})}, nil
		}
	}
	switch f.How {
	case "panic":
		panic("a bug of the stage")
	case "none":
		return nil, nil
	}
	return nil, errors.New("the scan has no voxels; export it again")
}

type fickle struct{}

func (*fickle) Ports() dag.Ports {
	return dag.Ports{Out: []dag.Port{{Name: "time", Type: dag.NPY("<f8", "place"), Doc: "the clock, which a stage must not read"}}}
}

func (*fickle) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return dag.Outputs{"time": artifacts.NewArray([]float64{1, float64(time.Now().UnixNano()), 3}, 3)}, nil
}

type letter struct {
	Text string `param:"text" doc:"what it says"`
}

func (*letter) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "input", Optional: true, Doc: "anything"}},
		Out: []dag.Port{{Name: "text", Type: dag.Format("text"), Doc: "the letter"}},
	}
}

func (l *letter) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return dag.Outputs{"text": artifacts.Text(l.Text + "\n")}, nil
}
