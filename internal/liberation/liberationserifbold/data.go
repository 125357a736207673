// Package liberationserifbold has a blank font in place of its own.
package liberationserifbold

import "codeberg.org/go-fonts/liberation/blank"

// TTF is that of blank.
var TTF = blank.TTF
