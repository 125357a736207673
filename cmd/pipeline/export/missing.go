package export

import (
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
)

// Read reads a result. In matrices of a stage that makes correlations, the rows and columns of regions without a series
// are NaN: the stored 0 is what the graphs take, and no measured correlation. A partial correlation may be 0 for other
// reasons (the graphical lasso), so the correlations of the same task decide.
func (x *job) Read(n *dag.Node, port dag.Port) (results.Content, error) {
	got, err := x.Current.Read(n, port)
	if err != nil || got.Array == nil || !IsMatrix(port.Type) {
		return got, err
	}
	ports := n.Instance().Ports().Out
	at := slices.IndexFunc(ports, func(p dag.Port) bool { return p.Name == "pearson" && IsMatrix(p.Type) })
	if at < 0 {
		return got, nil
	}
	measured := got
	if port.Name != "pearson" {
		if measured, err = x.Current.Read(n, ports[at]); err != nil {
			return got, err
		}
	}
	if !slices.Equal(measured.Array.Shape, got.Array.Shape) {
		return got, nil
	}
	got.Array = withoutSilent(got.Array, measured.Array.Float64s())
	return got, nil
}

// withoutSilent is an array of matrices with NaN for the regions whose correlations with all others are 0; the array
// itself where there are none.
func withoutSilent(a *encoding.Array, correlations []float64) *encoding.Array {
	regions := a.Shape[len(a.Shape)-1]
	var values []float64
	for first := 0; regions > 1 && first < len(correlations); first += regions * regions {
		for i := range regions {
			row := correlations[first+i*regions:][:regions]
			if slices.ContainsFunc(row[:i], nonzero) || slices.ContainsFunc(row[i+1:], nonzero) {
				continue
			}
			if values == nil {
				values = slices.Clone(a.Float64s())
			}
			for j := range regions {
				values[first+i*regions+j], values[first+j*regions+i] = math.NaN(), math.NaN()
			}
		}
	}
	if values == nil {
		return a
	}
	return encoding.NewArray(values, a.Shape...)
}

func nonzero(x float64) bool { return x != 0 }

// copyStored writes a result as it is stored, but regions without a series as NaN.
func (x *job) copyStored(w io.Writer, n *dag.Node, port dag.Port) error {
	ref := x.Ref(n, port.Name)
	if ref.Format != "npy" || !IsMatrix(port.Type) {
		return x.Copy(w, ref)
	}
	got, err := x.Read(n, port)
	if err != nil {
		return err
	}
	return got.Array.Encode(w)
}

// refuseLeftovers refuses a directory that has files of members which this export does not write, such as of a
// participant who has been excluded since: whoever reads the directory would take them for results.
func (x *job) refuseLeftovers(dir string, sel *results.Selection, tasks []*dag.Node) error {
	if len(sel.Tasks) < len(sel.Stage.Tasks()) || len(tasks) == 0 || len(tasks[0].Coords()) == 0 {
		return nil // one member by its name
	}
	first := "sub-"
	if axis := tasks[0].Coords()[0].Axis; axis != "subject" {
		first = axis + "-"
	}
	written, names := map[string]bool{}, memberNames(sel.Stage)
	for _, n := range tasks {
		written[names[n]] = true
	}
	entries, _ := os.ReadDir(dir) // what cannot be read is said when it is written to
	var left []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, first) || !e.Type().IsRegular() {
			continue
		}
		// A name goes on with the ending, or with the output: sub-001.npy, sub-001_edges.node.
		known := slices.ContainsFunc([]byte("._"), func(c byte) bool {
			for at := range len(name) {
				if name[at] == c && written[name[:at]] {
					return true
				}
			}
			return false
		})
		if !known {
			left = append(left, name)
		}
	}
	if left == nil {
		return nil
	}
	return exit.Wrongf("%s has files of others, which are not results of this export: %s (participants excluded since?); remove them, or name another directory",
		dir, words.Some(left, 4))
}

// refuseMixture refuses a directory with exports of another output under the names of the members: each has the results
// of one output alone, whatever their formats.
func (x *job) refuseMixture(dir string, names map[*dag.Node]string) error {
	if x.Replace {
		return nil
	}
	members := lists.Set(slices.Collect(maps.Values(names)))
	entries, _ := os.ReadDir(dir)
	var others []string
	for _, e := range entries {
		of, _ := strings.CutSuffix(e.Name(), filepath.Ext(e.Name()))
		if !members[of] || !e.Type().IsRegular() {
			continue
		}
		if _, another := x.isExport(filepath.Join(dir, e.Name())); another {
			others = append(others, e.Name())
		}
	}
	if others == nil {
		return nil
	}
	return exit.Wrongf("%s has exports of another output than %s: %s\n  name another directory, or add to this one, and write over files, with --replace",
		dir, x.output, words.Some(others, 4))
}
