package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"prgnn/cmd/pipeline/console"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// hostile is what data may hold to write on a terminal: a title, a color, moving the cursor, a
// C1 sequence, a bell, a carriage return, DEL, and a change of the direction of writing.
const hostile = "\x1b]0;owned\x07\x1b[31m\x1b[2A\u009b31m\rerror\x7f\u202egnp"

// raw is the first character of a text that acts on a terminal, with what is around it.
func raw(text string) string {
	for i, r := range text {
		one := text[i : i+max(1, utf8.RuneLen(r))]
		if r == utf8.RuneError {
			one = "\ufffd"
		}
		if r != '\n' && r != '\t' && console.Visible(one) != one || r == utf8.RuneError &&
			!strings.HasPrefix(text[i:], one) {
			return fmt.Sprintf("%q", text[max(0, i-60):min(len(text), i+30)])
		}
	}
	return ""
}

// quoted is a text as a YAML scalar.
func quotedYAML(text string) string {
	b, _ := json.Marshal(text)
	return strings.NewReplacer("\x7f", `\x7f`, "\u009b", `\x9b`, "\u202e", `\u202e`).Replace(string(b))
}

// hostileStudy writes studies whose participants, columns, paths, names and commands are hostile;
// those named bad… are refused.
func hostileStudy(t *testing.T) string {
	t.Helper()
	dir := testdir.Memory(t)
	if runtime.GOOS != "windows" {
		dir = filepath.Join(dir, strings.ReplaceAll(hostile, "/", ""))
	}
	series := func(of int) string {
		text := "a\tb\tc\n"
		for i := range 12 {
			text += fmt.Sprintf("%d\t%d\t%d\n", i%5, i%3, i%7+of*i%4)
		}
		return text
	}
	cell := strings.NewReplacer("\r", "", "\n", "").Replace(hostile)
	cohort := "cohort: { timeseries: { file: people.tsv, series: \"{participant_id}.tsv\" } }\n"
	series1 := "  series: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }\n"
	files := map[string]string{
		"people.tsv": "participant_id\tgroup\t" + cell + "\nsub-a\tA" + cell + "\t" + cell + "\nsub-b\tB" + cell +
			"\tx\nsub-c\tB" + cell + "\tx\n",
		"sub-a.tsv": series(0), "sub-b.tsv": series(1), "sub-c.tsv": series(2),
		"good.yaml": "pipeline: " + quotedYAML(hostile) + "\nseed: 3\n" + cohort + "stages:\n" + series1 +
			"  said: { use: exec, with: { command: [sh, -c, " + quotedYAML("printf '"+hostile+"'; printf '"+hostile+"' > {out}") + "], outputs: [out=text] } }\n" +
			"  values: { use: echo, matrix: { value: [" + quotedYAML(hostile) + ", b] } }\n",
		"second.yaml": "seed: 4\n" + cohort + "stages:\n" + series1 +
			"  said: { use: exec, with: { command: [sh, -c, " + quotedYAML("printf '"+hostile+"2' > {out}") + "], outputs: [out=text], environment: [\"A" + `\u001b` + "[31m=x\"] } }\n" +
			"  values: { use: echo, matrix: { value: [c, b] } }\n",
		"fails.yaml":     "stages:\n  said: { use: exec, with: { command: [sh, -c, " + quotedYAML("printf '"+hostile+"'; exit 3") + "] } }\n",
		"bad_stage.yaml": "stages:\n  " + quotedYAML(hostile) + ": { use: echo }\n",
		"bad_kind.yaml":  "stages:\n  x: { use: " + quotedYAML(hostile) + ", with: { " + quotedYAML(hostile) + ": 1 } }\n",
		"bad_key.yaml": quotedYAML(hostile) + ": 1\nstages:\n  x: { use: echo, with: { " + quotedYAML(hostile) +
			": 1 }, in: { " + quotedYAML(hostile) + ": y } }\n",
		"bad_bytes.yaml":   "stages: { x: { use: echo, with: { value: \"" + hostile + "\" } } }\n\xff\xfe",
		"bad_people.yaml":  "cohort: { timeseries: { file: bad.tsv, series: \"{participant_id}.tsv\" } }\nstages:\n" + series1,
		"bad_columns.yaml": "cohort: { timeseries: { file: people.tsv, series: \"{" + `\u001b` + "[31m}.tsv\" } }\nstages:\n" + series1,
		"bad_select.yaml":  "cohort: { timeseries: { file: people.tsv, series: \"{participant_id}.tsv\", select: " + quotedYAML("x == '"+hostile+"'") + " } }\nstages:\n" + series1,
		"bad.tsv":          "participant_id\tgroup\nsub-" + cell + "\t" + cell + "\nsub-" + cell + "\t" + cell + "\n",
		"table.csv":        cell + ",y\n" + cell + ",1\n",
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			need.Missing(t, "a file system with such names: %v", err)
		}
	}
	return dir
}

var lastRunID = regexp.MustCompile(`(?m)^run ([0-9a-f]{8,})`)

