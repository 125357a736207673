package located

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/stages/bids"
)

// A Grid is the space of scans, and the res- entity where there is one.
type Grid struct{ Space, Res string }

// String names the grid as the parameters do.
func (g Grid) String() string {
	text := cmp.Or(g.Space, bids.Native)
	if g.Res != "" {
		text += " res-" + g.Res
	}
	return text
}

// byCount are grids, those of most participants first.
func byCount(n map[Grid]int) []Grid {
	return slices.SortedFunc(maps.Keys(n), func(a, b Grid) int {
		return cmp.Or(n[b]-n[a], strings.Compare(a.Space, b.Space), strings.Compare(a.Res, b.Res))
	})
}

// Counted lists grids with the number of participants who have a scan there.
func Counted(n map[Grid]int, of int) string {
	text := lists.Map(byCount(n), func(g Grid) string { return fmt.Sprintf("%s (%d of %d participants)", g, n[g], of) })
	return strings.Join(text, ", ")
}

// Alternatives says what to write for each grid.
func Alternatives(n map[Grid]int) string {
	spaces := map[string]int{}
	for g := range n {
		spaces[g.Space]++
	}
	var text []string
	for _, g := range byCount(n) {
		line := "space: " + cmp.Or(g.Space, bids.Native)
		if spaces[g.Space] > 1 {
			line += " with resolution: " + cmp.Or(g.Res, bids.Native)
		}
		text = append(text, line)
	}
	return strings.Join(text, ", or ")
}

// StatedSpace is the space that a file's name states (space-…, or tpl-…), with its cohort; "" for none.
func StatedSpace(file string) string {
	name, _ := bids.ParseName(filepath.Base(file))
	space := cmp.Or(name.Get("space"), name.Get("tpl"))
	if cohort := name.Get("cohort"); space != "" && cohort != "" {
		space += "+" + cohort
	}
	return space
}

// OneSpace reports whether two names of spaces may mean one: MNI152 may be each of its templates.
func OneSpace(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}
