package pipelines

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/pipelines/tree"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
)

// describe writes a graph down: every task with its parameters and what its
// ports are connected to.
func describe(g *dag.Graph) string {
	var b strings.Builder
	for _, s := range g.Stages() {
		fmt.Fprintf(&b, "%s %s %v\n", s.Name(), s.Kind().Name, s.Axes())
		for _, n := range s.Tasks() {
			b.WriteString("  " + task(n) + "\n")
		}
	}
	return b.String()
}

func task(n *dag.Node) string {
	var b strings.Builder
	b.WriteString(n.ID())
	if n.Problem() != nil {
		fmt.Fprintf(&b, " cannot: %v", n.Problem())
		return b.String()
	}
	fmt.Fprintf(&b, " (%s)", strings.Join(lists.Map(param.Values(n.Instance()), param.Value.String), ", "))
	for _, in := range n.Inputs() {
		from := lists.Map(in.Sources, func(s dag.Source) string { return source_(s) })
		fmt.Fprintf(&b, " %s<-%s", in.Port, strings.Join(from, "+"))
	}
	return b.String()
}

func source_(s dag.Source) string {
	text := s.File + ":" + s.Format
	if s.Node != nil {
		text = s.Node.ID() + "." + s.Output
	}
	for i, c := range s.Coords {
		text += []string{"{", ","}[min(i, 1)] + c.Axis + "=" + c.Value
	}
	if len(s.Coords) > 0 {
		text += "}"
	}
	return text
}

func mustBuild(t *testing.T, text string, sets ...string) *Pipeline {
	t.Helper()
	p, err := build("x.yaml", []byte(text), ".", sets, maxTasks)
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, text)
	}
	return p
}

// stageText is what describe says of one stage.
func stageText(t *testing.T, p *Pipeline, name string) string {
	t.Helper()
	var lines []string
	for _, s := range p.Graph.Stages() {
		if s.Name() == name {
			for _, n := range s.Tasks() {
				lines = append(lines, task(n))
			}
		}
	}
	return strings.Join(lines, "\n")
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	want = strings.TrimSpace(strings.ReplaceAll(want, "\n\t\t", "\n"))
	if got != want {
		t.Errorf("%s:\n%s\nwant:\n%s", what, got, want)
	}
}

const chain = `
pipeline: chain
seed: 7
vars: { density: 0.1 }
cohort: { t-files: { people: 2 } }
stages:
  clean: { use: t-clean, each: subject, in: { scan: cohort.bold, confounds: cohort.confounds } }
  connectivity: { use: t-correlate, each: subject, in: { series: clean } }
  graphs: { use: t-graph, each: subject, in: { pearson: connectivity, partial: connectivity.partial }, with: { density: "${density}" } }
  folds: { use: t-split, in: { participants: cohort }, with: { folds: 2 } }
  train:
    use: t-train
    matrix: { pool: [topk, sage], lambda: [[0, 0], [0.1, 0.10]], fold: [1..2] }
    in: { edges: "graphs[*]", folds: folds }
  evaluate: { use: t-evaluate, in: { predictions: "train[*].predictions" } }
`

