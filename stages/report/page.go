package report

// A Page is what a report tells.
type Page struct {
	Title     string
	Subtitle  string // one line under the title
	Simulated bool   // nobody was scanned: said at the top, in every figure's caption and on every printed page
	// Incomplete says what is missing, and why: at the top, before any number.
	Incomplete []string
	Facts      []Fact // the result in a few numbers
	Cautions   []string
	Sections   []Section
}

// A Fact is one number of the result, large, with what it is.
type Fact struct {
	Value, Label, Note string
	Share, Mark        float64 // of 0 … 1: a bar up to Share with a line at Mark, when HasBar
	HasBar             bool
}

// A Section is a chapter, or a part of one.
type Section struct {
	ID, Title string
	Blocks    []Block
}

// A Block is one of its fields.
type Block struct {
	Text    string // a paragraph
	Note    string // a paragraph in small letters
	Heading string // of a part of the section
	List    []string
	Table   *Table
	Figure  *Figure
	Figures []Figure // side by side where there is room
	Details *Details // what is folded away
	Viewer  *Viewer
}

// Details are blocks that show when they are asked for.
type Details struct {
	Summary string
	Screen  bool // not printed: long tables to look things up in
	Blocks  []Block
}

// A Table has one row of heads. The first Keys columns name a row.
type Table struct {
	Caption string
	Heads   []Head
	Keys    int
	Rows    [][]Cell
	Note    string // under it
}

// A Head is the head of a column.
type Head struct {
	Text   string
	Doc    string // what the column holds, said in a list under the table
	Number bool   // its cells are numbers: they are set to the right
}

// A Cell is a text, perhaps one that stands out, perhaps with a place in the brain.
type Cell struct {
	Text   string
	Strong bool
	Place  *Place // a button that shows it in the viewer
}

// A Place is a point of the brain, in mm.
type Place struct{ X, Y, Z float64 }

// A Figure is a picture with what it shows in words.
type Figure struct {
	Title   string // in front of the caption
	Alt     string // what is to be seen, for those who do not see it
	Caption string
	Format  string // "svg" or "png"
	Data    []byte
	Wide    bool // takes the whole width
}

// A Viewer turns the brain. Static stands below it and says the same where it cannot.
type Viewer struct {
	Caption string
	Static  *Figure
	Volumes []Volume
	Regions []Region // by the value of the volume whose Labels is true
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
