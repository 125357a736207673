package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// forms are command lines that succeed, of every command and of each of its ways to be called.
var forms = []string{
	"check-duplicates scans.tsv --series {participant_id}.txt",
	"run study.yaml",
	"run study.yaml --locked",
	"plan study.yaml",
	"plan study.yaml --json",
	"why study.yaml",
	"why study.yaml series[sub-01]",
	"graph study.yaml",
	"graph study.yaml -o g.svg",
	"status study.yaml",
	"cohort study.yaml",
	"runs",
	"runs study.yaml",
	"show study.yaml",
	"show study.yaml cohort",
	"show study.yaml series.series",
	"show study.yaml series.series --json",
	"show study.yaml series.series --where",
	"show RUN",
	"show RUN cohort",
	"log study.yaml series",
	"log RUN series",
	"report study.yaml -o r.html",
	"report study.yaml --checklist claim",
	"report study.yaml --checklist tripod-ai -o c.csv",
	"export study.yaml cohort -o c.csv",
	"export study.yaml series.series -o s.npy",
	"export study.yaml series.series -o s.mat",
	"export study.yaml --format all -o all",
	"inspect a.nii",
	"inspect c.arrow",
	"inspect s.npy",
	"inspect s.npy --json",
	"diff RUN RUN",
	"audit study.yaml",
	"audit study.yaml --from-inputs",
	"audit study.yaml --against run.lock",
	"audit study.yaml --sample 0.5",
	"audit --lock run.lock",
	"audit --lock run.lock --against run.lock",
	"lock study.yaml",
	"lock study.yaml -o -",
	"lock RUN",
	"bundle study.yaml -o b.tar",
	"bundle RUN -o b.tar",
	"replay whole.tar",
	"replay whole.tar --json",
	"sign run.lock --key me.pem -o other.json",
	"sign study.yaml --key me.pem",
	"sign --new-key you",
	"lineage cohort",
	"provenance study.yaml -o crate",
	"provenance study.yaml -o prov.json --format prov",
	"verify",
	"verify run.intoto.json --signed-by me.pub.pem",
	"cite",
	"store",
	"store RUN",
	"gc",
	"gc --dry-run",
	"remote gc --keep 1G --remote file://DIR/shared",
	"init",
	"init sessions.yaml",
	"print study.yaml",
	"print study.yaml --json",
	"simulate small.yaml d --set cohort.volumes=20",
	"atlas list",
	"docs",
	"docs questions",
	"stages",
	"stages echo",
	"schema",
	"schema --install",
	"new-stage mine m --clone ROOT",
	"new-model mine",
	"version",
	"completion bash",
	"help",
	"help run",
	"help --man",
}

// unformed are the commands without a form here, and where their flags are tested.
var unformed = map[string]string{
	"bids-app":   "it needs a BIDS dataset: script bids_app",
	"exec-task":  "its tasks are those of a cluster: TestSlurm",
	"validate":   "it needs models: script validate_command",
	"exec-pilot": "its tasks are those of a cluster: TestPilots",
}

// values are those that a flag is tried with; a flag without a value is tried alone.
var values = map[string]string{
	"store": "elsewhere", "remote": "file://DIR/foreign", "sign-key": "me.pem", "trusted-keys": "me.pub.pem",
	"jobs": "1", "set": "series.draws=3", "without": "series", "until": "parcels", "only": "parcels",
	"force":      "parcels",
	"keep-going": "false", "mem": "2G", "executor": "slurm", "slurm-args": "-p long", "slurm-interval": "20s",
	"pilots": "3", "pilot-time": "8h", "submit-template": "submit.sh", "lock": "copy.lock", "format": "dot",
	"output": "out.tsv", "rows": "1", "draw": "1", "column": "x", "labels": "la.nii", "tr": "2", "task": "rest2",
	"atlas": "A", "stage": "parcels", "sample": "0.4", "seed": "3", "threads": "2", "downstream": "false",
	"against": "copy.lock", "signed-by": "me.pub.pem", "keep": "kept", "results": "parcels", "inputs": "DIR",
	"key": "me.pem", "new-key": "new", "license": "CC0-1.0", "keep-runs": "1", "max-size": "1G", "older": "90d",
	"layout": "bids", "clone": "DIR", "module": "x.org/m",
	"series": "a", "matrices": "a", "id": "other", "family": "other", "unrelated": "0.1", "figure": "f.svg",
}

// unseen are flags that change what the output of a form of a command does not show, and why. A command alone stands
// for all of its forms, a flag alone for that flag everywhere.
var unseen = map[string]string{
	"--quiet":                          "a form may have no notes to leave out",
	"--verbose":                        "a form may have nothing more to print",
	"--replace":                        "no file stands in its way here",
	"--jobs":                           "how fast, and not what",
	"--mem":                            "how many at once, and not what",
	"--keep-going":                     "nothing fails here",
	"--rehash":                         "no file has changed here",
	"--threads":                        "the results are the same with any number",
	"--trusted-keys":                   "all results are those of this machine",
	"--private":                        "the mode of the store",
	"--downstream":                     "nothing differs here",
	"--partial":                        "nothing is missing here",
	"--repair":                         "nothing is damaged here",
	"--allow-commands":                 "the bundle runs no commands",
	"--summary":                        "no stage writes a text here",
	"--up":                             "the default of lineage",
	"--layout":                         "there is one layout",
	"--unrelated":                      "three participants have no distribution",
	"--full of init sessions.yaml":     "that file is whole without it",
	"--sample":                         "a half and less of two tasks is one",
	"--without of cohort":              "settings make the file that is listed",
	"--without of runs":                "settings make the file that is listed",
	"--set of cohort":                  "settings make the file that is listed",
	"--set of runs":                    "settings make the file that is listed",
	"--keep-runs":                      "there is one run",
	"--max-size":                       "nothing is to be removed",
	"--older":                          "the remote is empty",
	"--keep":                           "the remote is empty, or the results are as they were",
	"--dry-run":                        "nothing is to be removed",
	"--until of run":                   "all is cached",
	"--signed-by":                      "a lock has no signature to check",
	"--executor of run":                "all is cached, so that no cluster is asked",
	"--store of audit --lock run.lock": "nothing differs, of which the store has the bytes",
	"--csv-safe":                       "no text here is a formula",
	"--names of export study.yaml --format all -o all": "no table there has regions",
	"--tr of export study.yaml --format all -o all":    "no CIFTI file there has a time",
}

