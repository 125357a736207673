package results

import (
	"errors"
	"fmt"
	"io"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
	"prgnn/pipelines/compare"
)

// compareContents tells how two contents of one port differ. Equal ones give nil.
func compareContents(a, b Content) *compare.Difference {
	switch {
	case a.Format != b.Format:
		return &compare.Difference{Kind: "bytes", Text: fmt.Sprintf("%s became %s", a.Format, b.Format)}
	case a.Array != nil && b.Array != nil:
		return compare.Arrays(a.Array, b.Array, a.axes, b.axes)
	case a.Table != nil && b.Table != nil:
		return compare.Tables(a.Table, b.Table)
	case a.text != "" || b.text != "":
		return compare.Texts(a.text, b.text)
	}
	return &compare.Difference{Kind: "bytes", Text: "the bytes differ"}
}

// PrintDifference shows the first differing cells.
func PrintDifference(w io.Writer, d *compare.Difference, indent string) {
	g := console.Grid{Indent: indent}
	for _, p := range d.Pairs {
		a, b := p.Text()
		g.Add(p.Where, console.Clip(a, 60), "→", console.Clip(b, 60))
	}
	g.Print(w)
	if more := d.Cells - len(d.Pairs); more > 0 && len(d.Pairs) > 0 {
		fmt.Fprintf(w, "%s… %d more\n", indent, more)
	}
}

// Difference reads two artifacts of one port and compares them. Bytes may
// differ where contents do not (another version of a library); that is said too.
func Difference(s1 *artifacts.Store, r1 artifacts.Ref, s2 *artifacts.Store, r2 artifacts.Ref,
	typ dag.Type) (*compare.Difference, error) {
	read := func(s *artifacts.Store, r artifacts.Ref) (Content, error) {
		b, err := ReadBlob(s, r)
		if err != nil {
			return Content{}, err
		}
		return Decode(b, r.Format, typ)
	}
	x, err1 := read(s1, r1)
	y, err2 := read(s2, r2)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if d := compareContents(x, y); d != nil {
		return d, nil
	}
	return &compare.Difference{Kind: "bytes", Text: "the values are the same; the bytes around them differ"}, nil
}
