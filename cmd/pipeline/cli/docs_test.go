package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"prgnn/cmd/pipeline/console"
	_ "prgnn/cmd/pipeline/imaging"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/docs"
	"prgnn/internal/need"
	"prgnn/pipelines"
	_ "prgnn/stages"
	"prgnn/stages/cohort"
	"prgnn/stages/role"
)

// A page is a text that is read by users: a Markdown file, the help of a command, or
// the comments of a built-in pipeline.
type docsPage struct{ name, text string }

// pages are all of them.
func pages(t *testing.T) (all []docsPage) {
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() && (name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".") && path != root) {
			return filepath.SkipDir
		}
		builtIn := filepath.Ext(name) == ".yaml" && filepath.Base(filepath.Dir(path)) == "pipelines"
		if filepath.Ext(name) == ".md" || builtIn {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all = append(all, docsPage{path, string(b)})
		}
		return nil
	})
	if err != nil || len(all) < 20 {
		t.Fatalf("%d pages, %v", len(all), err)
	}
	for _, c := range allCommands() {
		all = append(all, docsPage{c.CommandPath() + " --help", c.Long + "\n" + c.Example})
	}
	return all
}

func allCommands() []*cobra.Command {
	a := &app{Console: console.New(nil, io.Discard, io.Discard)}
	root := a.root("")
	return append([]*cobra.Command{root}, root.Commands()...)
}

var (
	mdLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	mdHeading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	mdFence   = regexp.MustCompile("(?ms)^ *```([a-z]*)[^\n]*\n(.*?)^ *```")
	mdCode    = regexp.MustCompile("`[^`\n]*`") // a span of code has no links
	// A call stands at the beginning of a line or of a piece of code, after a $ or in a comment.
	call = regexp.MustCompile("(?m)(?:`|^[ #$]*(?:\\./|go run \\./cmd/)?)(pipeline [^`\n]*)")
)

// TestDocsLinks: what a page points to is there.
func TestDocsLinks(t *testing.T) {
	links := 0
	for _, p := range pages(t) {
		for _, m := range mdLink.FindAllStringSubmatch(mdCode.ReplaceAllString(mdFence.ReplaceAllString(p.text, ""),
			""), -1) {
			file, part, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") || filepath.Ext(p.name) != ".md" {
				continue
			}
			links++
			path := p.name
			if file != "" {
				path = filepath.Join(filepath.Dir(p.name), filepath.FromSlash(file))
			}
			b, err := os.ReadFile(path)
			if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
				err = nil
			}
			if err != nil {
				t.Errorf("%s: the link %s leads nowhere", p.name, m[1])
				continue
			}
			var anchors []string
			for _, h := range mdHeading.FindAllStringSubmatch(string(b), -1) {
				anchors = append(anchors, docs.Anchor(h[1]))
			}
			if part != "" && !slices.Contains(anchors, part) {
				t.Errorf("%s: the link %s leads to no heading; there are %q", p.name, m[1], anchors)
			}
		}
	}
	if links < 30 {
		t.Errorf("only %d links were found", links)
	}
}

// TestDocsCommands: every call of the program in a page names a command that there is,
// and flags that it has.
func TestDocsCommands(t *testing.T) {
	commands := map[string]*cobra.Command{}
	for _, c := range allCommands() {
		commands[c.Name()] = c
	}
	calls := 0
	for _, p := range pages(t) {
		for _, m := range call.FindAllStringSubmatch(p.text, -1) {
			words := strings.Fields(m[1])[1:]
			if len(words) == 0 || !isLower(words[0]) {
				continue // pipeline COMMAND, pipeline --version
			}
			if c := commands[words[0]]; c == nil {
				if _, prose := os.Stat(words[0]); prose != nil && len(words) > 1 &&
					(strings.HasSuffix(words[1], ".yaml") || strings.HasPrefix(words[1], "-") || words[1] == "FILE") {
					t.Errorf("%s: %q: there is no command %s", p.name, m[1], words[0])
				}
				continue
			} else if calls++; true {
				for _, problem := range unknownFlags(c, words[1:]) {
					t.Errorf("%s: %q: %s has no flag %s", p.name, m[1], words[0], problem)
				}
			}
		}
	}
	if calls < 100 {
		t.Errorf("only %d calls were found", calls)
	}
}

