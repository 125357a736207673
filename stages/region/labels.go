package region

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/nifti/cifti"
	"prgnn/stages/column"
)

// MeaningName decides whether the labels are ids or node numbers: ids, unless all labels are node numbers
// and match more nodes that way (the ids of FreeSurfer's subcortical regions are small numbers too). The ids
// of a list that counts 2, 3, 4 … or 1, 2, 4 … are meant as labels, and do not fit an image that counts 1, 2, 3 …
func MeaningName(labels string, nodes []Node, values []int32) string {
	if labels != "auto" {
		return labels
	}
	ids, counting := 0, false
	offsets := map[int32]int{}
	for _, n := range nodes {
		offsets[n.Id-n.Index]++
		counting = counting || 2*offsets[n.Id-n.Index] > len(nodes)
		if slices.Contains(values, n.Id) {
			ids++
		}
	}
	if values[0] >= 1 && int(values[len(values)-1]) <= len(nodes) && len(values) > ids && !(ids > 0 && counting) {
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

// NodeNumbers and LargestWeights are the descriptions in the headers of parcellate's images: their values are node
// numbers 1…N, whatever the ids are. The second are the largest weights of a probabilistic atlas, of which no mean is
// taken.
const (
	NodeNumbers    = "node numbers"
	LargestWeights = "largest weights"
)

// Numbered reports whether an image with this description is parcellate's.
func Numbered(description string) bool {
	return description == NodeNumbers || description == LargestWeights
}

// MeaningOf is Meaning of an image with this description: parcellate's hold node numbers. Labels of any other image
// that may be both, with different regions, are refused.
func MeaningOf(description, labels string, nodes []Node, values []int32) (func(Node) int32, error) {
	id, index := func(n Node) int32 { return n.Id }, func(n Node) int32 { return n.Index }
	apart, ids, numbers := 0, 0, 0
	for _, n := range nodes {
		if n.Id != n.Index {
			apart++
		}
		if slices.Contains(values, n.Id) {
			ids++
		}
		if slices.Contains(values, n.Index) {
			numbers++
		}
	}
	last := values[len(values)-1]
	numbered := values[0] >= 1 && int(last) <= len(nodes)
	switch own := Numbered(description); {
	case own && !numbered:
		return nil, fmt.Errorf("the node numbers run from %d to %d, but the node list has %d regions: use the parcels and the node list of one cohort",
			values[0], last, len(nodes))
	case own && labels == "id" && apart > 0:
		return nil, errors.New("parcellate's parcels hold node numbers, not ids: set labels to index or auto")
	case own || labels == "index":
		return index, nil
	case labels == "id" || apart == 0 || !numbered:
		return id, nil
	}
	enough := min(len(nodes), len(values))
	switch byID, byNumber := 2*ids >= enough, 2*numbers >= enough; {
	case byID && byNumber:
		return nil, fmt.Errorf("the labels %d to %d are ids of %d regions of the node list and node numbers of %d, and the two differ for %d regions; connect parcellate's parcels, or sort the node list by its ids 1…N",
			values[0], last, ids, numbers, apart)
	case byNumber:
		return index, nil
	}
	return id, nil
}

// Fit compares the labels of an image with a node list: missing are the nodes without a label, and nameless the labels
// without a node, ascending. hint is what to do where the two would fit if one counted from another number.
func Fit(nodes []Node, by func(Node) int32, values []int32) (missing []Node, nameless []int32, hint string) {
	in, known := lists.Set(values), map[int32]bool{}
	first := int32(1)
	for i, n := range nodes {
		if known[by(n)] = true; !in[by(n)] {
			missing = append(missing, n)
		}
		if i == 0 || by(n) < first {
			first = by(n)
		}
	}
	for _, v := range values {
		if !known[v] {
			nameless = append(nameless, v)
		}
	}
	if len(missing) == 0 {
		return nil, nameless, ""
	}
	fits := func(shift int32) bool {
		return !slices.ContainsFunc(nodes, func(n Node) bool { return by(n)+shift != 0 && !in[by(n)+shift] }) &&
			!slices.ContainsFunc(values, func(v int32) bool { return !known[v-shift] })
	}
	switch {
	case fits(1):
		hint = fmt.Sprintf("; the list counts from %d and the image from %d: add 1 to the values of the list", first, first+1)
	case fits(-1) && nameless != nil:
		hint = fmt.Sprintf("; the list counts from %d and the image from %d: subtract 1 from the values of the list", first, first-1)
	case fits(-1):
		hint = "; if the image counts from 0, its first region is taken for the background: add 1 to the labels of the image"
	}
	return missing, nameless, hint
}

// LeftOut notes the labels of an image, of so many, without a row in the node list.
func LeftOut(nameless []int32, of int, file, hint string) column.Note {
	return column.Doubtful(column.DoubtLabels, "noted.labels-left-out",
		column.Values{"Labels": nameless, "Of": of, "File": file, "Hint": hint})
}

// Misfits compares the labels of an image with a node list. own reports whether the list is of the image's own table,
// which has to name every label; one of the user's may choose among them, and chosen one is known to.
func Misfits(nodes []Node, by func(Node) int32, values []int32, file string, own, chosen bool) (notes []column.Note,
	err error) {
	missing, nameless, hint := Fit(nodes, by, values)
	switch {
	case len(nameless) > 0 && own:
		return nil, fmt.Errorf("%d of the %s of %s %s no row in its table of regions: %s%s; set nodes to a TSV with the columns index and name that has them, or the regions to use",
			len(nameless), words.Count(len(values), "label"), file, words.Verb(len(nameless), "has", "have"),
			words.Some(lists.Map(nameless, func(v int32) string { return fmt.Sprint(v) }), 6), hint)
	case len(nameless) > 0 && !chosen:
		notes = append(notes, LeftOut(nameless, len(values), file, hint))
	}
	if len(missing) > 0 {
		lacking := lists.Map(missing, func(n Node) string { return fmt.Sprintf("%d %s", by(n), n.Name) })
		notes = append(notes, column.Notef("%d of the %s of the node list %s no label in %s: %s%s",
			len(missing), words.Count(len(nodes), "region"), words.Verb(len(missing), "has", "have"), file,
			words.Some(lacking, 6), hint))
	}
	return notes, nil
}

// Contradiction refuses a node list that gives a region another value than the label table of a CIFTI file does.
func Contradiction(nodes []Node, by func(Node) int32, table []cifti.Label) error {
	keys := map[string]int{}
	for _, l := range table {
		keys[column.Composed(l.Name)] = l.Key
	}
	var apart []string
	for _, n := range nodes {
		if key, there := keys[column.Composed(n.Name)]; there && key != int(by(n)) {
			apart = append(apart, fmt.Sprintf("%s (%d, in the file %d)", n.Name, by(n), key))
		}
	}
	if apart == nil {
		return nil
	}
	return fmt.Errorf("the node list gives %d of %d regions another value than the label table of the file: %s; correct the list, or use the table of the file (nodes: auto)",
		len(apart), len(nodes), words.Some(apart, 6))
}

// OtherNames notes that a node list has none of the names that the label table of a CIFTI file gives its values: it may
// be that of another atlas with the same values.
func OtherNames(nodes []Node, by func(Node) int32, table []cifti.Label, file string) []column.Note {
	names := map[int32]string{}
	for _, l := range table {
		names[int32(l.Key)] = l.Name
	}
	var first column.Values
	for _, n := range nodes {
		name := names[by(n)]
		if strings.EqualFold(column.Composed(name), column.Composed(n.Name)) {
			return nil
		}
		if first == nil && name != "" {
			first = column.Values{"N": len(nodes), "File": file, "Value": by(n), "Name": n.Name, "InFile": name}
		}
	}
	if first == nil {
		return nil
	}
	return []column.Note{column.Doubtful(column.DoubtNames, "noted.names-of-another-atlas", first)}
}
