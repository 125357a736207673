package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"prgnn/internal/need"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
)

// hostile is what somebody might call a participant.
const hostile = `"'` + "`" + `></title></script><script>alert(1)</script><img src=x onerror=alert(1)>{{.}}${1}`

// fill sets every text in a value to s, and gives every slice two elements and every
// pointer a value, a few levels deep.
func fill(v reflect.Value, s string, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), s, depth)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(s))
		} else if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			for i := range v.Len() {
				fill(v.Index(i), s, depth-1)
			}
		}
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), s, depth-1)
		}
	}
}

// whole is a page in which everything that a page may have says s.
func whole(s string) *Page {
	p := &Page{}
	fill(reflect.ValueOf(p).Elem(), s, 6)
	viewers := 0
	var count Count
	mend := func(blocks []Block) {
		for i := range blocks {
			b := &blocks[i]
			if b.Viewer != nil {
				if viewers++; viewers > 1 {
					b.Viewer = nil
				} else if b.Viewer.Static != nil {
					b.Viewer.Static.Format = "png"
				}
			}
			tables, figures := b.items()
			for _, t := range tables {
				t.Supplement = i == 1
				count.Table(t)
			}
			for _, f := range figures {
				f.Format = "png"
				count.Figure(f)
			}
		}
	}
	for i := range p.Sections {
		mend(p.Sections[i].Blocks)
	}
	return p
}

func written(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	need.NoError(t, p.HTML(&b))
	return b.String()
}

// Nothing that comes from outside leaves the place where text stands.
func TestHostileNames(t *testing.T) {
	out := written(t, whole(hostile))
	plain := written(t, whole("name"))
	if n := strings.Count(out, "alert(1)"); n < 40 {
		t.Errorf("the name stands in %d places, which is too few to test anything", n)
	}
	// The same elements as with a harmless name, in the same order.
	element := regexp.MustCompile(`</?[a-zA-Z!][a-zA-Z0-9]*`)
	if a, b := element.FindAllString(out, -1), element.FindAllString(plain, -1); !reflect.DeepEqual(a, b) {
		for i := range a {
			if i >= len(b) || a[i] != b[i] {
				t.Fatalf("a name makes elements of its own: %s instead of %s", a[i], b[min(i, len(b)-1)])
			}
		}
		t.Fatal("a name removes elements")
	}
	if strings.Contains(out, hostile[:4]) {
		t.Error("a name can end an attribute")
	}
}

// What would reorder the text around a name is written out in the page and in its figures, as in a terminal.
func TestReorderingCharacters(t *testing.T) {
	const reorders = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
	out := written(t, whole("a\u202eb\u2066c"+reorders))
	if n := strings.Count(out, `a\u202eb\u2066c\u061c`); n < 40 {
		t.Errorf("the name is written out in %d places, which is too few to test anything", n)
	}
	if i := strings.IndexAny(out, reorders); i >= 0 {
		t.Errorf("the page holds %q", out[max(0, i-60):i+20])
	}
	if _, data, _ := strings.Cut(out, `id="viewer-data">`); !strings.Contains(data, `a\\u202eb`) {
		t.Error("the data of the viewer do not hold the name as it is shown")
	}
}

// No control character of a name reaches the page: in a terminal, an editor or a diff it would act.
func TestControlCharacters(t *testing.T) {
	out := written(t, whole("a\x1b[2J\x00\x07\x7f\u009bb\rc\xff"))
	if n := strings.Count(out, "a\ufffd[2J"); n < 40 {
		t.Errorf("the name stands in %d places, which is too few to test anything", n)
	}
	if i := strings.IndexFunc(out, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' &&
			r != '\t'
	}); i >= 0 {
		t.Errorf("%q is in the page: %q", out[i], out[max(0, i-60):i+20])
	}
	if !utf8.ValidString(out) {
		t.Error("the page is not UTF-8")
	}
}

