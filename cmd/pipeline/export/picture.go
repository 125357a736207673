package export

import (
	"io"

	"prgnn/stages/chart"
	figures "prgnn/stages/draw"
	"prgnn/stages/region"
)

func (m *member) heatMap() (figures.Figure, error) {
	v, cols, err := m.matrixOf()
	if err != nil {
		return figures.Figure{}, err
	}
	blocks := make([]string, cols)
	if nodes, err := m.Nodes(); err == nil && nodes.Rows() == cols {
		if blocks, err = region.Blocks(nodes); err != nil {
			return figures.Figure{}, err
		}
	}
	title := m.task.ID() + "." + m.port.Name
	return chart.Matrices([]chart.MatrixPanel{{Title: title, Values: v, Label: m.port.Name}}, blocks), nil
}

func (m *member) svg(w io.Writer) error { return m.picture(w, figures.Figure.SVG) }

func (m *member) png(w io.Writer) error { return m.picture(w, figures.Figure.PNG) }

func (m *member) picture(w io.Writer, as func(figures.Figure) ([]byte, error)) error {
	f, err := m.heatMap()
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