func TestChain(t *testing.T) {
	p := mustBuild(t, chain)
	if p.Name != "chain" || p.Graph.Name() != "chain" || p.Graph.Source() != chain || p.File != "x.yaml" {
		t.Errorf("name %q %q, file %q", p.Name, p.Graph.Name(), p.File)
	}
	need.Equal(t, p.Graph.Stages()[1].Pos().String(), "x.yaml:7:3", "stage clean is at")
	cohort := p.Graph.Stages()[0].Tasks()[0]
	if refs := cohort.Instance().(*cohortValues).KnownOutputs(); refs.Of("participants").Format != "arrow" ||
		refs.Of("nodes").Format != "arrow" {
		t.Errorf("the cohort's values are not known before the run: %v", refs)
	}
	got := describe(p.Graph)
	got = got[strings.Index(got, "clean t-clean"):]
	check(t, "graph", strings.TrimSpace(got), `
clean t-clean [subject]
  clean[sub-001] (detrend = 1, seed = 7, subject = "sub-001", tr = 0) scan<-/scans/sub-001.nii.gz:nifti{subject=sub-001} confounds<-/sub-001.tsv:tsv{subject=sub-001}
  clean[sub-002] (detrend = 1, seed = 7, subject = "sub-002", tr = 0) scan<-/scans/sub-002.nii.gz:nifti{subject=sub-002} confounds<-/sub-002.tsv:tsv{subject=sub-002}
connectivity t-correlate [subject]
  connectivity[sub-001] (estimator = "empirical", fisher_z = false) series<-clean[sub-001].series{subject=sub-001}
  connectivity[sub-002] (estimator = "empirical", fisher_z = false) series<-clean[sub-002].series{subject=sub-002}
graphs t-graph [subject]
  graphs[sub-001] (density = 0.1, features = []) pearson<-connectivity[sub-001].pearson{subject=sub-001} partial<-connectivity[sub-001].partial{subject=sub-001}
  graphs[sub-002] (density = 0.1, features = []) pearson<-connectivity[sub-002].pearson{subject=sub-002} partial<-connectivity[sub-002].partial{subject=sub-002}
folds t-split []
  folds (folds = 2, seed = 7) participants<-cohort.participants
train t-train [pool lambda fold]
  train[pool=topk,lambda=0-0,fold=1] (batch = 0, epochs = 0, fold = 1, lambda = [0, 0], pool = "topk") edges<-graphs[sub-001].edges{subject=sub-001}+graphs[sub-002].edges{subject=sub-002} folds<-folds.folds
  train[pool=topk,lambda=0-0,fold=2] (batch = 0, epochs = 0, fold = 2, lambda = [0, 0], pool = "topk") edges<-graphs[sub-001].edges{subject=sub-001}+graphs[sub-002].edges{subject=sub-002} folds<-folds.folds
  train[pool=topk,lambda=0.1-0.1,fold=1] (batch = 0, epochs = 0, fold = 1, lambda = [0.1, 0.1], pool = "topk") edges<-graphs[sub-001].edges{subject=sub-001}+graphs[sub-002].edges{subject=sub-002} folds<-folds.folds
  train[pool=topk,lambda=0.1-0.1,fold=2] (batch = 0, epochs = 0, fold = 2, lambda = [0.1, 0.1], pool = "topk") edges<-graphs[sub-001].edges{subject=sub-001}+graphs[sub-002].edges{subject=sub-002} folds<-folds.folds
  train[pool=sage,lambda=0-0,fold=1] (batch = 0, epochs = 0, fold = 1, lambda = [0, 0], pool = "sage") edges<-graphs[sub-001].edges{subject=sub-001}+graphs[sub-002].edges{subject=sub-002} folds<-folds.folds
  train[pool=sage,lambda=0-0,fold=2] (batch = 0, epochs = 0, fold = 2, lambda = [0, 0], pool = "sage") edges<-graphs[sub-001].edges{subject=sub-001}+graphs[sub-002].edges{subject=sub-002} folds<-folds.folds
  train[pool=sage,lambda=0.1-0.1,fold=1] (batch = 0, epochs = 0, fold = 1, lambda = [0.1, 0.1], pool = "sage") edges<-graphs[sub-001].edges{subject=sub-001}+graphs[sub-002].edges{subject=sub-002} folds<-folds.folds
  train[pool=sage,lambda=0.1-0.1,fold=2] (batch = 0, epochs = 0, fold = 2, lambda = [0.1, 0.1], pool = "sage") edges<-graphs[sub-001].edges{subject=sub-001}+graphs[sub-002].edges{subject=sub-002} folds<-folds.folds
evaluate t-evaluate []
  evaluate (positive = "") predictions<-train[pool=sage,lambda=0-0,fold=1].predictions{fold=1,lambda=0-0,pool=sage}+train[pool=topk,lambda=0-0,fold=1].predictions{fold=1,lambda=0-0,pool=topk}+train[pool=sage,lambda=0.1-0.1,fold=1].predictions{fold=1,lambda=0.1-0.1,pool=sage}+train[pool=topk,lambda=0.1-0.1,fold=1].predictions{fold=1,lambda=0.1-0.1,pool=topk}+train[pool=sage,lambda=0-0,fold=2].predictions{fold=2,lambda=0-0,pool=sage}+train[pool=topk,lambda=0-0,fold=2].predictions{fold=2,lambda=0-0,pool=topk}+train[pool=sage,lambda=0.1-0.1,fold=2].predictions{fold=2,lambda=0.1-0.1,pool=sage}+train[pool=topk,lambda=0.1-0.1,fold=2].predictions{fold=2,lambda=0.1-0.1,pool=topk}`)
}