// The policy names the digest of every script and style that is there, and lets the
// page reach nothing.
func TestPolicy(t *testing.T) {
	out := written(t, whole("name"))
	m := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(out)
	if m == nil {
		t.Fatal("the page has no policy")
	}
	if !strings.HasPrefix(m[1], "default-src 'none'; ") || strings.Contains(m[1], "unsafe") ||
		strings.Contains(m[1], "http") || strings.Contains(m[1], "*") {
		t.Errorf("the policy is %s", m[1])
	}
	found := 0
	for _, e := range regexp.MustCompile(`(?s)<(?:script>(.*?)</script>|style>(.*?)</style>)`).FindAllStringSubmatch(out, -1) {
		d := sha256.Sum256([]byte(e[1] + e[2]))
		if !strings.Contains(m[1], "'sha256-"+base64.StdEncoding.EncodeToString(d[:])+"'") {
			t.Errorf("the policy refuses what begins with %.60q", e[1]+e[2])
		}
		found++
	}
	if found < 2 {
		t.Errorf("%d scripts and styles", found)
	}
	for _, attribute := range []string{` style="`, ` onclick=`, ` onload=`, `href="http`, `src="http`} {
		if strings.Contains(out, attribute) {
			t.Errorf("the page has %s", attribute)
		}
	}
}

func TestSameBytes(t *testing.T) {
	if first, again := written(t, whole("a")), written(t, whole("a")); first != again {
		t.Error("the same page gives other bytes")
	}
}

func TestCheck(t *testing.T) {
	figure := []Block{{Figure: &Figure{Title: "x", Format: "gif"}}}
	for _, c := range []struct {
		blocks []Block
		want   string
	}{
		{figure, `figure "x" has the format "gif"; a report shows svg and png`},
		{[]Block{{Table: &Table{Number: "1", Caption: "a"}}, {Table: &Table{Number: "3", Caption: "b"}}}, `"b" is Table 3, want Table 2`},
		{[]Block{{Table: &Table{Number: "1", Caption: "a", Supplement: true}}}, `"a" is Table 1, want Table S1`},
		{[]Block{{Figures: []Figure{{Number: "1", Format: "svg"}, {Number: "1", Title: "b", Format: "svg"}}}}, `"b" is Figure 1, want Figure 2`},
		{[]Block{{Viewer: &Viewer{}}, {Viewer: &Viewer{}}}, "a report has one viewer"},
	} {
		p := &Page{Sections: []Section{{Blocks: c.blocks}}}
		if err := p.HTML(&bytes.Buffer{}); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// Empty parts leave no empty headings or lists behind.
func TestEmptyPage(t *testing.T) {
	out := written(t, &Page{Title: "nothing"})
	for _, not := range []string{"<table", "<figure", "<dl>", "Cautions", "Simulated"} {
		if strings.Contains(out[strings.Index(out, "<body>"):], not) {
			t.Errorf("an empty page has %s", not)
		}
	}
}

// Numbers of one row have the same decimals.
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		of   []float64
		want string
	}{
		{[]float64{0.177, 0.0549, 0.696}, "0.177 0.055 0.696"}, {[]float64{1.49, 0.225, 7.67}, "1.49 0.23 7.67"},
		{[]float64{0.085, 0.0549, 0.141}, "0.085 0.055 0.141"}, {[]float64{45, 4, 451}, "45 4 451"},
		{[]float64{0, 0, 0}, "0 0 0"}, {[]float64{822.7, 370.2, 1712.4}, "823 370 1712"},
		{[]float64{0.5, 0, 1}, "0.5 0.0 1.0"},
		{[]float64{5.5, 0, 9}, "5.5 0.0 9.0"},
		{[]float64{0.0123, 0.00456, -0.02}, "0.0123 0.0046 −0.0200"},
		{[]float64{0.334, math.NaN(), 0.0674}, "0.334 n/a 0.067"}, {[]float64{math.NaN(), 40, 300}, "n/a 40 300"},
	} {
		need.Equal(t, strings.Join(Alike(c.of...), " "), c.want, c.of)
	}
}

