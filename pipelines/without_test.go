package pipelines

import (
	"slices"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/pipelines/layer"
)

// TestWithout: a stage goes with the stages that need it and with the permutations that only it reads, and what is left
// is the file that never had them. A leakage check does not keep what it checks.
func TestWithout(t *testing.T) {
	const added = `
extends: quick.yaml
pipeline: quick
stages:
  permuted_folds: { use: split, matrix: { permutation: [0..2] }, in: { participants: cohort.participants } }
  permuted:
    use: train
    matrix: { permutation: [0..2], fold: [1..3] }
    in: { edges: "graphs[*].edges", features: "graphs[*].features", folds: permuted_folds, nodes: cohort.nodes }
  leakage_permuted: { use: leakage, matrix: { permutation: [0..2] }, in: { folds: permuted_folds, predictions: "permuted[*].predictions" } }
  permutation: { use: permutation, in: { predictions: ["permuted[*].predictions"] } }
  report: { in: { permutation: permutation.test } }
`
	quick := need.Value(Load("quick.yaml", nil))(t)
	want := describe(quick.Graph)
	if describe(mustBuild(t, added).Graph) == want {
		t.Fatal("the permutation test adds nothing")
	}
	for _, name := range []string{"permutation", "permuted", "permuted_folds"} {
		p := mustBuild(t, added, "stages."+name+"=null")
		if got := describe(p.Graph); got != want {
			t.Errorf("without %s:\n%s", name, got)
		}
		if !slices.Contains(p.Notes, "stages left out: permuted_folds, permuted, leakage_permuted, permutation") {
			t.Errorf("without %s: notes %q", name, p.Notes)
		}
	}

	// A list loses one reference, an optional input is disconnected, what needs the stage goes; settings of the stage
	// are no mistake.
	p := mustBuild(t, "extends: quick.yaml\n", "stages.train=null", "train.epochs=1")
	var names []string
	for _, s := range p.Graph.Stages() {
		names = append(names, s.Name())
	}
	for _, gone := range []string{"train", "biomarkers", "picture", "saliency"} {
		if slices.Contains(names, gone) {
			t.Errorf("without train: %s is left", gone)
		}
	}
	for _, left := range []string{"baselines", "evaluate", "leakage", "duplicates", "summary", "report"} {
		if !slices.Contains(names, left) {
			t.Errorf("without train: %s is gone", left)
		}
	}
}

// What compares with a stage goes with it, unless it is to compare all pairs.
func TestWithoutReference(t *testing.T) {
	for _, name := range []string{"train", "clean"} { // all trainings need what clean makes
		p := need.Value(Load("biopoint.yaml", []string{"stages." + name + "=null"}))(t)
		need.Equal(t, slices.Contains(p.LeftOut, "comparison"), true, "without", name)
		for _, of := range []string{"baselines", "evaluate"} {
			need.Equal(t, slices.Contains(p.LeftOut, of), name == "clean", of, "without", name)
		}
	}
	p := need.Value(Load("biopoint.yaml", []string{"stages.train=null", "comparison.reference=[]"}))(t)
	need.Equal(t, slices.Contains(p.LeftOut, "comparison"), false, "all pairs")
}

// TestWithoutMistakes: a stage that is not there is a mistake, at the flag, with a proposal.
func TestWithoutMistakes(t *testing.T) {
	_, err := Load("quick.yaml", []string{"stages.trian=null", "stages.cohort=null"})
	for _, want := range []string{`--without trian: there is no stage "trian" (did you mean "train"?)`,
		`--without cohort: there is no stage "cohort"`} {
		need.Error(t, err, want)
	}
}

// TestOnly: the setting stages=[NAME] leaves a stage, those that it needs, and the checks of what they make; neither
// folds nor trainings.
func TestOnly(t *testing.T) {
	for _, file := range []string{"biopoint.yaml", "timeseries.yaml", "target.yaml", "multiverse.yaml", "abide.yaml"} {
		all, _, err := layer.Outline(file, []string{"stages=[connectivity]"})
		need.Equal(t, err, nil, file)
		kinds := lists.SetOf(all, func(s layer.Outlined) string { return s.Kind })
		for _, kind := range []string{"split", "train", "train-regression", "baseline", "regression", "evaluate",
			"report", "graph"} {
			need.Equal(t, kinds[kind], false, file, kind)
		}
		for _, kind := range []string{"connectivity", "denoise"} {
			need.Equal(t, kinds[kind], true, file, kind)
		}
		need.Equal(t, kinds["leakage"], true, file, "leakage")
	}
	p := need.Value(Load("biopoint.yaml", []string{"stages=[connectivity]"}))(t)
	need.Equal(t, slices.Contains(p.LeftOut, "folds"), true)
	_, err := Load("biopoint.yaml", []string{"stages=[conectivity]"})
	need.Equal(t, err != nil, true)
}
