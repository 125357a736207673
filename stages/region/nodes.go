package region

import (
	"errors"
	"fmt"
	"math"

	"prgnn/dag"
)

// A Node is one row of the node list.
type Node struct {
	Index, Id int32
	Name      string
}

// ReadNodes reads the node list: indices must be 1…N.
func ReadNodes(in dag.Input) ([]Node, error) {
	t, err := in.Table()
	if err != nil {
		return nil, err
	}
	index, err1 := t.Ints("index")
	id, err2 := t.Ints("id")
	name, err3 := t.Strings("name")
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	nodes := make([]Node, len(index))
	seen := map[int64]int64{}
	for i := range nodes {
		switch other, twice := seen[id[i]]; {
		case index[i] != int64(i+1):
			return nil, fmt.Errorf("%s: row %d has the index %d, and a node list counts 1, 2, 3 …", in.Name, i+1, index[i])
		case id[i] < 1 || id[i] > math.MaxInt32:
			return nil, fmt.Errorf("%s: node %d has the id %d, want 1 to %d", in.Name, i+1, id[i], math.MaxInt32)
		case twice:
			return nil, fmt.Errorf("%s: nodes %d and %d share the id %d", in.Name, other, i+1, id[i])
		}
		seen[id[i]] = index[i]
		nodes[i] = Node{int32(index[i]), int32(id[i]), name[i]}
	}
	if len(nodes) == 0 || len(nodes) > math.MaxInt16 {
		return nil, fmt.Errorf("%s: %d nodes, want 1 to %d", in.Name, len(nodes), math.MaxInt16)
	}
	return nodes, nil
}
