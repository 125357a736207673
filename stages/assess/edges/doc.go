// Package edges has the kind that tests each edge over participants.
package edges
