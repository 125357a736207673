package present

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/version"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/learn"
	"prgnn/stages/learn/split"
	"prgnn/stages/literature"
	"prgnn/stages/prepare"
	"prgnn/stages/present/methods"
	"prgnn/stages/stagetest"
)

// withSettings are made-up inputs of a report of a pipeline with these rows: stage, kind, parameter, value.
func withSettings(rows ...[4]string) map[string][]dag.Input {
	in := stagetest.ReportInputs("sub-01", "ASD", "H_C")
	t := settingsTable(lists.Map(rows, func(r [4]string) finding.Parameter {
		return finding.Parameter{Stage: r[0], Kind: r[1], Parameter: r[2], Value: strings.Split(r[3], ", ")}
	})...)
	t.Meta = map[string]string{"pipeline": "made up"}
	in["settings"] = []dag.Input{dag.InputOf(t)}
	return in
}

// settingsTable are settings; parameters that a stage of the kinds of learn and prepare lacks have their defaults.
func settingsTable(rows ...finding.Parameter) *encoding.Table {
	var all []finding.Parameter
	for i, r := range rows {
		r.Default = r.Value
		for _, kind := range slices.Concat(learn.Kinds, split.Kinds, prepare.Kinds) {
			for _, p := range param.Of(kind.New()) {
				if kind.Name == r.Kind && p.Name == r.Parameter {
					r.Default = listOf(p.Default)
				}
			}
		}
		all = append(all, r)
		if i+1 < len(rows) && rows[i+1].Stage == r.Stage {
			continue
		}
		for _, kind := range slices.Concat(learn.Kinds, split.Kinds, prepare.Kinds) {
			for _, p := range param.Of(kind.New()) {
				of := finding.Parameter{Stage: r.Stage, Kind: r.Kind, Tasks: r.Tasks, Parameter: p.Name,
					Value: listOf(p.Default), Default: listOf(p.Default)}
				if kind.Name == r.Kind && !slices.ContainsFunc(rows, func(r finding.Parameter) bool {
					return r.Stage == of.Stage && r.Parameter == of.Parameter
				}) {
					all = append(all, of)
				}
			}
		}
	}
	return column.Table(all)
}

// listOf is the value of a parameter as a list of texts.
func listOf(value any) (list []string) {
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Slice {
		return []string{fmt.Sprint(value)}
	}
	for i := range v.Len() {
		list = append(list, fmt.Sprint(v.Index(i)))
	}
	return list
}

func citationOf(t *testing.T, in map[string][]dag.Input) *methods.Citation {
	t.Helper()
	c, err := methods.Cite(dag.NewTask(in))
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	return c
}

// bibEntries reads BibTeX by counting braces: each entry's fields, by key. The empty name is the type.
func bibEntries(t *testing.T, text string) map[string]map[string]string {
	t.Helper()
	entries := map[string]map[string]string{}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		head := regexp.MustCompile(`^@([a-z]+)\{([a-z0-9]+)`).FindStringSubmatch(text)
		if head == nil || entries[head[2]] != nil {
			t.Fatalf("no entry, or a key twice: %.60q", text)
		}
		fields := map[string]string{"": head[1]}
		text = text[len(head[0]):]
		for strings.HasPrefix(text, ",") {
			name := regexp.MustCompile(`^,\n  ([a-z]+) = \{`).FindStringSubmatch(text)
			if name == nil || fields[name[1]] != "" {
				t.Fatalf("%s: no field, or one twice: %.60q", head[2], text)
			}
			text = text[len(name[0]):]
			end := 0
			for depth := 1; depth > 0; end++ {
				if end == len(text) {
					t.Fatalf("%s: %s does not end", head[2], name[1])
				}
				switch text[end] {
				case '{':
					depth++
				case '}':
					depth--
				}
			}
			fields[name[1]], text = text[:end-1], text[end:]
		}
		if !strings.HasPrefix(text, "\n}") {
			t.Fatalf("%s does not end: %.60q", head[2], text)
		}
		entries[head[2]], text = fields, text[2:]
	}
	return entries
}

