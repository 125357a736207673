package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"prgnn/internal/lists"
	"prgnn/internal/markup"
	"prgnn/internal/pattern"
	"prgnn/internal/version"
	"prgnn/internal/words"
)

// A body is the part of a page that is seen. Texts reach it through put alone, which escapes them.
//
// html/template would escape as well. It calls methods by name, though, and then the linker keeps
// every method of the program: 14 MB.
type body struct {
	bytes.Buffer
	simulated bool
}

// put writes markup, with texts in place of its %s: as content, or as values of attributes
// between double quotes.
func (b *body) put(format string, texts ...string) {
	escaped := lists.Map(texts, func(t string) any { return markup.Shown(t) })
	fmt.Fprintf(b, format, escaped...)
}

// prose is put for a text of sentences: names and values stay on one line.
func (b *body) prose(format, text string) {
	fmt.Fprintf(b, format, onOneLine.ReplaceAllString(markup.Shown(text), `<span class="whole">$0</span>`))
}

// onOneLine is a name, a value with what it is the value of, an interval, a mean with its SD, or a percentage.
var onOneLine = pattern.New(`PR-GNN|95% CI|(?:\b[A-Za-z]|\bR²|\b[A-Z]{3}|[α-ω]) (?:=|&lt;|&gt;|≤|≥) [−-]?[0-9.]*[0-9]|` +
	`[−-]?[0-9.]*[0-9](?:(?:–| to | ± )[−-]?[0-9.]*[0-9]%?|%)`)

// blankWithin is what a text of a terminal does not break: a value with its name.
var blankWithin = pattern.New(`\b([A-Za-z]|R²|[A-Z]{3}) (=|<|>|≤|≥) ([−-]?[0-9.]*[0-9])`)

// each writes markup once for each text of sentences.
func (b *body) each(format string, texts []string) {
	for _, t := range texts {
		b.prose(format, t)
	}
}

func (b *body) page(p *Page) {
	class := ""
	if p.Simulated {
		class = "simulatedpage"
	}
	if p.Turn != nil {
		class = strings.TrimSpace(class + " sheet")
	}
	if class != "" {
		class = ` class="` + class + `"`
	}
	b.put("<body" + class + ">\n")
	b.put("<a class=\"skip\" href=\"#main\">Skip to the results</a>\n<header class=\"top\">\n<h1>%s</h1>\n", p.Title)
	if p.Simulated {
		b.put("<p class=\"simulated\" role=\"note\"><strong>Simulated data.</strong> %s</p>\n", nobodyScanned)
	}
	b.put("</header>\n<main id=\"main\" class=\"frame\" tabindex=\"-1\">\n<div class=\"first\">\n")
	b.turn(p.Turn)
	if len(p.Incomplete) > 0 {
		b.put("<section class=\"cautions\" aria-labelledby=\"incomplete\">" + incompleteHeading + "<ul>\n")
		b.each("<li class=\"lines\">%s</li>\n", p.Incomplete)
		b.put("</ul></section>\n")
	}
	summary := len(p.Abstract)+len(p.Tiles)+len(p.Results) > 0
	if summary {
		b.summary(p)
	}
	b.put("</div>\n<nav aria-label=\"Contents\"><h2 id=\"contents\">Contents</h2><ol>\n")
	if summary {
		b.put("<li><a href=\"#summary\">Summary</a></li>\n")
	}
	further := p.Cautions[min(len(p.Cautions), firstCautions):]
	if !summary {
		further = p.Cautions
	}
	if len(further) > 0 {
		b.put("<li><a href=\"#further\">%s</a></li>\n", cautionsTitle(len(further) < len(p.Cautions)))
	}
	for _, s := range p.Sections {
		b.put("<li><a href=\"#%s\">%s</a></li>\n", s.ID, s.Title)
	}
	b.put("</ol></nav>\n<div class=\"rest\">\n")
	b.cautions(further, "further", len(p.Cautions)-len(further))
	for _, s := range p.Sections {
		if p.Turn == nil && s.hasScans() {
			b.put("<section class=\"scans\" aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2>\n"+
				"<p class=\"paper\">The HTML report has the pictures of the scans.</p>\n", s.ID, s.ID, s.Title)
		} else {
			b.put("<section aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2>\n", s.ID, s.ID, s.Title)
		}
		for _, block := range s.Blocks {
			b.block(block)
		}
		b.put("</section>\n")
	}
	b.put("</div>\n</main>\n<footer><p>Made by %s %s. This page needs no network connection.</p></footer>\n",
		cmp.Or(p.MadeBy, "PR-GNN Pipeline"), version.Number)
}

