package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"prgnn/dag"
)

// exportAll writes every output of a stage (or the one that is named) into the directory PATH:
// as it is stored, tables also as TSV with the names of the regions, and in each format of
// other programs that can hold it.
func (a *app) exportAll(c *current, e export, sel *selection, tasks []*dag.Node) error {
	if e.path == "-" {
		return wrongf("--format all writes several files: give a directory: -o %s/", sel.stage.Name)
	}
	if err := os.MkdirAll(e.path, 0o777); err != nil {
		return err
	}
	for _, n := range tasks {
		for _, port := range n.Work.Ports().Out {
			if sel.named && port.Name != sel.port.Name {
				continue
			}
			if ref := c.ref(n, port.Name); ref.Format == "" { // an output that this task does not have
				continue
			}
			name := port.Name
			if len(n.Coords) > 0 {
				name = memberName(sel.stage.Name, n.Coords) + "_" + plainName(port.Name)
			}
			if err := a.exportOutput(c, e, n, port, filepath.Join(e.path, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// exportOutput writes one output of one task, as path and the endings of the formats.
func (a *app) exportOutput(c *current, e export, n *dag.Node, port dag.Port, path string) error {
	ref := c.ref(n, port.Name)
	if err := writeFile(path+extensionOf(ref.Format), func(w io.Writer) error { return c.copy(w, ref) }); err != nil {
		return err
	}
	endings := []string{strings.TrimPrefix(extensionOf(ref.Format), ".")}
	if ref.Format == "arrow" {
		t, err := c.table(n, port)
		if err != nil {
			return err
		}
		if nodes, err := c.nodes(); err == nil {
			if named, err := withNames(t, nodes); err == nil {
				t = named
			}
		}
		if e.csvSafe {
			t = spreadsheetSafe(t)
		}
		if err := writeFile(path+".tsv", func(w io.Writer) error { return t.WriteCSV(w, '\t') }); err != nil {
			return err
		}
		endings = append(endings, "tsv")
	}
	for i := range forms {
		f := &forms[i]
		if !f.fits(port.Type) {
			continue
		}
		err := writeFile(path+f.ending, func(w io.Writer) error { return a.writeForm(w, c, e, n, port, f) })
		var told *exit
		switch {
		case errors.As(err, &told) && told.code == exitUsage: // the format cannot hold this one, and says why
			a.note("left out: %v", err)
		case err != nil:
			return err
		default:
			endings = append(endings, f.name)
		}
	}
	a.note("wrote %s: %s", path, strings.Join(endings, ", "))
	return nil
}