// Every work has what its type needs, and nothing that BibTeX takes for a command.
func TestLiteratureAsBibTeX(t *testing.T) {
	for key, w := range literature.Works {
		fields := bibEntries(t, w.BibTeX(key, "1.2.3"))[key]
		venue := map[string]string{"article": "journal", "inproceedings": "booktitle",
			"software": "version"}[fields[""]]
		for _, name := range []string{"author", "title", "year", venue} {
			if fields[name] == "" {
				t.Errorf("%s has no %s", key, name)
			}
		}
		for name, want := range map[string]string{"year": `^(19|20)\d\d$`, "volume": `^\d+$`, "pages": `^([a-z]*\d+|\d+--\d+)$`,
			"doi": `^10\.\d{4,}/\S+$`, "author": `^[^\\%&#$~^_]+$`, "title": `^[^\\%&#$~^_]+$`,
			"journal": `^[^\\%&#$~^_]+$`} {
			if v := fields[name]; v != "" && !regexp.MustCompile(want).MatchString(v) {
				t.Errorf("%s: %s is %q", key, name, v)
			}
		}
	}
	for key, want := range map[string]string{
		"friston": "Friston KJ, Williams S, Howard R, Frackowiak RSJ, Turner R. Movement-related effects in fMRI time-series. Magnetic Resonance in Medicine 1996; 35: 346–355. doi:10.1002/mrm.1910350312",
		"kingma":  "Kingma DP, Ba J. Adam: a method for stochastic optimization. International Conference on Learning Representations (ICLR) 2015.",
		"gao":     "Gao H, Ji S. Graph U-Nets. International Conference on Machine Learning (ICML) 2019; Proceedings of Machine Learning Research 97: 2083–2092.",
		"prgnn":   "The PR-GNN Pipeline developers. PR-GNN Pipeline. Version " + version.Number + ", 2026. No public address or DOI.",
	} {
		need.Equal(t, literature.Works[key].String(), want)
	}
}

// The report, the BibTeX file and the Markdown file have the same works, each once; the text cites no other.
func TestCitationIsTheReportsList(t *testing.T) {
	in := withSettings([4]string{"matrices", "connectivity", "pearson", "ledoit-wolf"},
		[4]string{"matrices", "connectivity", "partial", "ledoit-wolf"},
		[4]string{"harmonize", "combat", "site", "site_*name*"},
		[4]string{"evaluate", "evaluate", "permutations", "99"})
	c := citationOf(t, in)
	bib, text := bibEntries(t, c.BibTeX("1.2.3")), c.Markdown()
	if bib["prgnn"]["version"] != "1.2.3" || bib["ledoit"]["volume"] != "88" ||
		bib["johnson"]["doi"] != "10.1093/biostatistics/kxj037" {
		t.Errorf("the entries are %v", bib)
	}
	cited := map[string]bool{}
	for _, m := range regexp.MustCompile(`@([a-z0-9]+)[;\]]`).FindAllStringSubmatch(text, -1) {
		cited[m[1]] = true
	}
	for key := range bib {
		if !cited[key] || strings.Count(text, "\n- `"+key+"`: ") != 1 {
			t.Errorf("the Markdown file does not cite %s, or does not list it once", key)
		}
	}
	page := need.Value((&Report{Top: 5}).Page(dag.NewTask(in)))(t)
	var list []string
	for _, s := range page.Sections {
		for _, b := range s.Blocks {
			list = append(list, b.References...)
		}
	}
	want := []string{}
	for _, key := range c.Keys {
		want = append(want, literature.Works[key].String())
	}
	if len(cited) != len(bib) || len(bib) < 4 || !slices.Equal(list, want) {
		t.Errorf("cited %v, entries %d, the report lists %q, want %q", cited, len(bib), list, want)
	}
	if !strings.Contains(text, `for effects of site\_\*name\* by`) {
		t.Errorf("a name is markup:\n%s", text)
	}
}

// Other parameters cite other works.
func TestCitationFollowsParameters(t *testing.T) {
	for _, c := range []struct{ kind, parameter, value, cited string }{
		{"connectivity", "partial", "ledoit-wolf", "ledoit"}, {"connectivity", "partial", "oas", "chen"},
		{"connectivity", "partial", "glasso", "friedman"}, {"connectivity", "partial", "ridge", ""},
		{"baseline", "model", "svm", "cortes"}, {"baseline", "model", "forest", "breiman"},
		{"baseline", "model", "brainnetcnn", "kawahara"}, {"network", "model", "meanmlp", "popov"},
		{"network", "model", "bnt", "kan"}, {"network", "model", "braingnn", "li2021"},
	} {
		keys := citationOf(t, withSettings([4]string{"first", c.kind, c.parameter, c.value},
			[4]string{"evaluate", "evaluate", "permutations", "99"})).Keys
		keys = slices.DeleteFunc(keys, func(k string) bool {
			return slices.Contains([]string{"wilson", "zou", "newcombe", "nadeau", "phipson", "ruger", "prgnn"}, k)
		})
		need.Equal(t, strings.Join(keys, " "), c.cited, c.parameter, c.kind, c.value)
	}
	if c, err := methods.Cite(dag.NewTask(nil)); c != nil || err != nil {
		t.Errorf("without settings: %v, %v", c, err)
	}
}
