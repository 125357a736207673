package pipelines

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/pipelines/layer"
	"prgnn/stages/builtin"
)

// builtinSets makes tiny data for the built-in pipelines that need some, and returns the --set of
// each that says where they are.
func builtinSets(t *testing.T) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	table, asd := "participant_id,group,gender,file\n", "file_id,asd,age,sex,mean_fd\n"
	for i := range 10 {
		id := fmt.Sprintf("sub-%02d", i+1)
		table += fmt.Sprintf("%s,%s,%s,%s.nii.gz\n", id, []string{"ASD", "HC"}[i%2], []string{"F", "M"}[i%2], id)
		asd += fmt.Sprintf("%s,%d,%d,%s,0.%d\n", id, i%2, 20+i, []string{"F", "M"}[i/2%2], 1+i%3)
		testdir.Write(t, filepath.Join(dir, id+".nii.gz"), "")
		testdir.Write(t, filepath.Join(dir, id+"_pearson.tsv"), "a\tb\tc\n1\t0.1\t0.2\n0.1\t1\t0.3\n0.2\t0.3\t1\n")
		var series bytes.Buffer
		z := gzip.NewWriter(&series)
		_, err := z.Write([]byte("#10\t#11\n1\t2\n2\t1\n3\t5\n"))
		if err != nil || z.Close() != nil {
			t.Fatal("cannot compress")
		}
		testdir.Write(t, filepath.Join(dir, "nyu_original_1D", id+"_rois_ho.1D.gz"), series.String())
	}
	testdir.Write(t, filepath.Join(dir, "participants.csv"), table)
	testdir.Write(t, filepath.Join(dir, "participants.tsv"), strings.ReplaceAll(table, ",", "\t"))
	testdir.Write(t, filepath.Join(dir, "abide", "participants.csv"), asd)
	need.NoError(t, os.Rename(filepath.Join(dir, "nyu_original_1D"),
		filepath.Join(dir, "abide", "nyu_original_1D")))
	testdir.Write(t, filepath.Join(dir, "labels.nii.gz"), dk84(t))
	testdir.Write(t, filepath.Join(dir, "series", "participants.tsv"), strings.ReplaceAll(table, ",", "\t"))
	for i := range 10 {
		testdir.Write(t, filepath.Join(dir, "series", fmt.Sprintf("sub-%02d.tsv", i+1)), "a\tb\n1\t2\n2\t1\n3\t5\n")
	}
	for part, name := range map[string]string{"run": "run", "session": "ses"} {
		parts := "participant_id\tgroup\t" + part + "\n"
		for i := range 20 {
			parts += fmt.Sprintf("sub-%02d\t%s\t%d\n", i/2+1, []string{"ASD", "HC"}[i/2%2], i%2+1)
			testdir.Write(t, filepath.Join(dir, part+"s", fmt.Sprintf("sub-%02d_%s-%d.tsv", i/2+1, name, i%2+1)), "a\tb\n1\t2\n2\t1\n3\t5\n")
		}
		testdir.Write(t, filepath.Join(dir, part+"s", "participants.tsv"), parts)
	}
	phenotypes := ",SUB_ID,FILE_ID,DX_GROUP,SITE_ID,AGE_AT_SCAN,SEX,EYE_STATUS_AT_SCAN,func_mean_fd," +
		"qc_rater_1,qc_anat_rater_2,qc_func_rater_2,qc_anat_rater_3,qc_func_rater_3\n"
	for i := range 17 { // with those whom abide.yaml excludes
		number := 50279 + i
		switch {
		case i == 8 || i == 9:
			number = []int{50578, 50602}[i-8]
		case i >= 12:
			number = []int{51478, 51469, 50209, 50192, 50216}[i-12]
		}
		id := fmt.Sprintf("S_00%d", number)
		if i == 11 {
			id = "no_filename"
		}
		phenotypes += fmt.Sprintf("%d,%d,%s,%d,S%d,20,1,1,0.1,OK,OK,OK,OK,%s\n", i, number, id, 1+i%2, i/6,
			[]string{"OK", "fail"}[i/10])
		testdir.Write(t, filepath.Join(dir, "pcp", "cpac", "nofilt_noglobal", id+"_rois_ho.1D"), "#10\t#11\n1\t2\n2\t1\n3\t5\n")
	}
	testdir.Write(t, filepath.Join(dir, "pcp", "Phenotypic_V1_0b_preprocessed1.csv"), phenotypes)
	return map[string][]string{
		"abide.yaml":      {"data=" + filepath.Join(dir, "pcp")},
		"abide-bnt.yaml":  {"data=" + filepath.Join(dir, "pcp")},
		"abide-nyu.yaml":  {"data=" + filepath.Join(dir, "abide")},
		"matrices.yaml":   {"data=" + dir},
		"timeseries.yaml": {"data=" + filepath.Join(dir, "series")},

		"timeseries-runs.yaml":     {"data=" + filepath.Join(dir, "runs")},
		"timeseries-sessions.yaml": {"data=" + filepath.Join(dir, "sessions")},

		"rest40.yaml": {"data=" + dir, "labels=" + filepath.Join(dir, "labels.nii.gz")},
	}
}

