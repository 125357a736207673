// Package cli is the command line of the program: commands, flags, what is
// printed, exit codes. Package main over it is ten lines, so that a laboratory
// with stage kinds of its own has its own program by importing them beside it:
//
//	package main
//
//	import (
//		"os"
//
//		"prgnn/cmd/pipeline/cli"
//		_ "example.org/lab/stages" // registers its kinds
//	)
//
//	func main() { os.Exit(cli.Main()) }
//
// # Invariants
//
// What people read beside the answer (progress, notes, errors) goes to stderr;
// the answer goes to stdout. With --json, stdout holds one JSON object a line
// and nothing else. Names of commands, flags and JSON fields are a promise:
// more may come, none goes.
//
// Exit codes: 0 fine; 1 a task failed, or an audit found a difference; 2 wrong
// command line or pipeline file; 3 the store is damaged; 130 interrupted.
//
// A command never changes anything but the store (run, verify, gc) and the file
// that it was told to write (export, graph, init); plan, why, show and graph run nothing.
package cli