// firstCautions is how many cautions stand in the summary.
const firstCautions = 3

// summary is the first screen, the answer before all that explains it. A phone shows the numbers after the first one
// below the cautions (page.css).
func (b *body) summary(p *Page) {
	b.put("<section class=\"summary\" aria-labelledby=\"summary\"><h2 id=\"summary\">Summary</h2>\n")
	if p.Question != "" {
		b.prose("<p class=\"question\">%s</p>\n", p.Question)
	}
	if p.Answer != "" {
		b.prose("<p class=\"answer\">%s</p>\n", p.Answer)
	}
	numbers, pictures := p.Tiles[:min(len(p.Tiles), 1)], []Tile(nil)
	for _, t := range p.Tiles[len(numbers):] {
		if t.Picture != nil {
			pictures = append(pictures, t)
		} else {
			numbers = append(slices.Clip(numbers), t)
		}
	}
	b.put("<div class=\"numbers\">\n")
	b.tiles("lead", numbers[:min(len(numbers), 1)])
	b.tiles("more", numbers[min(len(numbers), 1):])
	b.put("</div>\n")
	b.cautions(p.Cautions[:min(len(p.Cautions), firstCautions)], "cautions", 0)
	b.tiles("pictures", pictures)
	b.each("<p class=\"detail\">%s</p>\n", slices.Concat(p.Abstract, p.Results))
	b.put("</section>\n")
}

// cautions lists cautions after those that stand elsewhere; sentences refer to them by their numbers.
func (b *body) cautions(texts []string, id string, after int) {
	if len(texts) == 0 {
		return
	}
	b.put("<section class=\"cautions\" aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2><ol start=\"%s\">\n", id, id,
		cautionsTitle(after > 0), strconv.Itoa(after+1))
	for _, text := range texts {
		claim, rest := text, ""
		if after == 0 {
			claim, rest = claimOf(text)
		}
		if rest == "" {
			b.prose("<li>%s</li>\n", text)
			continue
		}
		b.prose("<li><details><summary>%s</summary>", claim)
		b.prose("%s</details></li>\n", rest)
	}
	b.put("</ol></section>\n")
}

// shortRest is how many bytes a caution may have beyond its claim before they are folded away.
const shortRest = 60

// longClaim is how many bytes the claim of a caution may have with the numbers behind it.
const longClaim = 200

// claimOf divides a caution behind the first parenthesis that ends a clause, which has its numbers, or before it if the
// claim is too long then, or at the first end of a clause outside of parentheses; rest is "" for a short one.
func claimOf(text string) (claim, rest string) {
	depth, begin := 0, 0 // of parentheses, and where the outer one begins
	for i, r := range text {
		at := -1
		switch {
		case r == '(':
			if depth++; depth == 1 {
				begin = i
			}
		case r == ')':
			if depth--; depth == 0 && strings.HasSuffix(text[:begin], " ") && clauseEnd.MatchString(text[i+1:]) {
				if at = begin - 1; i < longClaim {
					at = i + 1
				}
			}
		case depth == 0 && (r == ';' || sentenceEnd.MatchString(text[i:])):
			at = i
		}
		if at > 0 {
			if len(text)-at < shortRest {
				break
			}
			return text[:at], text[at:]
		}
	}
	return text, ""
}

