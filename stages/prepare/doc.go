// Package prepare has the kinds from scans to graphs.
package prepare
