package layer

import (
	"fmt"
	"path/filepath"
	"strings"

	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
)

// Print gives a pipeline file with everything that it extends and with what --set sets, as one
// file that extends nothing and gives the same keys. Unless plain, each line ends with the file
// and line it comes from. Variables stay as they are, so no data are needed. Mistakes are tree.Errors.
func Print(file string, sets []string, plain bool) (string, error) {
	f, _, err := First(file)
	if err != nil {
		return "", err
	}
	l := Read(f)
	root := l.Root
	if root != nil && root.Kind != tree.Mapping {
		l.Bad.Add(root.Pos, "a pipeline file is a mapping with the key stages, not %s", root)
	}
	if root != nil && len(l.Bad.List) == 0 {
		l.Apply(sets)
		wiring.Connect(root, "", l.Removed, l.Bad)
		wiring.Forget(root)
	}
	if len(l.Bad.List) > 0 {
		return "", l.Bad.Sorted()
	}
	if root.Get("pipeline") == nil { // the default is the name of the file, and the text may get another
		name := Name(file)
		named := tree.Key{Name: "pipeline", Pos: root.Pos,
			Value: &tree.Node{Pos: root.Pos, Kind: tree.Scalar, Value: name, Text: name, Plain: true}}
		root.Keys = append([]tree.Key{named}, root.Keys...)
	}
	return tree.Print(root, plain), nil
}

// Name is the name of a pipeline whose file states none.
func Name(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// Place names where a line of the text that locks keep comes from (1 is the first): the text is the file's, or, of one
// that extends others, all in one.
func Place(file string, line int) string {
	if f, _, err := First(file); err == nil {
		if l := Read(f); l.Root != nil && (len(l.Files) > 1 || l.wired) {
			return tree.Origin(l.Root, line)
		}
	}
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}
