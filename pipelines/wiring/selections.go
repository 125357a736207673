package wiring

import (
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
)

// Selections writes combinations of values as few products: [band=all|low,fold=1|2][band=all,fold=3]. Neither the order
// of the axes nor that of the combinations matters. It is "" without axes.
func Selections(axes []string, rows [][]string) string {
	order := lists.UpTo(len(axes))
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(axes[a], axes[b]) })
	products := lists.Map(rows, func(row []string) []string {
		return lists.Map(order, func(at int) string { return row[at] })
	})
	for i := range order { // products that differ in one axis only are one
		merged := [][]string{}
		place := map[string]int{}
		slices.SortFunc(products, func(a, b []string) int { return slices.CompareFunc(a, b, dag.CompareValues) })
		for _, p := range products {
			key := strings.Join(slices.Concat(p[:i], p[i+1:]), "\x00")
			at, there := place[key]
			if !there {
				place[key] = len(merged)
				merged = append(merged, p)
				continue
			}
			merged[at][i] += "|" + p[i]
		}
		products = merged
	}
	text := ""
	for _, p := range products {
		if len(p) > 0 {
			pairs := make([]string, len(p))
			for i, at := range order {
				pairs[i] = axes[at] + "=" + p[i]
			}
			text += "[" + strings.Join(pairs, ",") + "]"
		}
	}
	return text
}
