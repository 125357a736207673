// Package sandbox runs a command that sees a few files only. It has namespaces of its own (users, mounts, processes,
// IPC, host name and, unless the network is allowed, network) and no capability; when it ends or is stopped, all its
// processes end, daemons too. No privilege is needed where the system allows user namespaces.
//
// The program starts itself once more as the first process of the namespaces (see init in enter_linux.go). That process
// mounts what the command sees, gives up its capabilities, starts the command and collects its processes. It ends as
// soon as the program that started it ends, and the kernel then kills whatever is left in its namespaces. Where the
// system denies that to this program, bubblewrap does it, which some systems allow it.
package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The user of a command is the same on all machines.
const (
	user     = 1000
	hostname = "pipeline"
)

// A View is what a command sees.
type View struct {
	// Root is an empty directory on which the view is mounted, for the command alone.
	Root string
	// Entries may lie in others, whatever their order; of two with one path the later is seen.
	Entries []Entry
	// Network leaves the command the network of the machine.
	Network bool
}

// An Entry is a file or directory of a view: one of the machine, a link, or a new file with a text.
type Entry struct {
	To       string // the path that the command sees
	From     string // the path on the machine
	Writable bool
	Device   bool
	Own      bool   // From is the command's own: other entries may be made in it
	Link     string // where a link leads
	Text     string
	Hidden   bool // empty: a directory of its own, else a file
}

// Show adds a file or directory of the machine under its own path, read-only, unless the view has it already or it does
// not exist. Behind a link, it adds the file to which the link leads as well.
func (v *View) Show(path string) {
	path = filepath.Clean(path)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	v.Entries = slices.DeleteFunc(v.Entries, func(e Entry) bool {
		return e.Text != "" && e.To == path || e.Hidden && e.To == real
	})
	if !v.Shows(real) {
		v.Entries = append(v.Entries, Entry{To: real, From: real})
	}
	if !v.Shows(path) {
		v.Entries = append(v.Entries, Entry{To: path, Link: real})
	}
}

// Hide makes a file or directory empty that lies in another of the machine, unless it was added itself.
func (v *View) Hide(path string) {
	info, err := os.Lstat(path)
	if err == nil && !slices.ContainsFunc(v.Entries, func(e Entry) bool { return e.To == path }) {
		v.Entries = append(v.Entries, Entry{To: path, Hidden: true, Own: info.IsDir()})
	}
}

// Shows reports whether the command sees what the machine has at a path, where that exists.
func (v *View) Shows(path string) bool {
	path = filepath.Clean(path)
	at := v.entry(path)
	return at != nil && at.Text == "" && !at.Hidden && (at.To == path || !at.Own)
}

// Writable reports whether the command may write to a path.
func (v *View) Writable(path string) bool {
	at := v.entry(filepath.Clean(path))
	return at != nil && at.Writable
}

// ordered are the entries to make, each behind those in which it lies, without those that are seen in these anyway.
func (v *View) ordered() []Entry {
	all := slices.Clone(v.Entries)
	slices.SortStableFunc(all, func(a, b Entry) int { return strings.Count(a.To, "/") - strings.Count(b.To, "/") })
	made := &View{}
	for _, e := range all {
		in := made.entry(filepath.Dir(e.To))
		if in == nil || in.Own || e.Hidden || e.Link == "" && e.Text == "" && e.Writable != in.Writable {
			made.Entries = append(made.Entries, e)
		}
	}
	return made.Entries
}

// entry is the one in which a path lies, the deepest and last.
func (v *View) entry(path string) *Entry {
	var in *Entry
	for i := range v.Entries {
		if e := &v.Entries[i]; within(path, e.To) && (in == nil || len(e.To) >= len(in.To)) {
			in = e
		}
	}
	return in
}

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// system are the directories of installed programs; configured are files and directories of /etc that these read, and
// that hold nothing of users or of the network.
var (
	system     = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"}
	configured = []string{"alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "fonts", "R", "perl", "java*",
		"python*", "octave*", "ImageMagick*", "magic", "mime.types", "matlab", "ssl/certs", "ssl/openssl.cnf",
		"pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf", "pki/ca-trust/extracted", "ca-certificates*",
		"crypto-policies"}
	networked = []string{"hosts", "resolv.conf", "nsswitch.conf", "services", "protocols", "gai.conf", "host.conf"}
	devices   = []string{"null", "zero", "full", "random", "urandom"}
	streams   = map[string]string{"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}
)

// New is the view of a command that works in room, which it sees as inside: the installed programs of the system, the
// least of /etc, /dev and /sys, and a /tmp of its own in room/tmp. root is an empty directory.
func New(root, room, inside string, network bool) *View {
	v := &View{Root: root, Network: network}
	add := func(e Entry) { v.Entries = append(v.Entries, e) }
	add(Entry{To: inside, From: room, Writable: true, Own: true})
	for _, tmp := range []string{"/tmp", "/var/tmp"} {
		add(Entry{To: tmp, From: filepath.Join(room, "tmp"), Writable: true, Own: true})
	}
	for _, dir := range system {
		switch info, err := os.Lstat(dir); {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0: // /bin → usr/bin
			if to, err := os.Readlink(dir); err == nil {
				add(Entry{To: dir, Link: strings.TrimPrefix(to, "/")})
			}
		default:
			add(Entry{To: dir, From: dir})
		}
	}
	etc := configured
	if network {
		etc = append(etc[:len(etc):len(etc)], networked...)
	}
	for _, pattern := range etc {
		all, _ := filepath.Glob(filepath.Join("/etc", pattern))
		for _, path := range all {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				add(Entry{To: path, From: real})
			}
		}
	}
	text := func(name, text string) {
		if path := filepath.Join("/etc", name); v.entry(path) == nil {
			add(Entry{To: path, Text: text})
		}
	}
	text("passwd", fmt.Sprintf("user:x:%d:%d::/nonexistent:/bin/sh\n", user, user))
	text("group", fmt.Sprintf("user:x:%d:\n", user))
	text("hosts", "127.0.0.1 localhost "+hostname+"\n::1 localhost\n")
	text("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")
	for _, name := range devices {
		add(Entry{To: "/dev/" + name, From: "/dev/" + name, Device: true})
	}
	for name, fd := range streams {
		add(Entry{To: "/dev/" + name, Link: "/proc/self/fd" + fd})
	}
	if _, err := os.Stat("/sys/devices/system"); err == nil { // processors: libraries count them there
		add(Entry{To: "/sys/devices/system", From: "/sys/devices/system"})
	}
	return v
}

// A Command is run in a view.
type Command struct {
	View *View
	Path string // of the program, as the command sees it
	Args []string
	Env  []string
	Dir  string
}

// An Unavailable is why a command was not confined, and so not run.
type Unavailable struct{ Err error }

func (u *Unavailable) Error() string { return u.Err.Error() }
func (u *Unavailable) Unwrap() error { return u.Err }
