// Package compare says how far two values of one output are apart: the elements of
// arrays, the cells of tables (by the key of their row) and the lines of texts that differ,
// in units in the last place and as relative errors.
//
// It knows values alone. Where in a graph a difference begins is package proof's.
package compare
