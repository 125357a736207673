// Package drawtex holds what LaTeX draws: nothing, in this module.
package drawtex

import "golang.org/x/image/font/sfnt"

// A Canvas is empty.
type Canvas struct{}

func New() *Canvas { return &Canvas{} }

func (*Canvas) Ops() []Op { return nil }

// An Op is a GlyphOp or a RectOp.
type Op interface{ isOp() }

type GlyphOp struct {
	X, Y  float64
	Glyph Glyph
}

type RectOp struct{ X1, Y1, X2, Y2 float64 }

func (GlyphOp) isOp() {}
func (RectOp) isOp()  {}

type Glyph struct {
	Font   *sfnt.Font
	Size   float64
	Symbol string
}
