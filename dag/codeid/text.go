package main

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	release "prgnn/internal/version"
)

// read writes one version of a declaration as its tokens, so that neither comments
// nor layout count, and notes what it says beside them.
func (ds *declarations) read(s source) {
	r := &reader{declarations: ds, source: s, local: map[token.Pos]int{}}
	r.v = &version{on: s.file.on}
	switch {
	case s.group != nil:
		r.text(s.group.Tok.String())
	case s.drop == nil && s.to.short == "init":
		r.text("init")
	}
	if s.group != nil && s.group.Tok == token.CONST {
		r.constant()
	} else {
		for _, n := range s.nodes {
			r.tokens(n)
			r.note(n)
			r.text("\n")
		}
	}
	r.directives()
	s.to.versions = append(s.to.versions, r.v)
}

// A reader reads one version of a declaration.
type reader struct {
	*declarations
	source
	v     *version
	local map[token.Pos]int // names declared inside, by the order of their declaration
}

func (r *reader) text(s string) {
	if n := len(r.v.pieces); n > 0 && r.v.pieces[n-1].to == nil {
		r.v.pieces[n-1].text += " " + s
		return
	}
	r.v.pieces = append(r.v.pieces, piece{text: s})
}

func (r *reader) mention(p place) {
	r.v.pieces = append(r.v.pieces, piece{to: p.to, sub: p.sub})
}

// constant writes what a constant is worth, since with iota that does not stand
// in its declaration.
func (r *reader) constant() {
	c, ok := r.file.info.Defs[r.drop].(*types.Const)
	if !ok {
		r.text(r.drop.Name)
		return
	}
	if named, ok := types.Unalias(c.Type()).(*types.Named); ok {
		if p, ok := r.at[named.Obj().Pos()]; ok {
			r.mention(p)
		} else {
			r.text(named.String())
			r.v.outside = append(r.v.outside, named.Obj().Pkg().Path())
		}
	} else {
		r.text(c.Type().String())
	}
	r.text(c.Val().ExactString())
}