// keysText is all that enters the keys of a pipeline's tasks, apart from code and files: kinds,
// parameters, connections, and the digests of what is known beforehand, settings and notes included.
func keysText(p *Pipeline) string {
	var b strings.Builder
	b.WriteString(describe(p.Graph))
	for _, s := range p.Graph.Stages() {
		for _, n := range s.Tasks() {
			if c, ok := n.Instance().(*cohortValues); ok {
				for _, port := range c.ports {
					fmt.Fprintf(&b, "%s.%s = %s\n", n.ID(), port.Name, c.refs.Of(port.Name).Digest)
				}
			}
		}
	}
	return b.String()
}

// TestBuiltinsResolve: each built-in pipeline has the tasks and keys of testdata/resolved, where all
// that it extends is written out. The first files there were made of built-in pipelines that
// extended nothing. -update writes what print says: read the difference before you keep it.
func TestBuiltinsResolve(t *testing.T) {
	sets := builtinSets(t)
	golden := need.Value(filepath.Abs(filepath.Join("testdata", "resolved")))(t)
	t.Chdir(t.TempDir())
	for _, name := range builtin.Names() {
		t.Run(name, func(t *testing.T) {
			printed, err := layer.Print(name, nil, true)
			need.NoError(t, err)
			file := filepath.Join(golden, name)
			if *update {
				testdir.Write(t, file, withoutComments(printed))
			}
			want, err := os.ReadFile(file)
			need.NoError(t, err)
			now, err := Load(name, sets[name])
			need.NoError(t, err)
			before, err := LoadText(name, string(want), ".", sets[name])
			need.NoError(t, err)
			a, b := keysText(before), keysText(now)
			if a != b {
				t.Errorf("%s has other tasks than testdata/resolved/%s (meant? go test ./pipelines -run TestBuiltinsResolve -update):\n%s", name, name, firstDifference(a, b))
			}
			again, err := LoadText(name, printed, ".", sets[name])
			if err != nil {
				t.Fatalf("what print says is no pipeline: %v", err)
			}
			if c := keysText(again); c != b {
				t.Errorf("%s has other tasks than what print says of it:\n%s", name, firstDifference(b, c))
			}
			if _, text, _ := strings.Cut(now.Graph.Source(), "extends:"); text != "" && len(now.Extends) > 0 {
				t.Errorf("the text that is kept with a run extends another")
			}
		})
	}
}

func withoutComments(text string) string {
	lines := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool {
		return strings.HasPrefix(strings.TrimSpace(line), "#")
	})
	return strings.Join(lines, "")
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d\n- %.600s\n+ %.600s", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d lines, then %d", len(x), len(y))
}
