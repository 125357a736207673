package cohort

import (
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"

	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
	"prgnn/stages/mat5"
	"prgnn/stages/stagetest"
)

func TestMatricesCohort(t *testing.T) {
	pair := string(stagetest.Mat(t, mat5.Matrix("R", []float64{1, .5, .5, 1}, 2, 2),
		mat5.Matrix("P", []float64{1, .5, .5, 1}, 2, 2), mat5.Texts("roi", []string{"left", "right"})))
	dir := testdir.Files(t, map[string]string{
		"p.tsv":         "participant_id\tgroup\tfile\nsub-b\tx\tm/sub-b.tsv\nsub-a\ty\tm/sub-a.tsv\n",
		"m/sub-a.tsv":   "Node\tleft\tright\nleft\t1\t.5\nright\t.5\t1\n",
		"m/sub-b.tsv":   "Node\tleft\tright\nleft\t1\t.5\nright\t.5\t1\n",
		"mat/sub-a.mat": pair, "mat/sub-b.mat": pair,
		"fd/sub-a": "Node\tleft\tdvars\nleft\t1\t.5\ndvars\t.5\t1\n", "fd/sub-b": "",
		"csf/sub-a": "Node\tleft\tCSF\nleft\t1\t.5\nCSF\t.5\t1\n", "csf/sub-b": "Node\tleft\tCSF\nleft\t1\t.4\nCSF\t.4\t1\n",
		"giga/sub-a": "0\t1\n1.0\t0.5\n0.5\t1.0\n", "giga/sub-b": "",
	})
	load := func(pearson, partial string) (*Roster, error) {
		c := &MatricesCohort{Parameters: listed.Defaults(), Pearson: pearson, Partial: partial}
		c.File = "p.tsv"
		return c.Load(dir)
	}
	for _, c := range []struct {
		pearson, partial string
		names            []string
	}{
		{"file", "", []string{"left", "right"}},
		{"mat/{participant_id}.mat", "mat/{participant_id}.mat", []string{"left", "right"}},
		{"giga/{participant_id}", "", []string{"0", "1"}},
	} {
		r, err := load(c.pearson, c.partial)
		if err != nil {
			t.Errorf("%s: %v", c.pearson, err)
			continue
		}
		names, _ := r.Nodes.Strings("name")
		if _, has := r.Files["partial"]; !slices.Equal(names, c.names) || has != (c.partial != "") ||
			r.Files["pearson"].Format != "matrix" || len(r.Subjects) != 2 {
			t.Errorf("%s: nodes %v, %+v", c.pearson, names, r)
		}
	}
	if _, err := load("fd/{participant_id}", ""); err == nil || !strings.HasSuffix(err.Error(),
		"fd/sub-a: confounds, indices or a background among the regions: dvars (column 2); remove them from all files "+
			"(and from nodes, if it is set), or rename those that are regions") {
		t.Errorf("with confounds: %v", err)
	}
	r, err := load("csf/{participant_id}", "")
	need.NoError(t, err)
	noted := slices.ContainsFunc(r.Notes, func(n column.Note) bool { return n.Doubt == column.DoubtTissues })
	need.Equal(t, noted, true)
	if _, err := load("", ""); err == nil || !strings.Contains(err.Error(), "pearson is not set") {
		t.Errorf("without pearson: %v", err)
	}
}
