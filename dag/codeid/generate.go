package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/dag/listing"
)

// listingText is the text that package dag reads (see dag.Codes): a line for each kind with its identity; then the
// source files with their digests; then, under the kinds that reach them, the declarations with theirs.
func listingText(kinds []kind, sources []listing.Source, beside, unseen []string) []byte {
	var b bytes.Buffer
	for _, k := range kinds {
		fmt.Fprintf(&b, "kind %s %s\n", k.name, k.identity)
	}
	type item struct{ name, digest string }
	b.WriteByte('\n')
	for _, module := range beside {
		fmt.Fprintf(&b, "beside %s\n", module)
	}
	for _, module := range unseen {
		fmt.Fprintf(&b, "%s%s\n", listing.Unseen, module)
	}
	for _, s := range sources {
		fmt.Fprintln(&b, strings.Join(append([]string{"source", s.Path, s.Digest}, s.For...), " "))
	}
	reachedBy := map[item][]string{}
	for _, k := range kinds {
		for _, d := range k.decls {
			i := item{d.name, d.digest()}
			if by := reachedBy[i]; len(by) == 0 || by[len(by)-1] != k.name {
				reachedBy[i] = append(by, k.name)
			}
		}
		for _, path := range k.effects {
			i := item{"import " + path, listing.Digest([]byte(path))}
			reachedBy[i] = append(reachedBy[i], k.name)
		}
		for _, m := range k.modules {
			at := strings.LastIndexByte(m, ' ')
			i := item{"module " + m[:max(at, 0)], m[at+1:]}
			reachedBy[i] = append(reachedBy[i], k.name)
		}
	}
	groups := map[string][]item{}
	for i, by := range reachedBy {
		g := strings.Join(by, " ")
		groups[g] = append(groups[g], i)
	}
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(&b, "\nreached by %s\n", g)
		items := groups[g]
		slices.SortFunc(items, func(a, b item) int {
			return cmp.Or(cmp.Compare(a.name, b.name),
				cmp.Compare(a.digest, b.digest))
		})
		for _, i := range items {
			fmt.Fprintf(&b, "%s %s\n", i.name, i.digest)
		}
	}
	return b.Bytes()
}
