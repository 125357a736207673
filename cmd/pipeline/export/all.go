package export

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/words"
)

// everything writes all results of all stages, each stage into a directory of its name under
// the path. The scans of the cohort stay where they are.
func everything(a *console.Console, c *results.Current, o Options) error {
	if o.Path == "-" {
		return exit.Wrongf("--format all writes several files: give a directory: -o results/")
	}
	for _, s := range c.Pipeline.Graph.Stages() { // a link may lead to files that are not results
		at := filepath.Join(o.Path, s.Name())
		if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return exit.Wrongf("%s is a link to another directory, and nothing is written through it\n  remove it, or name another PATH", at)
		}
	}
	written, every := 0, &job{Console: a, record: new(record)}
	err := every.together(o.Path, func() error { return every.stages(c, o, &written) })
	if err != nil {
		return err
	}
	every.noteLost()
	if written == 0 {
		return errors.New("no stage has a result: nothing was written")
	}
	return nil
}

// stages writes all stages, and counts them.
func (every *job) stages(c *results.Current, o Options, written *int) error {
	for _, s := range c.Pipeline.Graph.Stages() {
		if s.Name() == "cohort" && len(s.Axes()) > 0 || len(s.Tasks()) == 0 {
			continue
		}
		one := o
		one.What, one.Path = s.Name(), filepath.Join(o.Path, s.Name())+"/"
		x := &job{Console: every.Console, Current: c, Options: one, brief: true, record: every.record,
			batch: every.batch}
		if there, others := c.Shown(s.Tasks()); len(there) == 0 && o.Partial {
			x.Note("%s left out: %s", s.Name(), words.Count(len(others), "missing or withheld result"))
			continue
		}
		if err := x.stage(); err != nil {
			return err
		}
		*written++
		every.lost = append(every.lost, x.lost...)
	}
	return nil
}

// writeAll writes every output of a stage (or the one that is named) into the directory PATH:
// as it is stored, tables also as TSV with the names of the regions, and in each format of
// other programs that can hold it.
func (x *job) writeAll(sel *results.Selection, tasks []*dag.Node) error {
	if x.Path == "-" {
		return exit.Wrongf("--format all writes several files: give a directory: -o %s/", sel.Stage.Name())
	}
	if err := x.refuseLeftovers(x.Path, sel, tasks); err != nil {
		return err
	}
	if err := x.together(x.Path, func() error { return x.outputs(sel, tasks) }); err != nil {
		return err
	}
	if !x.brief {
		x.noteLost()
	}
	return nil
}

// outputs writes the outputs of the tasks.
func (x *job) outputs(sel *results.Selection, tasks []*dag.Node) error {
	names := memberNames(sel.Stage)
	for _, n := range tasks {
		for _, port := range n.Instance().Ports().Out {
			if sel.Named && port.Name != sel.Port.Name {
				continue
			}
			if ref := x.Ref(n, port.Name); ref.Format == "" { // an output that this task does not have
				continue
			}
			x.output = sel.Stage.Name() + "." + port.Name
			name := port.Name
			if len(n.Coords()) > 0 {
				name = names[n] + "_" + PlainName(port.Name)
			}
			err := x.writeOutput(n, port, filepath.Join(x.Path, name))
			if errors.Is(err, console.ErrSameName) {
				return exit.Wrongf("%w\n  export each output into a directory of its own, such as: pipeline export %s %s --format all -o %s", err, console.Shell(x.File), x.output, console.Shell(port.Name+"/"))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// writeOutput writes one output of one task, as path and the endings of the formats.
func (x *job) writeOutput(n *dag.Node, port dag.Port, path string) error {
	ref := x.Ref(n, port.Name)
	if err := x.toFile(path+Extension(ref.Format),
		func(w io.Writer) error { return x.copyStored(w, n, port) }); err != nil {
		return err
	}
	endings := []string{strings.TrimPrefix(Extension(ref.Format), ".")}
	if ref.Format == "arrow" {
		t, err := x.tableOf(n, port)
		if err != nil {
			return err
		}
		if nodes, err := x.Nodes(); err == nil {
			if named, err := withNames(t, nodes); err == nil {
				t = named
			}
		}
		if x.CSVSafe {
			if t, err = spreadsheetSafe(t); err != nil {
				return err
			}
		}
		if err := x.toFile(path+".tsv", func(w io.Writer) error { return t.WriteCSV(w, '\t') }); err != nil {
			return err
		}
		endings = append(endings, "tsv")
	}
	var parts []*Member
	for i := range forms {
		f := &forms[i]
		if !f.Fits(port.Type) {
			continue
		}
		if parts == nil {
			var err error
			if parts, err = x.parts(n, port); err != nil {
				return err
			}
		}
		for k, m := range parts {
			file, write := partPath(path, parts, k, f.Ending), func(w io.Writer) error { return m.write(w, f) }
			if err := x.mayReplace(file, write); err != nil {
				return err
			}
			err := x.put(file, write)
			var told *exit.Error
			switch {
			case errors.As(err, &told) && told.Code == exit.Usage: // the format cannot hold this one, and says why
				x.lose(n, port, f.Name, told)
			case err != nil:
				return err
			case k == 0:
				endings = append(endings, f.Name)
			}
		}
	}
	if !x.brief {
		x.then(func() { x.Note("wrote %s: %s", path, strings.Join(endings, ", ")) })
	}
	return nil
}
