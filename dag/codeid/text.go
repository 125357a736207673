package main

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// canonical writes a piece of source as its tokens, so that neither comments nor
// layout count. A name of an import counts as the path that it stands for. What
// documents and does nothing else is left out: the doc tags of struct fields,
// and the field Doc in literals of the types dag.Port and dag.Kind.
func (q *pkg) canonical(fset *token.FileSet, node ast.Node) []byte {
	file := fset.File(node.Pos())
	from, to := file.Offset(node.Pos()), file.Offset(node.End())
	src := q.source[file.Name()][from:to]
	drop, swap := q.exceptions(node, file)
	var s scanner.Scanner
	lines := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(lines, src, nil, 0)
	next := func() (at int, tok token.Token, lit string) {
		pos, tok, lit := s.Scan()
		return from + lines.Offset(pos), tok, lit
	}
	var out []byte
	separator := "" // a comma or semicolon: it counts when something follows in the same list
	for at, tok, lit := next(); tok != token.EOF; at, tok, lit = next() {
		if end, ok := drop[at]; ok {
			for at < end && tok != token.EOF {
				at, tok, lit = next()
			}
			if tok == token.COMMA || tok == token.EOF {
				continue
			}
		}
		text := lit
		switch {
		case tok == token.SEMICOLON || tok == token.COMMA:
			separator = tok.String()
			continue
		case tok == token.RBRACE || tok == token.RPAREN || tok == token.RBRACK:
			separator = "" // gofmt's trailing comma, and the semicolon before a brace, say nothing
		}
		if tok.IsOperator() {
			text = tok.String()
		}
		if other, ok := swap[at]; ok {
			text = other
		}
		if separator != "" {
			out = append(append(out, separator...), '\n')
			separator = ""
		}
		out = append(append(out, text...), ' ')
	}
	return out
}

// exceptions finds the places in a node where the tokens are not what counts:
// what to leave out, from offset to offset, and what to write otherwise.
func (q *pkg) exceptions(node ast.Node, file *token.File) (drop map[int]int, swap map[int]string) {
	drop, swap = map[int]int{}, map[int]string{}
	if q.info == nil { // a file for another platform, which is not checked
		return drop, swap
	}
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if name, ok := q.info.Uses[n].(*types.PkgName); ok {
				swap[file.Offset(n.Pos())] = strconv.Quote(name.Imported().Path())
			}
		case *ast.Field:
			if n.Tag != nil {
				swap[file.Offset(n.Tag.Pos())] = withoutDoc(n.Tag.Value)
			}
		case *ast.CompositeLit:
			if !isDagType(q.info.Types[n].Type, "Port", "Kind") {
				break
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok && keyName(kv) == "Doc" {
					drop[file.Offset(kv.Pos())] = file.Offset(kv.End())
				}
			}
		}
		return true
	})
	return drop, swap
}

func keyName(kv *ast.KeyValueExpr) string {
	if id, ok := kv.Key.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// withoutDoc takes the key doc out of a struct tag.
func withoutDoc(literal string) string {
	tag, err := strconv.Unquote(literal)
	if err != nil {
		return literal
	}
	doc, ok := reflect.StructTag(tag).Lookup("doc")
	if !ok {
		return literal
	}
	return strings.Replace(tag, "doc:"+strconv.Quote(doc), "", 1)
}

// dagPath is the package that declares what a stage kind is.
const dagPath = "prgnn/dag"

func isDagType(t types.Type, names ...string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != dagPath {
		return false
	}
	for _, n := range names {
		if named.Obj().Name() == n {
			return true
		}
	}
	return false
}
