package precheck

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/machine"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/pipelines/design"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/motion"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// A sharedFile is a file that the tasks of several participants have at one port.
type sharedFile struct {
	task *dag.Node // the first
	port string
	ids  map[string]bool
}

// sharedPorts are those at which several participants may have one file, and what it is.
var sharedPorts = []struct{ name, what string }{{"labels", "label image"}, {"mask", "brain mask"},
	{"within", "brain mask"}, {"transform", "transform"}, {"warp", "transform"}, {"confounds", "table of confounds"},
	{"events", "table of events"}}

// A Mistake is one of a stage, in the file at one of its ports, or without a port in the parameter with which its error
// begins.
type Mistake struct {
	Port string
	Err  error
}

// Shared are the mistakes in files that several participants share, which are the fault of none of them, and the notes
// on such files. A file of one participant alone is the matter of its tasks.
func Shared(r *cohort.Roster, s *dag.StageNode) (mistakes []Mistake, notes []column.Note) {
	shared := map[string]*sharedFile{}
	people := map[string]bool{}
	var order []*sharedFile
	for _, n := range s.Tasks() {
		if _, ok := n.Instance().(role.SharedReader); !ok {
			return nil, nil
		}
		id := column.ValueOn(n.Coords(), "subject")
		if people[id] = true; id == "" {
			continue
		}
		for _, port := range sharedPorts {
			path := fileOf(n, port.name)
			if path == "" {
				continue
			}
			identity, err := regular.Identity(path)
			if err != nil { // the task reports it
				continue
			}
			key := fmt.Sprint(port.name, identity, moved(n), variant(n))
			file := shared[key]
			if file == nil {
				file = &sharedFile{n, port.name, map[string]bool{}}
				shared[key], order = file, append(order, file)
			}
			file.ids[id] = true
		}
	}
	for _, file := range order { // those of each participant: the names of all have one form
		if len(file.ids) > 1 || file.port != "labels" || moved(file.task) {
			continue
		}
		if err := r.OtherSpace(fileOf(file.task, file.port), file.ids); err != nil {
			mistakes = append(mistakes, Mistake{file.port, err})
			break
		}
	}
	reported := map[string]bool{} // by another task of each participant, or at another port
	for _, port := range sharedPorts {
		for _, file := range order {
			if len(file.ids) < 2 || file.port != port.name {
				continue
			}
			found, err := file.refused(r, port.what, len(people))
			notes = append(notes, found...)
			if err != nil && !machine.Caused(err) && !reported[err.Error()] {
				reported[err.Error()] = true
				mistakes = append(mistakes, Mistake{port.name, err})
			}
		}
	}
	if !slices.ContainsFunc(mistakes, func(m Mistake) bool { return m.Port == "confounds" }) {
		if err := oneTable(r, s.Tasks()); err != nil {
			mistakes = append(mistakes, Mistake{"confounds", err})
		}
	}
	return mistakes, notes
}

// A scanTable is the table of confounds of a scan; given by the path of a connection, or else by the cohort.
type scanTable struct {
	id, part, path string
	given          bool
}

