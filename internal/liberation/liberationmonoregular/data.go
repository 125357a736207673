// Package liberationmonoregular has the regular sans face in place of its own.
package liberationmonoregular

import "codeberg.org/go-fonts/liberation/liberationsansregular"

// TTF is that of liberationsansregular.
var TTF = liberationsansregular.TTF
