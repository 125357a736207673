package artifacts

import (
	"path/filepath"
	"strings"

	"prgnn/artifacts/memo"
)

// The refused objects of a remote are those that were found damaged there, and blobs that are missing there although
// their record promises them. They count as missing, so that the work behind them is done again and they are replaced.
// Since the process that finds the damage (an export) is seldom the one that does the work (the next run), they are
// remembered in memo/refused. link.mu guards them.
type refused struct {
	log      memo.Log
	remote   string
	names    map[string]bool
	replaced int // by this process
}

// An entry is a sign, the name of the remote, a line end, and the name of the object.
const (
	refusedSign  = "-"
	replacedSign = "+"
)

func (f *refused) open(dir string, r Remote) {
	f.log.Open(filepath.Join(dir, memoDir, "refused"), 0)
	f.remote, f.names = r.String(), map[string]bool{}
	raw := f.log.Load()
	all := map[string]bool{} // of all remotes
	for _, b := range raw {
		if entry := string(b); strings.HasPrefix(entry, refusedSign) {
			all[entry[1:]] = true
		} else if strings.HasPrefix(entry, replacedSign) {
			delete(all, entry[1:])
		}
	}
	var live [][]byte
	for entry := range all {
		live = append(live, []byte(refusedSign+entry))
		if remote, name, _ := strings.Cut(entry, "\n"); remote == f.remote {
			f.names[name] = true
		}
	}
	if len(raw) > 64+2*len(live) { // more than half is outdated
		f.log.Rewrite(live)
	}
}

func (f *refused) add(name string) {
	if !f.names[name] {
		f.names[name] = true
		f.log.Append([]byte(refusedSign + f.remote + "\n" + name))
	}
}

func (f *refused) remove(name string) {
	if f.names[name] {
		delete(f.names, name)
		f.replaced++
		f.log.Append([]byte(replacedSign + f.remote + "\n" + name))
	}
}