// The page of a scan leads to its neighbors by itself, and each file's name is one that an address takes.
func TestTurn(t *testing.T) {
	out := written(t, &Page{Title: "sub-02", Turn: &Turn{At: 2, Of: 3, Previous: "sub-01.html", Next: "a=3Db.html"}})
	for _, want := range []string{"Scan 2 of 3", `<a id="previous" href="sub-01.html">previous scan</a>`,
		`<a id="next" href="a%3D3Db.html">next scan</a>`, `class="sheet"`} {
		if !strings.Contains(out, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if out = written(t, &Page{Turn: &Turn{At: 3, Of: 3, Previous: "x.html"}}); strings.Contains(out, "next scan") {
		t.Error("the last scan has a next one")
	}
}

// What is rounded to 0 has no sign: −0.000 looks like a result.
func TestFixed(t *testing.T) {
	for x, want := range map[float64]string{-0.0004: "0.000", 0.0004: "0.000", -0.0006: "−0.001", 0: "0.000",
		-12.3456: "−12.346"} {
		need.Equal(t, Share(x), want, "")
	}
}

// No text has more digits than a number can be known to: 1e98 has an exponent, whatever writes it.
func TestLargeNumbers(t *testing.T) {
	for _, c := range [][2]string{{Share(1e98), "1e+98"}, {Share(-1.23456789e20), "−1.23457e+20"},
		{Share(123456.789), "123456.789"},
		{Range(1e98, 2e98, Share), "1e+98–2e+98"}, {Range(-0.1, 0.2, Share), "−0.100 to 0.200"},
		{Range(-0.2, -0.1, Short), "−0.2 to −0.1"}, {Short(-0.1234), "−0.123"}, {Between("4", "6"), "4–6"},
		{Between("0.000", "0.1"), "0.000–0.1"}, {Percent(1e98), "1e+100%"}, {Percent(0.004), "< 1%"}, {Percent(0),
			"0%"}, {Percent(0.006), "1%"}, {Percent(0.725), "73%"}, {Percent(0.775), "78%"},
		{Percent(46.0 / 80), "58%"},
		{Tenth(0.0725), "7.3%"}, {Tenth(0.0785), "7.9%"}, {Percent(math.NaN()), "n/a"},
		{Tenth(1.0 / 3486), "< 0.1%"}, {Tenth(0), "0.0%"}, {Tenth(math.NaN()), "n/a"}, {Fixed(1762972, 0), "1762972"},
		{Short(1e98), "1e+98"},
		{Thousands(1e98), "1e+98"}, {Thousands(1762972), "1,762,972"}, {Thousands(-123), "−123"},
		{Thousands(-1234), "−1,234"},
		{Digits(1e98), "1e+98"}, {Digits(1e-300), "1e-300"}, {Digits(0.72), "0.72"},
		{strings.Join(Alike(1e98, 2), " "), "1e+98 2"}} {
		need.Equal(t, c[0], c[1])
	}
}

// The smallest p that a test by random draws can give is written as a bound, and never too small; others as they are.
func TestDrawnP(t *testing.T) {
	for _, c := range []struct {
		p     float64
		draws int32
		want  string
	}{
		{1.0 / 20, 19, "≤ 0.05"}, {2.0 / 20, 19, "0.100"}, {1.0 / 3, 2, "≤ 0.34"},
		{0.5, 1, "≤ 0.5"},
		{1.0 / 12, 11, "≤ 0.084"}, {0.01, 99, "≤ 0.01"}, {0.001, 999, "≤ 0.001"},
		{0.0001, 9999, "< 0.001"}, {0.05, 0, "0.050"}, {math.NaN(), 19, "n/a"},
	} {
		need.Equal(t, DrawnP(c.p, c.draws), c.want, c.p, "of", c.draws, "draws")
		sentence := "p " + c.want
		if !strings.ContainsAny(c.want, "<≤") {
			sentence = "p = " + c.want
		}
		if strings.HasPrefix(c.want, "≤") {
			sentence += fmt.Sprintf(" (%s)", words.Count(int(c.draws), "permutation"))
		}
		need.Equal(t, DrawnPText(c.p, c.draws), sentence, c.p, "of", c.draws, "draws")
	}
	for draws := int32(1); draws < 1000; draws++ {
		if bound, err := strconv.ParseFloat(words.DrawnLeast(int(draws)), 64); err != nil ||
			bound < 1/float64(draws+1)-1e-12 || bound > 1.1/float64(draws+1) {
			t.Errorf("%d draws: at most %s", draws, words.DrawnLeast(int(draws)))
		}
	}
}

// A bound is rounded up.
func TestCorrectedP(t *testing.T) {
	for _, c := range []struct {
		p      float64
		atMost bool
		want   string
	}{
		{0.004, true, "≤ 0.004"}, {3.0 / 41, true, "≤ 0.074"}, {3.0 / 41, false, "0.073"}, {0.0002, true, "< 0.001"},
		{1, true, "1.000"}, {0.002, false, "0.002"}, {0.00399999999999999, true, "≤ 0.004"},
		{0.0496, true, "≤ 0.0496"}, {0.0497, false, "0.0497"}, {0.001, true, "≤ 0.001"},
	} {
		need.Equal(t, CorrectedP(c.p, c.atMost), c.want)
	}
	// No p below 0.05 is written as 0.05, nor one above it.
	for p, want := range map[float64]string{0.0499: "p = 0.0499", 0.05: "p = 0.050", 0.0504: "p = 0.0504",
		0.04999: "p = 0.04999", 0.0494: "p = 0.049", 0.0506: "p = 0.051", 0.0009: "p < 0.001"} {
		need.Equal(t, P(p), want)
	}
}

// On paper the pictures of single scans, and links to their pages, are one sentence; other figures stay.
func TestScansOnScreenOnly(t *testing.T) {
	figure := func(number, rated string) Block {
		return Block{Figure: &Figure{Number: number, Title: "x", Format: "svg", Rated: rated, Wide: rated != ""}}
	}
	link := Block{Table: &Table{Number: "1", Heads: make([]Head, 1),
		Rows: [][]Cell{{{Text: "sub-01", Sheet: &Sheet{Dir: "a_quality"}}}}}}
	const sentence = `<p class="paper">The HTML report has the pictures of the scans.</p>`
	for _, c := range []struct {
		of   Page
		want bool
	}{
		{Page{Sections: []Section{{ID: "a", Blocks: []Block{figure("1", ""), figure("1", "sub-01")}}}}, true},
		{Page{Sections: []Section{{ID: "a", Blocks: []Block{link}}}}, true},
		{Page{Sections: []Section{{ID: "a", Blocks: []Block{figure("1", "")}}}}, false},
		// the page of a scan
		{Page{Turn: &Turn{}, Sections: []Section{{ID: "a", Blocks: []Block{figure("1", "sub-01")}}}}, false},
	} {
		out := written(t, &c.of)
		need.Equal(t, strings.Contains(out, `<section class="scans"`), c.want)
		need.Equal(t, strings.Contains(out, sentence), c.want)
	}
	if rule := ".scans > :is(p:not(.paper), .screen)"; !strings.Contains(pageCSS, rule) {
		t.Errorf("page.css lacks %s", rule)
	}
}

// A table is printed with whole words and intervals where these fit the paper, also in smaller letters.
func TestWholeWordsOnPaper(t *testing.T) {
	for _, c := range []struct {
		cell   Cell
		number bool
		n      int
		want   string
	}{
		{Cell{Text: "sensitivity"}, false, 8, ""},
		{Cell{Text: "sensitivity"}, false, 9, ` class="dense"`},
		{Cell{Text: "sensitivity"}, false, 12, ` class="dense broken"`},
		{Cell{Text: "0.857 (0.601–0.960)"}, true, 6, ""}, // it breaks before the interval
		{Cell{Text: "0.857 (0.601–0.960)"}, true, 8, ` class="dense"`},
		{Cell{Text: "ctx-lh-parsopercularis"}, false, 6, ""}, // it breaks at the hyphens
		{Cell{Text: "fold-12-site"}, false, 6, ""},
		{Cell{Text: "fold-12-site"}, false, 8, ` class="dense"`}, // it does not
		{Cell{Text: "0.8", Bar: &Bar{}}, true, 4, ""},
		{Cell{Text: "0.8", Bar: &Bar{}}, true, 5, ` class="dense broken"`},
	} {
		table := &Table{Number: "1"}
		row := make([]Cell, c.n)
		for i := range row {
			row[i] = c.cell
			table.Heads = append(table.Heads, Head{Text: "p", Number: c.number})
		}
		table.Rows = [][]Cell{row}
		out := written(t, &Page{Sections: []Section{{ID: "a", Blocks: []Block{{Table: table}}}}})
		need.Equal(t, classesOf.FindStringSubmatch(out)[1], c.want, c.cell.Text, c.n)
	}
}

var classesOf = pattern.New(`<table((?: class="[a-z ]*")?)>`)

// Print ends each description of a column with a period, and a title has one of its own.
func TestOnePeriodBehindTexts(t *testing.T) {
	table := &Table{Number: "1", Heads: []Head{{Text: "p", Doc: "within sites."}}}
	figure := &Figure{Number: "1", Title: "Li et al.", Format: "png"}
	out := written(t, &Page{Sections: []Section{{Blocks: []Block{{Table: table}, {Figure: figure}}}}})
	for _, want := range []string{"<dd>within sites</dd>", "<strong>Figure 1. Li et al.</strong>"} {
		need.Equal(t, strings.Contains(out, want), true, want)
	}
}

// A table with more columns than fit on paper is cut there, with a note: a browser would print the page smaller.
func TestManyColumnsOnPaper(t *testing.T) {
	for n, want := range map[int]bool{fitPaper: false, fitPaper + 1: true} {
		table := &Table{Number: "1", Heads: make([]Head, n), Rows: [][]Cell{make([]Cell, n)}}
		out := written(t, &Page{Sections: []Section{{ID: "a", Title: "a", Blocks: []Block{{Table: table}}}}})
		need.Equal(t, strings.Contains(out, `<table class="many">`), want, n)
		need.Equal(t, strings.Contains(out, fmt.Sprintf("Printed: the first %d of %d columns.", fitPaper, n)), want, n)
	}
	if rule := fmt.Sprintf("table.many :is(th, td):nth-child(n + %d) { display: none; }", fitPaper+1); !strings.Contains(pageCSS, rule) {
		t.Errorf("page.css lacks %s", rule)
	}
}

// A first column of long names, such as those of universes, is not squeezed to its longest word on a narrow screen.
func TestLongNamesOnNarrowScreens(t *testing.T) {
	for name, want := range map[string]bool{strings.Repeat("a ", longName/2-1): false,
		strings.Repeat("a ", longName/2): true} {
		for n, many := range map[int]string{2: "", fitPaper + 1: "many "} {
			table := &Table{Number: "1", Heads: make([]Head, n), Rows: [][]Cell{make([]Cell, n), make([]Cell, n)}}
			table.Rows[1][0].Text = name
			out := written(t, &Page{Sections: []Section{{ID: "a", Title: "a", Blocks: []Block{{Table: table}}}}})
			need.Equal(t, strings.Contains(out, `<table class="`+many+`named">`), want, name)
		}
	}
	if rule := "table.named :is(th, td):first-child { min-width: 9.5rem; }"; !strings.Contains(pageCSS, rule) {
		t.Errorf("page.css lacks %s", rule)
	}
}

// A tile with a picture takes a row; the others share one.
func TestPicturedTile(t *testing.T) {
	out := written(t, &Page{Tiles: []Tile{{Value: "0.8", Label: "accuracy"},
		{Value: "3 of 9", Label: "edges", Picture: &Figure{Format: "png"}}}})
	for _, want := range []string{`<div class="tile"><dt>accuracy</dt>`, `<div class="tile pictured"><dt>edges</dt>`} {
		need.Equal(t, strings.Count(out, want), 1, want)
	}
}

// The first screen has question, answer, number, three cautions and brain; what explains them, the contents and further
// cautions, which are counted on, follow.
func TestFirstScreen(t *testing.T) {
	p := &Page{Question: "Is it?", Answer: "It is.", Abstract: []string{"Data"}, Results: []string{"Result"},
		Tiles: []Tile{{Value: "0.8", Label: "accuracy"}, {Value: "3", Label: "edges", Picture: &Figure{Format: "png"}},
			{Value: "0.9", Label: "AUC"}},
		Cautions: []string{"one", "two", "three", "four"}}
	html, at := written(t, p), 0
	for _, want := range []string{">Is it?<", ">It is.<", ">accuracy<", ">AUC<", `>Cautions</h2><ol start="1">`, ">three<",
		">edges<", ">Data<", ">Result<", "<nav ", `<a href="#further">Further cautions<`,
		`<h2 id="further">Further cautions</h2><ol start="4">`, ">four<"} {
		next := strings.Index(html[at:], want)
		if next < 0 {
			t.Fatalf("%s does not follow in %s", want, html)
		}
		at += next
	}
	need.Equal(t, strings.Contains(p.Text(), "  Is it?\n  It is.\n  Data\n  Result\n"), true, p.Text())
}

// Names and p values in sentences stay on one line, and are escaped as before.
func TestProseOnOneLine(t *testing.T) {
	page := Page{Title: "Try", Abstract: []string{"PR-GNN <b>: p < 0.001, 95% CI 0.5–0.7",
		"R² = 0.276, MAE = 20, p ≤ 0.005, r = −0.3 (−0.144 to 0.627), 0.9 ± 0.05, 62% of 3 scans"}}
	var b bytes.Buffer
	need.NoError(t, page.HTML(&b))
	const want = `<p class="detail"><span class="whole">PR-GNN</span> &lt;b&gt;: <span class="whole">p &lt; 0.001</span>, ` +
		`<span class="whole">95% CI</span> <span class="whole">0.5–0.7</span></p>`
	if !strings.Contains(b.String(), want) {
		t.Errorf("the page does not have %s", want)
	}
	const whole = "[R² = 0.276], [MAE = 20], [p ≤ 0.005], [r = −0.3] ([−0.144 to 0.627]), [0.9 ± 0.05], [62%] of 3 scans"
	if want := strings.NewReplacer("[", `<span class="whole">`, "]", "</span>").Replace(whole); !strings.Contains(b.String(), want) {
		t.Errorf("the page does not have %s", want)
	}
}

// Names in the cells of a table are no markup in Markdown.
func TestPrintedNames(t *testing.T) {
	l := Printed{Header: []string{"<b>A|SD</b>"}, Sections: []PrintedSection{{Rows: [][]string{{"*_x_*"}}}}}
	if got := l.Markdown(); !strings.Contains(got, `| &lt;b>A\|SD&lt;/b> |`) || !strings.Contains(got, `| \*\_x\_\* |`) {
		t.Error(got)
	}
}

// Data have the digits of their table.
func TestMeasured(t *testing.T) {
	for x, want := range map[float64]string{0.1118: "0.1118", 117.25: "117.25", -27.1: "−27.1", 0.13739482: "0.137395",
		24: "24", 1234567: "1234567", 0.00001234: "0.00001234"} {
		if got := Measured(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
}