// clean is an output without what differs from call to call.
func clean(text string) string {
	for _, p := range []string{`[0-9a-f]{16}`, `[0-9.]+ m?s\b`, `"(seconds|started|finished|memory|read)":[^,}]*`,
		`\d{4}-\d\d-\d\d.\d\d:\d\d:\d\d\S*`, `took +\S+`, `/\S*/T\S+/\d+`} {
		text = regexp.MustCompile(p).ReplaceAllString(text, "#")
	}
	return text
}

// called is what a command line gives: its exit code, stdout, stderr and the names of the files that it made.
func called(t *testing.T, from string, words []string) (code int, out, stderr string) {
	dir := testdir.Memory(t)
	need.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	t.Chdir(dir)
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, "DIR", dir)
	}
	var stdout, errs bytes.Buffer
	code = run(words, &stdout, &errs)
	var files []string
	need.NoError(t, filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if path == ".pipeline" {
			return filepath.SkipDir
		}
		if err == nil && !d.IsDir() {
			b, _ := os.ReadFile(path)
			files = append(files, path+" "+artifacts.DigestOf(b).String())
		}
		return err
	}))
	text := clean(strings.ReplaceAll(stdout.String(), dir, "DIR") + strings.ReplaceAll(errs.String(), dir, "DIR"))
	return code, text + strings.Join(files, "\n"), errs.String()
}

// Every flag of every command changes what a form of the command does, or is refused by its name.
func TestFlagsAreObeyedOrRefused(t *testing.T) {
	t.Setenv("PIPELINE_REMOTE", "")
	s := newStudy(t)
	root := need.Value(filepath.Abs("../../.."))(t)
	s.write("small.yaml", []byte("cohort: { simulate: { asd: 1, hc: 1 } }\nstages: { e: { use: echo } }\n"))
	need.NoError(t, os.MkdirAll(filepath.Join(s.dir, "foreign"), 0o777))
	s.write("foreign/file", []byte("of another program"))
	s.write("scans.tsv", []byte("participant_id\tother\tpair\na\tx\t1\nb\tx\t1\nc\tz\t2\n"))
	s.write("a.txt", []byte("1 2\n2 1\n4 0\n3 5\n1 1\n"))
	s.write("c.txt", []byte("1 0\n0 1\n2 2\n0 3\n1 1\n"))
	s.write("b.txt", []byte("5 3\n0 1\n1 7\n3 1\n2 2\n"))
	need.NoError(t, os.MkdirAll(filepath.Join(s.dir, "shared"), 0o777))
	t.Chdir(s.dir)
	for _, line := range []string{
		"run study.yaml --remote file://" + s.dir + "/shared", "run study.yaml --set series.draws=2", "sign --new-key me", "lock study.yaml", "lock study.yaml -o copy.lock",
		"sign run.lock --key me.pem", "bundle study.yaml -o whole.tar", "export study.yaml cohort -o c.arrow",
		"export study.yaml series.series -o s.npy",
	} {
		var stderr bytes.Buffer
		if code := run(strings.Fields(line), &bytes.Buffer{}, &stderr); code != 0 {
			t.Fatalf("%s: exit code %d\n%s", line, code, &stderr)
		}
	}
	var runs bytes.Buffer
	run([]string{"runs"}, &runs, &runs)
	id := regexp.MustCompile(`[0-9a-f]{16}`).FindString(runs.String())
	tried := map[string]bool{}
	for _, form := range forms {
		words := strings.Fields(strings.NewReplacer("RUN", id, "ROOT", root).Replace(form))
		tried[words[0]] = true
		t.Run(form, func(t *testing.T) {
			code, plain, stderr := called(t, s.dir, slices.Clone(words))
			if code != 0 {
				t.Fatalf("exit code %d\n%s", code, stderr)
			}
			at := slices.IndexFunc(allCommands(), func(c *cobra.Command) bool { return c.Name() == words[0] })
			cmd := allCommands()[at]
			cmd.InheritedFlags()
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				for _, why := range []string{"--" + f.Name, "--" + f.Name + " of " + words[0],
					"--" + f.Name + " of " + form} {
					if unseen[why] != "" {
						return
					}
				}
				given := func(w string) bool {
					return w == "--"+f.Name || f.Shorthand != "" && w == "-"+f.Shorthand
				}
				if f.Name == "help" || slices.ContainsFunc(words, given) {
					return
				}
				more := []string{"--" + f.Name}
				if f.NoOptDefVal == "" || values[f.Name] != "" {
					more[0] += "=" + values[f.Name]
				}
				code, got, stderr := called(t, s.dir, slices.Concat(words, more))
				switch {
				case code == exit.Usage && strings.Contains(stderr, f.Name):
				case got == plain:
					t.Errorf("%s is neither obeyed nor refused", more[0])
				}
			})
		})
	}
	for _, c := range commands {
		if !tried[c.name] && unformed[c.name] == "" {
			t.Errorf("%s has no form here", c.name)
		}
	}
}
