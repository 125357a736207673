package encoding

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
)

// pandas reads the texts of a CSV and of a TSV back: tabs, ends of lines and quotation marks stand within quotation
// marks.
func TestPandasReadsTexts(t *testing.T) {
	python, dir := need.Python(t, "pandas"), t.TempDir()
	texts := []string{"x\ty", "one\ntwo", "a \"quoted\" word", "\"begins", " blank", "a,b", "\n",
		"#1", "back\\n", "\\.", ""}
	table := NewTable(Column{Name: "a\tb", Values: texts})
	for name, sep := range map[string]rune{"t.tsv": '\t', "t.csv": ','} {
		f := need.Value(os.Create(filepath.Join(dir, name)))(t)
		need.NoError(t, table.WriteCSV(f, sep))
		need.NoError(t, f.Close())
	}
	script := "import pandas, sys\n" +
		"for name, sep in (('t.tsv', '\\t'), ('t.csv', ',')):\n" +
		"    read = pandas.read_csv(name, sep=sep, keep_default_na=False, skip_blank_lines=False)\n" +
		"    assert list(read.columns) == ['a\\tb'], read.columns\n" +
		"    assert list(read['a\\tb']) == sys.argv[1:], (name, list(read['a\\tb']))\n"
	read := exec.Command(python, append([]string{"-c", script}, texts...)...)
	read.Dir = dir
	if out, err := read.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
