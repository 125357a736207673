//go:build unix

package regular

import "syscall"

// NonBlock is a flag that lets the opening of a named pipe return before there is a writer.
const NonBlock = syscall.O_NONBLOCK
