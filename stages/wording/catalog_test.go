package wording

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template/parse"

	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/literature"
)

// Every entry has a place in the program that uses it, and every code of the program has an entry: codes are the
// literals in the sources of the stages, and those that entries refer to.
func TestCodesAndEntriesMatch(t *testing.T) {
	code := regexp.MustCompile(`^[a-z0-9-]+\.[a-z0-9.-]+(/[a-z0-9-]+)?$`)
	used := map[string]string{}  // code → place
	columns := map[string]bool{} // keys of columns
	read := func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if f, ok := n.(*ast.FuncDecl); ok && f.Name.Name == "Shows" { // outputs of kinds, evaluate.summary
				return false
			}
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				text, _ := strconv.Unquote(l.Value)
				used[text] = set.Position(l.Pos()).String()
				for _, key := range strings.Fields(text) { // of Lay
					columns[strings.TrimRight(key, "*?!")] = true
				}
			}
			return true
		})
		return nil
	}
	need.NoError(t, filepath.WalkDir("..", read))
	need.NoError(t, filepath.WalkDir("../../pipelines", read))
	chapters := map[string]bool{}
	for _, c := range codes(t) {
		chapter, _, _ := strings.Cut(c, ".")
		chapters[chapter] = true
	}
	all, err := catalog()
	need.NoError(t, err)
	for _, e := range all {
		for _, m := range regexp.MustCompile(`(?:entry|entries|members|some) "([^"]+)"`).FindAllStringSubmatch(e.text, -1) {
			used[m[1]] = e.file
			if !Has(m[1]) {
				t.Errorf("%s:%d: no entry %s", e.file, e.line, m[1])
			}
		}
	}
	for _, e := range all { // works that entries cite
		for _, m := range regexp.MustCompile(`cite((?: "[^"]+")+)`).FindAllStringSubmatch(e.text, -1) {
			for _, key := range regexp.MustCompile(`[^" ]+`).FindAllString(m[1], -1) {
				if _, ok := literature.Works[key]; !ok {
					t.Errorf("%s:%d: the literature has no %s", e.file, e.line, key)
				}
			}
		}
	}
	for _, c := range codes(t) {
		c, _, _ = strings.Cut(c, "|")
		base, key, isColumn := strings.Cut(c, "/")
		for _, suffix := range []string{".note", ".alt", ".caption"} {
			base = strings.TrimSuffix(base, suffix)
		}
		switch {
		case c == "column", isColumn && columns[key] && (base == "column" || used[base] != ""), !isColumn &&
			used[base] != "",
			used[c] != "":
		default:
			t.Errorf("%s is used nowhere", c)
		}
	}
	for c, place := range used {
		if chapter, _, _ := strings.Cut(c, "."); code.MatchString(c) && chapters[chapter] && !Has(c) &&
			!strings.Contains(place, "catalog") {
			t.Errorf("%s: no entry %s", place, c)
		}
	}
}

