package wording

import (
	"math"
	"strings"

	"prgnn/dag"
	"prgnn/internal/pattern"
	"prgnn/stages/report"
)

// PlainName writes the name of a column for people, and NAME=LEVEL as name and level.
func PlainName(name string) string {
	if column, level, is := strings.Cut(name, "="); is {
		return PlainName(column) + " " + level
	}
	for from, to := range map[string]string{"auc": "AUC", "sd": "SD", "ci_low": "95% CI from", "ci_high": "to",
		"p": "p", "q": "q (FDR)", "auroc": "AUROC", "r2": "R²", "mae": "MAE"} {
		if name == from {
			return to
		}
	}
	return strings.ReplaceAll(name, "_", " ")
}

// identifier is a first word that is a name as it is, of a column or a stage: mean_fd.
var identifier = pattern.New(`^\w*[_0-9]|^[a-z]+[A-Z]`)

// UpperFirst writes the first letter, an ASCII one, as a capital; a column's or a stage's name stays as it is.
func UpperFirst(s string) string {
	if s == "" || identifier.MatchString(s) {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// UnitName is the name of a unit in a table: years for a.
func UnitName(unit string) string {
	if unit == "a" {
		return "years"
	}
	return unit
}

// InSentence writes the name of a classifier inside a sentence: "the model", not "The model".
func InSentence(name string) string {
	if rest, found := strings.CutPrefix(name, "The "); found {
		return "the " + rest
	}
	return name
}

// Subject is a name before its verb: one with a comma is closed by another.
func Subject(name string) string {
	if strings.Contains(name, ", ") {
		return name + ","
	}
	return name
}

// Band is a group of participants in a sentence: the lowest third of a number, or a category by its name.
func Band(group string) string {
	if strings.HasSuffix(group, " third") {
		return "the " + group
	}
	return group
}

// PlusMinus writes a mean with its standard deviation.
func PlusMinus(mean, sd float64) string {
	if math.IsNaN(sd) {
		return report.Share(mean)
	}
	return report.Share(mean) + " ± " + report.Share(sd)
}

// MemberText is a member of a fan-out: its stage, then its coordinates.
func MemberText(coords []dag.Coord) string {
	var parts []string
	for _, c := range coords {
		if c.Axis == "stage" {
			parts = append([]string{c.Value}, parts...)
		} else {
			parts = append(parts, c.Axis+" "+c.Value)
		}
	}
	return strings.Join(parts, ", ")
}