// oneTable refuses a table of confounds that a connection gives, by its path, and that is another scan's too: as the
// cohort does with its own, see RefuseOneScan.
func oneTable(r *cohort.Roster, tasks []*dag.Node) error {
	var all []scanTable
	own := map[[2]string]bool{}
	for _, s := range r.Subjects {
		for _, run := range append([]cohort.Run{{Files: s.Files}}, s.Runs...) {
			if path := run.Files["confounds"]; path != "" {
				all, own[[2]string{s.ID, path}] = append(all, scanTable{s.ID, run.Name, path, false}), true
			}
		}
	}
	none := len(all)
	for _, n := range tasks {
		f := scanTable{column.ValueOn(n.Coords(), "subject"), cmp.Or(column.ValueOn(n.Coords(), "run"),
			column.ValueOn(n.Coords(), "session")), fileOf(n, "confounds"), true}
		if f.id != "" && f.path != "" && !own[[2]string{f.id, f.path}] && !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	if len(all) == none {
		return nil
	}
	paths := lists.Map(all, func(f scanTable) string { return f.path })
	for _, same := range append(regular.Copies(paths), motion.Copies(paths)...) {
		last := all[same[len(same)-1]] // of the given ones, which come last
		other := slices.IndexFunc(same, func(k int) bool {
			return all[k].id != last.id || all[k].given && all[k].part != last.part
		})
		if other < 0 || !last.given || !motion.IsMeasured(last.path) {
			continue
		}
		first, is := all[same[other]], "is the table of confounds of"
		if first.path != last.path {
			is = "has the values of " + first.path + ", that of"
		}
		return fmt.Errorf("%s, for %s, %s %s too, but motion and signals are of one scan: connect cohort.confounds, or "+
			"give each scan its own file, with ${subject} in its name", last.path, last.who(), is, first.who())
	}
	return nil
}

func (f scanTable) who() string { return strings.TrimSpace(f.id + " " + f.part) }

// refused is why the file cannot be used for its participants, who are some of n, or else the notes on it.
func (f *sharedFile) refused(r *cohort.Roster, what string, n int) ([]column.Note, error) {
	if f.port == "labels" && !moved(f.task) {
		path := fileOf(f.task, f.port)
		if err := cmp.Or(r.OneImage(path, f.ids), r.OtherSpace(path, f.ids)); err != nil {
			return nil, err
		}
	}
	files := map[string]dag.Input{}
	for _, b := range f.task.Inputs() {
		switch source := b.Sources[0]; {
		case source.File != "":
			input, err := fileInput(source)
			if err != nil {
				return nil, nil // the tasks report it
			}
			input.Name = source.File
			files[b.Port] = input
		case b.Port == "nodes" && source.Node.ID() == "cohort" && source.Output == "nodes":
			files[b.Port] = dag.InputOf(r.Nodes)
		case b.Port == "nodes" && source.Node.ID() == "cohort" && r.Extra[source.Output] != nil: // of a file
			files[b.Port] = dag.InputOf(r.Extra[source.Output])
		}
	}
	all := words.Count(n, "participant")
	who := fmt.Sprintf("%d of %s", len(f.ids), all)
	if len(f.ids) == n {
		who = "all " + all
	}
	if err := f.task.Instance().(role.SharedReader).RefusesShared(f.port, files); err != nil {
		return nil, fmt.Errorf("the %s of %s: %w", what, who, err)
	}
	return f.notes(r, files), nil
}

// notes are those on a file that the cohort does not judge, as it does its own labels by its own list. The regions of
// dk84 are known to be some of FreeSurfer's labels.
func (f *sharedFile) notes(r *cohort.Roster, files map[string]dag.Input) []column.Note {
	noter, can := f.task.Instance().(role.SharedNoter)
	in, from := files[f.port], design.Sources(f.task, f.port)
	if !can || in.Path == "" {
		return nil
	}
	list := files["nodes"]
	nodes, err := list.Table()
	if err != nil || cohort.IsDK84(nodes) || nodes == r.Nodes && ofCohort(r, f.port, in.Path) {
		return nil
	}
	in.Name = from[0].Name
	files[f.port] = in
	return noter.NotesShared(f.port, files)
}

// variant are the coordinates of a task that decide its parameters, and not whose scan it reads.
func variant(n *dag.Node) []dag.Coord {
	return slices.DeleteFunc(slices.Clone(n.Coords()), func(c dag.Coord) bool {
		return c.Axis == "subject" || c.Axis == "run" || c.Axis == "session"
	})
}

// moved reports whether a transform takes the labels of a task to its scan.
func moved(n *dag.Node) bool {
	has := connected(n)
	return has("transform") || has("warp")
}

// ofCohort reports whether a file is one that the cohort gives its participants at a port.
func ofCohort(r *cohort.Roster, port, path string) bool {
	return slices.ContainsFunc(r.Subjects, func(s cohort.Subject) bool {
		return s.Files[port] == path ||
			slices.ContainsFunc(s.Runs, func(run cohort.Run) bool { return run.Files[port] == path })
	})
}

// fileOf is the file of a task's input; "" where another stage makes it.
func fileOf(n *dag.Node, port string) string {
	if from := design.Sources(n, port); len(from) == 1 {
		return from[0].File
	}
	return ""
}

// knownInput is a value of the cohort as an input.
func knownInput(sources []dag.Source) (dag.Input, bool) {
	if len(sources) != 1 || sources[0].Node == nil {
		return dag.Input{}, false
	}
	work := sources[0].Node.Instance()
	if _, known := work.(dag.Precomputed); !known {
		return dag.Input{}, false
	}
	out, err := work.Run(context.Background(), dag.NewTask(nil))
	b, plain := out[sources[0].Output].(artifacts.Bytes)
	if err != nil || !plain {
		return dag.Input{}, false
	}
	return dag.Input{Name: "cohort." + sources[0].Output, Ref: artifacts.Ref{Size: int64(len(b.Data)), Format: b.Kind},
		Reader: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Data)), nil }}, true
}

// tableOf is the table in a file at an input, nil for one that cannot be read: its task reports it.
func tableOf(source dag.Source) *encoding.Table {
	in, err := fileInput(source)
	if err != nil {
		return nil
	}
	table, err := in.Table()
	if err != nil {
		return nil
	}
	return table
}

// fileInput is a file of the user's as an input.
func fileInput(source dag.Source) (dag.Input, error) {
	info, err := os.Stat(source.File)
	if err != nil {
		return dag.Input{}, err
	}
	return dag.Input{Name: source.Name, Path: source.File,
		Ref:    artifacts.Ref{Size: info.Size(), Format: source.Format},
		Reader: func() (io.ReadCloser, error) { return os.Open(source.File) }}, nil
}
