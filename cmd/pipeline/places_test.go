package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/storetest"
	"prgnn/internal/testdir"

	"prgnn/internal/need"
)

// The marks in the names of all directories in which the tests of places work.
var marks = []string{"zz-secret-user", "zz-hidden-user"}

// The beginnings of a pipeline over each kind of cohort. Data lie in ${data}.
var cohortKinds = map[string]string{
	"bids": `
cohort: { bids: { dir: "${data}/scans", incomplete: skip } }
stages:
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels, nodes: cohort.nodes, sidecar: cohort.sidecar }, with: { draws: 1 } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }`,
	"table": `
cohort: { table: { file: "${data}/scans/participants.tsv", bold: "{participant_id}/func/{participant_id}_task-rest_space-T1w_desc-preproc_bold.nii.gz", labels: "${labels}", space: phantom, select: "age > 0", exclude: [sim007] } }
stages:
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels, nodes: cohort.nodes }, with: { draws: 1 } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }`,
	"timeseries": `
cohort: { timeseries: { dir: "${data}/derived", desc: extracted } }
stages:
  series: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes }, with: { tr: 2 } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }`,
	"matrices": `
cohort: { matrices: { file: "${data}/derived/participants.tsv", pearson: "{participant_id}/func/{participant_id}_task-rest_atlas-DesikanKilliany_seg-fs84_stat-pearsoncorrelation_relmat.tsv" } }
stages:
  connectivity: { use: matrices, each: subject, in: { pearson: cohort.pearson, nodes: cohort.nodes }, with: { partial: ridge } }`,
	"simulate": `
cohort: { simulate: { asd: 3, hc: 3, volumes: 40, grid: 12 } }
stages:
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels, nodes: cohort.nodes }, with: { draws: 1 } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }`,
}

// placesHead and placesTail stand around them: variables, and stages from matrices to a report,
// with a script of the user's between.
const (
	placesHead = `pipeline: study
seed: 3
vars: { data: data, tools: tools, labels: ../labels.nii.gz }
`
	placesTail = `
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  ridge: { use: baseline, matrix: { fold: [1..2] }, in: { pearson: "connectivity[*].pearson", folds: folds }, with: { model: ridge } }
  evaluate: { use: evaluate, in: { predictions: "ridge[*].predictions" } }
  lines:
    use: exec
    in: { script: { file: "${tools}/sub/lines.sh" }, table: cohort.participants, extra: { file: extra.txt } }
    with: { command: [sh, "{script}", "{table}", "{extra}", "{out}"], inputs: [script, table=arrow, extra=text], outputs: [out=text] }
  summary: { use: summary, in: { participants: cohort.participants, evaluation: evaluate.summary } }
  report:
    use: report
    in: { participants: cohort.participants, nodes: cohort.nodes, settings: pipeline.settings, notes: pipeline.notes, excluded: pipeline.excluded, evaluation: evaluate.summary, tables: [cohort.participants], connectivity: "connectivity[*].quality" }
`
	script = "wc -c < $1 > $3; wc -l < $2 >> $3; echo $PWD >&2; pwd\n"
)

// A study is a pipeline file and its data somewhere.
type study struct {
	t    *testing.T
	dir  string   // in which commands are given
	home string   // HOME
	file string   // the pipeline file, as it is given
	sets []string // likewise: where the data lie
}

// pipeline runs the program; fails when it ends otherwise than wanted.
func (s *study) pipeline(code int, args ...string) string {
	s.t.Helper()
	text, got := s.run(args...)
	if got != code {
		s.t.Fatalf("pipeline %q: exit code %d, want %d\n%s", args, got, code, text)
	}
	return text
}

