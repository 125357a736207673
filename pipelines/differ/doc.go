// Package differ compares the results of one pipeline from two runs, places or machines: which tasks differ, where in
// the graph the difference begins (Compare), what caused it (Runs), and how far two values are apart, in units in the
// last place and as a relative error (Values).
//
// Digests alone are enough to find where a difference begins: a lock or a signed statement of another machine has
// them. Its size needs the bytes of both sides.
package differ