// TestLongCycles: the message of a cycle stays short however many stages it has, and so does the list of cycles.
func TestLongCycles(t *testing.T) {
	_, err := build("x.yaml", []byte(row(3000, func(i int) bool { return i == 0 })), ".", nil, maxTasks)
	need.Error(t, err, "x.yaml:2:55: the stages form a cycle: s0 needs s2999 needs s2998 needs s2997 needs s2996 needs s2995 "+
		"needs … (2991 more) … needs s3 needs s2 needs s1 needs s0: remove one of these references")
	_, err = build("x.yaml", []byte(row(3000, func(int) bool { return true })), ".", nil, maxTasks)
	lines := strings.Split(fmt.Sprint(err), "\n")
	more := slices.IndexFunc(lines, func(line string) bool {
		return strings.HasSuffix(line, "there are more than 20 cycles of stages: the rest is not listed")
	})
	if len(lines) != 21 || more < 0 {
		t.Errorf("%d mistakes, the last of them %s", len(lines), lines[len(lines)-1])
	}
}

func TestSelections(t *testing.T) {
	p := mustBuild(t, `
cohort: { t-files: { people: 3 } }
stages:
  n: { use: echo, matrix: { value: [10, 9, 1..2, b, a] } }
  s: { use: t-clean, each: subject, matrix: { detrend: [0, 1] }, in: { scan: cohort.bold } }
  one: { use: echo, in: { input: "n[value=9]" } }
  bare: { use: echo, in: { input: "n[b].value" } }
  sorted: { use: echo, in: { inputs: "n[*]" } }
  some: { use: echo, in: { inputs: "s[sub-002]" } }
  subject: { use: echo, in: { inputs: "s[*, sub-002]" } }
  agree: { use: t-correlate, each: subject, in: { series: "s[detrend=1].series" } }
  each: { use: echo, each: subject, in: { inputs: "s[*].quality" } }
  matrix: { use: t-correlate, each: subject, matrix: { detrend: [1, 0] }, in: { series: s } }
  list: { use: echo, in: { inputs: [one, "n[value=a]", "agree[*].pearson"] } }
  both: { use: t-evaluate, in: { predictions: [t1, t2], extra: "cohort[*].bold" } }
  t1: { use: t-train, in: { edges: "g[*]", folds: f } }
  t2: { use: t-train, in: { edges: "g[*]", folds: f } }
  f: { use: t-split, in: { participants: cohort } }
  g: { use: t-graph, each: subject, in: { pearson: agree, partial: agree.partial } }
`)
	for _, c := range []struct{ stage, want string }{
		{"one", `one (value = "") input<-n[value=9].value{value=9}`},
		{"bare", `bare (value = "") input<-n[value=b].value{value=b}`},
		{"sorted", `sorted (value = "") inputs<-n[value=1].value{value=1}+n[value=2].value{value=2}+n[value=9].value{value=9}+n[value=10].value{value=10}+n[value=a].value{value=a}+n[value=b].value{value=b}`},
		{"some", `some (value = "") inputs<-s[sub-002,detrend=0].series{detrend=0,subject=sub-002}+s[sub-002,detrend=1].series{detrend=1,subject=sub-002}`},
		{"subject", `subject (value = "") inputs<-s[sub-002,detrend=0].series{detrend=0,subject=sub-002}+s[sub-002,detrend=1].series{detrend=1,subject=sub-002}`},
		{"agree", `agree[sub-001] (estimator = "empirical", fisher_z = false) series<-s[sub-001,detrend=1].series{detrend=1,subject=sub-001}
agree[sub-002] (estimator = "empirical", fisher_z = false) series<-s[sub-002,detrend=1].series{detrend=1,subject=sub-002}
agree[sub-003] (estimator = "empirical", fisher_z = false) series<-s[sub-003,detrend=1].series{detrend=1,subject=sub-003}`},
		{"each", `each[sub-001] (value = "") inputs<-s[sub-001,detrend=0].quality{detrend=0,subject=sub-001}+s[sub-001,detrend=1].quality{detrend=1,subject=sub-001}
each[sub-002] (value = "") inputs<-s[sub-002,detrend=0].quality{detrend=0,subject=sub-002}+s[sub-002,detrend=1].quality{detrend=1,subject=sub-002}
each[sub-003] (value = "") inputs<-s[sub-003,detrend=0].quality{detrend=0,subject=sub-003}+s[sub-003,detrend=1].quality{detrend=1,subject=sub-003}`},
		{"matrix", `matrix[sub-001,detrend=1] (estimator = "empirical", fisher_z = false) series<-s[sub-001,detrend=1].series{detrend=1,subject=sub-001}
matrix[sub-001,detrend=0] (estimator = "empirical", fisher_z = false) series<-s[sub-001,detrend=0].series{detrend=0,subject=sub-001}
matrix[sub-002,detrend=1] (estimator = "empirical", fisher_z = false) series<-s[sub-002,detrend=1].series{detrend=1,subject=sub-002}
matrix[sub-002,detrend=0] (estimator = "empirical", fisher_z = false) series<-s[sub-002,detrend=0].series{detrend=0,subject=sub-002}
matrix[sub-003,detrend=1] (estimator = "empirical", fisher_z = false) series<-s[sub-003,detrend=1].series{detrend=1,subject=sub-003}
matrix[sub-003,detrend=0] (estimator = "empirical", fisher_z = false) series<-s[sub-003,detrend=0].series{detrend=0,subject=sub-003}`},
		{"list", `list (value = "") inputs<-agree[sub-001].pearson{stage=agree,subject=sub-001}+agree[sub-002].pearson{stage=agree,subject=sub-002}+agree[sub-003].pearson{stage=agree,subject=sub-003}+n[value=a].value{stage=n,value=a}+one.value{stage=one}`},
		{"both", `both (positive = "") predictions<-t1.predictions{stage=t1}+t2.predictions{stage=t2} extra<-/scans/sub-001.nii.gz:nifti{subject=sub-001}+/scans/sub-002.nii.gz:nifti{subject=sub-002}+/scans/sub-003.nii.gz:nifti{subject=sub-003}`},
	} {
		check(t, c.stage, stageText(t, p, c.stage), c.want)
	}
}