// No command prints a control character that stands in data: names, cells, paths, arguments,
// logs, errors.
func TestNoCommandPrintsControlCharacters(t *testing.T) {
	dir := hostileStudy(t)
	t.Chdir(dir)
	if wd, err := os.Getwd(); err != nil || !strings.HasPrefix(wd, "/") && runtime.GOOS != "windows" {
		t.Fatal(wd, err)
	}
	called := map[string]bool{}
	ask := func(args ...string) (int, string) {
		t.Helper()
		called[args[0]] = true
		code, out, diag := runHere(args...)
		for _, stream := range []string{out, diag} {
			need.Equal(t, raw(stream), "", "pipeline", args, "prints")
		}
		return code, out
	}
	code, out := ask("run", "good.yaml")
	id := lastRunID.FindStringSubmatch(out)
	if code != 0 || id == nil {
		t.Fatalf("the study does not run: %d\n%s", code, out)
	}
	_, out = ask("run", "second.yaml", "-v")
	other := lastRunID.FindStringSubmatch(out)
	if other == nil {
		t.Fatalf("the second study does not run\n%s", out)
	}
	var commands [][]string
	add := func(args ...string) { commands = append(commands, args, append(args, "--json")) }
	for name := range map[string]bool{"good": true, "second": true, "fails": true, "bad_stage": true, "bad_kind": true,
		"bad_key": true, "bad_bytes": true, "bad_people": true, "bad_columns": true, "bad_select": true} {
		f := name + ".yaml"
		add("run", f)
		add("plan", f)
		add("plan", f, "-v")
		add("why", f, "said")
		add("why", f, "values[value=c]")
		add("graph", f)
		add("graph", f, "--format", "dot")
		add("graph", f, "--format", "mermaid")
		add("status", f)
		add("cohort", f)
		add("print", f)
		add("show", f)
		add("show", f, "said")
		add("show", f, "values", "-v")
		add("show", f, "cohort")
		add("log", f, "said")
		add("report", f, "-o", "report.html")
		add("lock", f)
		add("lock", f, "-o", "-")
		add("audit", f)
		add("audit", "--lock", "run.lock")
		add("provenance", f, "-o", "crate-"+hostile)
		add("bundle", f, "-o", name+".tar")
		add("replay", name+".tar")
		add("export", f, "cohort.participants", "-o", "p"+hostile+".csv")
		add("export", f, "nothing"+hostile, "-o", "x.csv")
	}
	add("runs")
	add("store")
	add("store", id[1])
	add("cite", hostile)
	add("cite", "good.yaml", hostile)
	for _, run := range []string{id[1], other[1]} {
		add("show", run)
		add("show", run, "said")
		add("log", run, "said")
		add("provenance", run, "--format", "prov", "-o", "prov.json")
	}
	add("diff", id[1], other[1])
	add("diff", id[1], other[1], "said")
	add("diff", id[1], hostile)
	add("lineage", "said", "--up")
	add("lineage", "people.tsv", "--down", "-v")
	add("inspect", "table.csv")
	add("inspect", "sub-a.tsv")
	add("inspect", hostile)
	add("sign", "--new-key", "me")
	add("sign", "run.lock", "--key", "me.pem")
	add("verify")
	add("verify", hostile)
	add("atlas", "get", hostile)
	add("atlas", "list", hostile)
	add("docs", hostile)
	add("check-duplicates", hostile, "--series", hostile)
	add("check-duplicates", "people.tsv", "--series", "{participant_id}.tsv")
	add("docs", "--search", hostile)
	add("stages", hostile)
	add("schema", "--install", hostile)
	add("init", "there"+hostile)
	add("simulate", "-o", "simulated", "--participants", hostile)
	add("simulate", hostile)
	add("validate", hostile, "good.yaml")
	add("validate", "people.tsv", "good.yaml", "--allow", hostile)
	add("exec-task", hostile)
	add("exec-pilot", hostile)
	add("completion", hostile)
	add("version")
	add("help", hostile)
	add("new-stage", hostile, "module"+hostile)
	add("new-model", hostile)
	add("new-model", "mine", "models"+hostile)
	add("bids-app", hostile, "out", "participant")
	add("bids-app", ".", "out"+hostile, hostile)
	add("bids-app", ".", "out"+hostile, "participant", "--participant-label", hostile)
	add("run", "good.yaml", "--set", hostile+"=1")
	add("run", "good.yaml", "--"+hostile)
	add("run", "good.yaml", "-j", hostile)
	add("run", "good.yaml", "--until", hostile)
	add("show", "good.yaml", hostile)
	add("why", "good.yaml", hostile)
	add("plan", "good.yaml", hostile)
	add("print", "good.yaml", "--set", "stages.said.with="+hostile)
	add(hostile)
	add("gc", "--dry-run")
	add("remote", "gc", "--older", "1d", "--remote", "file:///"+hostile)
	add("remote", hostile)
	for _, args := range commands {
		ask(args...)
	}
	for _, c := range (&app{Console: &console.Console{}}).root("").Commands() {
		if !called[c.Name()] {
			t.Errorf("pipeline %s is not tried", c.Name())
		}
	}
}

// What a picture is named after cannot break it.
func TestGraphOfHostileNamesIsXML(t *testing.T) {
	t.Chdir(hostileStudy(t))
	code, _, diag := runHere("graph", "good.yaml", "-o", "graph.svg")
	out, err := os.ReadFile("graph.svg")
	if code != 0 || err != nil {
		t.Fatal(diag, err)
	}
	d := xml.NewDecoder(bytes.NewReader(out))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v %s\n%s", err, diag, out)
		}
	}
}
