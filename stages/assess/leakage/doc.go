// Package leakage has the kind that checks that no test participant took part in training, and that no scan has two
// ids.
package leakage
