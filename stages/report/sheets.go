package report

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// SheetDir is the directory of the pages of single scans beside a report.
func SheetDir(report string) string { return strings.TrimSuffix(report, ".html") + "_quality" }

// SheetFiles are names of files for the pages of these participants: letters, digits and -_. stay, other bytes become
// =XX. What is long, or differs from another name in upper and lower case alone, ends in a digest, so that every file
// system takes all of them.
func SheetFiles(participants []string) []string {
	const longest = 100
	names, folded := make([]string, len(participants)), map[string]int{}
	for i, id := range participants {
		var name strings.Builder
		for k, c := range []byte(id) {
			letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
			if letter || c == '.' && k > 0 {
				name.WriteByte(c)
			} else {
				fmt.Fprintf(&name, "=%02X", c)
			}
		}
		names[i] = name.String()
		folded[strings.ToLower(names[i])]++
	}
	for i, name := range names {
		if len(name) > longest || name == "" || folded[strings.ToLower(name)] > 1 {
			digest := sha256.Sum256([]byte(participants[i]))
			names[i] = fmt.Sprintf("%.*s=%x", longest, name, digest[:8])
		}
		names[i] += ".html"
	}
	return names
}
