package cli

import (
	"cmp"
	"compress/gzip"
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
	"prgnn/internal/testdir"
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
		for _, m := range call.FindAllStringSubmatch(strings.ReplaceAll(p.text, "\\\n", " "), -1) {
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

// TestDocsSnippets: the YAML of the pages can be planned, with the cohorts of snippetData. A piece of a file has the
// built-in file that it is added to above it, <!-- in: FILE [--set VAR=VALUE …] -->, or <!-- in: above --> if it is
// added to the block before it. A block that no test runs has the reason above it, <!-- not run: REASON -->;
// cmd/pipeline.TestDocsCommands runs the shell lines that have none, and test/python runs docs/python.md.
func TestDocsSnippets(t *testing.T) {
	data := snippetData(t)
	planned := 0
	var skipped []string
	for _, p := range pages(t) {
		if !isPage(p.name) {
			continue
		}
		above, aboveArgs := "", []string(nil)
		for i, b := range docs.Blocks(p.text) {
			where := fmt.Sprintf("%s:%d", strings.TrimPrefix(p.name, "../../../"), b.Line)
			if b.Lang == "yaml" {
				var doc any
				if err := yaml.Unmarshal([]byte(b.Text), &doc); err != nil {
					t.Errorf("%s: %v", where, err)
					continue
				}
				checkPiece(t, where, doc)
			}
			if reason, ok := strings.CutPrefix(b.Mark, "not run: "); ok {
				skipped = append(skipped, where+": "+reason)
				continue
			}
			switch b.Lang {
			case "text":
			case "sh":
				if dir := filepath.Base(filepath.Dir(p.name)); dir == "examples" || dir == "python" {
					t.Errorf("%s: no test runs the commands of this page: above them, <!-- not run: REASON -->", where)
				}
			case "yaml":
				planned++
				text, args := b.Text, strings.Fields(strings.TrimPrefix(b.Mark, "in: "))
				switch {
				case len(args) == 0 || strings.HasPrefix(args[0], "--"):
				case args[0] == "above":
					text, args = above+text, aboveArgs
				default:
					if strings.HasPrefix(text, "  ") {
						text = "stages:\n" + text
					}
					text, args = "extends: built-in "+args[0]+"\n"+text, args[1:]
				}
				above, aboveArgs = text, args
				name := fmt.Sprintf("%s-%d.yaml", strings.TrimSuffix(filepath.Base(p.name), ".md"), i)
				planSnippet(t, where, text, args, data, name)
			default:
				if filepath.Base(p.name) != "python.md" {
					t.Errorf("%s: %q is not yaml, sh or text: above it, <!-- not run: REASON -->", where, b.Lang)
				}
			}
		}
	}
	t.Logf("%d pieces planned; not run:\n%s", planned, strings.Join(skipped, "\n"))
	if planned < 50 {
		t.Errorf("only %d pieces were planned", planned)
	}
}

// isPage reports whether a page is one that users and developers read.
func isPage(name string) bool {
	dir := filepath.Base(filepath.Dir(name))
	return filepath.Ext(name) == ".md" &&
		(dir == ".." || dir == "docs" || dir == "examples" || dir == "python")
}

// planSnippet plans a piece of a file in one of the directories of data, the first where it can be.
func planSnippet(t *testing.T, where, text string, args, data []string, name string) {
	t.Helper()
	first := ""
	for _, dir := range data {
		for _, m := range snippetFile.FindAllStringSubmatch(text, -1) {
			need.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, m[1])), 0o777))
			need.NoError(t, os.WriteFile(filepath.Join(dir, m[1]), []byte("x"), 0o666))
		}
		file := filepath.Join(dir, name)
		need.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		code, _, diag := runHere(append([]string{"plan", file, "--store", filepath.Join(dir, "store")}, args...)...)
		if code == 0 {
			return
		}
		first = cmp.Or(first, diag)
	}
	t.Errorf("%s: %s\n%s", where, first, text)
}

// snippetFile is a file of code in a piece.
var snippetFile = regexp.MustCompile(`file: ([\w/-]+\.(?:py|sif|R|sh|jl|txt|npz))\b`)

