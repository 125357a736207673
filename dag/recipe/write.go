package recipe

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/content"
	"prgnn/dag/environment"
	"prgnn/dag/internal/line"
	"prgnn/dag/param"
	"prgnn/dag/selector"
)

// A Task is what a recipe is written from: all that its result depends on but the content of its inputs.
type Task struct {
	Kind    string
	Code    string // the digest of the kind's code identity
	Stage   dag.Stage
	Outside []Outside
	Inputs  []dag.Binding
}

// Append writes the recipe of a task, whose inputs are settled, to b: all
// that its result depends on, one fact a line, and nothing else. See
// docs/engine.md. refs holds the sources' contents in the order of t.Inputs (which need not be that of the
// ports) and their sources.
//
//	recipe 1
//	stage graph
//	code 8f14e45f…
//	parameter density = 0.1
//	parameter repair = true
//	environment OMP_NUM_THREADS = argon2id 5f0c…
//	environment PYTHONPATH = content 77e1…
//	program python3 = 0b8d…
//	directory masks = 3c1f…
//	value nodes arrow 1d2c…
//	input pearson npy 1d2c…
//	input edges[sub-001] arrow 77fe…
func Append(b []byte, t *Task, ports []dag.Port, refs [][]artifacts.Ref) []byte {
	b = append(b, line.Format+"\nstage "...)
	b = append(b, t.Kind...)
	b = append(b, "\ncode "...)
	b = append(b, t.Code...)
	b = append(b, '\n')
	b = param.Append(b, "parameter ", t.Stage)
	if e, ok := t.Stage.(environment.Reader); ok {
		names := slices.DeleteFunc(slices.Clone(e.EnvNames()), func(name string) bool {
			return slices.ContainsFunc(t.Outside, func(c Outside) bool {
				return c.What == "environment" && c.Name == name
			})
		})
		b = environment.Append(b, names)
	}
	for _, c := range t.Outside {
		b = append(c.append(b), '\n')
	}
	if f, ok := t.Stage.(dag.Precomputed); ok {
		b = appendKnown(b, f.KnownOutputs())
	}
	for p := range ports {
		for k := range t.Inputs {
			if t.Inputs[k].Port != ports[p].Name {
				continue
			}
			for s := range t.Inputs[k].Sources {
				b = append(append(b, "input "...), ports[p].Name...)
				if ports[p].Gather {
					b = appendCoords(b, t.Inputs[k].Sources[s].Coords)
				}
				ref := &refs[k][s]
				b = append(b, ' ')
				if b = append(b, ref.Format...); ref.Format == "" {
					b = append(b, '-')
				}
				b = append(b, ' ')
				b = hex.AppendEncode(b, ref.Digest[:])
				b = append(b, '\n')
			}
		}
	}
	return b
}

// appendKnown writes a line for each value that a task is known to give.
func appendKnown(b []byte, values artifacts.Refs) []byte {
	for _, ref := range values {
		b = append(append(append(b, "value "...), ref.Name...), ' ')
		b = append(append(b, ref.Format...), ' ')
		b = append(hex.AppendEncode(b, ref.Digest[:]), '\n')
	}
	return b
}

func appendCoords(b []byte, coords []dag.Coord) []byte {
	b = append(b, '[')
	for i, c := range coords {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, c.Axis...), '=')
		b = selector.AppendCoord(b, c.Value)
	}
	return append(b, ']')
}

// Of writes the recipe of a task for inputs that ref returns. If known is not nil, it stands for the outputs that a
// dag.Precomputed stage has.
func Of(n *dag.Node, ref func(*dag.Source) (artifacts.Ref, error), known artifacts.Refs) (string, error) {
	code, err := n.Stage().Kind().CodeDigest()
	if err != nil {
		return "", err
	}
	t := &Task{Kind: n.Stage().Kind().Name, Code: code, Stage: n.Instance(), Inputs: n.Inputs()}
	refs := make([][]artifacts.Ref, len(t.Inputs))
	for b := range t.Inputs {
		for s := range t.Inputs[b].Sources {
			r, err := ref(&t.Inputs[b].Sources[s])
			if err != nil {
				return "", err
			}
			refs[b] = append(refs[b], r)
		}
	}
	if known != nil {
		t.Stage = &recorded{t.Stage.Ports(), known}
	}
	if t.Outside, err = OutsideOf(&planned, content.HashFile, t.Stage, t.Inputs); err != nil {
		return "", err
	}
	return string(Append(nil, t, t.Stage.Ports().In, refs)), nil
}

// planned has the digests of files for recipes that are written to be compared.
var planned content.Digests

// A recorded stage has the outputs that a record states.
type recorded struct {
	ports dag.Ports
	known artifacts.Refs
}

func (s *recorded) Ports() dag.Ports             { return s.ports }
func (s *recorded) KnownOutputs() artifacts.Refs { return s.known }
func (s *recorded) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return nil, errors.New("a record has digests, and no values")
}