// Templates count, list and choose; a value that is not there is an error.
func TestText(t *testing.T) {
	all := map[string]entry{}
	need.NoError(t, read(all, "test.txt", `# for the editor
a.b
  {{count .N "fold"}}, {{if .Names}}{{list .Names}}{{else}}nobody{{end}}:
  {{share .X | upper}}
a.c
  {{.X}}
a.d
  {{.Missing}}
a.f
  {{standard .Zero "14"}}, {{standard .N "14"}}, {{percents .Shares}}, {{digits .Y}}{{if ne .N 1 3}} {{cite "a" "b"}}{{end}}
a.e
  {{if eq .N 1 2}}few{{end}}{{if known .X}}, known{{end}}{{if and .N (not .Names)}}, alone{{end}}
a.g
  {{count (standard .Several "100") "epoch"}}
`))
	text := func(code string, v Values) (string, error) {
		var b strings.Builder
		err := (&writer{&b, v}).list(all[code].tree.Root)
		return b.String(), err
	}
	got, err := text("a.b", Values{"N": 2, "Names": []string{"x", "y"}, "X": 0.5})
	need.NoError(t, err)
	need.Equal(t, got, "2 folds, x and y: 0.500")
	got, err = text("a.b", Values{"N": int32(1), "Names": []any{}, "X": math.NaN()})
	need.NoError(t, err)
	need.Equal(t, got, "1 fold, nobody: N/a")
	got, err = text("a.c", Values{"X": 0.5})
	need.NoError(t, err)
	need.Equal(t, got, "0.5")
	if got, err := text("a.d", Values{"X": 0.5}); err == nil {
		t.Errorf("%q and no error", got)
	}
	got, err = text("a.g", Values{"Several": "1 or 0 or 20"}) // of a parameter with several values
	need.NoError(t, err)
	need.Equal(t, got, "1 or 100 or 20 epochs")
	got, err = text("a.e", Values{"N": 2, "X": nil, "Names": nil})
	need.NoError(t, err)
	need.Equal(t, got, "few, alone")
	got, err = text("a.b", Values{"N": finding.Span{Low: 1, High: 6}, "Names": nil,
		"X": finding.Span{Low: 0.5, High: 1}})
	need.NoError(t, err)
	need.Equal(t, got, "1–6 folds, nobody: 0.500–1.000")
	got, err = text("a.f", Values{"N": 2, "Zero": "0", "Shares": []float64{0.05, 0.125}, "Y": 1001.5})
	need.NoError(t, err)
	got = Cited(got, func(keys []string) string { return strings.Join(keys, "+") })
	need.Equal(t, got, "14, 2, 5% or 12.5%, 1001.5 a+b")
	need.Equal(t, read(all, "test.txt", "a.b\n  x\n") != nil, true)
	need.Equal(t, read(all, "test.txt", "z\n") != nil, true)
}

// A value that ends in a period, as a name or a reason may, ends its sentence.
func TestOnePeriod(t *testing.T) {
	for value, want := range map[string]string{"fold 1": "Fold 1.", "Li et al.": "Li et al.", "wait...": "Wait...."} {
		need.Equal(t, need.Value(Text("figure.member", Values{"Member": value}))(t), want)
	}
}

// What chance gives of a count is no whole number: the table shows the digit that the text shows.
func TestBesideChance(t *testing.T) {
	for _, c := range []struct {
		x, chance float64
		digits    int
		want      string
	}{{3, 0.1417, 0, "3 (0.1)"}, {4.6, 1.19, 1, "4.6 (1.2)"}, {3, 0.02, 0, "3 (0.0)"},
		{0.25, 0.066, 2, "0.25 (0.07)"}} {
		need.Equal(t, beside(c.x, c.chance, c.digits), c.want, c)
	}
}

// The bars between the parts of a column are not those of its templates, and not those of |r|.
func TestColumnFields(t *testing.T) {
	for line, want := range map[string][]string{
		`/k`:                               {"/k"},
		`/m | median |r| | over edges`:     {"/m", "median |r|", "over edges"},
		`/x | | | {{.X | short}}`:          {"/x", "", "", "{{.X | short}}"},
		`/x | a | b {{if .C | d}}e{{end}}`: {"/x", "a", "b {{if .C | d}}e{{end}}"},
	} {
		need.Equal(t, strings.Join(splitFields(line), ";"), strings.Join(want, ";"), line)
	}
}

// A group states which other classifiers have the finding.
func TestFindingText(t *testing.T) {
	g := finding.Group{Finding: finding.Finding{Code: "sensitivity.none", Subject: finding.Subject{Classifier: "SVM"},
		Numbers: map[string]any{"Positive": "PAT"}}, Also: []string{"ridge"}, Seeds: 2}
	text, err := Finding(g)
	need.NoError(t, err)
	need.Equal(t, text, "SVM assigned no participant of the group PAT to it (sensitivity 0); likewise 2 other seeds of the same training and ridge")
	for n, want := range map[int]string{2: "likewise SVM, band low; SVM, band low", 4: "likewise 4 other settings"} {
		g.Seeds, g.Also = 0, slices.Repeat([]string{"SVM, band low"}, n)
		if text = need.Value(Finding(g))(t); !strings.HasSuffix(text, want) {
			t.Errorf("%q does not end in %q", text, want)
		}
	}
	// The numbers are those of the first; where others have other ones, the text states so, as far as it shows them.
	below := func(name string, n, of int) finding.Finding {
		return finding.Finding{Code: "sensitivity.below-half", Subject: finding.Subject{Classifier: name},
			Numbers: map[string]any{"Positive": "PAT", "Sensitivity": float64(n) / float64(of), "N": n, "Of": of,
				"Repeated": false, "Hidden": name}}
	}
	for n, want := range map[int]string{9: "; likewise ridge", 11: "; likewise, with different values, ridge"} {
		var l finding.List
		l.Add(below("SVM", 9, 40), below("ridge", n, 40))
		groups := l.Grouped()
		need.Equal(t, len(groups), 1)
		if text = need.Value(Finding(groups[0]))(t); !strings.Contains(text, "9") || !strings.HasSuffix(text, want) {
			t.Errorf("%q does not end in %q", text, want)
		}
	}
}

