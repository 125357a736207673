package stages

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

// A card is a kind's file in testdata/battery, with a line each:
//
//	with PARAMETER VALUE    a parameter that is not at its default, as YAML
//	in PORT KIND.OUTPUT     an input: what the kind made in the battery, for the first participant
//	in PORT KIND.OUTPUT[*]  the same of all participants (of a training: of all folds)
//	in PORT FILE            a file beside the card, of the format that it ends in
//	out PORT DIGEST         the first bytes of an output's digest; -update writes these
//
// Beside kinds, cohort.PORT is an output of the cohort.
type card struct {
	with, in [][2]string
	out      map[string]string
}

const cards = "testdata/battery"

func cardPath(kind string) string { return filepath.Join(cards, kind+".txt") }

func readCard(kind string) (card, error) {
	c := card{out: map[string]string{}}
	b, err := os.ReadFile(cardPath(kind))
	if err != nil {
		return c, err
	}
	for line := range strings.Lines(string(b)) {
		what, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, value, ok := strings.Cut(rest, " ")
		switch {
		case ok && what == "with":
			c.with = append(c.with, [2]string{name, value})
		case ok && what == "in":
			c.in = append(c.in, [2]string{name, value})
		case ok && what == "out":
			c.out[name] = value
		case what != "":
			return c, fmt.Errorf("%s: %q is no line of with, in or out", cardPath(kind), strings.TrimSpace(line))
		}
	}
	return c, nil
}

// checkComplete finds the kinds in the sources and says, in one error, what a new one lacks. It
// returns those that lack nothing.
func checkComplete(t *testing.T) map[string]bool {
	t.Helper()
	complete := map[string]bool{}
	var lacking strings.Builder
	declared := declaredKinds(t)
	for _, kind := range slices.Sorted(maps.Keys(declared)) {
		var lacks []string
		if k, ok := dag.Lookup(kind); !ok || k.Code == "" {
			lacks = append(lacks, "make generate: lists it and gives it a code identity")
		}
		if _, err := readCard(kind); err != nil {
			lacks = append(lacks, fmt.Sprintf("stages/%s: an example with small inputs, such as\n"+
				"        in participants cohort.participants\n        in edges graph.edges[*]\n        with top 5\n"+
				"    (see card in stages/battery_card_test.go), then\n"+
				"    go test ./stages -run 'TestBattery/^%s$' -update: writes the digests of its outputs there (%v)", cardPath(kind), kind, err))
		}
		if complete[kind] = lacks == nil; lacks != nil {
			fmt.Fprintf(&lacking, "\n  %s (%s) lacks\n    %s", kind, declared[kind], strings.Join(lacks, "\n    "))
		}
	}
	paths, _ := filepath.Glob(filepath.Join(cards, "*.txt"))
	for _, p := range paths {
		if kind, _, _ := strings.Cut(filepath.Base(p), "."); declared[kind] == "" {
			fmt.Fprintf(&lacking, "\n  stages/%s is of no stage kind: delete it", p)
		}
	}
	if lacking.Len() > 0 {
		t.Errorf("stage kinds are not complete:%s", lacking.String())
	}
	return complete
}

// declaredKinds finds the literals of type dag.Kind in the topics: name → file.
func declaredKinds(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	rooms := need.Value(filepath.Glob("*/*.go"))(t)
	inner := need.Value(filepath.Glob("*/*/*.go"))(t)
	for _, path := range slices.Concat(rooms, inner) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		need.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if s, ok := lit.Type.(*ast.SelectorExpr); !ok || s.Sel.Name != "Kind" {
				return true
			}
			for _, e := range lit.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				key, _ := kv.Key.(*ast.Ident)
				if value, ok := kv.Value.(*ast.BasicLit); ok && key != nil && key.Name == "Name" {
					name, _ := strconv.Unquote(value.Value)
					found[name] = "stages/" + filepath.ToSlash(path)
				}
			}
			return true
		})
	}
	return found
}

// checkDigests compares what came out with the card: bytes that change are seen, and explained.
// They are the same on every machine.
func checkDigests(t *testing.T, kind string, digests map[string]string) {
	t.Helper()
	c := need.Value(readCard(kind))(t)
	if *update {
		if maps.Equal(c.out, digests) {
			return
		}
		var b strings.Builder
		for _, w := range c.with {
			fmt.Fprintf(&b, "with %s %s\n", w[0], w[1])
		}
		for _, in := range c.in {
			fmt.Fprintf(&b, "in %s %s\n", in[0], in[1])
		}
		for _, port := range slices.Sorted(maps.Keys(digests)) {
			fmt.Fprintf(&b, "out %s %s\n", port, digests[port])
		}
		need.NoError(t, os.WriteFile(cardPath(kind), []byte(b.String()), 0o666))
		return
	}
	for _, port := range slices.Sorted(maps.Keys(digests)) {
		need.Equal(t, c.out[port], digests[port], kind, port, "the bytes have changed", "before",
			"if that is meant, go test ./stages -run 'TestBattery/^", kind, "$' -update, and say why in the commit")
	}
}

// example is a kind at work, as its card wires it.
func (c *chain) example(t *testing.T, kind string) example {
	t.Helper()
	if make, ok := examples[kind]; ok {
		return make(t, c)
	}
	card := need.Value(readCard(kind))(t)
	var parameters []any
	for _, w := range card.with {
		var v any
		need.NoError(t, yaml.Unmarshal([]byte(w[1]), &v), cardPath(kind), w[0])
		parameters = append(parameters, w[0], v)
	}
	e := example{stagetest.Fresh(kind, parameters...), map[string][]dag.Input{}}
	for _, in := range card.in {
		e.in[in[0]] = append(e.in[in[0]], c.source(t, in[1])...)
	}
	return e
}

// source finds an input that a card names.
func (c *chain) source(t *testing.T, text string) []dag.Input {
	t.Helper()
	c.load(t)
	from, all := strings.CutSuffix(text, "[*]")
	kind, output, _ := strings.Cut(from, ".")
	switch {
	case kind == "cohort":
		return c.cohort(t, output)[output]
	case kind == "simulate":
		return []dag.Input{dag.InputOf(stagetest.MustRun(t, c.Make(c.Subjects[0].ID), nil)[output])}
	case kind == "train" && all:
		return c.folds(t, output)
	case c.made[kind] != nil && all:
		return c.all(t, kind, output)
	case c.made[kind] != nil:
		return c.all(t, kind, output)[:1]
	}
	if b, err := os.ReadFile(filepath.Join(cards, text)); err == nil {
		return []dag.Input{dag.InputOf(artifacts.Bytes{Kind: strings.TrimPrefix(filepath.Ext(text), "."), Data: b})}
	}
	if _, ok := dag.Lookup(kind); !ok || all {
		t.Fatalf("%q is neither an output in the battery nor a file in stages/%s", text, cards)
	}
	if c.outputs == nil {
		c.outputs = map[string]dag.Outputs{}
	}
	if c.outputs[kind] == nil {
		e := c.example(t, kind)
		c.outputs[kind] = stagetest.MustRun(t, e.stage, e.in)
	}
	return []dag.Input{dag.InputOf(c.outputs[kind][output])}
}