func TestMatrix(t *testing.T) {
	ids := func(matrix string, sets ...string) string {
		p := mustBuild(t, "stages: { a: { use: t-free, with: { outputs: [x], command: [\"${b}\", \"${c}\"] }, matrix: "+matrix+" } }", sets...)
		all := lists.Map(p.Graph.Stages()[0].Tasks(),
			func(n *dag.Node) string { return strings.TrimPrefix(n.ID(), "a") })
		return strings.Join(all, " ")
	}
	for _, c := range []struct{ matrix, want string }{
		{"{ b: [1, 2], c: [x, y] }", "[b=1,c=x] [b=1,c=y] [b=2,c=x] [b=2,c=y]"},
		{"{ b: 1..3, c: x }", "[b=1,c=x] [b=2,c=x] [b=3,c=x]"},
		{"{ b: [0, 3..4, 9], c: [-1..1] }", "[b=0,c=-1] [b=0,c=0] [b=0,c=1] [b=3,c=-1] [b=3,c=0] [b=3,c=1] [b=4,c=-1] [b=4,c=0] [b=4,c=1] [b=9,c=-1] [b=9,c=0] [b=9,c=1]"},
		{"{ b: ['1..3'], c: [x] }", "[b=1..3,c=x]"},
		{"{ b: [0.10, 1.0, 1e-9, 1e21, -0.0], c: [true] }", "[b=0.1,c=true] [b=1,c=true] [b=1e-09,c=true] [b=1e+21,c=true] [b=0,c=true]"},
		{"{ b: [[1, 2.50], [a]], c: [2001-01-02] }", "[b=1-2.5,c=2001-01-02] [b=a,c=2001-01-02]"},
		{"{ b: [1, 2], c: [x, y], exclude: [{ b: 1, c: y }] }", "[b=1,c=x] [b=2,c=x] [b=2,c=y]"},
		{"{ b: [1, 2], c: [x, y], exclude: [{ b: 2 }] }", "[b=1,c=x] [b=1,c=y]"},
		{"{ b: [1, 2], c: [x], include: [{ c: z, b: 7 }, { b: 1, c: x }] }", "[b=1,c=x] [b=2,c=x] [b=7,c=z]"},
		{"{ b: [1, 2], c: [x], exclude: [{ c: x }], include: [{ c: x, b: 1 }] }", "[b=1,c=x]"},
	} {
		if got := ids(c.matrix); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.matrix, got, c.want)
		}
	}
	need.Equal(t, ids("{ b: [1, 2], c: [x, y] }", "a.b=2", "a.c=[z, x]"), "[b=2,c=z] [b=2,c=x]", "axes that are set")
}

