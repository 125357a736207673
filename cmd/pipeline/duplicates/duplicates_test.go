package duplicates

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/need"
	"prgnn/stages/assess/leakage"
	"prgnn/stages/mat5"
)

const oracle = "../../../stages/assess/leakage/testdata/copies"

// oracleTable writes the matrices of the oracle's scans, and a table of them with a column of families.
func oracleTable(t *testing.T, scans int, family func(i int) string) (table string) {
	t.Helper()
	dir := t.TempDir()
	f := need.Value(os.Open(filepath.Join(oracle, "correlations.npy.gz")))(t)
	defer f.Close()
	shape, v, err := encoding.ReadFloats(need.Value(gzip.NewReader(f))(t), 1)
	need.NoError(t, err)
	const regions = 24
	rows := "participant_id\tFamily_ID\tfile\n"
	for i := range scans {
		of := v[i*shape[1]*shape[2]:]
		m := make([]float64, regions*regions)
		for a := range regions {
			m[a*regions+a] = 1
			for b := a + 1; b < regions; b++ {
				m[a*regions+b], m[b*regions+a] = of[0]/1e7, of[0]/1e7
				of = of[1:]
			}
		}
		var b bytes.Buffer
		need.NoError(t, encoding.NewArray(m, regions, regions).Encode(&b))
		need.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("m%d.npy", i)), b.Bytes(), 0o666))
		rows += fmt.Sprintf("%d\t%s\tm%d.npy\n", i, family(i), i)
	}
	table = filepath.Join(dir, "people.tsv")
	need.NoError(t, os.WriteFile(table, []byte(rows), 0o666))
	return table
}

func check(o Options, args ...string) (stdout string, err error) {
	var out bytes.Buffer
	a := console.New(args, &out, &out)
	a.JSON = slices.Contains(args, "--json")
	o.Threads, o.Stage = 2, leakage.Leakage{Correlation: 0.8, Filtered: 0.65, Unrelated: 0.001}
	err = Check(a, o)
	wrong := a.Flush()
	return out.String(), errors.Join(err, wrong)
}

