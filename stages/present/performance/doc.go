// Package performance writes what a page says of the classifiers' performance: accuracy and its
// tests, folds, comparisons, and which setting is the headline.
package performance