// snippetData are directories with twenty participants, of four simulated scans, for the cohorts of the pages:
// derivatives of fMRIPrep without sessions, with sessions, and with runs; beside each, files for the other kinds of
// cohorts, and a table that has the columns of all pages.
func snippetData(t *testing.T) (dirs []string) {
	t.Helper()
	from := t.TempDir()
	code, _, diag := runHere("simulate", "quick.yaml", from, "--set", "cohort.asd=2", "--set", "cohort.hc=2",
		"--set", "cohort.volumes=60")
	if code != 0 {
		t.Fatal(diag)
	}
	series, matrix := "", "1\t0.3\t0.1\n0.3\t1\t0.2\n0.1\t0.2\t1\n"
	for v := range 60 {
		series += fmt.Sprintf("%d\t%d\t%d\n", v*v*31%97, v*v*v%89, (v*v+7)*v%83)
	}
	var zipped strings.Builder
	z := gzip.NewWriter(&zipped)
	need.Value(z.Write([]byte(series)))(t)
	need.NoError(t, z.Close())
	files := map[string]string{
		"mymodel/mymodel.py": "", "ratings.tsv": "participant_id\trating\nsub-002\tfail\n",
		"cultures.tsv": "culture\tstrain\tmedium\tfile\nc1\tA\tM9\tcurve.tsv\nc2\tB\tM9\tcurve.tsv\n", "curve.tsv": series,
	}
	excluded := strings.Fields("50279 50286 50578 50602 51478 51469 50209 50192 50216") // by docs/abide.md
	table := ""
	for i := range 20 {
		id, subject, group := fmt.Sprintf("sub-%03d", i+1), fmt.Sprint(50001+i), []string{"ASD", "HC"}[i/10]
		if i%2 == 0 && i/2 < len(excluded) {
			subject = excluded[i/2]
		}
		row := fmt.Sprintf("participant_id=%[1]s FILE_ID=%[1]s file_id=%[1]s id=%[1]s SUB_ID=%s file=func/%[1]s_bold.nii.gz "+
			"labels=func/%[1]s_labels.nii.gz", id, subject) +
			fmt.Sprintf(" group=%[1]s diagnosis=%[1]s dx=%d DX_GROUP=%[2]d asd=%d visit=1", group, i/10+1, 1-i/10) +
			fmt.Sprintf(" age=%[1]d AGE_AT_SCAN=%[1]d sex=%[2]s SEX=%[2]s site=%[3]s SITE_ID=%[3]s", 9+i%5, []string{"F", "M"}[i/2%2],
				[]string{"NYU", "USM"}[i%2]) +
			fmt.Sprintf(" mean_fd=0.%[1]d func_mean_fd=0.%[1]d IQ=%[2]d FIQ=%[2]d score=%[2]d", 11+i*7%20, 95+i*3%20)
		names, values := "", ""
		for field := range strings.FieldsSeq(row) {
			name, value, _ := strings.Cut(field, "=")
			names, values = names+name+"\t", values+value+"\t"
		}
		if table == "" {
			table = strings.TrimSpace(names) + "\n"
		}
		table += strings.TrimSpace(values) + "\n"
		for _, name := range []string{"%s.tsv", "cpac/nofilt_noglobal/%s_rois_ho.1D",
			"abide/ABIDE_pcp/cpac/nofilt_noglobal/%s_rois_ho.1D", "series/func/%s_bold.nii.gz",
			"derivatives/xcp_d/%[1]s/func/%[1]s_task-rest_space-fsLR_seg-Gordon_stat-mean_timeseries.tsv"} {
			files[fmt.Sprintf(name, id)] = series
		}
		files["rois/"+id+"_rois_ho.1D.gz"] = zipped.String()
		files[id+"_stat-pearsoncorrelation_relmat.tsv"], files[id+"_stat-partialcorrelation_relmat.tsv"] = matrix, matrix
		for _, end := range []string{"space-T1w_desc-preproc_bold.nii.gz", "space-T1w_desc-preproc_bold.json",
			"space-T1w_desc-aparcaseg_dseg.nii.gz", "desc-confounds_timeseries.tsv"} {
			name := fmt.Sprintf("sub-sim%03d_task-rest_%s", i%4+1, end)
			path := filepath.Join(from, fmt.Sprintf("sub-sim%03d", i%4+1), "func", name)
			b := string(need.Value(os.ReadFile(path))(t))
			files["derivatives/fmriprep/"+id+"/func/"+id+"_task-rest_"+end] = b
			switch {
			case strings.HasSuffix(end, "dseg.nii.gz"):
				files["atlas.nii.gz"], files["func/"+id+"_labels.nii.gz"] = b, b
			case strings.HasSuffix(end, "bold.nii.gz"):
				files["func/"+id+"_bold.nii.gz"] = b
			default:
				files["func/"+id+"_"+end] = b
			}
		}
	}
	csv := strings.ReplaceAll(table, "\t", ",")
	for name, text := range map[string]string{"participants.tsv": table, "participants.csv": csv, "visits.tsv": table,
		"abide/ABIDE_pcp/participants.csv": csv, "Phenotypic_V1_0b_preprocessed1.csv": csv,
		"derivatives/fmriprep/participants.tsv": table, "derivatives/xcp_d/participants.tsv": table} {
		files[name] = text
	}
	for _, part := range []string{"", "ses", "run"} {
		split := map[string]string{}
		for name, text := range files {
			id, rest, ok := strings.Cut(name, "_task-rest_")
			if part == "" || !ok {
				split[name] = text
				continue
			}
			for _, n := range []string{"1", "2"} {
				switch sessions := strings.Replace(id, "/func/", "/ses-"+n+"/func/", 1); part {
				case "ses":
					split[sessions+"_ses-"+n+"_task-rest_"+rest] = text
				default:
					split[id+"_task-rest_run-"+n+"_"+rest] = text
				}
			}
		}
		dirs = append(dirs, testdir.Files(t, split))
	}
	return dirs
}

// mdStage is a stage in a sentence.
var mdStage = regexp.MustCompile("`([a-z_]+: \\{ use: [^`\n]* \\})`")

// mdHead are the lines of a piece before its stages.
var mdHead = regexp.MustCompile(`^(extends: [^\n]*\n)?stages:\n`)

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
			if piece := mdHead.ReplaceAllString(m[2], ""); m[1] == "yaml" && strings.HasPrefix(piece, "  ") {
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
