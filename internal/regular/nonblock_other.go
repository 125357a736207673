//go:build !unix

package regular

import "path/filepath"

// NonBlock is no flag: there are no named pipes among the files there.
const NonBlock = 0

// Identity is equal for two paths of one file, through whatever symbolic links.
func Identity(path string) (string, error) { return filepath.EvalSymlinks(path) }