// run runs the program, and gives what it says and its exit code.
func (s *study) run(args ...string) (string, int) {
	s.t.Helper()
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Cmd{Path: self, Args: append([]string{"pipeline"}, args...), Dir: s.dir}
	cmd.Env = append(os.Environ(), "HOME="+s.home, "USER="+marks[0], "PIPELINE_STORE=")
	text, _ := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		s.t.Fatalf("pipeline %q did not start", args)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// lay puts a study into a directory and its data into another.
func lay(t *testing.T, from, kind, dir, data, tools string) {
	t.Helper()
	testdir.Write(t, filepath.Join(dir, "study.yaml"), placesHead+strings.TrimPrefix(cohortKinds[kind],
		"\n")+placesTail)
	testdir.Write(t, filepath.Join(dir, "extra.txt"), "one\ntwo\n")
	testdir.Write(t, filepath.Join(tools, "sub", "lines.sh"), script)
	need.NoError(t, os.CopyFS(data, os.DirFS(from)))
}

// simulated makes the data of all kinds once.
func simulated(t *testing.T) string {
	dir := t.TempDir()
	s := &study{t: t, dir: dir, home: dir}
	testdir.Write(t, filepath.Join(dir, "sim.yaml"), `seed: 7
cohort: { simulate: { asd: 4, hc: 4, volumes: 40, grid: 12 } }
stages:
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels, nodes: cohort.nodes }, with: { draws: 1 } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }
`)
	s.pipeline(0, "simulate", "sim.yaml", "data/scans")
	s.pipeline(0, "run", "-q", "sim.yaml")
	s.pipeline(0, "export", "-q", "sim.yaml", "--format", "bids", "-o", "data/derived")
	labels, err := filepath.Glob(filepath.Join(dir, "data/scans/sub-sim001/func/*aparcaseg_dseg.nii.gz"))
	if err != nil || len(labels) != 1 {
		t.Fatal(labels, err)
	}
	b, err := os.ReadFile(labels[0])
	need.NoError(t, err)
	testdir.Write(t, filepath.Join(dir, "data/labels.nii.gz"), string(b))
	// Participants who cannot be used: the reasons name files.
	for _, gone := range []string{"sub-sim002/func/*desc-confounds*.tsv", "sub-sim006/func/*aparcaseg*"} {
		all, _ := filepath.Glob(filepath.Join(dir, "data/scans", gone))
		if len(all) == 0 {
			t.Fatal(gone)
		}
		for _, path := range all {
			need.NoError(t, os.Remove(path))
		}
	}
	testdir.Write(t, filepath.Join(dir, "data/scans/sourcedata/freesurfer/sub-sim006/mri/aparc+aseg.mgz"), "")
	need.NoError(t, os.RemoveAll(filepath.Join(dir, "data/scans/sub-sim007")))
	return filepath.Join(dir, "data")
}

// first is a participant of the study.
func (s *study) first() string {
	if all, _ := filepath.Glob(filepath.Join(s.dir, "..", "new", "scans", "sub-p3")); all != nil {
		return "sub-p3"
	}
	return "sub-sim001"
}

// handOn writes everything that one gives to others, into out.
func (s *study) handOn(key, out string) {
	s.t.Helper()
	with := func(args ...string) []string {
		for _, set := range s.sets {
			args = append(args, "--set", set)
		}
		return append(args, "-q")
	}
	at := func(name string) string { return filepath.Join(out, name) }
	s.pipeline(0, with("run", s.file, "--remote", "file://"+filepath.Join(out, "remote"))...)
	s.pipeline(0, with("lock", s.file, "-o", at("run.lock"))...)
	s.pipeline(0, with("bundle", s.file, "-o", at("run.tar"), "--results", "all")...)
	s.pipeline(0, with("sign", s.file, "--key", key, "-o", at("run.intoto.json"))...)
	s.pipeline(0, with("provenance", s.file, "--format", "prov", "-o", at("prov.json"))...)
	s.pipeline(0, with("provenance", s.file, "-o", at("crate"))...)
	s.pipeline(0, with("report", s.file, "-o", at("report.html"))...)
	for _, stage := range []string{"connectivity[" + s.first() + "]", "ridge", "evaluate", "summary"} {
		s.pipeline(0, with("export", s.file, stage, "--format", "all", "-o", at("all-"+stage[:5]))...)
	}
	s.pipeline(0, with("export", s.file, "connectivity.pearson", "-o", at("pearson.mat"))...)
	s.pipeline(0, with("export", s.file, "--format", "bids", "-o", at("bids"))...)
	svg := s.pipeline(0, with("graph", s.file, "--format", "svg")...)
	testdir.Write(s.t, at("graph.svg"), svg)
	s.pipeline(0, "verify", at("run.intoto.json"), "--signed-by", strings.TrimSuffix(key, ".pem")+".pub.pem")
}

// times are those of a run, which a crate has to state.
var times = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"`)

// contents are the files below a directory, by their paths. Of a store it is what a remote
// gets and a bundle takes: the records of runs (runs/, memo/ …) stay on the machine.
func contents(t *testing.T, dir string, parts ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	if parts == nil {
		parts = []string{"."}
	}
	for _, part := range parts {
		err := filepath.WalkDir(filepath.Join(dir, part), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			rel, _ := filepath.Rel(dir, path)
			if filepath.Base(path) == "ro-crate-metadata.json" {
				b = times.ReplaceAll(b, []byte(`"then"`))
			}
			all[filepath.ToSlash(rel)] = string(b)
			if filepath.Ext(path) == ".tar" && err == nil {
				err = unpack(b, filepath.ToSlash(rel)+"/", all)
			}
			return err
		})
		need.NoError(t, err)
	}
	return all
}

