package methods

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// intervalMethods has for each column of a table of the page with an interval the entry of Methods that states how it
// is made, and words of it.
var intervalMethods = map[string][2]string{
	"column/interval":                       {"methods.measures", "Wilson"},
	"confounds.models/score":                {"methods.confound-models", "bootstrap samples"},
	"edges.strongest/estimate":              {"methods.edge-tests", "t with the standard error of the linear model"},
	"edges.strongest/size":                  {"methods.edge-tests", "effect size"},
	"reliability.halves/dice":               {"methods.reliability", "2.5 and 97.5% quantiles"},
	"reliability.halves/spearman":           {"methods.reliability", "2.5 and 97.5% quantiles"},
	"reliability.trainings/icc":             {"methods.reliability", "with its 95% CI"},
	"learning.curves/at-n":                  {"methods.learning", "approximate 95% CIs"},
	"learning.curves/at-2n":                 {"methods.learning", "approximate 95% CIs"},
	"learning.curves/needed":                {"methods.learning", "approximate 95% CIs"},
	"performance.intervals/accuracy":        {"methods.measures", "Wilson"},
	"performance.intervals/balanced":        {"methods.measures", "Zou and Donner"},
	"performance.intervals/auc":             {"methods.measures", "Newcombe"},
	"performance.intervals/sensitivity":     {"methods.measures", "Wilson"},
	"performance.intervals/specificity":     {"methods.measures", "Wilson"},
	"performance.intervals/brier":           {"methods.measures", "log odds for the Brier score"},
	"performance.left-out/auc":              {"methods.measures", "Newcombe"},
	"regression.models/r-interval":          {"methods.regression-measures", "Fisher's scale"},
	"regression.models/r2-interval":         {"methods.regression-measures", "Student's t on logarithmic scales"},
	"regression.models/mae-interval":        {"methods.regression-measures", "Student's t on logarithmic scales"},
	"regions.ranking/interval":              {"methods.ranking", "bootstrap samples"},
	"individuality.shares/interval":         {"methods.individuality", "jackknife"},
	"individuality.shares/jaccard-interval": {"methods.individuality", "jackknife"},
	"subgroups.groups/accuracy":             {"methods.subgroups", "Wilson's"},
	"subgroups.groups/auc":                  {"methods.subgroups", "Newcombe's"},
	"subgroups.groups/sensitivity":          {"methods.subgroups", "Wilson's"},
	"subgroups.groups/specificity":          {"methods.subgroups", "Wilson's"},
	"subgroups.groups/r":                    {"methods.subgroups", "Fisher's z"},
	"subgroups.groups/mae":                  {"methods.subgroups", "mean absolute error"},
	"subgroups.groups/error":                {"methods.subgroups", "mean error"},
	"subgroups.calibration/brier":           {"methods.subgroups", "Brier score"},
	"subgroups.calibration/large":           {"methods.subgroups", "calibration in the large"},
	"subgroups.calibration/intercept":       {"methods.subgroups", "Wald"},
	"subgroups.calibration/slope":           {"methods.subgroups", "Wald"},
	"subgroups.tests/difference":            {"methods.subgroups", "combined from those of both groups"},
	"multiverse.universes/effect":           {"methods.multiverse-intervals", "Newcombe"},
	"validation.measures/interval":          {"methods.validation", "Wald"},
	"validation.measures/training_interval": {"methods.measures", "Wilson"},
	"validation.bins/interval":              {"methods.validation", "Wilson"},
}

// Every column with an interval, of every table in the catalog, has a sentence in Methods on how it is made.
func TestIntervalsHaveTheirMethod(t *testing.T) {
	entries, columns := map[string]string{}, map[string]bool{}
	head := regexp.MustCompile(`^[a-z][a-z0-9.-]*$`)
	cell := regexp.MustCompile(`\b(interval|estimate) \.|95% (interval|CI)`)
	for _, path := range need.Value(filepath.Glob("../../wording/*.txt"))(t) {
		code, key := "", ""
		for line := range strings.Lines(string(need.Value(os.ReadFile(path))(t))) {
			line = strings.TrimRight(line, "\n")
			switch {
			case head.MatchString(line):
				code, key = line, ""
			case strings.HasPrefix(line, "  /"):
				key, _, _ = strings.Cut(strings.TrimPrefix(line, "  /"), " ")
			case !strings.HasPrefix(line, "      "):
				key = ""
			}
			entries[code] += " " + strings.TrimSpace(line)
			if key != "" && cell.MatchString(line) {
				columns[code+"/"+key] = true
			}
		}
	}
	if len(columns) < 25 {
		t.Fatalf("only %d columns with an interval are found", len(columns))
	}
	for name := range columns {
		of, known := intervalMethods[name]
		switch {
		case strings.HasSuffix(name, "/interval") &&
			!strings.Contains(entries[strings.TrimSuffix(name, "/interval")], "{{interval"):
			// head, doc and format are those of "column"
		case !known:
			t.Errorf("%s has an interval: Methods state nowhere how it is made", name)
		case !strings.Contains(entries[of[0]], of[1]):
			t.Errorf("%s: %q is not in %s: %s", name, of[1], of[0], entries[of[0]])
		}
	}
}
