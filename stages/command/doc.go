// Package command has the kinds that run commands. A program that imports it has them: they need no other kinds, so a
// program by hand on package dag may run scripts.
package command