// unpack adds the entries of a tar file.
func unpack(b []byte, under string, all map[string]string) error {
	for r := tar.NewReader(bytes.NewReader(b)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		entry, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		all[under+h.Name] = string(entry)
	}
}

// without fails where a file, unpacked, or its name has one of the words.
func without(t *testing.T, where string, files map[string]string, words []string) {
	t.Helper()
	for name, text := range files {
		if z, err := gzip.NewReader(strings.NewReader(text)); err == nil {
			if b, err := io.ReadAll(z); err == nil {
				text = string(b)
			}
		}
		for _, w := range words {
			if at := strings.Index(text, w); at >= 0 {
				t.Errorf("%s: %s names %q: …%q", where, name, w, text[max(0, at-80):min(len(text), at+120)])
			} else if strings.Contains(name, w) {
				t.Errorf("%s: the name of %s has %q", where, name, w)
			}
		}
	}
}

func same(t *testing.T, what string, a, b map[string]string) {
	t.Helper()
	for name := range b {
		if _, ok := a[name]; !ok {
			t.Errorf("%s: only the second has %s", what, name)
		}
	}
	for name, text := range a {
		other, ok := b[name]
		if !ok {
			t.Errorf("%s: only the first has %s", what, name)
		} else if other != text {
			at := 0
			for at < min(len(text), len(other)) && text[at] == other[at] {
				at++
			}
			t.Errorf("%s: %s differs from byte %d on:\n%.300q\n%.300q", what, name, at, text[max(0, at-100):], other[max(0, at-100):])
		}
	}
}

