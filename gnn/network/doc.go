// Package network trains the networks that PR-GNN is compared with: starting weights, batches, Adam or
// stochastic gradient descent, and the cross-entropy. A network brings its layout and its gradient.
//
// Nothing is learned from cases that are held out or for the test. Same numbers in, same bits out, on
// every machine and at any number of goroutines: random numbers come from streams that are named by the
// seed and by what they are for.
package network
