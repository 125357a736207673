//go:build !unix

package console

import "io"

// isClosed reports whether the caller closed a stream; there is no such thing here.
func isClosed(io.Writer) bool { return false }
