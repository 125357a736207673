// Package mtex reads no mathematics.
package mtex

import (
	"errors"

	"codeberg.org/go-latex/latex/drawtex"
	"codeberg.org/go-latex/latex/font/ttf"
	"codeberg.org/go-latex/latex/tex"
)

// Parse fails.
func Parse(string, float64, float64, *ttf.Backend) (tex.Node, error) {
	return nil, errors.New("this program has no LaTeX")
}

type Renderer interface {
	Render(w, h, dpi float64, c *drawtex.Canvas) error
}
