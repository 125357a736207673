package atlas

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
)

// A Node is one region. Position and volume are NaN where they are not known,
// texts are empty.
type Node struct {
	Index        int     // 1 … N, its place in the list
	ID           int     // its value in a label image, never 0
	Name         string  // "Left-Thalamus"
	Abbreviation string  // "L.TH"
	Hemisphere   string  // "L", "R" or ""
	Structure    string  // "cortex", "subcortex", "cerebellum" or ""
	X, Y, Z      float64 // centroid, mm, MNI
	Volume       float64 // mm³
	Color        string  // "#rrggbb"
}

//go:embed dk84.tsv
var dk84 string

// Named returns a built-in list. "dk84" has the ids of FreeSurfer;
// "dk84-index" is the same list for images that hold the numbers 1 … 84.
func Named(name string) (nodes []Node, ok bool) {
	if name != "dk84" && name != "dk84-index" {
		return nil, false
	}
	nodes, err := Read(strings.NewReader(dk84), "dk84.tsv")
	if err != nil {
		panic(err) // the embedded file is checked by the tests
	}
	if name == "dk84-index" {
		for i := range nodes {
			nodes[i].ID = nodes[i].Index
		}
	}
	return nodes, true
}

// Names are the names that Named knows.
func Names() []string { return []string{"dk84", "dk84-index"} }

// DK84 is the built-in list of FreeSurfer's 84 regions.
func DK84() []Node {
	nodes, _ := Named("dk84")
	return nodes
}

// Plain makes a list from names alone, such as the column names of a file of
// series. Where every name is a whole number above 0, perhaps with the "#" that
// AFNI and C-PAC put before it, the numbers are the ids; otherwise ids count from 1.
func Plain(names []string) ([]Node, error) {
	nodes := make([]Node, len(names))
	numbered := true
	for i, name := range names {
		name = strings.TrimSpace(name)
		nodes[i] = Node{Index: i + 1, ID: i + 1, Name: name, X: nan, Y: nan, Z: nan, Volume: nan}
		id, ok := parseID(strings.TrimPrefix(name, "#"))
		numbered = numbered && ok && id > 0
	}
	if numbered {
		for i := range nodes {
			nodes[i].Name = strings.TrimPrefix(nodes[i].Name, "#")
			nodes[i].ID, _ = parseID(nodes[i].Name)
		}
	}
	return nodes, check(nodes, "", func(i int) string { return fmt.Sprintf("node %d", i+1) })
}

var nan = math.NaN()
