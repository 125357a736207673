package pipelines

import (
	"fmt"
	"path/filepath"

	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
)

// Print gives a pipeline file with everything that it extends and with what --set sets, as one
// file that extends nothing and gives the same keys. Unless plain, each line ends with the file
// and line it comes from. Variables stay as they are, so no data are needed. Mistakes are tree.Errors.
func Print(file string, sets []string, plain bool) (string, error) {
	f, _, err := readFirst(file)
	if err != nil {
		return "", err
	}
	l := newLoader(file, maxTasks)
	root, _ := l.resolve(f)
	if root != nil && root.Kind != tree.Mapping {
		l.bad.Add(root.Pos, "a pipeline file is a mapping with the key stages, not %s", root)
	}
	if root != nil && len(l.bad.List) == 0 {
		l.applySets(root, sets)
		wiring.Connect(root, "", l.removed, l.bad)
		wiring.Forget(root)
	}
	if len(l.bad.List) > 0 {
		return "", l.bad.Sorted()
	}
	if root.Get("pipeline") == nil { // the default is the name of the file, and the text may get another
		name := l.name(root)
		named := tree.Key{Name: "pipeline", Pos: root.Pos,
			Value: &tree.Node{Pos: root.Pos, Kind: tree.Scalar, Value: name, Text: name, Plain: true}}
		root.Keys = append([]tree.Key{named}, root.Keys...)
	}
	return tree.Print(root, plain), nil
}

// Place names where a line of the text that locks keep comes from (1 is the first): the text is the file's, or, of one
// that extends others, all in one.
func Place(file string, line int) string {
	if f, _, err := readFirst(file); err == nil {
		l := newLoader(file, maxTasks)
		if root, files := l.resolve(f); root != nil && (len(files) > 1 || l.wired) {
			return tree.Origin(root, line)
		}
	}
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

// text is the text of a file that extends others, all in one: what is kept with a run and in
// locks. The places in it are noted in the tree.
func (l *loader) text(root *tree.Node) string {
	text := tree.Print(root, true)
	if len(text) > maxFile && len(l.bad.List) == 0 {
		l.bad.Add(root.Pos, "the file and all that it extends are larger than %d MiB", maxFile>>20)
	}
	return text
}
