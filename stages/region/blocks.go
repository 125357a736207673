package region

import (
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
)

// BlocksOf are the blocks of an input that is a node list.
func BlocksOf(in dag.Input) ([]string, error) {
	t, err := in.Table()
	if err != nil {
		return nil, err
	}
	return Blocks(t)
}

// Blocks names the block of each region: hemisphere and structure; without a
// structure the network in names like those of Schaefer's atlas (7Networks_LH_Vis_1).
func Blocks(nodes *encoding.Table) ([]string, error) {
	rows, err := column.Rows[blockRow](nodes)
	if err != nil {
		return nil, err
	}
	structured := slices.ContainsFunc(rows, func(r blockRow) bool { return r.Structure != "" })
	blocks := make([]string, len(rows))
	for i, r := range rows {
		blocks[i] = strings.TrimSpace(r.Hemisphere + " " + r.Structure)
		if structured {
			continue
		}
		words := strings.Split(r.Name, "_")
		if strings.HasSuffix(words[0], "Networks") {
			words = words[1:]
		}
		if len(words) >= 3 && (words[0] == "LH" || words[0] == "RH") {
			blocks[i] = words[0][:1] + " " + words[1]
		}
	}
	return blocks, nil
}

// Subcortical are the regions, from 1, whose structure in a node list is the subcortex.
func Subcortical(nodes *encoding.Table) (map[int]bool, error) {
	rows, err := column.Rows[blockRow](nodes)
	of := map[int]bool{}
	for i, r := range rows {
		if strings.HasPrefix(strings.ToLower(r.Structure), "subcort") {
			of[i+1] = true
		}
	}
	return of, err
}

// A blockRow is what names the block of a region.
type blockRow struct {
	Name       string `column:"name"`
	Hemisphere string `column:"hemisphere,missing,optional"`
	Structure  string `column:"structure,missing,optional"`
}
