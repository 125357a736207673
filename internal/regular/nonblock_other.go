//go:build !unix

package regular

// NonBlock is no flag: there are no named pipes among the files there.
const NonBlock = 0
