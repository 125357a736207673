// Package ttf holds the fonts of LaTeX.
package ttf

import (
	"codeberg.org/go-latex/latex/drawtex"
	"golang.org/x/image/font/sfnt"
)

type Fonts struct{ Default, Rm, It, Bf, BfIt *sfnt.Font }

type Backend struct{}

func NewFrom(*drawtex.Canvas, *Fonts) *Backend { return nil }
