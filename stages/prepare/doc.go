// Package prepare has the kinds from the time series of regions to graphs.
package prepare
