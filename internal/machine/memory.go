// Package machine tells what this machine has.
package machine

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// LeastMemory is the least limit of memory, bytes, that is no slip of the unit: the program alone holds about that
// much.
const LeastMemory = 16_000_000

// Memory is what a process may take here, in bytes: that of the machine, or of the least control group that it is in.
// It is known on Linux; 0 elsewhere.
func Memory() int64 { return memory(os.DirFS("/")) }

func memory(root fs.FS) int64 {
	var kib int64
	text, _ := fs.ReadFile(root, "proc/meminfo")
	if n, _ := fmt.Sscanf(string(text), "MemTotal: %d kB", &kib); n == 0 {
		return 0
	}
	least := kib << 10
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) { // "0::/a/b", or "4:memory:/a/b" of version 1
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		dir, file := "sys/fs/cgroup", "memory.max"
		if part[1] == "memory" {
			dir, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if part[1] != "" {
			continue
		}
		// A group is bounded by those it lies in too. In a container they are not shown: the last is its own.
		for group := path.Join("/", part[2]); ; group = path.Dir(group) {
			text, _ := fs.ReadFile(root, path.Join(dir, group, file)) // "max" and no file: no limit
			if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
				least = min(least, limit)
			}
			if group == "/" {
				break
			}
		}
	}
	return least
}
