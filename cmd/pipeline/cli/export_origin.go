package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
)

// The metadata by which an exported file says where it comes from. They stand in
// the schema of Arrow and Parquet files and in the sidecar of arrays; pipeline
// lineage reads them.
const (
	metaPipeline = "prgnn.pipeline"
	metaOutput   = "prgnn.output"  // STAGE.OUTPUT
	metaSources  = "prgnn.sources" // a JSON list: each task with its key and the digest of what it gave
	metaProgram  = "prgnn.program"
)

// An origin is one result that went into an exported file.
type origin struct {
	Task   string `json:"task"`
	Key    string `json:"key"`    // SHA-256 of the recipe
	Digest string `json:"digest"` // SHA-256 of the bytes
}

// origins are in the order of their coordinates, numbers as numbers: that of the
// places of a stacked array.
func (c *current) origins(port string, tasks []*dag.Node) []origin {
	tasks = slices.Clone(tasks)
	slices.SortStableFunc(tasks, func(a, b *dag.Node) int {
		return slices.CompareFunc(a.Coords, b.Coords, func(x, y dag.Coord) int { return dag.CompareValues(x.Value, y.Value) })
	})
	all := make([]origin, len(tasks))
	for i, n := range tasks {
		s := c.steps[n]
		all[i] = origin{n.ID, s.Key.String(), s.Outputs[port].Digest.String()}
	}
	return all
}

// withOrigin says where the parts of a table come from.
func (c *current) withOrigin(t *artifacts.Table, sel *selection, tasks []*dag.Node) *artifacts.Table {
	meta := maps.Clone(t.Meta)
	if meta == nil {
		meta = map[string]string{}
	}
	maps.Copy(meta, c.originMeta(sel, tasks))
	return &artifacts.Table{Columns: t.Columns, Meta: meta}
}

func (c *current) originMeta(sel *selection, tasks []*dag.Node) map[string]string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(c.origins(sel.port.Name, tasks)); err != nil {
		panic("cli: " + err.Error()) // plain strings always encode
	}
	return map[string]string{
		metaPipeline: c.pipeline.Name, metaOutput: sel.stage.Name + "." + sel.port.Name,
		metaSources: string(bytes.TrimSpace(b.Bytes())), metaProgram: dag.ThisProgram().Version,
	}
}
