package machine

import (
	"testing"
	"testing/fstest"

	"prgnn/internal/need"
)

func TestMemory(t *testing.T) {
	const total = "MemTotal:        4000000 kB\nMemFree:          100 kB\n" // 4,096,000,000 bytes
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"not Linux", nil, 0},
		{"the machine's", map[string]string{"proc/meminfo": total}, 4096000000},
		{"of a group", map[string]string{"proc/meminfo": total, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "2000000000\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 2000000000},
		{"of the group around", map[string]string{"proc/meminfo": total, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "3000000000\n"}, 3000000000},
		{"in a container", map[string]string{"proc/meminfo": total, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/memory.max": "1000000000\n"}, 1000000000},
		{"version 1", map[string]string{"proc/meminfo": total,
			"proc/self/cgroup": "5:devices:/\n4:memory:/a\n0::/\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "500000000\n"}, 500000000},
		{"version 1 without a limit", map[string]string{"proc/meminfo": total, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 4096000000},
	} {
		root := fstest.MapFS{}
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		need.Equal(t, memory(root), c.want, c.name)
	}
}