func isLower(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLower(r) && r != '-' }) < 0 && word[0] != '-'
}

// unknownFlags are the flags among the words that a command does not have, up to a
// comment or the next program.
func unknownFlags(c *cobra.Command, words []string) (unknown []string) {
	quoted := false
	for _, w := range words {
		if !quoted && (w == "#" || w == "|" || w == ";" || w == "&&") {
			break
		}
		begins := !quoted && strings.HasPrefix(w, "-")
		if strings.Count(w, "'")%2 == 1 {
			quoted = !quoted
		}
		if !begins || w == "-" {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimRight(w, ".,;:)]"), "=")
		switch {
		case strings.HasPrefix(name, "--") && c.Flags().Lookup(name[2:]) == nil &&
			c.InheritedFlags().Lookup(name[2:]) == nil:
			unknown = append(unknown, name)
		case !strings.HasPrefix(name, "--") && c.Flags().ShorthandLookup(name[1:2]) == nil &&
			c.InheritedFlags().ShorthandLookup(name[1:2]) == nil:
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// TestDocsStages: the pieces of pipeline files in pages name kinds, parameters, inputs
// and cohorts that there are.
func TestDocsStages(t *testing.T) {
	pieces := 0
	for _, p := range pages(t) {
		for _, m := range mdFence.FindAllStringSubmatch(p.text, -1) {
			if m[1] != "yaml" {
				continue
			}
			var doc any
			if err := yaml.Unmarshal([]byte(m[2]), &doc); err != nil {
				t.Errorf("%s: %v in\n%s", p.name, err, m[2])
				continue
			}
			pieces++
			checkPiece(t, p.name, doc)
		}
	}
	if pieces < 8 {
		t.Errorf("only %d pieces were found", pieces)
	}
}

// TestBaselinesPieces: each piece of docs/baselines.md connects its stages to quick.yaml in a way that can run.
func TestBaselinesPieces(t *testing.T) {
	dir := t.TempDir()
	need.NoError(t, os.WriteFile(filepath.Join(dir, "classify.py"), []byte("pass\n"), 0o644))
	pieces := 0
	for _, p := range pages(t) {
		for _, m := range mdFence.FindAllStringSubmatch(p.text, -1) {
			if filepath.Base(p.name) != "baselines.md" || m[1] != "yaml" {
				continue
			}
			pieces++
			text := "extends: built-in quick.yaml\nstages:\n" + m[2]
			if _, err := pipelines.LoadText("x.yaml", text, dir, nil); err != nil {
				t.Errorf("%s: %v\n%s", p.name, err, m[2])
			}
		}
	}
	if pieces < 4 {
		t.Errorf("only %d pieces were found", pieces)
	}
}

// mdStage is a stage in a sentence.
var mdStage = regexp.MustCompile("`([a-z_]+: \\{ use: [^`\n]* \\})`")

// TestDocsPiecesShow: what the stages of a piece make has its place in the summary and in the report of the built-in
// file that the piece is added to.
func TestDocsPiecesShow(t *testing.T) {
	dir := t.TempDir()
	table := "participant_id\tgroup\tage\tsex\tsite\tmean_fd\n"
	for i := range 24 {
		id := fmt.Sprintf("sub-%02d", i)
		table += fmt.Sprintf("%s\t%c\t%d\t%c\t%c\t0.%d\n", id, "AB"[i%2], 20+i*7%24, "FM"[i/2%2], "XY"[i/4%2], 1+i*5%9)
		series := ""
		for v := range 60 {
			series += fmt.Sprintf("%d\t%d\t%d\n", (v+i)*(v+i)*31%97, v*v*v%89+i, (v*v+i*7)*v%83)
		}
		need.NoError(t, os.WriteFile(filepath.Join(dir, id+".tsv"), []byte(series), 0o644))
	}
	need.NoError(t, os.WriteFile(filepath.Join(dir, "participants.tsv"), []byte(table), 0o644))
	shown := map[string]bool{} // kinds
	for _, p := range pages(t) {
		if filepath.Base(filepath.Dir(p.name)) != "docs" {
			continue
		}
		var pieces []string
		for _, m := range mdFence.FindAllStringSubmatch(p.text, -1) {
			if piece := strings.TrimPrefix(m[2], "stages:\n"); m[1] == "yaml" && strings.HasPrefix(piece, "  ") {
				pieces = append(pieces, piece)
			}
		}
		for _, m := range mdStage.FindAllStringSubmatch(p.text, -1) {
			pieces = append(pieces, "  "+m[1])
		}
		for _, piece := range pieces {
			for _, base := range []string{"timeseries.yaml", "quick.yaml", "target.yaml"} {
				var sets []string
				if base == "timeseries.yaml" {
					sets = []string{"data=.", "tr=2"}
				}
				built, err := pipelines.LoadText("x.yaml", "extends: built-in "+base+"\nstages:\n"+piece, dir, sets)
				if err != nil {
					continue
				}
				read := map[string]bool{}
				for _, s := range built.Graph.Stages() {
					for _, task := range s.Tasks() {
						for _, in := range task.Inputs() {
							for _, src := range in.Sources {
								read[src.Node.Stage().Name()] = true
							}
						}
					}
				}
				for _, s := range built.Graph.Stages() {
					if !strings.Contains(piece, "  "+s.Name()+":") || len(s.Tasks()) == 0 {
						continue
					}
					for _, out := range s.Tasks()[0].Instance().Ports().Out {
						if shows(s.Kind().Name + "." + out.Name) {
							shown[s.Kind().Name] = true
							if !read[s.Name()] {
								t.Errorf("%s: added to %s, no stage reads what the stage %s makes:\n%s", p.name, base, s.Name(), piece)
							}
							break
						}
					}
				}
				break
			}
		}
	}
	for _, kind := range []string{"confounds", "subgroups", "edges", "learning-curve", "permutation", "permutation-regression"} {
		if !shown[kind] {
			t.Errorf("no piece of the pages with a stage of the kind %s could be added", kind)
		}
	}
}

// shows reports whether summary or report can show an output (KIND.OUTPUT).
func shows(output string) bool {
	for _, page := range []string{"summary", "report"} {
		kind, _ := dag.Lookup(page)
		for _, p := range kind.New().Ports().In {
			if slices.Contains(role.UsualOf(page, p.Name).From, output) {
				return true
			}
		}
	}
	return false
}

func checkPiece(t *testing.T, where string, v any) {
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	if use, ok := m["use"].(string); ok {
		k, known := dag.Lookup(use)
		if !known {
			t.Errorf("%s: there is no kind %q", where, use)
			return
		}
		s := k.New()
		var parameters, inputs []string
		for _, p := range param.Of(s) {
			parameters = append(parameters, p.Name)
		}
		if use != "exec" {
			for _, in := range s.Ports().In {
				inputs = append(inputs, in.Name)
			}
			for name := range mapOf(m["in"]) {
				if !slices.Contains(inputs, name) {
					t.Errorf("%s: %s has no input %q", where, use, name)
				}
			}
		}
		for name := range mapOf(m["with"]) {
			if !slices.Contains(parameters, name) {
				t.Errorf("%s: %s has no parameter %q", where, use, name)
			}
		}
		return
	}
	for _, c := range cohort.Kinds() {
		given := mapOf(mapOf(m["cohort"])[c.Name])
		for name := range given {
			if !slices.ContainsFunc(param.Of(c.New()), func(p param.Param) bool { return p.Name == name }) {
				t.Errorf("%s: the cohort %s has no parameter %q", where, c.Name, name)
			}
		}
	}
	for name, inner := range m {
		if name != "cohort" {
			checkPiece(t, where, inner)
		}
	}
}

func mapOf(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
