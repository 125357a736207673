// Package liberation stands in for the module of that name, version v0.5.0: gonum/plot compiles its 12 fonts
// into every program, 4.3 MB, and our pictures are set in two of them (stages/draw). The other 10 packages
// have a blank font. docs/decisions/0008-size.md tells more.
package liberation