// tokens writes a piece of source. A name that is declared outside functions is a
// mention of its declaration; one declared inside is the number of its
// declaration; fields and methods keep their names, which interfaces, encodings
// and package reflect can see.
func (r *reader) tokens(node ast.Node) {
	file := r.fset.File(node.Pos())
	from, to := file.Offset(node.Pos()), file.Offset(node.End())
	src := r.pkg.source[file.Name()][from:to]
	drop, swap := r.exceptions(node, file)
	var s scanner.Scanner
	lines := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(lines, src, nil, 0)
	next := func() (at int, tok token.Token, lit string) {
		pos, tok, lit := s.Scan()
		return from + lines.Offset(pos), tok, lit
	}
	separator := "" // a comma or semicolon: it counts when something follows in the same list
	for at, tok, lit := next(); tok != token.EOF; at, tok, lit = next() {
		if end, ok := drop[at]; ok {
			for at < end && tok != token.EOF {
				at, tok, lit = next()
			}
			if tok == token.COMMA {
				continue
			}
			if tok == token.EOF {
				break
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
		if separator != "" {
			r.text(separator)
			separator = ""
		}
		if other, ok := swap[at]; ok {
			for _, p := range other {
				if p.to != nil {
					r.mention(place{p.to, p.sub})
				} else if p.text != "" {
					r.text(p.text)
				}
			}
			continue
		}
		r.text(text)
	}
}

// exceptions finds the places in a node where the tokens are not what counts:
// what to leave out, from offset to offset, and what to write otherwise.
func (r *reader) exceptions(node ast.Node, file *token.File) (drop map[int]int, swap map[int][]piece) {
	drop, swap = map[int]int{}, map[int][]piece{}
	loop := func(at token.Pos) {
		if r.file.sharesLoops() {
			swap[file.Offset(at)] = []piece{{text: "for shared"}}
		}
	}
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // the name of a package says nothing, the declaration does
			if x, ok := n.X.(*ast.Ident); ok {
				if name, ok := r.file.info.Uses[x].(*types.PkgName); ok {
					drop[file.Offset(n.Pos())] = file.Offset(n.Sel.Pos())
					if r.file.info.Uses[n.Sel] == nil { // of another platform
						path := name.Imported().Path()
						r.v.outside = append(r.v.outside, path)
						swap[file.Offset(n.Sel.Pos())] = []piece{{text: strconv.Quote(path) + "." + n.Sel.Name}}
						return false
					}
				}
			}
		case *ast.Ident:
			if is := r.ident(n); is != nil {
				swap[file.Offset(n.Pos())] = is
			}
		case *ast.ForStmt:
			if init, ok := n.Init.(*ast.AssignStmt); ok && init.Tok == token.DEFINE {
				loop(n.For)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				loop(n.For)
			}
		case *ast.Field:
			if n.Tag != nil {
				swap[file.Offset(n.Tag.Pos())] = []piece{{text: withoutDoc(n.Tag.Value)}}
			}
		case *ast.CompositeLit:
			if !isDagType(r.file.info.Types[n].Type, "Port", "Kind") {
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

// ident is what to write for a name; nil for the name itself.
func (r *reader) ident(id *ast.Ident) []piece {
	if id == r.drop {
		return []piece{{}}
	}
	obj, used := r.file.info.Uses[id]
	if !used {
		var defined bool
		obj, defined = r.file.info.Defs[id]
		switch {
		case !defined || id.Name == "_":
			return nil
		case obj == nil: // the symbol of a type switch
			return r.localName(id.Pos())
		}
	}
	if obj.Pkg() == nil {
		return nil // of the language
	}
	switch o := obj.(type) {
	case *types.PkgName:
		return nil // dropped with the selector
	case *types.Func:
		if o.Signature().Recv() != nil {
			is := []piece{{text: id.Name}}
			if p, ok := r.at[o.Pos()]; ok && used {
				is = append(is, piece{to: p.to})
			}
			return is
		}
	case *types.Var:
		if o.IsField() {
			if p, ok := r.embedded(o); ok {
				return []piece{{text: "embedded"}, p}
			}
			return nil
		}
	}
	if p, ok := r.at[obj.Pos()]; ok {
		return []piece{{to: p.to, sub: p.sub}}
	}
	if obj.Parent() == obj.Pkg().Scope() {
		return []piece{{text: strconv.Quote(obj.Pkg().Path()) + "." + obj.Name()}}
	}
	return r.localName(obj.Pos())
}

func (r *reader) localName(pos token.Pos) []piece {
	n, ok := r.local[pos]
	if !ok {
		n = len(r.local)
		r.local[pos] = n
	}
	return []piece{{text: "$" + strconv.Itoa(n)}}
}

// embedded is the type of ours that a field is named after. Where it is no struct,
// encodings show the name.
func (r *reader) embedded(field *types.Var) (piece, bool) {
	if !field.Embedded() {
		return piece{}, false
	}
	t := field.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	var name *types.TypeName
	switch t := t.(type) {
	case *types.Alias:
		name = t.Obj()
	case *types.Named:
		name = t.Obj()
	default:
		return piece{}, false
	}
	if _, ok := t.Underlying().(*types.Struct); !ok {
		return piece{}, false
	}
	p, ok := r.at[name.Pos()]
	return piece{to: p.to}, ok
}

// directives takes in what is said to the compiler in comments before the
// declaration.
func (r *reader) directives() {
	var docs []*ast.CommentGroup
	if r.group != nil {
		docs = append(docs, r.group.Doc)
	}
	for _, n := range r.nodes {
		if d, ok := n.(*ast.FuncDecl); ok {
			docs = append(docs, d.Doc)
			if d.Body == nil {
				r.assembly(d.Name.Name)
			}
		}
	}
	if r.group != nil {
		for _, s := range r.group.Specs {
			if v, ok := s.(*ast.ValueSpec); ok && r.drop != nil && v.Names[0] == r.drop {
				docs = append(docs, v.Doc)
			}
		}
	}
	for _, doc := range docs {
		if doc == nil {
			continue
		}
		for _, c := range doc.List {
			args, isEmbed := strings.CutPrefix(c.Text, "//go:embed ")
			switch {
			case isEmbed:
				r.embeds(args)
			case strings.HasPrefix(c.Text, "//go:") && !strings.HasPrefix(c.Text, "//go:generate"):
				r.text(c.Text)
			}
		}
	}
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
const dagPath = release.Module + "/dag"

// enginePath is the package that runs them.
const enginePath = dagPath + "/engine"

func isDagType(t types.Type, names ...string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != dagPath {
		return false
	}
	return slices.ContainsFunc(names, func(n string) bool { return named.Obj().Name() == n })
}
