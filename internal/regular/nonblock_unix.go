//go:build unix

package regular

import "syscall"

// NonBlock is a flag that keeps the opening of a named pipe from waiting for somebody who writes to it.
const NonBlock = syscall.O_NONBLOCK
