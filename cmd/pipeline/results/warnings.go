package results

import (
	"fmt"
	"slices"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/wording"
)

var digits = pattern.New(`[0-9]+(\.[0-9]+)?`)

// Warned says what the results of a run warn of, by stage, each warning once, whatever numbers it has; nothing where a
// summary of the run does.
func Warned(a *console.Console, g *dag.Graph, store *disk.Store, outputs map[string]artifacts.Refs) {
	for _, s := range g.Stages() {
		if s.Kind().Name == "summary" && len(s.Tasks()) > 0 && outputs[s.Tasks()[0].ID()] != nil {
			return
		}
	}
	for _, s := range g.Stages() {
		var all []string
		for _, n := range s.Tasks() {
			for _, p := range n.Instance().Ports().Out {
				ref, made := outputs[n.ID()].Get(p.Name)
				if !made || !slices.Contains(p.Type.Columns, column.Warning) {
					continue
				}
				got, err := Read(store, ref, p.Type)
				if err != nil || got.Table == nil {
					continue // removed by gc, or on a remote only: its log says it too
				}
				all = append(all, wording.Warnings(got.Table)...)
			}
		}
		each := lists.By(all, func(w string) string { return digits.ReplaceAllString(w, "0") })
		a.Few(a.Stderr, len(each), 3, func(i int) {
			of, numbers := each[i].All, ""
			if n := len(lists.By(of, func(w string) string { return w })); n > 1 {
				numbers = ", with " + words.Count(n, "set") + " of numbers, such as these"
			}
			fmt.Fprintf(a.Stderr, "warning of %s (%d of %s%s): %s\n", s.Name(), len(of),
				words.Count(len(s.Tasks()), "task"), numbers, of[0])
		})
	}
}
