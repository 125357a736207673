// Package progress shows how far a run is: bars on a terminal, lines in a pipe, JSON for a program.
// All three read one stream of events.
package progress
