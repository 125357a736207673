// Package extract has the kinds from scans to the time series of regions.
package extract
