package cluster

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"prgnn/artifacts"
)

// nameOf is the name of a job among others; "" when it is not there.
func nameOf(names []string, k artifacts.Key) string {
	i := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, k.String()) })
	if i < 0 {
		return ""
	}
	return names[i]
}

// A load is what the name of a job says: its key, and what it takes of a pilot.
type load struct {
	key     artifacts.Key
	threads int
	memory  int64 // bytes, to whole megabytes
	time    time.Duration
	alone   bool
}

func (l load) name() string {
	alone := 0
	if l.alone {
		alone = 1
	}
	return fmt.Sprintf("%s-%d-%d-%d-%d", l.key, l.threads, (l.memory+1<<20-1)>>20, int(l.time/time.Second), alone)
}

func parseLoad(name string) (l load, ok bool) {
	f := strings.Split(name, "-")
	if len(f) != 5 {
		return l, false
	}
	k, err := artifacts.ParseKey(f[0])
	var n [4]int
	for i := range n {
		v, bad := strconv.Atoi(f[i+1])
		err = errors.Join(err, bad)
		n[i] = v
	}
	return load{k, n[0], int64(n[1]) << 20, time.Duration(n[2]) * time.Second, n[3] == 1}, err == nil
}

// list are the names in a directory; none when it is not there.
func list(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	return names
}

// jobsIn are the keys of the jobs whose names stand in a directory.
func jobsIn(dir string) map[artifacts.Key]bool {
	keys := map[artifacts.Key]bool{}
	for _, name := range list(dir) {
		text, _, _ := strings.Cut(name, "-")
		if k, err := artifacts.ParseKey(text); err == nil {
			keys[k] = true
		}
	}
	return keys
}
