// Package methods writes the methods text from the parameters of a run, and its citations.
package methods
