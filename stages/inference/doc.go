// Package inference is the statistics of the stages, as functions of numbers: how
// far to trust an accuracy, a difference between two classifiers, a ranking of
// regions. It reads nothing and writes nothing.
//
// Its results are kept, so they are the same bits on every machine: sums run in
// one order, elementary functions are those of numeric/exact, and what draws at
// random takes a stream that the caller names.
//
// The unit of every test is the participant. Graphs of one participant (draws) are
// not independent and are averaged before anything is counted.
package inference
