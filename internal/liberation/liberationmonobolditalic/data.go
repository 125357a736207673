// Package liberationmonobolditalic has a blank font in place of its own.
package liberationmonobolditalic

import "codeberg.org/go-fonts/liberation/blank"

// TTF is that of blank.
var TTF = blank.TTF