// A category is written as its column and its value, which keeps its letters.
func TestCategoryText(t *testing.T) {
	for code, of := range map[string]map[string]any{
		"confounds.unbalanced": {"Covariates": []Values{{"Name": "site=K_I", "Before": 0.1, "After": 0.2}}, "Most": 0.1},
		"deconfound.reference": {"Level": "site=K_I", "N": 1},
		"deconfound.single":    {"Level": "site=K_I"},
		"deconfound.pair":      {"Level": "site=K_I"},
	} {
		text := need.Value(Finding(finding.Group{Finding: finding.Finding{Code: code, Numbers: of}}))(t)
		need.Equal(t, strings.Contains(text, "site K_I"), true, code, text)
	}
	need.Equal(t, PlainName("mean_fd"), "mean fd")
}

// A limit that comes from data is stated with them.
func TestLimitFromData(t *testing.T) {
	all := quality.NearOne([]column.TypicalityRow{{Participant: "a", MedianR: 0.9}, {Participant: "b", MedianR: 0.2}},
		map[string]string{"a": "X", "b": "X"})
	text := need.Value(Finding(finding.Group{Finding: all[0]}))(t)
	need.Equal(t, strings.Contains(text, "above 0.8 in 1 of 2 participants"), true, text)
	need.Equal(t, strings.Contains(text, "the largest value in 1,035 series of ABIDE and 40 other resting scans is 0.72"), true, text)
}

// Each fact of the series has a text of its own, and confounds of another scan a remedy of their own.
func TestSeriesFactsAreWritten(t *testing.T) {
	seen := map[string]string{}
	for _, f := range column.SeriesFacts {
		facts := []quality.SeriesFact{{Name: f.Name, AUC: 1, P: 0.001, From: 3, Low: 1, High: 2,
			Groups: []quality.GroupMean{{Name: "A", Mean: 1}, {Name: "B", Mean: 2}}}}
		text := need.Value(Finding(finding.Group{Finding: quality.SeriesDiffer(facts, 999)[0]}))(t)
		need.Equal(t, seen[text], "", f.Name)
		seen[text] = f.Name
		of := need.Value(Finding(finding.Group{Finding: quality.SeriesFollow("score", facts, 999)[0]}))(t)
		need.Equal(t, seen[of], "", f.Name)
		seen[of] = f.Name
		if strings.Contains(of, "group") || !strings.Contains(of, "(AUC 1.00 for values of at least 3 against lower ones; mean 2 and 1") {
			t.Error(of)
		}
		if f.Name == "global_signal_r" && !strings.Contains(text, "Supply the confounds of each scan") {
			t.Error(text)
		}
	}
}

// A finding that a table keeps as JSON has the text of the finding that was kept.
func TestWrittenFindings(t *testing.T) {
	pair := quality.CopyPair{First: "sub-1", Later: "sub-2", FirstInput: "a", LaterInput: "b", Similarity: 1, Limit: 1}
	copies := quality.Copies{Scans: 34, Participants: 33, Regions: 30, Expected: 1, Threshold: 1, Margin: 1,
		Matrices: 1, Kept: 1, Apart: 1, Others: 1, Pairs: []quality.CopyPair{pair}}
	all := copies.Findings()
	for _, why := range []string{quality.FixedParticipants, quality.FixedRegions, quality.FixedEdges,
		quality.FixedAlike} {
		fixed := copies
		fixed.Fixed, fixed.Matrices, fixed.Kept = why, 3, 3
		all = append(all, fixed.Findings()...)
	}
	kept := need.Value(finding.Of(map[string]string{finding.Meta: finding.Written(all)}))(t)
	need.Equal(t, len(kept), len(all))
	if len(all) < 8 {
		t.Errorf("only %d findings", len(all))
	}
	for i := range all {
		want := need.Value(Finding(finding.Group{Finding: all[i]}))(t)
		text, err := Finding(finding.Group{Finding: kept[i]})
		need.NoError(t, err, all[i].Code)
		need.Equal(t, text, want, all[i].Code)
	}
}

