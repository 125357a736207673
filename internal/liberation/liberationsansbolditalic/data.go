// Package liberationsansbolditalic has a blank font in place of its own.
package liberationsansbolditalic

import "codeberg.org/go-fonts/liberation/blank"

// TTF is that of blank.
var TTF = blank.TTF