// The verdicts of the command are those of the oracle, in its table and as JSON.
func TestVerdictsOfTheOracle(t *testing.T) {
	f := need.Value(os.Open(filepath.Join(oracle, "pairs.csv")))(t)
	defer f.Close()
	var want []string
	for _, p := range need.Value(csv.NewReader(f).ReadAll())(t)[1:] {
		want = append(want, p[0]+" "+p[1]+" "+p[2]+" "+p[5])
	}
	slices.Sort(want)
	table := oracleTable(t, 67, func(int) string { return "n/a" })
	path := filepath.Join(filepath.Dir(table), "pairs.tsv")
	for _, source := range []string{"file", "m{participant_id}.npy"} {
		stdout, err := check(Options{Table: table, Matrices: source, Path: path}, "--json")
		need.Error(t, err, "5 violations")
		var e *exit.Error
		need.Equal(t, errors.As(err, &e) && e.Code == exit.Failed, true)
		var got []string
		for line := range strings.Lines(stdout) {
			var of struct {
				Event      string
				First      string `json:"participant_1"`
				Later      string `json:"participant_2"`
				Verdict    string
				Similarity float64
				Cautions   int
			}
			need.NoError(t, json.Unmarshal([]byte(line), &of))
			switch of.Event {
			case "pair":
				got = append(got, fmt.Sprintf("%s %s %.10f %s", of.First, of.Later, of.Similarity, of.Verdict))
			case "compared":
				need.Equal(t, of.Cautions, 1)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
		b := need.Value(os.ReadFile(path))(t)
		need.Equal(t, Is(b), true, string(b))
		need.Equal(t, strings.Count(string(b), "\n"), 1+len(want))
	}
}

// Relatives and the sessions of one participant are called what they are, and are no violations.
func TestKnownPairsAreNoViolations(t *testing.T) {
	table := oracleTable(t, 62, func(i int) string {
		if i == 9 || i == 61 {
			return "F1"
		}
		return "n/a"
	})
	b := need.Value(os.ReadFile(table))(t)
	text := strings.Replace(string(b), "\n60\tn/a\t", "\n4\tn/a\t", 1)
	need.NoError(t, os.WriteFile(table, []byte(text), 0o666))
	stdout, err := check(Options{Table: table, Matrices: "file"})
	need.NoError(t, err)
	for _, want := range []string{"column Family_ID count as relatives", "62 scans of 61 participants: 0 violations, 0 cautions, 1 pair of relatives, 1 pair of one participant"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
}

// One scan in two rows of one participant is not under two ids; the files of a pair are listed also where few
// participants have no distribution of similarities.
func TestOneScanTwice(t *testing.T) {
	table := oracleTable(t, 6, func(int) string { return "n/a" })
	dir := filepath.Dir(table)
	rows := string(need.Value(os.ReadFile(table))(t))
	for i := range 6 { // as series, the rows of a matrix that is shifted by one value are volumes
		m := need.Value(os.ReadFile(filepath.Join(dir, fmt.Sprintf("m%d.npy", i))))(t)
		at := bytes.IndexByte(m, '\n') + 1
		s := slices.Concat(m[:at], m[at+8:], m[at:at+8])
		for name, b := range map[string][]byte{"copy%d.npy": m, "s%d.npy": s, "scopy%d.npy": s} {
			need.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf(name, i)), b, 0o666))
		}
	}
	path := filepath.Join(dir, "pairs.tsv")
	for _, c := range []struct{ row, matrices, series, pair, wrong string }{
		{"2\tn/a\tcopy2.npy\n", "", "file", "2\t2\tm2.npy\tcopy2.npy\t",
			"1 violation (one scan in two rows of a participant)"},
		{"9\tn/a\tcopy2.npy\n", "", "file", "2\t9\tm2.npy\tcopy2.npy\t", "1 violation (one scan under two ids)"},
		{"9\tn/a\tcopy2.npy\n", "file", "", "2\t9\tm2.npy\tcopy2.npy\t", "1 violation (one scan under two ids)"},
		{"9\tn/a\tcopy2.npy\n3\tn/a\tcopy3.npy\n", "", "file", "3\t3\tm3.npy\tcopy3.npy\t",
			"2 violations (one scan under two ids, or in two rows of a participant)"},
	} {
		all := rows + c.row
		if c.series != "" {
			of := strings.NewReplacer("\tm", "\ts", "\tcopy", "\tscopy")
			all, c.pair = of.Replace(all), of.Replace(c.pair)
		}
		need.NoError(t, os.WriteFile(table, []byte(all), 0o666))
		_, err := check(Options{Table: table, Series: c.series, Matrices: c.matrices, Path: path})
		need.Error(t, err, c.wrong)
		if b := need.Value(os.ReadFile(path))(t); !strings.Contains(string(b), "\n"+c.pair) {
			t.Errorf("%q is not in\n%s", c.pair, b)
		}
		need.NoError(t, os.Remove(path))
	}
}

// Lists of names of which none can be chosen here do not hide a copy.
func TestCopyWithListsOfNames(t *testing.T) {
	table := oracleTable(t, 6, func(int) string { return "n/a" })
	dir := filepath.Dir(table)
	f := need.Value(os.Open(filepath.Join(dir, "m2.npy")))(t)
	defer f.Close()
	shape, v, err := encoding.ReadFloats(f, 1)
	need.NoError(t, err)
	list := func(name string) mat5.Variable {
		texts := make([]string, shape[0])
		for i := range texts {
			texts[i] = fmt.Sprint(name, i)
		}
		return mat5.Texts(name, texts)
	}
	var b bytes.Buffer
	need.NoError(t, mat5.Write(&b, []mat5.Variable{mat5.Matrix("r", v, shape...), list("roi"), list("net")}))
	need.NoError(t, os.WriteFile(filepath.Join(dir, "copy.mat"), b.Bytes(), 0o666))
	rows := string(need.Value(os.ReadFile(table))(t)) + "9\tn/a\tcopy.mat\n"
	need.NoError(t, os.WriteFile(table, []byte(rows), 0o666))
	_, err = check(Options{Table: table, Matrices: "file", Path: filepath.Join(dir, "pairs.tsv")})
	need.Error(t, err, "1 violation (one scan under two ids)")
}