// A name with a comma is closed by another before its verb, and a third of a number has an article.
func TestNamesInSentences(t *testing.T) {
	for name, want := range map[string]string{"ridge": "ridge", "linear SVM, band all": "linear SVM, band all,"} {
		need.Equal(t, Subject(name), want)
	}
	for group, want := range map[string]string{"lowest third": "the lowest third", "F": "F", "12 to 15": "12 to 15"} {
		need.Equal(t, Band(group), want)
	}
}

// The name of a column or stage is written as it is.
func TestUpperFirst(t *testing.T) {
	for text, want := range map[string]string{"the groups": "The groups", "column mean_fd is": "Column mean_fd is",
		"": "", "mean_fd of the table": "mean_fd of the table", "net2: few": "net2: few", "scanType: few": "scanType: few",
		"PR-GNN": "PR-GNN"} {
		need.Equal(t, UpperFirst(text), want, text)
	}
}

// codes are those of all entries, sorted.
func codes(t *testing.T) []string {
	all, err := catalog()
	need.NoError(t, err)
	return slices.Sorted(maps.Keys(all))
}

// Names with commas, as those of universes, are listed with semicolons.
func TestListOfNamesWithCommas(t *testing.T) {
	need.Equal(t, List([]string{"ridge", "SVM", "MLP"}), "ridge, SVM and MLP")
	need.Equal(t, List([]string{"ridge, trend linear", "SVM"}), "ridge, trend linear; and SVM")
}

// Entries call functions that exist: a page fails with the others.
func TestEntriesCallFunctions(t *testing.T) {
	known := map[string]any{"entry": 0, "entries": 0, "findings": 0, "members": 0}
	for name := range functions {
		known[name] = 0
	}
	for code, e := range need.Value(catalog())(t) {
		if _, err := parse.New(code).Parse(e.tree.Root.String(), "", "", map[string]*parse.Tree{}, known); err != nil {
			t.Error(err)
		}
	}
	// A limit needs none.
	for code, of := range map[string]Values{
		"edges.influential": {"N": 2, "Least": 0.5, "Participants": []string{"sub-1", "sub-2"}},
		"edges.tied":        {"Covariate": "age", "Test": "the group", "Measure": "AUC", "Value": 0.9, "Refused": 0.95},
	} {
		text := need.Value(Text(code, of))(t)
		if !strings.Contains(text, "(0.5 or more)") && !strings.Contains(text, "; 0.95 or more is refused") {
			t.Error(text)
		}
	}
}

// The caution on new sites is written for one and for several, estimated on tested participants or on controls.
func TestNewSites(t *testing.T) {
	for _, c := range []struct {
		sites    []string
		controls bool
		groups   []string
		want     string
	}{
		{[]string{"NYU"}, false, nil, "the site NYU were estimated on the matrices of the test participants"},
		{[]string{"NYU"}, true, nil, "the site NYU were estimated on the matrices of controls who were not tested. This"},
		{[]string{"NYU"}, true, []string{"60 ASD", "2 HC"}, "on the matrices of controls who were not tested (60 ASD and 2 HC). This"},
		{[]string{"KKI", "NYU"}, false, nil, "each of 2 sites were estimated"},
	} {
		got := need.Value(Text("applied.harmonized", Values{"Sites": c.sites, "Sizes": []int32{20},
			"Controls": c.controls, "ControlGroups": c.groups, "Number": false, "Shares": finding.Shares{}}))(t)
		if !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q in it", got, c.want)
		}
	}
	for _, controls := range []bool{true, false} {
		got := need.Value(Text("methods.applied-harmonized", Values{"Models": 1, "Sizes": []string{"20 of NYU"},
			"Controls": controls, "Preserved": []string{"age"},
			"Number": false, "ControlGroups": []string{"60 ASD"}}))(t)
		need.Equal(t, strings.Contains(got, "controls (60 ASD), who were not tested"), controls, got)
		need.Equal(t, strings.Contains(got, "The shift and scale of the new site (20 of NYU) were estimated"), true, got)
	}
}
