// Package liberationserifitalic has a blank font in place of its own.
package liberationserifitalic

import "codeberg.org/go-fonts/liberation/blank"

// TTF is that of blank.
var TTF = blank.TTF