// A faulty scan concerns its participant, mistakes of the table all at once, and few participants are stated.
func TestFaultyScans(t *testing.T) {
	table := oracleTable(t, 12, func(int) string { return "n/a" })
	dir := filepath.Dir(table)
	need.NoError(t, os.Remove(filepath.Join(dir, "m3.npy")))
	need.NoError(t, os.WriteFile(filepath.Join(dir, "m5.npy"), []byte("1 0.5\n0.4 1\n"), 0o666))
	stdout, err := check(Options{Table: table, Matrices: "file"})
	need.Error(t, err, "people.tsv:5: participant 3: ")
	need.Error(t, err, "participant 5: m5.npy: row 2, column 1 is 0.4 and row 1, column 2 is 0.5: the matrix is not symmetric")
	for _, want := range []string{"10 scans of 10 participants: 0 violations", "10 participants are fewer than 20"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	_, err = check(Options{Table: table, Matrices: "fil", ID: "who"})
	need.Error(t, err, `--id: `+table+` has no column "who"`)
	need.Error(t, err, `has no column "fil" (did you mean "file"?)`)
	need.NoError(t, os.WriteFile(filepath.Join(dir, "mine.tsv"), []byte("mine\n"), 0o666))
	_, err = check(Options{Table: table, Matrices: "file", Path: filepath.Join(dir, "mine.tsv")})
	need.Error(t, err, "exists and is not a table of pairs")
}

// The two published pairs of one scan are found among the scans of three sites of ABIDE, and no other pair.
func TestCopiesOfABIDE(t *testing.T) {
	from := need.Shared(t, "data", "abide_pcp")
	var some []string
	for line := range strings.Lines(string(need.Value(os.ReadFile(filepath.Join(from, "participants.csv")))(t))) {
		if site, _, _ := strings.Cut(line, "_"); slices.Contains([]string{"file", "UM", "Yale", "Pitt"}, site) {
			some = append(some, line)
		}
	}
	table := filepath.Join(t.TempDir(), "participants.csv")
	need.NoError(t, os.WriteFile(table, []byte(strings.Join(some, "")), 0o666))
	stdout, err := check(Options{Table: table, ID: "file_id",
		Series: filepath.Join(from, "cpac", "nofilt_noglobal", "{file_id}_rois_ho.1D.gz")})
	need.Error(t, err, "2 violations")
	for _, want := range []string{"UM_1_0050279 +UM_1_0050286 +1.000 +0.[0-9]+ +violation",
		"Yale_0050578 +Yale_0050602 +0.9[0-9]+ +0.8[0-9]+ +violation +have mean signals that correlate 0.94 over 196 volumes",
		": 2 violations, 0 cautions, "} {
		if !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
}

// A whole number with decimals, as pandas saves it, is read as in a cohort.
func TestWholeNumbersWithDecimals(t *testing.T) {
	table := oracleTable(t, 24, func(int) string { return "" })
	rows := strings.Split(strings.TrimSpace(string(need.Value(os.ReadFile(table))(t))), "\n")
	for i := range rows {
		rows[i] += "\t" + map[bool]string{true: "f", false: fmt.Sprintf("%d.0", i-1)}[i == 0]
	}
	need.NoError(t, os.WriteFile(table, []byte(strings.Join(rows, "\n")+"\n"), 0o666))
	all := Options{Table: table, Matrices: "m{f}.npy"}
	out, err := check(all)
	need.NoError(t, err)
	need.Equal(t, strings.Contains(out, "24 scans of 24 participants"), true, out)
	need.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(table), "m7.0.npy"), nil, 0o666))
	_, err = check(all)
	need.Error(t, err, "people.tsv:9: participant 7: the file may be m7.0.npy or m7.npy")
}
