package export

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/netio"
)

// A Form is a file format of other programs that holds one result: how it is called,
// how its files end, and what it can be made of.
type Form struct {
	Name, Ending, Doc string
	Takes             string // for the message when something else is given
	Fits              func(dag.Type) bool
	Write             func(*Member, io.Writer) error
}

// Register adds formats to those of the program, as a rule in the init function of the package that has them.
func Register(more ...Form) { forms = append(forms, more...) }

// forms are the formats beyond tables and npy.
var forms = []Form{
	{"edge", ".edge", "matrix or edges as plain text, for BrainNet Viewer, BCT, MRtrix", "edges, or a matrix of regions by regions", isNetwork, (*Member).brainNetEdge},
	{"node", ".node", "regions with positions, for BrainNet Viewer; size is the degree or the score", "edges, or a table of regions with a score", isNodes, (*Member).brainNetNode},
	{"relmat", "_relmat.tsv", "matrix with names, BIDS-style, as in XCP-D", "a matrix of regions by regions", IsMatrix, (*Member).relmat},
	{"timeseries", "_timeseries.tsv", "time series with names, BIDS-style, as in XCP-D", "series of regions", IsSeries, (*Member).timeseries},
}

// formOf finds the form that --format or the end of the path names; nil for none. An
// ending that other results have too means a form only where the result fits it.
func formOf(format, path string, t dag.Type) *Form {
	for i := range forms {
		f := &forms[i]
		if format == f.Name || format == "" && strings.HasSuffix(strings.ToLower(path), f.Ending) &&
			(f.Fits(t) || !f.shared()) {
			return f
		}
	}
	return nil
}

// shared reports whether tables or pictures as they are stored end so, too.
func (f *Form) shared() bool {
	return strings.HasSuffix(f.Ending, ".tsv") || f.Ending == ".svg" || f.Ending == ".png"
}

func formNames() []string {
	return lists.Map(forms, func(f Form) string { return f.Name })
}

func fittingForms(t dag.Type) string {
	text := ""
	for _, f := range forms {
		if f.Fits(t) {
			text += ", " + f.Name
		}
	}
	return text
}

// FormsText lists the forms for --help.
func FormsText() string {
	var b strings.Builder
	for _, f := range forms {
		fmt.Fprintf(&b, "  %-10s %-17s %s\n", f.Name, f.Ending, f.Doc)
	}
	fmt.Fprintf(&b, "  %-10s %-17s %s\n", "mat", ".mat", "arrays and tables for MATLAB and Octave (version 5)")
	return b.String()
}

func lastAxes(t dag.Type, want ...string) bool {
	return t.Format == "npy" && len(t.Axes) >= 2 && slices.Equal(t.Axes[len(t.Axes)-2:], want)
}

func hasColumns(t dag.Type, want ...string) bool {
	return !slices.ContainsFunc(want, func(c string) bool { return !slices.Contains(t.Columns, c) })
}

// IsMatrix reports whether an output is a matrix of regions by regions.
func IsMatrix(t dag.Type) bool { return lastAxes(t, "roi", "roi") }

// IsSeries reports whether an output is series of regions.
func IsSeries(t dag.Type) bool { return lastAxes(t, "time", "roi") }

func isEdges(t dag.Type) bool { return hasColumns(t, "source", "target", "weight") }

// IsScores reports whether an output is a table of regions.
func IsScores(t dag.Type) bool { return hasColumns(t, "index") }

func isNetwork(t dag.Type) bool { return isEdges(t) || IsMatrix(t) }

func isNodes(t dag.Type) bool { return isEdges(t) || IsScores(t) }

// A Member is one result on its way into a form.
type Member struct {
	*job
	Of   *dag.Node
	Port dag.Port
	draw int
	part []dag.Coord // of an array with axes in front that are no draws: the places along them
	results.Content
}

// Title is what the member is a picture of.
func (m *Member) Title() string {
	title := m.Of.ID() + "." + m.Port.Name
	for _, c := range m.part {
		title += ", " + c.Axis + " " + c.Value
	}
	return title
}

// parts are a result as forms can hold it: an array with axes in front that are no draws, such as the groups of mean
// matrices, has a part for each place along them.
func (x *job) parts(n *dag.Node, port dag.Port) ([]*Member, error) {
	got, err := x.Read(n, port)
	if err != nil {
		return nil, err
	}
	whole := &Member{job: x, Of: n, Port: port, draw: x.Draw, Content: got}
	if got.Array == nil || len(got.Array.Shape) < 3 || got.Array.IsComplex() {
		return []*Member{whole}, nil
	}
	axes, err := x.axes([]*dag.Node{n}, port, got.Array.Shape)
	if err != nil {
		return nil, err
	}
	front, matrix := axes[:len(axes)-2], got.Array.Shape[len(axes)-2:]
	if !slices.ContainsFunc(front, func(a axisJSON) bool { return a.Name != "draw" }) {
		return []*Member{whole}, nil
	}
	var parts []*Member
	values, size := got.Array.Float64s(), matrix[0]*matrix[1]
	matrices := map[*Member][]float64{}
	for at := 0; size > 0 && at < len(values)/size; at++ {
		part := make([]dag.Coord, len(front))
		for i, rest := len(front)-1, at; i >= 0; i-- {
			a, place := front[i], rest%front[i].Size
			rest /= a.Size
			part[i] = dag.Coord{Axis: a.Name, Value: strconv.Itoa(place + 1)}
			if a.Values != nil {
				part[i].Value = a.Values[place]
			}
		}
		part = slices.DeleteFunc(part, func(c dag.Coord) bool { return c.Axis == "draw" })
		k := slices.IndexFunc(parts, func(m *Member) bool { return slices.Equal(m.part, part) })
		if k < 0 {
			k = len(parts)
			parts = append(parts, &Member{job: x, Of: n, Port: port, draw: x.Draw, part: part, Content: got})
		}
		matrices[parts[k]] = append(matrices[parts[k]], values[at*size:][:size]...)
	}
	for _, m := range parts {
		v := matrices[m]
		m.Array = encoding.NewArray(v, len(v)/size, matrix[0], matrix[1])
	}
	return parts, nil
}

