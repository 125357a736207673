package figure

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/plot/vg"
	plot "gonum.org/v1/plot/vg/draw"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/markup"
	"prgnn/stages/column"
	"prgnn/stages/draw"
	"prgnn/stages/finding"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// picturePorts are the outputs of every figure kind.
func picturePorts(what string) []dag.Port {
	return []dag.Port{
		{Name: "picture", Type: dag.Format("svg"), Doc: what + ", as SVG"},
		{Name: "png", Type: dag.Format("png"), Doc: what + ", as PNG of 200 dots an inch"},
	}
}

// A Chart is a figure with what it shows in words: for its caption, and for readers
// who do not see it.
type Chart struct {
	draw.Figure
	Title, Alt, Caption string
	err                 error       // of the catalog
	tables              dag.Outputs // the numbers of the figure, as further outputs
}

// Captioned is a chart whose title, alternative text and caption the catalog has by its code: code, code.alt and
// code.caption.
func Captioned(f draw.Figure, code string, values any) *Chart {
	c := &Chart{Figure: f}
	for _, of := range []struct {
		code string
		text *string
	}{{code, &c.Title}, {code + ".alt", &c.Alt}, {code + ".caption", &c.Caption}} {
		text, err := wording.Text(of.code, values)
		*of.text, c.err = text, cmp.Or(c.err, err)
	}
	return c
}

// outputs are what every figure kind makes of its chart: the ports of picturePorts, and the tables of the chart.
var outputs = outputsOr("there is nothing to draw in the inputs")

// outputsOr is outputs with an error that says why a chart is nil: the inputs have nothing to draw.
func outputsOr(nothing string) func(*Chart, error) (dag.Outputs, error) {
	return func(c *Chart, err error) (dag.Outputs, error) {
		if err != nil {
			return nil, err
		}
		if c == nil {
			return nil, errors.New(nothing)
		}
		svg, err := c.svg()
		if err != nil {
			return nil, err
		}
		png, err := c.PNG()
		if err != nil {
			return nil, err
		}
		out := dag.Outputs{"picture": artifacts.Bytes{Kind: "svg", Data: svg},
			"png": artifacts.Bytes{Kind: "png", Data: png}}
		maps.Copy(out, c.tables)
		return out, nil
	}
}

// svg is the figure as SVG that says what it shows; metadata is its caption.
func (c *Chart) svg() ([]byte, error) {
	b, err := c.SVG()
	if err = cmp.Or(c.err, err); err != nil {
		return nil, err
	}
	at := bytes.Index(b, []byte("<svg"))
	end := at + bytes.IndexByte(b[at:], '>') + 1
	words := fmt.Sprintf("\n<title>%s</title>\n<desc>%s</desc>\n<metadata>%s</metadata>", markup.Shown(c.Title),
		markup.Shown(c.Alt), markup.Shown(c.Caption))
	return slices.Concat(b[:end], []byte(words), b[end:]), nil
}

// InReport is the chart as a figure of a report. Below one of simulated data it states that: a saved picture has no
// caption.
func (c *Chart) InReport(simulated bool) (report.Figure, error) {
	whole := *c
	if simulated {
		const line = draw.TextSize + 3
		whole.Height += line
		whole.Paint = func(canvas plot.Canvas) {
			at := vg.Point{X: canvas.Max.X - 2, Y: canvas.Min.Y + 2}
			draw.Text(canvas, at, label("figure.simulated", nil), draw.Style(draw.TextSize, false), plot.XRight,
				plot.YBottom)
			canvas.Min.Y += line
			c.Paint(canvas)
		}
	}
	b, err := whole.svg()
	return report.Figure{Title: c.Title, Alt: c.Alt, Caption: c.Caption, Format: "svg", Data: b,
		Wide: c.Width > WidePoints}, err
}

// WidePoints is the width in points (150 mm) beyond which a figure takes the whole page.
const WidePoints = 150 * 72 / 25.4

type values = wording.Values

// label is a text inside a picture.
var label = wording.Label

// most adds the values of figure.first: of all, the first are drawn.
func most(drawn, all int, of string, v values) values {
	v["More"], v["Most"], v["All"], v["Of"] = all > drawn, drawn, all, of
	return v
}

// Led adds the values of figure.led and figure.rest: a measure of several settings with their classifiers, of which the
// first leads.
func Led(names, classifiers []string, x []float64, v values) values {
	v["First"], v["Value"] = names[0], x[0]
	v["Settings"] = len(slices.Compact(slices.Sorted(slices.Values(classifiers)))) < len(names)
	rest := column.Known(x[1:])
	if v["Others"] = len(rest); len(rest) > 0 {
		v["Rest"] = spanOf(rest)
	}
	return v
}

func spanOf(x []float64) finding.Span { return finding.Span{Low: slices.Min(x), High: slices.Max(x)} }

// A settingInputs holds the members of a gathering port that differ in fold, repeat and
// seed only.
type settingInputs struct {
	name    string
	model   string // of column.Classifiers, where the classifiers are told apart by it
	members []dag.Input
}

// bySettings groups the members of a gathering port; the headline of a report leads its figures, in any order of the
// file.
func bySettings(ins []dag.Input, headline []dag.Coord) []settingInputs {
	settings := lists.By(ins, func(in dag.Input) string { return column.SettingName(in.Coords) })
	all := lists.Map(settings, func(of lists.Group[string, dag.Input]) settingInputs {
		return settingInputs{name: of.Key, members: of.All}
	})
	slices.SortStableFunc(all, func(x, y settingInputs) int {
		return afterHeadline(headline, x.members[0].Coords) - afterHeadline(headline, y.members[0].Coords)
	})
	return all
}

// afterHeadline is 1 for a setting other than the headline, if there is one.
func afterHeadline(headline, setting []dag.Coord) int {
	own := column.SettingCoords(setting)
	if column.ValueOn(headline, "stage") == "" {
		own = column.Without(own, "stage")
	}
	if headline == nil || len(own) > 0 && column.Holds(headline, own) {
		return 0
	}
	return 1
}
