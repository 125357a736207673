// Codeid computes the code identities of stage kinds and writes them to a file:
//
//	go run prgnn/dag/codeid ./stages
//
// The argument is the directory of a package that declares stage kinds, as
// literals of the type dag.Kind; several are read in one go. The package embeds the
// file, codes.txt:
//
//	//go:embed codes.txt
//	var codesText string
//
//	var codes = dag.Codes(codesText)
//
// These are the code identities of the kinds by name, for the field Code of dag.Kind.
// A go:generate line in the package makes the file, and a test fails when it is stale.
// A package inside that embeds a file codes.txt, too, has the identities of its kinds
// there, for programs that import it without the others.
// An edited formula runs its stages again; an edited comment, another name, and another
// place do not.
//
// A second file, sources_gen.go, embeds the sources: one in each package of the module that the
// kinds reach, so that every program with the kinds has all of them. (The packages that package dag
// imports cannot import it: in the module of dag the file lies at the root.) A program
// that was built after an edit, without codeid, finds the difference
// (docs/decisions/0013-sources.md), and shows where a declaration stands. It links the
// sources of other modules that have such a file; files that those leave out are not
// compared.
//
// # What an identity is
//
// The digest of all declarations that the kind reaches: a function, a type, a
// constant, a variable with its initializer. A declaration counts as its tokens,
// without comments and layout. A name in it that stands for another declaration
// counts as the number of that declaration, in the order in which they are
// mentioned, from the field New of the kind on; so does a name that is declared
// inside. No name of a function, type, variable, constant, receiver, parameter,
// package or file is part of an identity. It changes just when the program that
// the kind runs is another one. (Why numbers, and not the digests of what is
// mentioned: docs/decisions/0003-identity-by-declarations.md.)
//
// These names do count, for interfaces, encodings and package reflect see them:
// of methods, of struct fields, of embedded types that are no structs, and struct
// tags. Names of types count for a kind that prints some (%T, %#v,
// reflect.Type) elsewhere than in an error.
//
// These do not, as they document and do nothing else: the key doc of struct tags,
// and the field Doc of dag.Kind and dag.Port.
//
// # What a kind reaches
//
// From its field New on, in the main module and in modules replaced by a
// directory:
//
//   - every declaration that one reached mentions;
//   - of a type, the methods that can be called through an interface: an interface
//     that a reached declaration writes down, or that stands in package dag and what
//     it imports of ours, or in packages of others that are reached; and that asks
//     for no method which the type does not have. Where templates or
//     reflect.Value.Method are used, which call methods by names in texts, all
//     methods of all types;
//   - init functions, and variables named _ whose initializer calls something, of the
//     packages that hold something reached; and, of any package that the kinds'
//     package imports, those and the initializers of variables that may write a
//     variable reached.
//     Statements of init that call a function Register… of package dag, or with kinds,
//     are left out, since they would tie all kinds together;
//   - for a function without a body, the assembly files that name it; for a go:embed
//     variable, the content of the files, but for those that codeid writes;
//   - packages of other modules by the versions of the modules that they are
//     made from; the standard library and the version of Go do not count;
//   - packages of others, by their import paths, that act on other packages as soon as they are
//     linked in: those that the kind's package, or one of ours that it imports, imports as _, and
//     for kinds that decode images (image.Decode) or choose a hash (crypto.Hash.New) all that
//     register one.
//
// A loop that declares variables counts differently where all rounds share them: in packages with a go line below
// 1.22 in go.mod. The line counts for nothing else.
//
// A constant counts by its type and value.
//
// Identities are the same on every machine. They are computed on linux/amd64;
// declarations of one name for several platforms count as one declaration with
// several versions, each under its build constraint.
//
// # What is not covered
//
// What packages that the kinds' package does not import store in variables, or register: the program's
// main and init, and other users of a helper. (Make the value a parameter of the kind.) A
// variable that the linker sets (-ldflags -X) runs the stages again in every build, but
// Go does not record it in a build with -trimpath: make it a parameter, too. Further,
// package unsafe, the order in which variables are initialized where it
// is not that of their dependencies, and names of our types that a package of
// others (encoding/gob) writes into a result. Settings of the Go runtime (GODEBUG, the godebug
// lines of go.mod, //go:debug) are those of a program and not of a kind: do not set any that change results, such
// as randautoseed and randseednop. go:linkname, go_asm.h and cgo are refused.
package main
