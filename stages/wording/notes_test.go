package wording

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
)

var (
	usedField = regexp.MustCompile(`[^\w"]\.([A-Z]\w*)`)
	subEntry  = regexp.MustCompile(`\bentry "([^"]+)"`)
)

// fieldsOf are the values that an entry uses, with those of entries that it writes with the same values.
func fieldsOf(t *testing.T, code string) (names []string) {
	text := need.Value(catalog())(t)[code].text
	for _, action := range regexp.MustCompile(`\{\{.*?\}\}`).FindAllString(text, -1) {
		for _, m := range usedField.FindAllStringSubmatch(action, -1) {
			names = append(names, m[1])
		}
		for _, m := range subEntry.FindAllStringSubmatch(action, -1) {
			names = append(names, fieldsOf(t, m[1])...)
		}
	}
	return names
}

// A note has the values that its entry uses: where it is made with a list of them, all stand in this list, except for
// those that With adds.
func TestNotesHaveTheirValues(t *testing.T) {
	added := []string{"Of", "Stages", "Kept", "Port"}
	notes := 0
	read := func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 3 {
				return true
			}
			code, isCode := call.Args[1].(*ast.BasicLit)
			values, isList := call.Args[2].(*ast.CompositeLit)
			if !isCode || !isList || !strings.HasPrefix(code.Value, `"noted.`) {
				return true
			}
			given := slices.Clone(added)
			for _, of := range values.Elts {
				if key, ok := of.(*ast.KeyValueExpr).Key.(*ast.BasicLit); ok {
					name, _ := strconv.Unquote(key.Value)
					given = append(given, name)
				}
			}
			name, _ := strconv.Unquote(code.Value)
			for _, field := range fieldsOf(t, name) {
				if !slices.Contains(given, field) {
					t.Errorf("%s: %s has no value %s", set.Position(call.Pos()), name, field)
				}
			}
			notes++
			return true
		})
		return nil
	}
	need.NoError(t, filepath.WalkDir("..", read))
	need.NoError(t, filepath.WalkDir("../../pipelines", read))
	need.Equal(t, notes > 40, true, notes)
}

// A list of notes has them as they are, and a note that the catalog cannot write stands as its code and values.
func TestNoteTexts(t *testing.T) {
	all := []column.Note{{Text: "own words"}, column.Doubtful("", "noted.large-family",
		column.Values{"Column": "fam", "N": 9, "Of": 12, "Value": "none"}),
		column.Doubtful("", "noted.large-family", nil)}
	all = append(all, column.Doubtful("", "noted.large-family", column.Values{"Column": "fam", "N": math.NaN()}))
	got := NoteTexts(all)
	need.Equal(t, got[0], "own words")
	need.Equal(t, strings.HasPrefix(got[1], `column fam: 9 of 12 participants with a value have "none", and`), true, got[1])
	need.Equal(t, got[2], "noted.large-family null")
	need.Equal(t, got[3], `noted.large-family {"Column":"fam","N":"NaN"}`)
}
