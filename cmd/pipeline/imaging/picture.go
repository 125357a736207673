package imaging

import (
	"io"

	"prgnn/cmd/pipeline/export"
	"prgnn/stages/chart"
	figures "prgnn/stages/draw"
	"prgnn/stages/region"
)

func heatMap(m *export.Member) (figures.Figure, error) {
	v, cols, err := m.Matrix()
	if err != nil {
		return figures.Figure{}, err
	}
	blocks := make([]string, cols)
	if nodes, err := m.Nodes(); err == nil && nodes.Rows() == cols {
		if blocks, err = region.Blocks(nodes); err != nil {
			return figures.Figure{}, err
		}
	}
	return chart.Matrices([]chart.MatrixPanel{{Title: m.Title(), Values: v, Label: m.Port.Name}}, blocks), nil
}

func svg(m *export.Member, w io.Writer) error { return picture(m, w, figures.Figure.SVG) }

func png(m *export.Member, w io.Writer) error { return picture(m, w, figures.Figure.PNG) }

func picture(m *export.Member, w io.Writer, as func(figures.Figure) ([]byte, error)) error {
	f, err := heatMap(m)
	if err != nil {
		return err
	}
	b, err := as(f)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}
