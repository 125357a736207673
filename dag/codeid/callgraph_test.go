package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
	"golang.org/x/tools/go/types/typeutil"

	"prgnn/internal/need"
)

// TestCallGraph follows the methods of each kind's stage through the whole program,
// the standard library and all modules included, in the form that the compiler
// gives it: every function that is called or mentioned, and every method that rapid
// type analysis finds for a call through an interface, on a type that the kind
// reaches. Each of ours must be among what codeid finds.
//
// It takes minutes: make callgraph runs it, the whole check does too, and
// PRGNN_CALLGRAPH=train,graph runs it for these kinds.
func TestCallGraph(t *testing.T) {
	only := os.Getenv("PRGNN_CALLGRAPH")
	switch {
	case only == "" && need.Required():
		only = "all"
	case only == "":
		t.Skip("takes minutes; make callgraph runs it")
	}
	dirs, err := directories([]string{"../../..."})
	need.NoError(t, err)
	p, err := shared.load(dirs...)
	need.NoError(t, err)
	ds := p.declarations()
	reached := map[string]map[string]bool{}
	for _, root := range p.roots {
		kinds := need.Value(ds.kinds(root))(t)
		for _, k := range kinds {
			reached[k.name] = map[string]bool{}
			for _, d := range k.decls {
				reached[k.name][d.name] = true
			}
		}
	}
	var paths []string
	for _, root := range p.roots {
		paths = append(paths, root.ImportPath)
		for path := range p.all { // its topics
			if strings.HasPrefix(path, root.ImportPath+"/") {
				paths = append(paths, path)
			}
		}
	}
	roots, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: "../..",
		Env: append(os.Environ(), platform...)}, paths...)
	if err != nil || packages.PrintErrors(roots) > 0 {
		t.Fatal(err)
	}
	prog, _ := ssautil.AllPackages(roots, ssa.InstantiateGenerics)
	prog.Build()
	done := 0
	for name, stage := range stagesOf(roots) {
		if only != "all" && !slices.Contains(strings.Split(only, ","), name) {
			continue
		}
		done++
		var found int
		for f := range called(prog, stage, reached[name]) {
			if id := ourName(f); id != "" && !reached[name][id] {
				t.Errorf("%s calls %s, which codeid does not find", name, id)
			} else if id != "" {
				found++
			}
		}
		if found < 3 {
			t.Errorf("%s calls %d functions of ours", name, found)
		}
		t.Logf("%s: %d functions of ours", name, found)
	}
	if done == 0 || only == "all" && done != len(reached) {
		t.Errorf("%d of %d kinds", done, len(reached))
	}
}

// stagesOf finds the type of stage that each kind's New makes.
func stagesOf(roots []*packages.Package) map[string]types.Type {
	stages := map[string]types.Type{}
	for _, r := range roots {
		for _, f := range r.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				lit, ok := n.(*ast.CompositeLit)
				if !ok || !isDagType(r.TypesInfo.Types[lit].Type, "Kind") {
					return true
				}
				var name string
				var stage types.Type
				for _, e := range lit.Elts {
					switch kv := e.(*ast.KeyValueExpr); keyName(kv) {
					case "Name":
						name = strings.Trim(r.TypesInfo.Types[kv.Value].Value.ExactString(), `"`)
					case "New":
						ast.Inspect(kv.Value, func(n ast.Node) bool {
							if of, ok := n.(*ast.ReturnStmt); ok {
								stage = r.TypesInfo.Types[of.Results[0]].Type
							}
							return true
						})
					}
				}
				if stage != nil {
					stages[name] = stage
				}
				return true
			})
		}
	}
	return stages
}

// called are the functions that the methods of a stage may call.
func called(prog *ssa.Program, stage types.Type, reached map[string]bool) map[*ssa.Function]bool {
	var todo []*ssa.Function
	set := prog.MethodSets.MethodSet(stage)
	for i := range set.Len() {
		switch set.At(i).Obj().Name() {
		case "Run", "Ports", "Validate", "Foretell", "EnvNames":
			todo = append(todo, prog.MethodValue(set.At(i)))
		}
	}
	if slices.Contains(todo, nil) {
		panic(fmt.Sprintf("New returns %v: give the function that it calls the stage's own type", stage))
	}
	analysis := rta.Analyze(todo, true)
	graph := analysis.CallGraph
	// The analysis takes a value of a type for one of the type that it is declared as, too, which has the
	// methods of embedded fields.
	var declaredAs typeutil.Map
	for _, t := range analysis.RuntimeTypes.Keys() {
		if t != t.Underlying() {
			declaredAs.Set(t.Underlying(), true)
		}
	}
	seen := map[*ssa.Function]bool{}
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if f == nil || seen[f] {
			continue
		}
		seen[f] = true
		var operands []*ssa.Value
		for _, b := range f.Blocks {
			for _, instruction := range b.Instrs {
				for _, v := range instruction.Operands(operands[:0]) {
					if g, ok := (*v).(*ssa.Function); ok {
						todo = append(todo, g)
					}
				}
			}
		}
		if n := graph.Nodes[f]; n != nil {
			for _, e := range n.Out {
				// A type of ours that the kind does not mention it cannot have: the analysis
				// takes every exported method to be called by package reflect.
				of := typeName(e.Callee.Func)
				if recv := receiver(e.Callee.Func); recv != nil && declaredAs.At(recv) != nil {
					continue
				}
				if e.Site != nil && e.Site.Common().IsInvoke() && (reached[of] || !isOurs(of)) {
					todo = append(todo, e.Callee.Func)
				}
			}
		}
	}
	return seen
}

func isOurs(name string) bool { return strings.HasPrefix(name, "prgnn/") }

// typeName is the type that a method belongs to, as codeid calls it.
func typeName(f *ssa.Function) string {
	if named, ok := receiver(f).(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Path() + "." + named.Obj().Name()
	}
	return ""
}

// receiver is the type that a method belongs to; nil of a function.
func receiver(f *ssa.Function) types.Type {
	recv := f.Signature.Recv()
	if recv == nil {
		return nil
	}
	if p, ok := recv.Type().(*types.Pointer); ok {
		return p.Elem()
	}
	return recv.Type()
}

// ourName is what codeid calls the function, or the one it stands in; "" of one that
// is not ours, or that the compiler made.
func ourName(f *ssa.Function) string {
	for f.Parent() != nil {
		f = f.Parent()
	}
	if f.Origin() != nil {
		f = f.Origin()
	}
	if f.Pkg == nil || f.Synthetic != "" || !isOurs(f.Pkg.Pkg.Path()) || strings.HasPrefix(f.Name(), "init") {
		return ""
	}
	if t := typeName(f); t != "" {
		return t + "." + f.Name()
	}
	return f.Pkg.Pkg.Path() + "." + f.Name()
}
