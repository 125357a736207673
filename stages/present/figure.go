package present

import (
	"bytes"
	"fmt"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/markup"
	"prgnn/stages/column"
	"prgnn/stages/draw"
	"prgnn/stages/report"
)

// figurePorts are the outputs of every figure kind.
func figurePorts(what string) []dag.Port {
	return []dag.Port{
		{Name: "picture", Type: dag.Format("svg"), Doc: what + ", as SVG"},
		{Name: "png", Type: dag.Format("png"), Doc: what + ", as PNG of 200 dots an inch"},
	}
}

// A chartOf is a figure with what it shows in words: for its captions, and for those
// who do not see it.
type chartOf struct {
	draw.Figure
	title, alt, caption string
}

// outputs are the figure in the formats of figurePorts.
func (c *chartOf) outputs() (dag.Outputs, error) {
	svg, err := c.svg()
	if err != nil {
		return nil, err
	}
	png, err := c.PNG()
	if err != nil {
		return nil, err
	}
	return dag.Outputs{"picture": artifacts.Bytes{Kind: "svg", Data: svg}, "png": artifacts.Bytes{Kind: "png", Data: png}}, nil
}

// svg is the figure as SVG that says what it shows.
func (c *chartOf) svg() ([]byte, error) {
	b, err := c.SVG()
	if err != nil {
		return nil, err
	}
	at := bytes.Index(b, []byte("<svg"))
	end := at + bytes.IndexByte(b[at:], '>') + 1
	words := fmt.Sprintf("\n<title>%s</title>\n<desc>%s</desc>", markup.Text(c.title), markup.Text(c.alt))
	return slices.Concat(b[:end], []byte(words), b[end:]), nil
}

// figure is the chart in a report.
func (c *chartOf) figure() (report.Figure, error) {
	b, err := c.svg()
	return report.Figure{Title: c.title, Alt: c.alt, Caption: c.caption, Format: "svg", Data: b, Wide: c.Width > 150*mmOfPrint}, err
}

// mmOfPrint is a millimetre in points.
const mmOfPrint = 72 / 25.4

// A gatheredSetting is the members of a gathering port that differ in fold, repeat and
// seed only.
type gatheredSetting struct {
	name    string
	members []dag.Input
}

// bySettings groups the members of a gathering port.
func bySettings(ins []dag.Input) []gatheredSetting {
	var out []gatheredSetting
	for _, in := range ins {
		name := column.SettingName(in.Coords)
		i := slices.IndexFunc(out, func(s gatheredSetting) bool { return s.name == name })
		if i < 0 {
			i = len(out)
			out = append(out, gatheredSetting{name: name})
		}
		out[i].members = append(out[i].members, in)
	}
	return out
}
