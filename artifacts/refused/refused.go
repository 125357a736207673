// Package refused remembers the objects of a remote that are not what their names say.
package refused

import (
	"strings"

	"prgnn/artifacts/memo"
)

// Objects are the refused ones of a remote: those that were found damaged there, and blobs that are missing there
// although their record promises them. They count as missing, so that the work behind them is done again and they are
// replaced. Since the process that finds the damage (an export) is seldom the one that does the work (the next run),
// they are remembered in a file of the store. One goroutine at a time may call their methods.
type Objects struct {
	log      memo.Log
	remote   string
	names    map[string]string // by their sign
	Replaced int               // of those that were damaged, by this process
}

// How an object was found. An entry of the file is such a sign, the name of the remote, a line end, and the name of the
// object.
const (
	Damaged  = "-"
	Missing  = "?"
	replaced = "+"
)

// Open reads the file of a store about a remote.
func (f *Objects) Open(path, remote string) {
	f.log.Open(path, 0)
	f.remote, f.names = remote, map[string]string{}
	raw := f.log.Load()
	all := map[string]string{} // of all remotes
	for _, b := range raw {
		entry := string(b)
		switch sign := entry[:min(1, len(entry))]; sign {
		case Damaged, Missing:
			all[entry[1:]] = sign
		case replaced:
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

// Add remembers how an object was found.
func (f *Objects) Add(name, sign string) {
	if f.names[name] != sign {
		f.names[name] = sign
		f.log.Append([]byte(sign + f.remote + "\n" + name))
	}
}

// Remove forgets an object, which is right by now.
func (f *Objects) Remove(name string) {
	if sign := f.names[name]; sign != "" {
		delete(f.names, name)
		if sign == Damaged {
			f.Replaced++
		}
		f.log.Append([]byte(replaced + f.remote + "\n" + name))
	}
}

// CountDamaged counts what is there with other bytes.
func (f *Objects) CountDamaged() (n int) {
	for _, sign := range f.names {
		if sign == Damaged {
			n++
		}
	}
	return n
}

// Sign is how an object was found, Damaged or Missing; "" for one that is not refused.
func (f *Objects) Sign(name string) string { return f.names[name] }

// Close closes the file.
func (f *Objects) Close() { f.log.Close() }
