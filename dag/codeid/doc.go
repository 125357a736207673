// Codeid computes the code identities of stage kinds and writes them to a Go
// file:
//
//	go run prgnn/dag/codeid ./stages
//
// DIR is a package that declares stage kinds, as literals of the type dag.Kind;
// the file, code_gen.go, declares
//
//	var codes = map[string]string{…}
//
// the identity of each kind by its name, for the field Code of dag.Kind. It is
// made by a go:generate line in the package, and a test fails when it is stale;
// so an edited formula always runs its stages again, an edited comment never
// does, and nobody has to remember to raise a version.
//
// # What an identity is
//
// A text of one line for each source file that the kind reaches, sorted:
//
//	prgnn/connectivity/pearson.go 93a8c1d2e4b5f607
//	module gonum.org/v1/gonum v0.17.0
//
// with a digest of those of the file's declarations that are reached. The engine
// hashes the text into the keys, and compares two of them when it explains what
// became stale.
//
// # What a kind reaches
//
// From the expression of the field New: every function, type, variable and
// constant of the first-party packages that is mentioned, in turn, by one that
// is reached. First-party are the main module and modules replaced by a
// directory. In particular
//
//   - a type is reached with every method of a name that some interface asks for,
//     in any package of the program, so that calls through interfaces are covered:
//     whoever made the value mentioned its type. Where templates are used, which
//     call methods by names in their text, it is reached with all its methods;
//   - a package of which anything is reached is reached with its init functions and
//     with variables named _ whose initialiser calls something; in the package
//     of the kinds, statements of init that call a function Register… are left
//     out, since they would tie all kinds together;
//   - a constant counts by its value;
//   - a function without a body counts with the assembly files of its package; a
//     variable of go:embed counts with the embedded files;
//   - packages of other modules count by the versions of the modules that they are
//     made from; the standard library and the version of Go do not count.
//
// A declaration counts as its tokens: comments and layout do not, nor does the
// documentation in doc tags and in the fields Doc of dag.Kind and dag.Port. A name
// that was given to an import counts as the path it stands for.
//
// Identities are computed for linux/amd64 on every machine. A Go file of a reached
// package that is left out there, for another platform, counts whole as soon as
// it declares a name that is reached: it holds what that platform runs in its
// place.
//
// # What is not covered
//
// Methods that are called by package reflect, go:linkname, and functions stored in
// variables by code that is itself not reached. Stages have no need of them.
package main
