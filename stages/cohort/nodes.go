package cohort

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/atlas"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// NodesTable is the node list as every cohort gives it, with the space of the scans; "" where it is not known.
func NodesTable(nodes []atlas.Node, space string) *encoding.Table {
	rows := make([]column.NodeRow, len(nodes))
	for i, n := range nodes {
		r := column.NodeRow{Index: int32(n.Index), ID: int32(n.ID), Name: n.Name,
			Abbreviation: cmp.Or(n.Abbreviation, n.Name),
			Hemisphere:   n.Hemisphere, Structure: n.Structure, X: n.X, Y: n.Y, Z: n.Z, Color: n.Color}
		if math.IsNaN(n.X + n.Y + n.Z) {
			r.X, r.Y, r.Z = math.NaN(), math.NaN(), math.NaN()
		}
		rows[i] = r
	}
	t := column.Table(rows)
	if space != "" {
		t.Meta = map[string]string{region.SpaceKey: space}
	}
	return t
}

// listTable is the table of a list that is given, nil for none.
func listTable(given []atlas.Node) *encoding.Table {
	if given == nil {
		return nil
	}
	return NodesTable(given, "")
}

// hasPlaces reports whether a node list has the position of some region.
func hasPlaces(nodes *encoding.Table) bool {
	x, err := nodes.Floats("x")
	return err == nil && slices.ContainsFunc(x, func(x float64) bool { return !math.IsNaN(x) })
}

// IsDK84 reports whether a node list has the names of the built-in one, whatever their order and ids.
func IsDK84(nodes *encoding.Table) bool {
	if nodes == nil || nodes.Rows() != len(atlas.DK84()) {
		return false
	}
	rows, err := column.Rows[column.NodeRow](nodes)
	if err != nil {
		return false
	}
	for _, n := range atlas.DK84() {
		if !slices.ContainsFunc(rows, func(r column.NodeRow) bool { return r.Name == n.Name }) {
			return false
		}
	}
	return true
}

// regionsOf are the nodes whose names are those of the columns of a file.
func regionsOf(names []string, file string) ([]atlas.Node, error) {
	err := region.RefuseConfounds(names)
	var nodes []atlas.Node
	if err == nil {
		nodes, err = atlas.Plain(names)
	}
	if err != nil {
		return nil, fmt.Errorf("nodes: %s: %w", file, err)
	}
	return nodes, nil
}

// setRegions takes the regions of files of series and matrices, and notes those whose names confounds have, too.
func (r *Roster) setRegions(nodes []atlas.Node) {
	r.Nodes = NodesTable(nodes, "")
	var found []column.Values
	for i, n := range nodes {
		if region.MayBeConfound(n.Name) {
			found = append(found, column.Values{"Name": n.Name, "Place": i + 1})
		}
	}
	if found != nil {
		r.Notes = append(r.Notes, column.Doubtful(column.DoubtTissues, "noted.confounds-as-regions",
			column.Values{"Regions": found}))
	}
}

// listRegions is FindNodes for files whose columns are the regions.
func listRegions(name, root string) ([]atlas.Node, error) {
	nodes, err := FindNodes(name, root)
	if err == nil {
		if err = cmp.Or(region.RefuseConfounds(lists.Map(nodes, func(n atlas.Node) string { return n.Name })),
			implausible(nodes, false)); err != nil {
			err = fmt.Errorf("nodes: %s: %w", userfile.Within(root, name), err)
		}
	}
	return nodes, err
}

// FindNodes reads the parameter "nodes": a built-in list by its name, or a file. auto is dk84.
func FindNodes(name, root string) ([]atlas.Node, error) {
	if name == "auto" {
		name = "dk84"
	}
	if nodes, ok := atlas.Named(name); ok {
		return nodes, nil
	}
	path := userfile.Within(root, name)
	f, err := userfile.Open(path)
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
	if err := implausible(nodes, true); err != nil {
		return nil, fmt.Errorf("nodes: %s: %w", path, err)
	}
	return nodes, nil
}

// placesOf are the regions of a node list, and their places.
func placesOf(nodes []atlas.Node) (list []region.Node, places []region.Place) {
	for _, n := range nodes {
		list = append(list, region.Node{Index: int32(n.Index), Id: int32(n.ID), Name: n.Name})
		places = append(places, region.Place{X: n.X, Y: n.Y, Z: n.Z, Hemisphere: n.Hemisphere})
	}
	return list, places
}

// implausible refuses a node list that contradicts itself; image reports whether labels show where its regions lie.
func implausible(nodes []atlas.Node, image bool) error {
	list, places := placesOf(nodes)
	named := lists.Map(nodes, func(n atlas.Node) string { return atlas.Side(n.Name) })
	return region.Implausible(list, places, named, region.ColumnHemisphere, image)
}
