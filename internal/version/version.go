// Package version holds the version of the program.
package version

import (
	"runtime"
	"runtime/debug"
)

// Number is the version by semver.org 2.0.0; docs/versions.md has what it promises.
// It stands in the source, so that a build from an archive without git tells it too.
const Number = "1.0.0"

// Module is the path of the module, as in go.mod; CONTRIBUTING.md lists what to change with it.
const Module = "prgnn"

// A Program is the program that ran something.
type Program struct {
	Version  string // Number
	Revision string // of the source, when known
	Modified bool   // the source was not that of the revision
	Go       string
	Platform string // "linux/amd64"
}

// This describes the running program.
func This() Program {
	p := Program{Version: Number, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return p
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			p.Revision = s.Value
		case "vcs.modified":
			p.Modified = s.Value == "true"
		}
	}
	return p
}
