// Package command has the kind that runs commands. A program that imports it has it: it needs no other kinds, so a
// program by hand on package dag may run scripts.
package command
