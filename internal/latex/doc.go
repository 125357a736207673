// Package latex stands in for the module of that name, version v0.2.0: gonum/plot sets texts in LaTeX with it where
// it is asked to, which we never do, and its tables of symbols are made at every start. It fails instead.
// docs/decisions/0008-size.md tells more.
package latex