var (
	sentenceEnd = pattern.New(`^\. \p{Lu}`)
	clauseEnd   = pattern.New(`^([;:.]|, so |$)`) // behind a parenthesis
)

func cautionsTitle(further bool) string {
	if further {
		return "Further cautions"
	}
	return "Cautions"
}

// turn leads from the page of a scan to its neighbors.
func (b *body) turn(t *Turn) {
	if t == nil {
		return
	}
	b.put("<div class=\"ratings\"><span>Scan %s of %s</span>", strconv.Itoa(t.At), strconv.Itoa(t.Of))
	for _, to := range []struct{ id, file string }{{"previous", t.Previous}, {"next", t.Next}} {
		if to.file != "" {
			b.put(` <a id="%s" href="%s">%s scan</a>`, to.id, url.QueryEscape(to.file), to.id)
		}
	}
	b.put("</div>\n")
}

// hasScans reports whether a section shows single scans, or leads to their pages: these are not printed.
func (s Section) hasScans() bool {
	return slices.ContainsFunc(s.Blocks, func(b Block) bool {
		return b.Figure != nil && b.Figure.Rated != "" || b.Table != nil && len(b.Table.Rows) > 0 &&
			b.Table.Rows[0][0].Sheet != nil
	})
}

func (b *body) tiles(class string, tiles []Tile) {
	if len(tiles) == 0 {
		return
	}
	b.put("<dl class=\"tiles %s\">\n", class)
	for _, t := range tiles {
		class := ""
		if t.Picture != nil {
			class = " pictured"
		}
		b.prose(`<div class="tile`+class+`"><dt>%s</dt><dd>`, t.Label)
		if t.Value != "" {
			b.put(`<span class="value">%s</span>`, t.Value)
		}
		b.bar(t.Bar)
		if t.Picture != nil {
			b.put(`<img src="%s" alt="%s">`, pictureURL(t.Picture), t.Picture.Alt)
		}
		if t.Note != "" {
			b.prose(`<span class="small">%s</span>`, t.Note)
		}
		b.put("</dd></div>\n")
	}
	b.put("</dl>\n")
}

func (b *body) block(of Block) {
	for _, part := range []struct{ format, text string }{
		{"<h3>%s</h3>\n", of.Heading}, {"<p>%s</p>\n", of.Text}, {"<p class=\"small\">%s</p>\n", of.Note},
	} {
		if part.text != "" {
			b.prose(part.format, part.text)
		}
	}
	if of.Lines != "" {
		b.put("<pre class=\"lines\">%s</pre>\n", of.Lines)
	}
	if len(of.List) > 0 {
		b.put("<ul>")
		b.each("<li>%s</li>", of.List)
		b.put("</ul>\n")
	}
	if len(of.References) > 0 {
		b.put("<ol class=\"references\">")
		b.each("<li>%s</li>", of.References)
		b.put("</ol>\n")
	}
	if t := of.Table; t != nil {
		if t.Supplement {
			b.put("<details class=\"screen\"><summary>%s. %s (%s)</summary>\n", t.Label(), t.Caption, words.Count(len(t.Rows), "row"))
		}
		b.table(t)
		if t.Supplement {
			b.put("</details>\n")
		}
	}
	if of.Figure != nil {
		b.figure(of.Figure)
	}
	if len(of.Figures) > 0 {
		b.put("<div class=\"figures\">")
		for i := range of.Figures {
			b.figure(&of.Figures[i])
		}
		b.put("</div>\n")
	}
	if of.Viewer != nil {
		b.viewer(of.Viewer)
	}
	if of.Curve != nil {
		b.curve(of.Curve)
	}
}

