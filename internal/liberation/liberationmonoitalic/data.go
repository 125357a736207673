// Package liberationmonoitalic has the regular sans face in place of its own.
package liberationmonoitalic

import "codeberg.org/go-fonts/liberation/liberationsansregular"

// TTF is that of liberationsansregular.
var TTF = liberationsansregular.TTF
