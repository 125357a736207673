// Package edges has the kinds that test each edge over participants, and measure how reliable edges are.
package edges
