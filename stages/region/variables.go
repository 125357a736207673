package region

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/connectivity"
	"prgnn/internal/pattern"
	"prgnn/stages/mat5"
	"prgnn/stages/npz"
)

// Variables are those of a .mat or npz file, with the fields of its structs under the names by which Find finds them;
// is reports whether the file is one.
func Variables(file *os.File) (all []mat5.Variable, is bool, err error) {
	br, err := connectivity.Decompress(file)
	if err != nil {
		return nil, false, err
	}
	if first, _ := br.Peek(mat5.HeaderSize); !mat5.Is(first) && !npz.Is(first) {
		return nil, false, nil
	}
	all, err = readVariables(file, br)
	var with []mat5.Variable
	for _, v := range all {
		with = append(with, fieldsOf(v, v.Name)...)
	}
	return with, true, err
}

// readVariables reads those of a .mat or npz file.
func readVariables(file io.Reader, content *connectivity.Content) ([]mat5.Variable, error) {
	if first, _ := content.Peek(mat5.HeaderSize); npz.Is(first) {
		return npz.Read(content)
	}
	return readMat(file, content)
}

// fieldsOf is a variable and, of a struct, its fields.
func fieldsOf(v mat5.Variable, name string) []mat5.Variable {
	v.Name = name
	all := []mat5.Variable{v}
	if v.Class == "struct" && len(v.Fields) > 0 {
		for i := range min(v.Count(), 3) {
			element := name
			if v.Count() > 1 {
				element = fmt.Sprintf("%s(%d)", name, i+1)
			}
			for f, field := range v.Fields {
				all = append(all, fieldsOf(v.Cells[i*len(v.Fields)+f], element+"."+field)...)
			}
		}
	}
	return all
}

// Lines are what a pipeline file states, under cohort:, to read a file with these variables: one proposal for each
// variable that can be series or a matrix.
func Lines(path string, all []mat5.Variable) (proposals []string) {
	base := filepath.Base(path)
	for _, matrix := range []bool{false, true} {
		kind, port := "timeseries", "series"
		if matrix {
			kind, port = "matrices", "pearson"
		}
		known, err := Layout{}.Recognized(path, matrix)
		if err != nil {
			return []string{"# " + err.Error()}
		}
		if known.Program != "" {
			text := fmt.Sprintf("%s:   # by %s\n  %s: %s\n", kind, known.Program, port, base)
			if z := slices.IndexFunc(all,
				func(v mat5.Variable) bool { return v.Name == known.Variable }); matrix && z >= 0 &&
				len(all[z].Shape) == 3 {
				text += "  member: COLUMN   # of the table: the number of the participant in the file, from 1\n"
			}
			return []string{text}
		}
		for _, v := range all {
			square := matSquare(v)
			if square != matrix || !square && !plain(v) {
				continue
			}
			text := fmt.Sprintf("%s:\n  %s: %s\n  variable: %s\n", kind, port, base, v.Name)
			switch names := namesFor(v, all); {
			case len(names) == 1:
				text += "  names: " + names[0] + "\n"
			case len(names) > 1:
				text += "  names: VARIABLE   # the one that lists the regions: " + strings.Join(names, " or ") + "\n"
			}
			if matrix && len(v.Shape) == 3 {
				text += "  member: COLUMN   # of the table: the number of the participant in the file, from 1\n"
			}
			proposals = append(proposals, text)
		}
	}
	return proposals
}

// namesFor are the lists of different texts that may name the regions of a variable; those that list participants or
// groups by their names or their entries do not.
func namesFor(v mat5.Variable, all []mat5.Variable) (names []string) {
	for _, list := range all {
		_, members := listsWhat(list)
		n := len(list.Texts)
		if n > 1 && slices.Contains(v.Shape[:2], n) && list.Name != v.Name && !members && !repeats(list.Texts) &&
			slices.ContainsFunc(list.Texts, func(text string) bool { return !personText.MatchString(text) }) {
			names = append(names, list.Name)
		}
	}
	return names
}

// personText is an id of a participant that no region has as its name.
var personText = pattern.New(`(?i)^\s*sub(j(ect)?)?[-_ ]?[a-z]*[0-9]+`)

// Dimensions are those of a variable: "60×6".
func Dimensions(v mat5.Variable) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(v.Size()), " ", "×"), "[]")
}
