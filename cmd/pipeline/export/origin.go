package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/regular"
	"prgnn/internal/version"
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
func (x *job) origins(port string, tasks []*dag.Node) []origin {
	tasks = slices.Clone(tasks)
	slices.SortStableFunc(tasks, func(a, b *dag.Node) int {
		return slices.CompareFunc(a.Coords(), b.Coords(),
			func(x, y dag.Coord) int { return dag.CompareValues(x.Value, y.Value) })
	})
	all := make([]origin, len(tasks))
	for i, n := range tasks {
		s := x.Steps[n]
		all[i] = origin{n.ID(), s.Key.String(), s.Outputs.Of(port).Digest.String()}
	}
	return all
}

// withOrigin says where the parts of a table come from.
func (x *job) withOrigin(t *encoding.Table, sel *results.Selection, tasks []*dag.Node) *encoding.Table {
	meta := maps.Clone(t.Meta)
	if meta == nil {
		meta = map[string]string{}
	}
	maps.Copy(meta, x.originMeta(sel, tasks))
	return &encoding.Table{Columns: t.Columns, Meta: meta}
}

func (x *job) originMeta(sel *results.Selection, tasks []*dag.Node) map[string]string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(x.origins(sel.Port.Name, tasks)); err != nil {
		panic("cli: " + err.Error()) // plain strings always encode
	}
	return map[string]string{
		metaPipeline: x.Pipeline.Name, metaOutput: sel.Stage.Name() + "." + sel.Port.Name,
		metaSources: string(bytes.TrimSpace(b.Bytes())), metaProgram: version.This().Version,
	}
}

// metaOf reads the output (STAGE.OUTPUT) and the sources that the metadata of a table or the sidecar of an array name;
// "" for a file without.
func metaOf(path string) (output, sources string, err error) {
	head, err := results.ReadHead(path)
	if err != nil {
		return "", "", err
	}
	switch results.FormatOf(head) {
	case "arrow", "parquet":
		f, err := regular.Open(path)
		if err != nil {
			return "", "", err
		}
		defer f.Close()
		meta, err := encoding.ReadMeta(f)
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", path, err)
		}
		return meta[metaOutput], meta[metaSources], nil
	case "npy":
		if side, ok := readSidecar(path); ok {
			return side.Stage + "." + side.Output, string(side.Sources), nil
		}
	}
	return "", "", nil
}

// Digests are those that a file names in its metadata, or that of its bytes.
func Digests(store *disk.Store, path string) ([]artifacts.Digest, error) {
	_, text, err := metaOf(path)
	if err != nil {
		return nil, err
	}
	if HasModels() && strings.EqualFold(filepath.Ext(path), ".npz") {
		if f, err := ReadModel(path); err == nil && f.Stored != "" {
			d, err := artifacts.ParseDigest(f.Stored)
			return []artifacts.Digest{d}, err
		}
	}
	if text == "" {
		ref, err := store.HashFile(context.Background(), path, false)
		return []artifacts.Digest{ref.Digest}, err
	}
	var all []origin
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, fmt.Errorf("%s: its metadata %s are damaged: %w", path, metaSources, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: its metadata %s name no result", path, metaSources)
	}
	var digests []artifacts.Digest
	for i, o := range all {
		d, err := artifacts.ParseDigest(o.Digest)
		if err != nil {
			return nil, fmt.Errorf("%s: its metadata %s are damaged: source %d: %w", path, metaSources, i+1, err)
		}
		digests = append(digests, d)
	}
	return digests, nil
}
