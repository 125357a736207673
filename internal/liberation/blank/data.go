// Package blank has a font of nothing but a space, for the faces that no picture is set
// in: gonum/plot reads all twelve whenever a program starts. make.py wrote it.
package blank

import _ "embed"

// TTF is the data of the font.
//
//go:embed Blank.ttf
var TTF []byte