func (b *body) table(t *Table) {
	many := len(t.Heads) > fitPaper
	var classes []string
	for _, c := range []struct {
		name string
		is   bool
	}{{"many", many}, {"named", t.hasLongNames()}, {"dense", !t.fits(printed)}, {"broken", !t.fits(printedDense)}} {
		if c.is {
			classes = append(classes, c.name)
		}
	}
	class := ""
	if classes != nil {
		class = ` class="` + strings.Join(classes, " ") + `"`
	}
	b.put("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s. %s\"><table"+class+">\n", t.Label(), t.Caption)
	if !t.Supplement {
		b.put("<caption><span><strong>%s.</strong> %s</span></caption>\n", t.Label(), t.Caption)
	}
	b.put("<thead><tr>")
	docs := false
	for _, h := range t.Heads {
		docs = docs || h.Doc != ""
		b.put(`<th scope="col"`+number(h.Number)+">%s</th>", h.Text)
	}
	b.put("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		b.put("<tr>")
		for i, c := range row {
			if i < t.Keys && c.Text != "" { // an empty head names nothing
				b.put(`<th scope="row">`)
				b.cell(c)
				b.put("</th>")
				continue
			}
			is := i < len(t.Heads) && t.Heads[i].Number
			b.put("<td" + number(is) + ">")
			if is && c.Place == nil && c.Sheet == nil {
				b.parts(c)
			} else {
				b.cell(c)
			}
			b.put("</td>")
		}
		b.put("</tr>\n")
	}
	b.put("</tbody></table></div>\n")
	if many {
		b.put("<p class=\"small paper\">Printed: the first %s of %s columns. The HTML report has all.</p>\n", strconv.Itoa(fitPaper),
			strconv.Itoa(len(t.Heads)))
	}
	if t.Note != "" {
		b.prose("<p class=\"small\">%s</p>\n", t.Note)
	}
	if docs {
		b.put(`<details class="columns"><summary>Column descriptions</summary><dl class="docs">`)
		for _, h := range t.Heads {
			if h.Doc != "" {
				b.put("<dt>%s</dt><dd>%s</dd>", h.Text, strings.TrimSuffix(h.Doc, ".")) // page.css prints a period behind it
			}
		}
		b.put("</dl></details>\n")
	}
}

// longName is how many bytes the first cell of a row has at least that a narrow screen gives more than its longest
// word.
const longName = 24

// hasLongNames reports whether the first column has such a cell.
func (t *Table) hasLongNames() bool {
	return slices.ContainsFunc(t.Rows, func(row []Cell) bool { return len(row) > 0 && len(row[0].Text) >= longName })
}

// fitPaper is how many columns of a table are printed; page.css hides the rest.
const fitPaper = 12

// A print is how a table is printed, in points: the size of its letters and what is beside a cell's text, as in
// page.css.
type print struct{ letter, beside float64 }

var printed, printedDense = print{7.5, 10.8}, print{6.5, 6}

// fits reports whether the table is as wide as the text on A4 (180 mm) at most, with no word and no interval broken.
// Letters are taken to be as wide as those of a wide font.
func (t *Table) fits(as print) bool {
	const paper, wide, bar = 180 * 72 / 25.4, 0.63, 116
	width := 0.0
	for i, h := range t.Heads[:min(len(t.Heads), fitPaper)] {
		column := as.letter * wide * float64(longest(strings.Fields(h.Text)))
		for _, row := range t.Rows {
			if i >= len(row) {
				continue
			}
			c := row[i]
			parts := []string{c.Text}
			switch {
			case h.Number && i >= t.Keys && c.Place == nil && c.Sheet == nil:
				parts = c.parts()
			case !c.isWhole():
				parts = strings.Fields(strings.ReplaceAll(c.Text, "-", "- ")) // browsers break there
			}
			column = max(column, as.letter*wide*float64(longest(parts)))
			if c.Bar != nil {
				column = max(column, bar)
			}
		}
		width += column + as.beside
	}
	return width <= paper
}