// No result, and nothing that is handed on, depends on where data, scripts and pipeline file
// lie, whose home it is, in which directory commands are given and how paths are written.
func TestNoPlaces(t *testing.T) {
	from := simulated(t)
	base := t.TempDir()
	keys := &study{t: t, dir: base, home: base}
	keys.pipeline(0, "sign", "--new-key", "me")
	key := filepath.Join(base, "me.pem")
	host, _ := os.Hostname()
	words := append(slices.Clone(marks), base, from)
	if len(host) > 5 { // a shorter one may stand anywhere
		words = append(words, host)
	}
	for kind := range cohortKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			// Ada's data lie beside her pipeline file; relative paths, given there.
			ada := filepath.Join(base, kind, marks[0], "study")
			lay(t, from, kind, ada, filepath.Join(ada, "..", "mine"), filepath.Join(ada, "tools"))
			a := &study{t, ada, filepath.Dir(ada), "study.yaml", []string{"data=../mine", "labels=../../mine/labels.nii.gz"}}
			// Ben's lie behind a link in his home; absolute paths, given elsewhere.
			ben := filepath.Join(base, kind, "other", "place")
			home := filepath.Join(base, kind, marks[1])
			lay(t, from, kind, ben, filepath.Join(home, "d", "x"), filepath.Join(home, "bin"))
			need.NoError(t, os.Symlink(filepath.Join(home, "d", "x"), filepath.Join(home, "link")))
			b := &study{t, base, home, filepath.Join(kind, "other", "place", "study.yaml"),
				[]string{"data=" + filepath.Join(home, "link"), "tools=" + filepath.Join(home, "bin"),
					"labels=" + filepath.Join(home, "d/x/labels.nii.gz")}}
			// Cem's lie where the pipeline file says.
			cem := filepath.Join(base, kind, marks[0]+"-2")
			lay(t, from, kind, cem, filepath.Join(cem, "data"), filepath.Join(cem, "tools"))
			c := &study{t, cem, base, "study.yaml", nil}

			var outs, stores []map[string]string
			for i, s := range []*study{a, b, c} {
				out := filepath.Join(base, kind, "out", string(rune('a'+i)))
				need.NoError(t, os.MkdirAll(filepath.Join(out, "remote"), 0o777))
				s.handOn(key, out)
				outs = append(outs, contents(t, out))
				stores = append(stores, objects(t, filepath.Join(s.dir, filepath.Dir(s.file), ".pipeline")))
				without(t, "what is handed on", outs[i], words)
				without(t, "the store", stores[i], words)
			}
			for i := 1; i < 3; i++ {
				same(t, "what is handed on", outs[0], outs[i])
				same(t, "the store", stores[0], stores[i])
			}
			// What the run left beside the pipeline file.
			page := need.Value(os.ReadFile(filepath.Join(ada, "study.html")))(t)
			without(t, "the page", map[string]string{"study.html": string(page)}, words)

			// The lock of one is repeated by the others, where their data lie now.
			lock := filepath.Join(base, kind, "out", "a", "run.lock")
			with := func(s *study, args ...string) []string {
				for _, set := range s.sets {
					args = append(args, "--set", set)
				}
				return args
			}
			if text := b.pipeline(0, with(b, "run", b.file, "--locked", "--lock", lock)...); !strings.Contains(text,
				"all results are identical to those of") {
				t.Error(text)
			}
			dir := filepath.Join(base, kind, "reviewer")
			testdir.Write(t, filepath.Join(dir, "extra.txt"), "one\ntwo\n")
			text := need.Value(os.ReadFile(lock))(t)
			testdir.Write(t, filepath.Join(dir, "run.lock"), string(text))
			if text := b.pipeline(0, with(b, "audit", "--lock", filepath.Join(dir, "run.lock"), "--threads",
				"1")...); !strings.Contains(text, " 0 different") {
				t.Error(text)
			}
			if text := c.pipeline(0, "replay", filepath.Join(base, kind, "out", "b", "run.tar"), "--allow-commands",
				"--threads", "1"); !strings.Contains(text, " 0 different") {
				t.Error(text)
			}
			// Moved, nothing is stale.
			need.NoError(t, os.Rename(filepath.Join(ada, "..", "mine"), filepath.Join(ada, "moved")))
			if text := a.pipeline(0, "plan", "study.yaml", "--set", "data=moved", "--set",
				"labels="+filepath.Join(ada, "moved/labels.nii.gz")); !strings.Contains(text, " 0 stale, 0 unknown") {
				t.Error(text)
			}
			// Other contents are told apart from other places.
			if kind == "simulate" {
				return
			}
			changed := filepath.Join(ada, "moved", map[bool]string{true: "scans", false: "derived"}[kind == "bids" ||
				kind == "table"], "participants.tsv")
			old := need.Value(os.ReadFile(changed))(t)
			testdir.Write(t, changed, string(bytes.Replace(old, []byte("M"), []byte("F"), 1)))
			sets := []string{"--set", "data=" + filepath.Join(ada, "moved"), "--set",
				"tools=" + filepath.Join(ada, "tools"), "--set", "labels=" + filepath.Join(ada, "moved/labels.nii.gz")}
			if text := a.pipeline(1, append([]string{"run", "study.yaml", "--locked", "--lock", lock},
				sets...)...); !strings.Contains(text, "cohort.participants: ") || !strings.Contains(text, "nothing was run") {
				t.Error(text)
			}
			if text := a.pipeline(1, append([]string{"audit", "--threads", "1", "--lock",
				filepath.Join(dir, "run.lock")}, sets...)...); !strings.Contains(text, "cohort.participants: ") ||
				strings.Contains(text, "contradicts") {
				t.Error(text)
			}
		})
	}
}

