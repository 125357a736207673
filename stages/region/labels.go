package region

import (
	"slices"
)

// MeaningName decides whether the labels are ids or node numbers: ids, unless all labels are node numbers
// and match more nodes that way (the ids of FreeSurfer's subcortical regions are small numbers too).
func MeaningName(labels string, nodes []Node, values []int32) string {
	if labels != "auto" {
		return labels
	}
	ids := 0
	for _, n := range nodes {
		if slices.Contains(values, n.Id) {
			ids++
		}
	}
	if values[0] >= 1 && int(values[len(values)-1]) <= len(nodes) && len(values) > ids {
		return "index"
	}
	return "id"
}

// Meaning gives the label of a node.
func Meaning(labels string, nodes []Node, values []int32) func(Node) int32 {
	if MeaningName(labels, nodes, values) == "index" {
		return func(n Node) int32 { return n.Index }
	}
	return func(n Node) int32 { return n.Id }
}