// longest is how many letters the longest text has.
func longest(texts []string) (most int) {
	for _, text := range texts {
		most = max(most, utf8.RuneCountInString(text))
	}
	return most
}

// number is the class of a cell that holds a number.
func number(is bool) string {
	if is {
		return ` class="num"`
	}
	return ""
}

func (b *body) cell(c Cell) {
	b.bar(c.Bar)
	switch {
	case c.Place != nil:
		at := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
		b.put(`<span class="place" data-x="%s" data-y="%s" data-z="%s">%s</span>`, at(c.Place.X), at(c.Place.Y), at(c.Place.Z), c.Text)
	case c.Sheet != nil: // page.js makes it lead to the directory that has the name of this file
		b.put(`<a class="sheet" href="%s" data-file="%s" data-participant="%s" data-measures="%s">%s</a>`,
			url.PathEscape(c.Sheet.Dir)+"/"+url.PathEscape(c.Sheet.File), c.Sheet.File, c.Sheet.Participant,
			measures(c.Sheet.Measures), c.Text)
	case c.Strong:
		b.put("<strong>%s</strong>", c.Text)
	case c.isWhole():
		b.put(`<span class="whole">%s</span>`, c.Text)
	default:
		for i, paragraph := range strings.Split(c.Text, "\n\n") { // of a text that an author wrote
			b.prose(strings.Repeat("<br><br>", min(i, 1))+"%s", paragraph)
		}
	}
}

// parts are what is not broken in a cell of a number.
func (c Cell) parts() []string {
	return strings.Split(betweenParts.ReplaceAllString(c.Text, "$1\n$2"), "\n")
}

// parts writes a cell of a number. Where a table would be too wide, it breaks before an interval and between counts.
func (b *body) parts(c Cell) {
	parts := c.parts()
	if len(parts) < 2 {
		b.cell(c)
		return
	}
	b.bar(c.Bar)
	before, after := "", ""
	if c.Strong {
		before, after = "<strong>", "</strong>"
	}
	b.put(before)
	for i, part := range parts {
		b.put(strings.Repeat(" ", min(i, 1))+`<span class="whole">%s</span>`, part)
	}
	b.put(after)
}

var betweenParts = pattern.New(`(,)? (\(|\d+ missing)`)

// measures are those of a scan as page.js reads them.
func measures(of []Measure) string {
	rows := lists.Map(of, func(m Measure) []any { return []any{m.Name, m.Value, m.Least} })
	text, _ := json.Marshal(rows)
	return string(text)
}

// longestWhole is how many letters a word in a cell has at most that is not broken at its hyphen.
const longestWhole = 12

// isWhole reports whether the text of a cell is a word that is not broken at its hyphen.
func (c Cell) isWhole() bool {
	return !c.Strong && strings.Contains(c.Text, "-") && !strings.Contains(c.Text, " ") && len(c.Text) <= longestWhole
}

func (b *body) bar(of *Bar) {
	if of == nil {
		return
	}
	percent := func(x float64) string { return fmt.Sprintf("%.1f", 100*min(max(x, 0), 1)) }
	b.put(`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="6" class="rail"/>`+
		`<rect x="%s" width="%s" height="6" class="fill"/>`, percent(min(of.From, of.Share)),
		percent(math.Abs(of.Share-of.From)))
	if of.Low < of.High {
		for _, class := range []string{"casing", "interval"} {
			b.put(`<path d="M%s 3H%s" class="`+class+`"/>`, percent(of.Low), percent(of.High))
		}
	}
	b.put(`<rect x="%s" width="0.8" height="6" class="mark"/></svg>`, percent(of.Mark))
}

// mediaTypes of the formats that a figure may have.
var mediaTypes = map[string]string{"svg": "image/svg+xml", "png": "image/png"}

// pictureURL is a picture as a data URL. The text of an SVG stays text: the images in it are base64 already.
func pictureURL(f *Figure) string {
	if f.Format == "svg" {
		return "data:" + mediaTypes["svg"] + ";charset=utf-8," + svgURL.Replace(string(f.Data))
	}
	return "data:" + mediaTypes[f.Format] + ";base64," + base64.StdEncoding.EncodeToString(f.Data)
}