// Who gives participants other names as docs/proof.md says finds the old ones nowhere.
func TestPseudonyms(t *testing.T) {
	need.Program(t, "dash", "sh")
	from, base := simulated(t), t.TempDir()
	rename := func(key, to string) (string, error) {
		testdir.Write(t, filepath.Join(base, "key.txt"), key)
		text, err := exec.Command("sh", "../../docs/pseudonyms.sh", filepath.Join(from, "scans"),
			filepath.Join(base, "key.txt"), to).CombinedOutput()
		return string(text), err
	}
	for key, want := range map[string]string{
		"sim001 p3\nsim002 p8\n":  "has no line for sub-sim003 sub-sim004",
		"sim001\n":                "key.txt:1: not two names",
		"sim001 p3\nsim001 p8\n":  "key.txt:2: sub-sim001 is there twice",
		"sim001 p3\nsim002 p3\n":  "key.txt:2: sub-p3 is the new name of two participants",
		"sim001 sim002\nsim002 p": "key.txt:1: the new name sub-sim002 is an old one, too",
		"sim001 p_3":              "key.txt:1: a name has other characters than letters and digits",
	} {
		if text, err := rename(key, filepath.Join(base, "none")); err == nil || !strings.Contains(text, want) {
			t.Errorf("%q: %v, %s", key, err, text)
		}
	}
	if left := need.Value(filepath.Glob(filepath.Join(base, "none*")))(t); left != nil {
		t.Errorf("a refused key left %s", left)
	}
	lay(t, from, "bids", filepath.Join(base, "study"), filepath.Join(base, "old"),
		filepath.Join(base, "study", "tools"))
	data := filepath.Join(base, "new")
	if text, err := rename("sub-sim001 sub-p3\nsim002 p8\r\nsim003 p1\nsim004 p7\nsim005 p2\nsim006 p5\nsim007 p4\nsim008 p6\n", filepath.Join(data, "scans")); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	s := &study{t, filepath.Join(base, "study"), base, "study.yaml", []string{"data=" + data}}
	keys := &study{t: t, dir: base, home: base}
	keys.pipeline(0, "sign", "--new-key", "me")
	out := filepath.Join(base, "out")
	need.NoError(t, os.MkdirAll(filepath.Join(out, "remote"), 0o777))
	s.handOn(filepath.Join(base, "me.pem"), out)
	if text := s.pipeline(0, "cohort", "study.yaml", "--set", "data="+data); !strings.Contains(text, "sub-p3") {
		t.Error(text)
	}
	without(t, "what is handed on", contents(t, out), []string{"sim00"})
	without(t, "the store", objects(t, filepath.Join(s.dir, ".pipeline")), []string{"sim00"})
}

// objects are the blobs and the records of a store, by their names.
func objects(t *testing.T, store string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, o := range storetest.Objects(t, store) {
		all[o.String()] = string(o.Read(t))
	}
	return all
}
