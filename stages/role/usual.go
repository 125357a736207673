package role

import (
	"slices"
	"strings"
)

// Usual is what an input port usually takes.
type Usual struct {
	// From are outputs KIND.OUTPUT, or ports of the cohort or of the pipeline (cohort.nodes), the preferred first.
	From []string
	All  bool // the port takes every output of From that there is
	// Rivals are outputs that a person may mean as well: where the file has one, the port is connected by hand.
	Rivals []string
}

var usual = map[string]map[string]Usual{} // by kind and port

// Usually adds a table of what ports usually take. A line is KIND PORT, then "all" if the port takes all of what
// follows, then the outputs, and behind "or" the rivals. Empty lines and lines that begin with # are comments. It
// panics on a port that the table has twice: a program contains its tables.
func Usually(table string) {
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) < 3 {
			panic("role: nothing follows the port: " + line)
		}
		kind, port, from := words[0], words[1], words[2:]
		if usual[kind] == nil {
			usual[kind] = map[string]Usual{}
		}
		if _, twice := usual[kind][port]; twice {
			panic("role: twice in the table of usual outputs: " + line)
		}
		all := from[0] == "all"
		if all {
			from = slices.Delete(from, 0, 1)
		}
		var rivals []string
		if at := slices.Index(from, "or"); at >= 0 {
			from, rivals = from[:at], from[at+1:]
		}
		usual[kind][port] = Usual{from, all, rivals}
	}
}

// UsualOf is what a port of a kind usually takes; nothing for a port that is always connected by hand.
func UsualOf(kind, port string) Usual { return usual[kind][port] }
