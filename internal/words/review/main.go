// Command review lists every text that a person may meet: string literals with at least two words,
// the documentation of parameters, and comments of the built-in pipelines. make prose checks the
// list; the sentences of reports stand in stages/wording.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	list, err := List(".")
	if err == nil && len(os.Args) == 2 {
		err = os.WriteFile(os.Args[1], list, 0o666)
	} else if err == nil {
		_, err = os.Stdout.Write(list)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "review:", err)
		os.Exit(1)
	}
}

// List is the texts below a directory, by file; the files are sorted, the texts in their order.
func List(root string) ([]byte, error) {
	var out bytes.Buffer
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		name := e.Name()
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != root && (strings.HasPrefix(name, ".") || slices.Contains(apart, name)):
			return filepath.SkipDir
		case e.IsDir():
			return nil
		}
		var texts []string
		switch {
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") &&
			!strings.HasSuffix(name, "_gen.go"):
			texts, err = inGo(path)
		case filepath.Ext(name) == ".yaml" && filepath.Base(filepath.Dir(path)) == "pipelines":
			texts, err = inYAML(path)
		}
		if err != nil || len(texts) == 0 {
			return err
		}
		shown, err := filepath.Rel(root, path)
		fmt.Fprintf(&out, "\n%s\n", filepath.ToSlash(shown))
		for _, text := range texts {
			fmt.Fprintf(&out, "  %s\n", strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    "))
		}
		return err
	})
	return bytes.TrimPrefix(out.Bytes(), []byte("\n")), err
}

// apart are directories without words for users.
var apart = []string{"testdata", "node_modules", "bench", "test", "examples", "asm", "need", "remotetest", "stagetest",
	"codeid", "release", "web"}

func inGo(path string) (texts []string, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	keep := func(text string) {
		if sentence.MatchString(text) && !program.MatchString(text) {
			texts = append(texts, text)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				tag, _ := strconv.Unquote(n.Tag.Value)
				param := reflect.StructTag(tag).Get("param")
				if doc := reflect.StructTag(tag).Get("doc"); doc != "" {
					texts = append(texts, strings.TrimPrefix(param+": "+doc, ": "))
				}
			}
			return n.Tag == nil
		case *ast.BinaryExpr:
			if n.Op == token.ADD {
				if text, ok := joined(n); ok {
					keep(text)
					return false
				}
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				text, _ := strconv.Unquote(n.Value)
				keep(text)
			}
		}
		return true
	})
	return texts, nil
}

// joined is the text of a sum, with … for what is not written out; ok when a part is a text.
func joined(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return joined(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			x, a := joined(e.X)
			y, b := joined(e.Y)
			return x + y, a || b
		}
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ = strconv.Unquote(e.Value)
			return text, true
		}
	}
	return "…", false
}

var (
	sentence = regexp.MustCompile(`\pL{2,}[,:;.)"']* +[("'%]*\pL{2,}|\pL{3,} %|%\[?\d*\]?[sdvq] \pL{3,}`)
	program  = regexp.MustCompile(`^\s*(<|\{|SELECT|//|\(\?|\^)|function\(|=> *\{`)
)

// inYAML is the comments of a pipeline file.
func inYAML(path string) (texts []string, err error) {
	b, err := os.ReadFile(path)
	for line := range strings.Lines(string(b)) {
		if _, comment, ok := strings.Cut(line, "#"); ok && sentence.MatchString(comment) {
			texts = append(texts, comment)
		}
	}
	return texts, err
}
