package cohort

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/words"
	"prgnn/stages/atlas"
)

// nodesTable is the node list as every cohort gives it.
func nodesTable(nodes []atlas.Node) *encoding.Table {
	n := len(nodes)
	index, id := make([]int32, n), make([]int32, n)
	texts := map[string][]string{}
	for _, name := range []string{"name", "abbreviation", "hemisphere", "structure", "color"} {
		texts[name] = make([]string, n)
	}
	x, y, z := make([]float64, n), make([]float64, n), make([]float64, n)
	placed := make([]bool, n)
	for i, node := range nodes {
		index[i], id[i] = int32(node.Index), int32(node.ID)
		texts["name"][i], texts["hemisphere"][i], texts["color"][i] = node.Name, node.Hemisphere, node.Color
		texts["abbreviation"][i], texts["structure"][i] = node.Abbreviation, node.Structure
		if node.Abbreviation == "" {
			texts["abbreviation"][i] = node.Name
		}
		placed[i] = !math.IsNaN(node.X + node.Y + node.Z)
		if placed[i] {
			x[i], y[i], z[i] = node.X, node.Y, node.Z
		}
	}
	given := func(values []string) []bool {
		valid := make([]bool, n)
		for i, v := range values {
			valid[i] = v != ""
		}
		return valid
	}
	return encoding.NewTable(
		encoding.Column{Name: "index", Values: index, Doc: "node number, from 1"},
		encoding.Column{Name: "id", Values: id, Doc: "value in the label image"},
		encoding.Column{Name: "name", Values: texts["name"], Doc: "name"},
		encoding.Column{Name: "abbreviation", Values: texts["abbreviation"], Doc: "short name; the name where there is none"},
		encoding.Column{Name: "hemisphere", Values: texts["hemisphere"], Valid: given(texts["hemisphere"]), Doc: "L or R"},
		encoding.Column{Name: "structure", Values: texts["structure"], Valid: given(texts["structure"]), Doc: "what it belongs to: cortex, subcortex, cerebellum, or a network"},
		encoding.Column{Name: "x", Values: x, Valid: placed, Unit: "mm", Doc: "centroid, MNI, to the right"},
		encoding.Column{Name: "y", Values: y, Valid: placed, Unit: "mm", Doc: "centroid, MNI, to the front"},
		encoding.Column{Name: "z", Values: z, Valid: placed, Unit: "mm", Doc: "centroid, MNI, upwards"},
		encoding.Column{Name: "color", Values: texts["color"], Valid: given(texts["color"]), Doc: "#rrggbb"},
	)
}

// findNodes reads the parameter "nodes": a built-in list by its name, or a file. auto is dk84.
func findNodes(name, root string) ([]atlas.Node, error) {
	if name == "auto" {
		name = "dk84"
	}
	if nodes, ok := atlas.Named(name); ok {
		return nodes, nil
	}
	path := within(root, name)
	f, err := openFile(path)
	if err != nil {
		if _, missing := os.Stat(path); os.IsNotExist(missing) && filepath.Ext(name) == "" {
			return nil, fmt.Errorf("nodes: %q is neither a built-in list (%s) nor a file (%s)%s",
				name, strings.Join(atlas.Names(), ", "), path, words.DidYouMean(name, atlas.Names()))
		}
		return nil, fmt.Errorf("nodes: %w", err)
	}
	defer f.Close()
	nodes, err := atlas.Read(f, path)
	if err != nil {
		return nil, fmt.Errorf("nodes: %w", err)
	}
	return nodes, nil
}

// within reads a path of the user's: absolute, or relative to dir.
func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}