// svgURL escapes what ends a URL or an attribute, and what a browser removes from a URL.
//
// The names of XML's namespaces look like addresses: without slashes a search of the page for addresses finds none.
var svgURL = strings.NewReplacer("://", ":%2F%2F", "%", "%25", "#", "%23", `"`, "%22", "&", "%26",
	"<", "%3C", ">", "%3E", "\n", "%0A", "\r", "%0D", "\t", "%09")

// pixels is how many a point of a figure has on a screen: all figures of a page have texts of one size.
const pixels = 1.8

// Points is the width of a figure in points, as its SVG has it; 0 where that is not known.
func (f *Figure) Points() (width float64) {
	if m := widthOfSVG.FindSubmatch(f.Data[:min(len(f.Data), 2000)]); f.Format == "svg" && m != nil {
		width, _ = strconv.ParseFloat(string(m[1]), 64)
	}
	return width
}

var widthOfSVG = pattern.New(`<svg[^>]* width="([0-9.]+)pt"`)

func (b *body) figure(f *Figure) {
	picture := pictureURL(f)
	if f.Wide {
		class := "wide"
		if f.Rated != "" {
			class = "wide screen"
		}
		b.put(`<figure class="%s"><div class="pan" role="region" tabindex="0" aria-label="%s. %s">`, class, f.Label(), f.Title)
	} else {
		b.put("<figure>")
	}
	width := ""
	if points := f.Points(); points > 0 && f.Rated == "" {
		width = fmt.Sprintf(` width="%.0f"`, points*pixels)
	}
	b.put(`<img src="%s" alt="%s"`+width+">", picture, f.Alt)
	if f.Wide {
		b.put("</div>")
	}
	b.put("<figcaption><strong>%s. %s.</strong>", f.Label(), strings.TrimSuffix(f.Title, "."))
	b.prose(" %s", f.Caption)
	b.tag()
	b.put("</figcaption>")
	if f.Rated != "" { // page.js makes its buttons
		b.put(`<div class="rating" role="group" aria-label="Rating of %s" data-participant="%s" data-measures="%s"></div>`, f.Rated,
			f.Rated, measures(f.Measures))
	}
	b.put("</figure>\n")
}

// tag repeats under a picture that nobody was scanned.
func (b *body) tag() {
	if b.simulated {
		b.put(` <span class="tag">Simulated data.</span>`)
	}
}

func (b *body) viewer(v *Viewer) {
	b.put(`<div id="viewer" class="viewer" hidden>
<div class="controls" role="group" aria-label="What the viewer shows"></div>
<div class="stage"><canvas id="brain" role="application" tabindex="0" aria-label="Slices and surface of the brain with the regions; `+
		`the arrow keys, Page Up and Page Down move the crosshair, Shift with an arrow key turns the surface" aria-describedby="where"></canvas></div>
<p id="where" role="status" aria-live="polite"></p>
<p class="small">%s`, v.Caption)
	b.tag()
	b.put("</p>\n</div>\n")
	if v.Static != nil {
		b.figure(v.Static)
	}
}

// curve is what curve.js fills when it is opened.
func (b *body) curve(c *Curve) {
	data, _ := json.Marshal(c) // numbers and texts
	b.put(`<details class="curve screen" hidden data-curve="%s"><summary>%s</summary>
<div class="controls" role="group" aria-label="Universes that are shown"></div>
<div class="pan" role="region" tabindex="0" aria-label="Specification curve of the universes that are shown"><div class="plot"></div></div>
<p role="status"></p>
<dl class="docs"></dl>
<p class="small">%s`, words.InOrder(string(data)), c.Title, c.Caption)
	b.tag()
	b.put("</p>\n</details>\n")
}
