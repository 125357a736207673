package region

import (
	"fmt"
	"math"

	"prgnn/dag"
	"prgnn/stages/column"
)

// A Node is one row of the node list.
type Node struct {
	Index int32  `column:"index" doc:"node number"`
	Id    int32  `column:"id" doc:"the node's id in the node list"`
	Name  string `column:"name" doc:"the node's name"`
}

// A Place is the centroid of a node, MNI, mm; NaN where the node list does not give it; and its hemisphere, L or R.
type Place struct {
	X float64 `column:"x,optional"`
	Y float64 `column:"y,optional"`
	Z float64 `column:"z,optional"`

	Hemisphere string `column:"hemisphere,missing,optional"`
}

// ReadNodes reads the node list: indices must be 1…N.
func ReadNodes(in dag.Input) ([]Node, error) {
	nodes, err := column.Read[Node](in)
	if err != nil {
		return nil, err
	}
	seen := map[int32]int32{}
	for i, n := range nodes {
		switch other, twice := seen[n.Id]; {
		case n.Index != int32(i+1):
			return nil, fmt.Errorf("%s: row %d has the index %d, but a node list counts 1, 2, 3 …", in.Name, i+1, n.Index)
		case n.Id < 1:
			return nil, fmt.Errorf("%s: node %d has the id %d, want 1 to %d", in.Name, i+1, n.Id, math.MaxInt32)
		case twice:
			return nil, fmt.Errorf("%s: nodes %d and %d share the id %d", in.Name, other, i+1, n.Id)
		}
		seen[n.Id] = n.Index
	}
	if len(nodes) == 0 || len(nodes) > math.MaxInt16 {
		return nil, fmt.Errorf("%s: %d nodes, want 1 to %d", in.Name, len(nodes), math.MaxInt16)
	}
	return nodes, nil
}

// Numbers are the regions that are marked, from 1.
func Numbers(marked []bool) (regions []int32) {
	for j, is := range marked {
		if is {
			regions = append(regions, int32(j+1))
		}
	}
	return regions
}