// TestAxisInText: ${axis} in with: and in a file's path is the task's own.
func TestAxisInText(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"in-1.csv", "in-2.csv"} {
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	text := `
vars: { prefix: in, list: [p, q] }
stages:
  a:
    use: t-free
    matrix: { k: [1, 2], l: [[x, y]] }
    with: { inputs: [table], outputs: [o], command: [run, "-n${k}", "$${k}", "${l}", "${prefix}"] }
    in: { table: { file: "${prefix}-${k}.csv" } }
  b: { use: t-free, with: { outputs: "${list}" } }
  c: { use: t-free, matrix: { l: [[x, 7], [y]] }, with: { outputs: [o], command: "${l}" } }
`
	p := need.Value(build("x.yaml", []byte(text), dir, nil, maxTasks))(t)
	got := strings.ReplaceAll(describe(p.Graph), dir+string(filepath.Separator), "DIR/")
	check(t, "tasks", strings.TrimSpace(got), `
a t-free [k l]
  a[k=1,l=x-y] (command = ["run", "-n1", "${k}", "x-y", "in"], inputs = ["table"], outputs = ["o"]) table<-DIR/in-1.csv:csv
  a[k=2,l=x-y] (command = ["run", "-n2", "${k}", "x-y", "in"], inputs = ["table"], outputs = ["o"]) table<-DIR/in-2.csv:csv
b t-free []
  b (command = [], inputs = [], outputs = ["p", "q"])
c t-free [l]
  c[l=x-7] (command = ["x", "7"], inputs = [], outputs = ["o"])
  c[l=y] (command = ["y"], inputs = [], outputs = ["o"])`)
}

func TestSet(t *testing.T) {
	density := func(sets ...string) string {
		p := mustBuild(t, chain, sets...)
		return strings.Fields(stageText(t, p, "graphs"))[3]
	}
	for _, set := range []string{"density=0.2", "graphs.density=0.2", "stages.graphs.with.density=0.2", "graphs.with.density=0.2", "vars.density=0.2", "density= 0.20"} {
		need.Equal(t, density(set), "0.2,", "--set", set, "density")
	}
	need.Equal(t, density("density=0.2", "density=0.3"), "0.3,", "the last --set does not win")
	p := mustBuild(t, chain, "seed=18446744073709551615", "cohort.people=1", "cohort.seed=5", "train.epochs=3",
		"train.pool=sage", "stages.train.matrix.fold=[2]", "pipeline=other", "cohort.limit=1",
		"train.matrix.lambda=[[1, 1]]")
	if got := stageText(t, p, "train"); got != `train[pool=sage,lambda=1-1,fold=2] (batch = 0, epochs = 3, fold = 2, lambda = [1, 1], pool = "sage") edges<-graphs[sub-001].edges{subject=sub-001} folds<-folds.folds` {
		t.Errorf("train: %s", got)
	}
	if got := stageText(t, p, "folds"); !strings.Contains(got, "seed = 18446744073709551615") {
		t.Errorf("folds: %s", got)
	}
	need.Equal(t, p.Name, "other", "name")
	if !strings.HasSuffix(p.Graph.Source(), "\n# --set seed=18446744073709551615\n# --set cohort.people=1\n# --set cohort.seed=5\n# --set train.epochs=3\n# --set train.pool=sage\n# --set stages.train.matrix.fold=[2]\n# --set pipeline=other\n# --set cohort.limit=1\n# --set train.matrix.lambda=[[1, 1]]\n") {
		t.Errorf("the kept text does not tell what was set:\n%s", p.Graph.Source())
	}
	if whole := mustBuild(t, chain, "cohort.t-files={ people: 1 }"); len(whole.Roster.Subjects) != 1 {
		t.Errorf("%d participants", len(whole.Roster.Subjects))
	}
}

