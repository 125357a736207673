package region

import (
	"fmt"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/words"
	"prgnn/stages/column"
)

// A called is a node by what a file may call it.
type called struct {
	ID           *int32 `column:"id,optional"`
	Abbreviation string `column:"abbreviation,optional"`
	Name         string `column:"name,optional"`
}

// PlaceColumns finds the node (from 0) of each column of a file: by its name, which counts before an
// abbreviation, and that before an id.
func PlaceColumns(names []string, columns int, nodes *encoding.Table) ([]int, error) {
	n := nodes.Rows()
	if names == nil || Counted(names) {
		if columns != n {
			return nil, fmt.Errorf("%d columns without names for %d nodes", columns, n)
		}
		place := make([]int, n)
		for i := range place {
			place[i] = i
		}
		return place, nil
	}
	rows, err := column.Rows[called](nodes)
	if err != nil {
		return nil, err
	}
	known := map[string]int{}
	for i, r := range rows {
		if r.ID != nil {
			known[strconv.FormatInt(int64(*r.ID), 10)] = i
		}
	}
	for i, r := range rows {
		known[r.Abbreviation] = i
	}
	for i, r := range rows {
		known[r.Name] = i
	}
	delete(known, "") // a node without this name
	place := make([]int, len(names))
	taken := make([]string, n)
	var unknown, twice []string
	for j, name := range names {
		k, ok := known[name]
		switch {
		case !ok:
			unknown = append(unknown, name)
		case taken[k] != "":
			twice = append(twice, taken[k]+" and "+name)
		default:
			place[j], taken[k] = k, name
		}
	}
	var absent []string
	for k, name := range taken {
		if name == "" {
			absent = append(absent, rows[k].Name)
		}
	}
	var wrong []string
	for _, w := range []struct {
		what string
		list []string
	}{{"there is no node", unknown}, {"there is no column for", absent}, {"there is one node for", twice}} {
		if w.list != nil {
			wrong = append(wrong, fmt.Sprintf("%s %s", w.what, words.Some(w.list, 6)))
		}
	}
	if wrong != nil {
		return nil, fmt.Errorf("the columns do not match the node list: %s; use the node list of this atlas (a missing region is a column of n/a; if nodes is not set in the cohort, the first participant's file is the list)", strings.Join(wrong, "; "))
	}
	return place, nil
}
