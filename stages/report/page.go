package report

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// nobodyScanned is the sentence at the top of a page of simulated participants.
const nobodyScanned = "Nobody was scanned, so no number here is evidence about people."

// A Page is what a report says. HTML and Text are its renderings.
type Page struct {
	Title     string
	Simulated bool // simulated participants: said at the top, in every caption and on every printed page
	// Incomplete says what is missing, and why: at the top, before any number.
	Incomplete []string
	Question   string
	Answer     string   // in one sentence of plain words
	Abstract   []string // paragraphs: the data
	Tiles      []Tile   // the result in a few numbers
	Results    []string // paragraphs below the tiles: the results with all numbers
	Cautions   []string // those of most weight first
	Sections   []Section
	MadeBy     string // the program; "" for PR-GNN Pipeline
	Turn       *Turn  // of the page of one scan, in the directory of a report's sheets
}

// A Turn is the place of a scan's page among the pages of a report: its number from 1, and the files of its neighbors.
type Turn struct {
	At, Of         int
	Previous, Next string
}

// A Tile is one number of the result, large, with what it is, or a small picture of a result.
type Tile struct {
	Value, Label, Note string
	Bar                *Bar
	Picture            *Figure // without a number
}

// A Bar is a share of 0 … 1, drawn from From to Share with a line at Mark, and its interval from Low to High where
// that is known (Low < High).
type Bar struct{ From, Share, Mark, Low, High float64 }

// Correlation is the bar of a correlation, from −1 to 1, with a line at 0.
func Correlation(r, low, high float64) *Bar {
	return &Bar{From: 0.5, Share: (1 + r) / 2, Mark: 0.5, Low: (1 + low) / 2, High: (1 + high) / 2}
}

// A Section is a chapter.
type Section struct {
	ID, Title string
	Blocks    []Block
}

// A Block is one of its fields.
type Block struct {
	Text       string // a paragraph
	Note       string // a paragraph in small letters
	Lines      string // a text whose lines and blanks stay
	Heading    string // of a part of the section
	List       []string
	References []string // numbered from 1
	Table      *Table
	Figure     *Figure
	Figures    []Figure // side by side where there is room
	Viewer     *Viewer
	Curve      *Curve
}

// A Table has one row of heads. The first Keys columns name a row.
type Table struct {
	Number  string // "1", or "S1" of a supplementary table
	Caption string
	Heads   []Head
	Keys    int
	Rows    [][]Cell
	Note    string // under it
	// Supplement folds the table away: it is not printed, and no part of the text.
	Supplement bool
}

// Label is the table's name in a sentence.
func (t Table) Label() string { return "Table " + t.Number }

// Head is the place of a column; −1 when the table has none of that head.
func (t Table) Head(text string) int {
	return slices.IndexFunc(t.Heads, func(h Head) bool { return h.Text == text })
}

// Add adds a column with a text for each row.
func (t *Table) Add(head Head, texts []string, strong bool) {
	t.Heads = append(t.Heads, head)
	for i, text := range texts {
		t.Rows[i] = append(t.Rows[i], Cell{Text: text, Strong: strong})
	}
}

// A Head is the head of a column.
type Head struct {
	Text   string
	Doc    string // what the column holds, in a list under the table
	Number bool   // its cells are numbers: they are set to the right
}

// A Cell is a text, perhaps one that stands out, with a bar, or with a place in the brain.
type Cell struct {
	Text   string
	Strong bool
	Bar    *Bar
	Place  *Place // a button that shows it in the viewer
	Sheet  *Sheet // a link to the page of a scan
}

// A Measure of a scan, by which a reader finds the worst ones.
type Measure struct {
	Name  string
	Value float64
	Least bool // low values are bad
}

// A Sheet is the page of one scan beside the report.
type Sheet struct {
	Dir, File   string // the directory's name where the report has the name of its pipeline, and the file's
	Participant string // who is rated there
	Measures    []Measure
}

// A Place is a point of the brain, in mm.
type Place struct{ X, Y, Z float64 }

// A Figure is a picture with its title, alternative text and caption.
type Figure struct {
	Number  string
	Title   string // in front of the caption
	Alt     string // what is to be seen, for those who do not see it
	Caption string
	Format  string // "svg" or "png"
	Data    []byte
	Wide    bool // takes the whole width
	// Rated is the participant whose scan a reader of the HTML page rates below the figure; empty for no rating. Such a
	// figure is not printed.
	Rated    string
	Measures []Measure
}

// Label is the figure's name in a sentence; scans that are rated are numbered apart.
func (f Figure) Label() string {
	if f.Rated != "" {
		return "Scan " + f.Number
	}
	return "Figure " + f.Number
}

// A Viewer turns the brain. Static stands below it and says the same where it cannot.
type Viewer struct {
	Caption string
	Static  *Figure
	Volumes []Volume
	Regions []Region // by the value of the volume whose Labels is true
}

// A Curve is a specification curve that a reader filters by decision, and whose universes show their settings. It is no
// part of the text, and not printed: a figure shows the same.
type Curve struct {
	Title     string           `json:"-"`
	Caption   string           `json:"-"`
	Effect    string           `json:"effect"`
	Headline  string           `json:"headline"`           // what the headline is called
	Untested  bool             `json:"untested,omitempty"` // no p and no null band
	Decisions []CurveDecision  `json:"decisions"`
	Universes []*CurveUniverse `json:"universes"` // by rising effect
}

// A CurveDecision is a row of boxes.
type CurveDecision struct {
	Name    string        `json:"name"`
	Options []CurveOption `json:"options"`
}

// A CurveOption is a box with the parameters that it sets, "clean.detrend = 2".
type CurveOption struct {
	Name string   `json:"name"`
	Sets []string `json:"sets,omitempty"`
}

// A CurveUniverse is a point of the curve.
type CurveUniverse struct {
	At                                   []int // the option of each decision
	Effect, Low, High, NullLow, NullHigh float64
	Significant                          bool
	P, Title                             string
	Headline                             bool
}

// MarshalJSON is the row that curve.js reads, with null for what is unknown.
func (u *CurveUniverse) MarshalJSON() ([]byte, error) {
	row := []any{u.At}
	for _, x := range []float64{u.Effect, u.Low, u.High, u.NullLow, u.NullHigh} {
		if math.IsNaN(x) {
			row = append(row, nil)
			continue
		}
		row = append(row, json.Number(strconv.FormatFloat(x, 'f', 4, 64)))
	}
	return json.Marshal(append(row, []any{u.Significant, u.P}, u.Title, u.Headline))
}

// A Volume is a NIfTI image in the viewer.
type Volume struct {
	Name     string  `json:"name"`
	Data     []byte  `json:"data"` // .nii.gz; base64 in JSON
	Colormap string  `json:"colormap"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Opacity  float64 `json:"opacity"`
	Labels   bool    `json:"labels"` // holds the numbers of regions, and is not shown
	Choice   bool    `json:"choice"` // one of several, of which one is shown
}

// A Region is what the viewer says of a place.
type Region struct {
	Label int     `json:"label"`
	Name  string  `json:"name"`
	Short string  `json:"short"`
	Text  string  `json:"text"` // "score 0.657, rank 1"
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Z     float64 `json:"z"`
	Rank  int     `json:"rank"`
}