// partPath is the path of a part's file, where there are several.
func partPath(path string, parts []*Member, at int, ending string) string {
	if len(parts) > 1 {
		for _, c := range parts[at].part {
			path += "_" + PlainName(c.Axis+"-"+c.Value)
		}
	}
	return path + ending
}

// writeForms writes results in a form: one as a file, several as files of a directory. An array that has several parts
// is a file for each; paths are what -o names, or the files of the parts.
func (x *job) writeForms(sel *results.Selection, tasks []*dag.Node, f *Form) (paths []string, err error) {
	paths = []string{x.Path}
	if !f.Fits(sel.Port.Type) {
		return nil, exit.Wrongf("%s needs %s, but this is %s", f.Name, f.Takes, kindText(sel.Port.Type))
	}
	if !isDir(x.Path) {
		if len(tasks) > 1 {
			return nil, exit.Wrongf("there are %d members, but %s holds one: name one, such as %s.%s, or give a directory: -o %s/ --format %s",
				len(tasks), f.Name, tasks[0].ID(), sel.Port.Name, strings.TrimSuffix(filepath.Base(x.Path),
					f.Ending), f.Name)
		}
		parts, err := x.parts(tasks[0], sel.Port)
		if err != nil {
			return nil, err
		}
		if len(parts) == 1 {
			return paths, x.toPath(func(w io.Writer) error { return parts[0].write(w, f) })
		}
		if x.Path == "-" {
			return nil, exit.Wrongf("the result has %d matrices (%s, …), but %s holds one: give a file, and each matrix is written beside it, "+
				"or write .npy, which holds all", len(parts), parts[0].Title(), f.Name)
		}
		path, ending := x.Path, filepath.Ext(x.Path)
		if strings.HasSuffix(strings.ToLower(path), f.Ending) {
			ending = path[len(path)-len(f.Ending):]
		}
		path, paths = strings.TrimSuffix(path, ending), nil
		err = x.together(filepath.Dir(path), func() (err error) {
			paths, err = x.writeParts(path, parts, f, ending)
			return err
		})
		return paths, err
	}
	return paths, x.eachMember(x.Path, sel, tasks, func(path string, n *dag.Node) error {
		parts, err := x.parts(n, sel.Port)
		if err == nil {
			_, err = x.writeParts(path, parts, f, f.Ending)
		}
		return err
	})
}

func (x *job) writeParts(path string, parts []*Member, f *Form, ending string) (paths []string, err error) {
	for i, m := range parts {
		file := partPath(path, parts, i, ending)
		if err := x.toFile(file, func(w io.Writer) error { return m.write(w, f) }); err != nil {
			return nil, err
		}
		paths = append(paths, file)
	}
	return paths, nil
}

// write writes a result in a form. What the form cannot hold is an error of the command line.
func (m *Member) write(w io.Writer, f *Form) error {
	if err := f.Write(m, w); err != nil {
		if lost := netio.LossError(""); errors.As(err, &lost) {
			err = exit.Wrong(err)
		}
		return fmt.Errorf("%s.%s as %s: %w", m.Of.ID(), m.Port.Name, f.Name, err)
	}
	return nil
}

func kindText(t dag.Type) string {
	switch {
	case len(t.Axes) > 0:
		return "an array [" + strings.Join(t.Axes, ", ") + "]"
	case len(t.Columns) > 0:
		return "a table of " + words.Some(t.Columns, 8)
	}
	return t.Format
}

// Matrix is the draw that is asked for of an array [draw, rows, columns], row-major.
func (m *Member) Matrix() (v []float64, cols int, err error) {
	if m.Array.IsComplex() {
		return nil, 0, exit.Wrongf("it is an array of complex numbers (%s): write .npy, or .csv with their parts", m.Array.DType())
	}
	shape, all := m.Array.Shape, m.Array.Float64s()
	if len(shape) < 2 {
		return nil, 0, fmt.Errorf("it has the shape %v, want draws × rows × columns", shape)
	}
	rows, cols := shape[len(shape)-2], shape[len(shape)-1]
	draws := len(all) / max(rows*cols, 1)
	if m.draw < 0 || m.draw >= draws {
		return nil, 0, exit.Wrongf("--draw %d: available are draws 0 to %d", m.draw, draws-1)
	}
	return all[m.draw*rows*cols:][:rows*cols], cols, nil
}

// Names are those of n regions.
func (m *Member) Names(n int) ([]string, error) {
	regions, err := m.Regions()
	if err != nil {
		return nil, err
	}
	if len(regions) != n {
		return nil, exit.Wrongf("it has %d regions, but the node list of the cohort %d", n, len(regions))
	}
	return lists.Map(regions, func(r results.Region) string { return r.Name }), nil
}
