// Package console is what a person sees of the program: streams, colors, text in columns, words
// for numbers, files that appear whole. The answer goes to stdout, everything else to stderr. No
// byte of data can act on a terminal: all text goes through a VisibleWriter.
package console
