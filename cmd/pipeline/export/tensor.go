package export

import (
	"io"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/lists"
)

// writeTensors writes arrays as an Arrow file with a row for each member of a
// fan-out: its coordinates, and its array as a tensor of fixed shape. Of a stage that
// does not fan out, each place of the first axis is a row.
func (x *job) writeTensors(sel *results.Selection, tasks []*dag.Node) error {
	whole, axes, err := x.stacked(sel, tasks)
	if err != nil {
		return err
	}
	keys := &encoding.Table{Meta: x.originMeta(sel, tasks)}
	inner := axes[1:]
	if len(tasks[0].Coords()) > 0 {
		order, front := stackOrder(tasks)
		for i, coord := range tasks[0].Coords() {
			values := lists.Map(order, func(at int) string { return tasks[at].Coords()[i].Value })
			keys.Columns = append(keys.Columns, encoding.Column{Name: coord.Axis, Values: typed(values), Doc: "coordinate of the task"})
		}
		inner = axes[len(front):]
	} else {
		places := make([]int32, whole.Shape[0])
		for i := range places {
			places[i] = int32(i) + 1
			if axes[0].Name == "draw" {
				places[i]--
			}
		}
		keys.Columns = []encoding.Column{{Name: axes[0].Name, Values: places, Doc: "index on the first axis"}}
	}
	names := []string{"row"}
	whole.Shape = []int{keys.Rows()}
	for _, axis := range inner {
		names = append(names, axis.Name)
		whole.Shape = append(whole.Shape, axis.Size)
	}
	column := encoding.Column{Name: sel.Port.Name, Doc: sel.Port.Doc}
	return x.toPath(func(w io.Writer) error { return whole.WriteTensors(w, keys, column, names) })
}
