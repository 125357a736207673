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
	names    map[string]string // by their sign
	replaced int               // of those that were damaged, by this process
}

// An entry is a sign, the name of the remote, a line end, and the name of the object.
const (
	damagedSign  = "-"
	missingSign  = "?"
	replacedSign = "+"
)

func (f *refused) open(dir string, r Remote) {
	f.log.Open(filepath.Join(dir, memoDir, "refused"), 0)
	f.remote, f.names = r.String(), map[string]string{}
	raw := f.log.Load()
	all := map[string]string{} // of all remotes
	for _, b := range raw {
		entry := string(b)
		switch sign := entry[:min(1, len(entry))]; sign {
		case damagedSign, missingSign:
			all[entry[1:]] = sign
		case replacedSign:
			delete(all, entry[1:])
		}
	}
	var live [][]byte
	for entry, sign := range all {
		live = append(live, []byte(sign+entry))
		if remote, name, _ := strings.Cut(entry, "\n"); remote == f.remote {
			f.names[name] = sign
		}
	}
	if len(raw) > 64+2*len(live) { // more than half is outdated
		f.log.Rewrite(live)
	}
}

func (f *refused) add(name, sign string) {
	if f.names[name] != sign {
		f.names[name] = sign
		f.log.Append([]byte(sign + f.remote + "\n" + name))
	}
}

func (f *refused) remove(name string) {
	if sign := f.names[name]; sign != "" {
		delete(f.names, name)
		if sign == damagedSign {
			f.replaced++
		}
		f.log.Append([]byte(replacedSign + f.remote + "\n" + name))
	}
}

// damaged counts what is there with other bytes.
func (f *refused) damaged() (n int) {
	for _, sign := range f.names {
		if sign == damagedSign {
			n++
		}
	}
	return n
}
