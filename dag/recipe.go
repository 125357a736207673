package dag

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag/content"
	"prgnn/dag/environment"
	"prgnn/dag/internal/line"
	"prgnn/dag/param"
)

// appendRecipe writes the recipe of a task, whose inputs are settled, to b: all
// that its result depends on, one fact a line, and nothing else. See
// docs/engine.md. code is the digest of the kind's code identity; outside is what a
// CodeReader reads; refs holds the sources' contents in the order of n.Inputs (which need not be that of the
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
func appendRecipe(b []byte, code string, outside []codeDigest, n *Node, ports []Port, refs [][]artifacts.Ref) []byte {
	b = append(b, line.Format+"\nstage "...)
	b = append(b, n.stage.kind.Name...)
	b = append(b, "\ncode "...)
	b = append(b, code...)
	b = append(b, '\n')
	b = param.Append(b, "parameter ", n.instance)
	if e, ok := n.instance.(environment.Reader); ok {
		names := slices.DeleteFunc(slices.Clone(e.EnvNames()), func(name string) bool {
			return slices.ContainsFunc(outside, func(c codeDigest) bool {
				return c.What == "environment" && c.Name == name
			})
		})
		b = environment.Append(b, names)
	}
	for _, c := range outside {
		b = append(c.appendLine(b), '\n')
	}
	if f, ok := n.instance.(Precomputed); ok {
		b = appendKnown(b, f.KnownOutputs())
	}
	for p := range ports {
		for k := range n.inputs {
			if n.inputs[k].Port != ports[p].Name {
				continue
			}
			for s := range n.inputs[k].Sources {
				b = append(append(b, "input "...), ports[p].Name...)
				if ports[p].Gather {
					b = appendCoords(b, n.inputs[k].Sources[s].Coords)
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

func appendCoords(b []byte, coords []Coord) []byte {
	b = append(b, '[')
	for i, c := range coords {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, c.Axis...), '=')
		b = appendCoordValue(b, c.Value, true)
	}
	return append(b, ']')
}

// Recipe writes the recipe of the task for inputs that ref returns. If known is not nil, it stands for the outputs that
// a Precomputed stage has.
func (n *Node) Recipe(ref func(*Source) (artifacts.Ref, error), known artifacts.Refs) (string, error) {
	if known != nil {
		like := *n
		like.instance = &recorded{n.instance.Ports(), known}
		n = &like
	}
	code, err := n.stage.kind.CodeDigest()
	if err != nil {
		return "", err
	}
	refs := make([][]artifacts.Ref, len(n.inputs))
	for b := range n.inputs {
		for s := range n.inputs[b].Sources {
			r, err := ref(&n.inputs[b].Sources[s])
			if err != nil {
				return "", err
			}
			refs[b] = append(refs[b], r)
		}
	}
	outside, err := codeDigests(&planned, content.HashFile, n)
	if err != nil {
		return "", err
	}
	return string(appendRecipe(nil, code, outside, n, n.instance.Ports().In, refs)), nil
}

// A recorded stage has the outputs that a record states.
type recorded struct {
	ports Ports
	known artifacts.Refs
}

func (s *recorded) Ports() Ports                 { return s.ports }
func (s *recorded) KnownOutputs() artifacts.Refs { return s.known }
func (s *recorded) Run(context.Context, *Task) (Outputs, error) {
	return nil, errors.New("a record has digests, and no values")
}