func TestCohort(t *testing.T) {
	const file = `
cohort: { t-files: { people: 10, lacking: true, impossible: true } }
stages:
  clean: { use: t-clean, each: subject, in: { scan: cohort.bold, confounds: cohort.confounds, truth: cohort.truth } }
  more: { use: echo, each: subject, in: { input: cohort.series } }
  later: { use: echo, each: subject, in: { inputs: "cohort[*].bold", input: clean } }
  all: { use: echo, in: { inputs: "cohort[*].confounds" } }
`
	t.Run("problems", func(t *testing.T) {
		p := mustBuild(t, file)
		if p.Graph.Stages()[1].Name() != "cohort" || len(p.Graph.Stages()[1].Tasks()) != 2 {
			t.Fatalf("no tasks for the two that cannot be used:\n%s", describe(p.Graph))
		}
		check(t, "cohort", strings.Join(strings.Split(stageText(t, p, "cohort"), "\n")[1:], "\n"), `
cohort[sub-002] cannot: participant sub-002 has no bold, which clean needs: add it, or exclude the participant (exclude: [sub-002] under cohort)
cohort[sub-003] cannot: participants.csv:4: participant sub-003 has no group`)
		check(t, "clean", strings.Join(strings.Split(stageText(t, p, "clean"), "\n")[:4], "\n"), `
clean[sub-001] (detrend = 1, seed = 0, subject = "sub-001", tr = 0) scan<-/scans/sub-001.nii.gz:nifti{subject=sub-001} confounds<-/sub-001.tsv:tsv{subject=sub-001}
clean[sub-002] (detrend = 1, seed = 0, subject = "sub-002", tr = 0) scan<-cohort[sub-002].bold{subject=sub-002}
clean[sub-003] (detrend = 1, seed = 0, subject = "sub-003", tr = 0) scan<-cohort[sub-003].bold{subject=sub-003} confounds<-cohort[sub-003].confounds{subject=sub-003}
clean[sub-004] (detrend = 1, seed = 0, subject = "sub-004", tr = 0) scan<-/scans/sub-004.nii.gz:nifti{subject=sub-004} confounds<-/sub-004.tsv:tsv{subject=sub-004}`)
		if all := stageText(t, p, "all"); strings.Contains(all, "sub-002") || !strings.Contains(all, "cohort[sub-003].confounds") {
			t.Errorf("the gather over an optional port: %s", all)
		}
		if want := []string{"a test", "stage more: input input is not connected: the cohort (t-files) has no series"}; !slices.Equal(p.Notes, want) {
			t.Errorf("notes %q", p.Notes)
		}
	})
	t.Run("exclude and limit", func(t *testing.T) {
		p := mustBuild(t, file, "cohort.exclude=[sub-002, 003]", "cohort.limit=4")
		ids := lists.Map(p.Roster.Subjects, func(s cohort.Subject) string { return s.ID })
		rows := need.Value(p.Roster.Participants.Strings("participant_id"))(t)
		ages := need.Value(p.Roster.Participants.Ints("age"))(t)
		want := "sub-005 sub-006 sub-009 sub-010" // groups A, B, A, B: the list alternates, and both stay
		if strings.Join(ids, " ") != want || strings.Join(rows, " ") != want ||
			!slices.Equal(ages, []int64{24, 25, 28, 29}) {
			t.Errorf("%v\n%v\n%v", ids, rows, ages)
		}
		if want := []string{"a test", "2 participants excluded by name: sub-002, sub-003", "limit: 4 of 8 participants, each group in proportion, spread evenly over the list"}; !slices.Equal(p.Notes[:3], want) {
			t.Errorf("notes %q", p.Notes)
		}
		if len(p.Graph.Stages()[0].Tasks()) != 1 || p.Graph.Stages()[1].Name() != "clean" {
			t.Errorf("a task for nobody:\n%s", describe(p.Graph))
		}
	})
	t.Run("exclude by ratings", func(t *testing.T) {
		ratings := filepath.Join(t.TempDir(), "ratings.tsv")
		write := func(rows string) {
			need.NoError(t, os.WriteFile(ratings, []byte("participant_id\trating\n"+rows), 0o644))
		}
		write("sub-005\tfail\nsub-005\tn/a\nsub-005\tfail\nsub-006\tmaybe\nsub-099\tpass\nsub-010\tn/a\n")
		p := mustBuild(t, file, "cohort.exclude=[sub-002, { file: "+ratings+" }]")
		why := map[string]string{}
		for _, left := range p.Roster.Left {
			why[left.ID] = left.Why
		}
		if why["sub-005"] != listed.RatedFail || why["sub-002"] != listed.ExcludedByName || why["sub-006"] != "" ||
			!slices.Contains(p.Notes, "1 participant excluded, rated fail: sub-005") {
			t.Errorf("left out %v, notes %q", why, p.Notes)
		}
		for rows, want := range map[string]string{
			"sub-005\tbad\n":  "ratings.tsv:2: the rating of sub-005 is \"bad\", want pass, maybe, fail or n/a",
			"sub-505\tfail\n": "ratings.tsv:2: there is no participant \"sub-505\"",
			"sub-005\tfail\nsub-006\tpass\nsub-005\tpass\n": "ratings.tsv:4: sub-005 is rated pass here but fail in line 2: keep one of the two ratings",
			"5.0\tfail\n":          `ratings.tsv:2: there is no participant "5.0" (did you mean "sub-005"?)`,
			"6\tpass\n6.0\tfail\n": "ratings.tsv:3: 6.0 is rated fail here but pass in line 2",
			"sub-006\tmaybe\n006\tfail\nsub-006\tn/a\n": "ratings.tsv:3: 006 is rated fail here but maybe in line 2: keep one of the two ratings",
		} {
			write(rows)
			if _, err := build("x.yaml", []byte(file), t.TempDir(),
				[]string{"cohort.exclude={ file: " + ratings + " }"}, maxTasks); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", rows, err, want)
			}
		}
	})
	t.Run("made", func(t *testing.T) {
		p := mustBuild(t, `
seed: 3
cohort: { t-made: { people: 2 } }
stages:
  clean: { use: t-clean, each: subject, in: { scan: cohort.bold, truth: cohort.truth } }
`)
		check(t, "cohort", strings.Join(strings.Split(stageText(t, p, "cohort"), "\n")[1:], "\n"), `
cohort[sub-001] (seed = 3, subject = "sub-001")
cohort[sub-002] (seed = 3, subject = "sub-002")`)
		check(t, "clean", stageText(t, p, "clean"), `
clean[sub-001] (detrend = 1, seed = 3, subject = "sub-001", tr = 0) scan<-cohort[sub-001].bold{subject=sub-001} truth<-cohort.truth
clean[sub-002] (detrend = 1, seed = 3, subject = "sub-002", tr = 0) scan<-cohort[sub-002].bold{subject=sub-002} truth<-cohort.truth`)
		need.Equal(t, p.Graph.Stages()[1].Kind().Name, "t-maker", "kind")
	})
}

