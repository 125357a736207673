// Package curve has the kind that fits learning curves.
package curve
