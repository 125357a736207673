package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// TestSessionsFromInitToReport runs the built-in sessions.yaml on a small longitudinal dataset: two sessions of all
// participants but one. The graphs of a participant's sessions are on one side of every split, its probability is that
// of all of them, and the columns of sessions.tsv are covariates.
func TestSessionsFromInitToReport(t *testing.T) {
	s := &study{t: t, dir: t.TempDir()}
	s.home = s.dir
	testdir.Write(t, filepath.Join(s.dir, "sim.yaml"), `seed: 1
cohort: { simulate: { asd: 6, hc: 6, volumes: 60, grid: 12 } }
stages: { x: { use: echo, with: { value: 1 } } }
`)
	for ses, seed := range map[string]string{"01": "1", "02": "2"} {
		s.pipeline(0, "simulate", "sim.yaml", "made"+ses, "--set", "seed="+seed)
		for i := range 12 {
			id := fmt.Sprintf("sub-sim%03d", i+1)
			if i == 11 && ses == "02" { // who came once
				continue
			}
			names, err := filepath.Glob(filepath.Join(s.dir, "made"+ses, id, "func", "*"))
			if err != nil || len(names) == 0 {
				t.Fatal(names, err)
			}
			for _, name := range names {
				to := filepath.Join(s.dir, "fmriprep", id, "ses-"+ses, "func",
					strings.Replace(filepath.Base(name), id, id+"_ses-"+ses, 1))
				need.NoError(t, os.MkdirAll(filepath.Dir(to), 0o777))
				need.NoError(t, os.Rename(name, to))
			}
			testdir.Write(t, filepath.Join(s.dir, "fmriprep", id, id+"_sessions.tsv"),
				fmt.Sprintf("session_id\tscore\nses-01\t%d\nses-02\t%d\n", i, i+4))
		}
	}
	people := need.Value(os.ReadFile(filepath.Join(s.dir, "made01", "participants.tsv")))(t)
	testdir.Write(t, filepath.Join(s.dir, "fmriprep", "participants.tsv"), string(people))
	testdir.Write(t, filepath.Join(s.dir, "study.yaml"), `extends: sessions.yaml
cohort:
  simulate: null
  bids: { dir: fmriprep, group: group, sessions: all }
stages:
  series: { with: { draws: 3 } }
  folds: { with: { folds: 3 } }
  train: { matrix: { fold: [1..3] }, with: { epochs: 2 } }
  baselines: { matrix: { fold: [1..3] } }
`)
	if said := s.pipeline(0, "cohort", "study.yaml"); !strings.Contains(said, "sessions per participant (participants): 1 (1), 2 (11)") {
		t.Errorf("cohort says\n%s", said)
	}
	s.pipeline(0, "run", "study.yaml")
	export := func(of string) []map[string]string {
		t.Helper()
		s.pipeline(0, "export", "-q", "study.yaml", of, "-o", of+".csv")
		return readCSV(t, filepath.Join(s.dir, of+".csv"))
	}

	// Which draws of a participant are of which session.
	sessions := map[string]map[string]string{} // participant → draw → session
	for _, row := range export("pooled.draws") {
		if sessions[row["subject"]] == nil {
			sessions[row["subject"]] = map[string]string{}
		}
		sessions[row["subject"]][row["draw"]] = row["session"]
	}
	side := map[string]map[string]string{} // participant → fold of each draw that is tested
	sets := map[[2]string]string{}         // participant, fold → train, validation or test
	for _, row := range export("train.predictions") {
		id := row["participant_id"]
		if set, fold := row["set"], row["fold"]; sets[[2]string{id, fold}] == "" {
			sets[[2]string{id, fold}] = set
		} else if other := sets[[2]string{id, fold}]; other != set {
			t.Errorf("fold %s: draw %s of %s is in the %s set, another in the %s set", fold, row["draw"], id, set, other)
		}
		if row["set"] != "test" {
			continue
		}
		if side[id] == nil {
			side[id] = map[string]string{}
		}
		if other, twice := side[id][row["draw"]]; twice {
			t.Errorf("draw %s of %s is tested in the folds %s and %s", row["draw"], id, other, row["fold"])
		}
		side[id][row["draw"]] = row["fold"]
	}
	if len(sets) != 12*3 {
		t.Errorf("%d participants and folds have predictions, want 12 × 3", len(sets))
	}
	for i := range 12 {
		id := fmt.Sprintf("sub-sim%03d", i+1)
		count, folds := map[string]int{}, map[string]bool{}
		for draw, ses := range sessions[id] {
			count[ses]++
			folds[side[id][draw]] = true
		}
		want := map[string]int{"01": 3, "02": 3}
		if i == 11 {
			want = map[string]int{"01": 3}
		}
		if fmt.Sprint(count) != fmt.Sprint(want) || len(folds) != 1 || folds[""] {
			t.Errorf("%s has draws of the sessions %v, tested in the folds %v", id, count, folds)
		}
	}
	for _, row := range export("duplicates") {
		if row["found"] != "0" {
			t.Errorf("leakage: %v", row)
		}
	}
	scores := 0
	for _, row := range export("cohort.participants") {
		var i int
		fmt.Sscanf(row["participant_id"], "sub-sim%d", &i)
		want := fmt.Sprint(i + 1) // the mean of i−1 and i+3
		if i == 12 {
			want = "11"
		}
		need.Equal(t, row["score"], want, "score of", row["participant_id"])
		scores++
	}
	found := false
	for _, row := range export("covariates") {
		found = found || row["covariate"] == "score"
	}
	if scores != 12 || !found {
		t.Errorf("%d participants; the column of sessions.tsv is a covariate: %v", scores, found)
	}
	page := string(need.Value(os.ReadFile(filepath.Join(s.dir, "study.html")))(t))
	for _, want := range []string{"<td>score</td>", "All scans had 60 volumes at a repetition time of 2 s.",
		`23 sessions of 12 participants (<span class="whole">1 to 2</span> each) were analyzed. Each session was denoised and its correlations were estimated separately.`,
		"from all data of each participant", "Quality of each participant and session"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(page, "of unusual length") { // sub-sim012 has one session, as long as all
		t.Error("the report calls a participant with one session a scan of unusual length")
	}
	if row := export("cohort.inventory")[0]; row["session"] != "01" {
		t.Errorf("the inventory names no session: %v", row)
	}
	groupFiles(s, export("means.groups"))
	sessionFiles(s)
}

// sessionFiles exports the graphs of combined sessions with their draws: each is a file of its session, and was made of
// the matrices of that session.
func sessionFiles(s *study) {
	s.t.Helper()
	s.pipeline(0, "export", "study.yaml", "--format", "bids", "--task", "rest", "--draws", "-o", "derived")
	all := need.Value(filepath.Glob(filepath.Join(s.dir, "derived", "sub-sim001", "ses-*", "func",
		"*desc-graph*.json")))(s.t)
	need.Equal(s.t, len(all), 6, "graphs of two sessions")
	for _, ses := range []string{"01", "02"} {
		found := need.Value(filepath.Glob(filepath.Join(s.dir, "derived", "sub-sim001", "ses-"+ses, "func",
			"sub-sim001_ses-"+ses+"_task-rest_*desc-graphboot03*.json")))(s.t)
		if len(found) != 1 {
			s.t.Fatal(all)
		}
		var side struct {
			Draw    int
			Session string
			Sources []string
		}
		need.NoError(s.t, json.Unmarshal(need.Value(os.ReadFile(found[0]))(s.t), &side))
		need.Equal(s.t, fmt.Sprint(side.Draw, " ", side.Session), "3 "+ses)
		of := strings.Join(side.Sources, " ")
		if strings.Count(of, "session"+ses) != len(side.Sources) ||
			!strings.Contains(of, "session"+ses+"boot03_relmat") {
			s.t.Errorf("%s was made of %s", found[0], of)
		}
	}
	s.pipeline(0, "export", "study.yaml", "graphs", "--format", "pyg", "--draws", "-o", "graphs")
	var about struct{ Participants, Sessions []string }
	text := need.Value(os.ReadFile(filepath.Join(s.dir, "graphs", "dataset.json")))(s.t)
	need.NoError(s.t, json.Unmarshal(text, &about))
	need.Equal(s.t, strings.Join(about.Sessions, " "), "01 02")
	ints := func(name string) []int64 {
		f := need.Value(os.Open(filepath.Join(s.dir, "graphs", name+".npy")))(s.t)
		defer f.Close()
		return need.Value(encoding.ReadArray(f))(s.t).Values().([]int64)
	}
	draw, subject, session, scan := ints("draw"), ints("subject"), ints("session"), ints("scan_draw")
	s.pipeline(0, "export", "-q", "study.yaml", "pooled.draws", "-o", "draws.csv")
	stored := map[string]string{}
	for _, row := range readCSV(s.t, filepath.Join(s.dir, "draws.csv")) {
		stored[row["subject"]+" "+row["draw"]] = row["session"] + " " + row["of"]
	}
	for g := range draw {
		got := "mean"
		if session[g] >= 0 {
			got = fmt.Sprint(about.Sessions[session[g]], " ", scan[g])
		}
		want := cmp.Or(stored[fmt.Sprint(about.Participants[subject[g]], " ", draw[g])], "mean")
		need.Equal(s.t, got, want, g)
	}
	first := filepath.Join(s.dir, "derived", "sub-sim001", "func", "*desc-graphboot*")
	if without := need.Value(filepath.Glob(first))(s.t); len(without) > 0 {
		s.t.Errorf("draws of combined sessions without their session: %v", without)
	}
}

// groupFiles exports the mean matrices of the groups in forms that hold one matrix: each group is a file.
func groupFiles(s *study, groups []map[string]string) {
	s.t.Helper()
	s.pipeline(0, "export", "study.yaml", "means.means", "-o", "m.svg")
	s.pipeline(0, "export", "study.yaml", "means.means", "-o", "m.csv")
	for i, row := range readCSV(s.t, filepath.Join(s.dir, "m.csv")) {
		if i == 0 || row["group"] != groups[0]["group"] {
			need.Equal(s.t, row["group"], groups[min(i, 1)]["group"])
		}
		if i > 0 && row["group"] != groups[0]["group"] {
			break
		}
	}
	s.pipeline(0, "export", "study.yaml", "means", "--format", "all", "-o", "means/")
	for _, path := range []string{"m.svg", "means/means.svg"} {
		if _, err := os.Stat(filepath.Join(s.dir, path)); err == nil {
			s.t.Errorf("%s is of one of the groups without stating so", path)
		}
		for _, row := range groups {
			file := strings.Replace(path, ".", "_group-"+row["group"]+".", 1)
			b, err := os.ReadFile(filepath.Join(s.dir, file))
			if want := "means.means, group " + row["group"]; err != nil || !strings.Contains(string(b), want) {
				s.t.Errorf("%s: %v; the title %q is there: %v", file, err, want, err == nil)
			}
		}
	}
	s.pipeline(0, "export", "study.yaml", "means.means", "-o", "m.npy")
	side := string(need.Value(os.ReadFile(filepath.Join(s.dir, "m.json")))(s.t))
	if at := strings.Index(side, groups[1]["group"]); len(groups) != 2 || at < 0 {
		s.t.Errorf("the sidecar lacks the groups:\n%s", side)
	}
	s.pipeline(2, "export", "study.yaml", "means.means", "--format", "edge", "-o", "-")
}

func readCSV(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(path)
	need.NoError(t, err)
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil || len(all) == 0 {
		t.Fatal(path, err)
	}
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}