// A limit keeps the groups in proportion, and the smallest of them, however the list is sorted.
func TestLimitKeepsGroups(t *testing.T) {
	for _, c := range []struct {
		name, groups string // a letter a participant
		n            int
		want         string // + for those who are kept
	}{
		{"sorted by group", "AAAAAABBB", 3, "··+··+··+"},
		{"alternating", "ABABABAB", 4, "··++··++"},
		{"a small group first", "ABBBBBBBBBBB", 3, "+·····" + "+" + "····+"},
		{"fewer than groups", "ABC", 2, "++·"},
		{"one group", "AAAAAA", 3, "·+·+·+"},
		{"all", "AAB", 5, "+++"},
	} {
		var ids []string
		group := map[string]string{}
		for i, g := range c.groups {
			ids = append(ids, fmt.Sprint(i))
			group[ids[i]] = string(g)
		}
		kept := column.Spread(ids, group, c.n)
		got := ""
		for _, id := range ids {
			got += map[bool]string{true: "+", false: "·"}[kept[id]]
		}
		need.Equal(t, got, c.want, c.name, "of", c.groups)
	}
}

func TestVariables(t *testing.T) {
	p := mustBuild(t, `
vars: { n: 3, pair: [0.5, 0.5], dir: /data, file: "${dir}/x-${n}.csv", folds: [1, 2] }
cohort: { t-files: { people: "${n}", folder: "${dir}/scans" } }
stages:
  a: { use: t-clean, each: subject, in: { scan: cohort.bold }, with: { detrend: "${n}" } }
  e: { use: echo, with: { value: "${file} of $${HOME}" } }
  c: { use: t-correlate, each: subject, in: { series: a } }
  g: { use: t-graph, each: subject, in: { pearson: c, partial: c } }
  f: { use: t-split, in: { participants: cohort } }
  t: { use: t-train, matrix: { fold: "${folds}" }, with: { lambda: "${pair}" }, in: { edges: "g[*]", folds: f } }
`)
	check(t, "e", stageText(t, p, "e"), `e (value = "/data/x-3.csv of ${HOME}")`)
	if got := stageText(t, p, "a"); !strings.HasPrefix(got, "a[sub-001] (detrend = 3") || !strings.Contains(got, "/data/scans/sub-003.nii.gz") {
		t.Errorf("a: %s", got)
	}
	if got := stageText(t, p, "t"); !strings.HasPrefix(got, "t[fold=1] (batch = 0, epochs = 0, fold = 1, lambda = [0.5, 0.5]") || strings.Count(got, "\n") != 1 {
		t.Errorf("t: %s", got)
	}
}

func TestLoadFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		need.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		need.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	write("sub/own.yaml", "stages: { a: { use: echo } }")
	p, err := Load(filepath.Join("sub", "own.yaml"), nil)
	need.NoError(t, err)
	if p.Builtin || p.Dir != "sub" || p.Name != "own" || p.Roster != nil {
		t.Errorf("%+v", p)
	}
	p, err = Load("quick.yaml", nil)
	need.NoError(t, err)
	if !p.Builtin || p.Dir != "." {
		t.Errorf("built-in: %+v", p)
	}
	write("quick.yaml", "pipeline: mine\nstages: { a: { use: echo } }")
	if p, err = Load("quick.yaml", nil); err != nil || p.Builtin || p.Name != "mine" {
		t.Errorf("a file in the directory does not come first: %+v, %v", p, err)
	}
	for name, want := range map[string]string{
		"sub/quick.yaml": `sub/quick.yaml: file does not exist (did you mean the built-in "quick.yaml"?)`,
		"biopint.yaml":   `biopint.yaml: file does not exist (did you mean the built-in "biopoint.yaml"?)`,
		"biopoint":       `biopoint: file does not exist (did you mean the built-in "biopoint.yaml"?)`,
	} {
		_, err := Load(name, nil)
		if err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := Load("sub", nil); err == nil || errors.As(err, new(tree.Errors)) {
		t.Errorf("a directory: %v", err)
	}
}

// Participants who are left out are in the order of their numbers.
func TestLeftOutByNumber(t *testing.T) {
	dir := t.TempDir()
	const people = "participant_id\tgroup\nsub-1\tA\nsub-2\tB\nsub-3\tA\nsub-10\tB\n"
	need.NoError(t, os.WriteFile(filepath.Join(dir, "people.tsv"), []byte(people), 0o644))
	const file = "cohort: { matrices: { file: people.tsv, pearson: \"{participant_id}.npy\", nodes: dk84 }, " +
		"exclude: [sub-10, sub-2] }\nstages: { folds: { use: split, in: { participants: cohort.participants } } }\n"
	p := need.Value(build("x.yaml", []byte(file), dir, nil, maxTasks))(t)
	ids := lists.Map(p.Roster.Left, func(left listed.LeftOut) string { return left.ID })
	need.Equal(t, strings.Join(ids, " "), "sub-2 sub-10")
}

// The line that a message proposes for cohort: names whom a parameter of the cohort's kind excludes already, too.
func TestExcludeTwice(t *testing.T) {
	dir := t.TempDir()
	need.NoError(t, os.WriteFile(filepath.Join(dir, "people.tsv"), []byte("participant_id\tgroup\nsub-1\tA\nsub-2\tA\nsub-3\tB\nsub-4\tB\n"), 0o644))
	const file = "cohort: { matrices: { file: people.tsv, pearson: \"{participant_id}.npy\", nodes: dk84, exclude: [sub-1] }, exclude: [sub-1, sub-2], limit: 1 }\n" +
		"stages: { folds: { use: split, in: { participants: cohort.participants } } }\n"
	p := need.Value(build("x.yaml", []byte(file), dir, nil, maxTasks))(t)
	why := lists.Map(p.Roster.Left, func(left listed.LeftOut) string { return left.ID + " " + left.Why })
	if want := []string{"sub-1 excluded by name", "sub-2 excluded by name", "sub-4 beyond limit"}; !slices.Equal(why, want) &&
		!slices.Equal(why, []string{want[0], want[1], "sub-3 beyond limit"}) {
		t.Errorf("left out %q", why)
	}
	if _, err := build("x.yaml", []byte(strings.Replace(file, "[sub-1, sub-2]", "[sub-9]", 1)), dir, nil,
		maxTasks); err == nil {
		t.Error("sub-9 is nobody")
	}
	// Whom select leaves out, exclude may name, by the name of the table too; nobody else is proposed.
	const selected = "cohort: { matrices: { file: people.tsv, pearson: \"{participant_id}.npy\", nodes: dk84, select: participant_id != sub-4 }, exclude: [4, sub-2] }\n" +
		"stages: { folds: { use: split, in: { participants: cohort.participants } } }\n"
	p = need.Value(build("x.yaml", []byte(selected), dir, nil, maxTasks))(t)
	why = lists.Map(p.Roster.Left, func(left listed.LeftOut) string { return left.ID + " " + left.Why })
	need.Equal(t, strings.Join(why, "; "), "sub-2 excluded by name; sub-4 inclusion criterion not met: participant_id != sub-4")
	for _, want := range []string{"exclude: sub-4 would be excluded anyway: inclusion criterion not met: participant_id != sub-4",
		"1 participant excluded by name: sub-2"} {
		if !slices.Contains(p.Notes, want) {
			t.Errorf("%q is not among %q", want, p.Notes)
		}
	}
}
