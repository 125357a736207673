package export

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/regular"
	"prgnn/stages/bids"
)

// sources are the files that a result was made of, as BIDS URIs: the nearest ones that
// this dataset holds, and where there is none on the way, the user's, as far as they lie
// in a dataset.
func (m *bidsMember) sources(of *dag.Node) []string {
	var sources []string
	chosen := m.bidsStages(m.What)
	seen := map[*dag.Node]bool{}
	var visit func(*dag.Node)
	visit = func(n *dag.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, b := range n.Inputs() {
			for _, src := range b.Sources {
				scan, isOne := m.scans[m.draw]
				if isOne && src.Node != nil && slices.ContainsFunc(src.Node.Coords(), func(c dag.Coord) bool {
					return c.Axis == scan.coord.Axis && c.Value != scan.coord.Value
				}) {
					continue // of another scan
				}
				if src.Node == nil {
					if uri := m.links.uri(src.File); uri != "" {
						sources = append(sources, uri)
					}
					continue
				}
				held := false
				if slices.Contains(chosen, src.Node.Stage()) {
					for _, one := range m.bidsMembers(src.Node, chosen) {
						if one.Port.Name == src.Output {
							draw := m.draw
							if isOne {
								draw = scan.draw
							}
							if !one.file.drawn {
								draw = 0
							}
							sources = append(sources, "bids::"+one.fileName(draw)+one.file.extension)
							held = true
						}
					}
				}
				if !held {
					visit(src.Node)
				}
			}
		}
	}
	visit(of)
	slices.Sort(sources)
	return slices.Compact(sources)
}

// reference is the scan on whose grid an image lies; orig, as BIDS has it, where that is
// in no dataset.
func (m *bidsMember) reference() string {
	for _, b := range m.Of.Inputs() {
		for _, src := range b.Sources {
			if b.Port == "bold" && src.Node == nil {
				if uri := m.links.uri(src.File); uri != "" {
					return uri
				}
			}
		}
	}
	return "orig"
}

// bidsLinks are the datasets from which results were made: DatasetLinks of the
// description (BIDS 1.10, "BIDS URIs").
type bidsLinks struct {
	from  string            // the dataset that is written
	roots map[string]string // by directory: the dataset in which it lies; "" for none
	names map[string]string // by dataset
}

func newBIDSLinks(dir string) *bidsLinks {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &bidsLinks{from: dir, roots: map[string]string{}, names: map[string]string{}}
}

// uri is bids:<dataset>:<path>, or nothing for a file that lies in no dataset.
func (l *bidsLinks) uri(file string) string {
	file, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	root := l.root(filepath.Dir(file))
	if root == "" {
		return ""
	}
	rel, err := filepath.Rel(root, file)
	if err != nil {
		return ""
	}
	return "bids:" + l.name(root) + ":" + (&url.URL{Path: filepath.ToSlash(rel)}).EscapedPath()
}

// root is the nearest directory upwards with a dataset_description.json.
func (l *bidsLinks) root(dir string) string {
	root, known := l.roots[dir]
	if known {
		return root
	}
	if _, err := os.Stat(filepath.Join(dir, "dataset_description.json")); err == nil {
		root = dir
	} else if up := filepath.Dir(dir); up != dir {
		root = l.root(up)
	}
	l.roots[dir] = root
	return root
}

// name is what made a dataset (fmriprep …), or raw: one name for each.
func (l *bidsLinks) name(root string) string {
	if n := l.names[root]; n != "" {
		return n
	}
	var d struct {
		DatasetType string
		GeneratedBy []struct{ Name string }
	}
	if b, err := regular.ReadFile(filepath.Join(root, "dataset_description.json")); err == nil {
		bids.Decode(b, &d) // whatever it is not, it has no name
	}
	name := "raw"
	if d.DatasetType == "derivative" {
		name = "derivatives"
		if len(d.GeneratedBy) > 0 {
			name = cmp.Or(strings.ToLower(bids.Label(d.GeneratedBy[0].Name)), name)
		}
	}
	taken := slices.Collect(maps.Values(l.names))
	for i, first := 2, name; slices.Contains(taken, name); i++ {
		name = first + fmt.Sprint(i)
	}
	l.names[root] = name
	return name
}

// describe says which datasets they are.
func (l *bidsLinks) describe(description map[string]any) {
	links := map[string]string{}
	for root, name := range l.names {
		links[name] = l.link(root)
	}
	if len(links) > 0 {
		description["DatasetLinks"] = links
	}
}

// link is the URI of a dataset: the way to it within a dataset around both, such as ../fmriprep
// in derivatives/; else its DOI; else what names its description by content. A way through the
// directories of this machine would name them.
func (l *bidsLinks) link(root string) string {
	for around := l.root(root); around != ""; around = l.root(filepath.Dir(around)) {
		if rel, err := filepath.Rel(around, l.from); err == nil && filepath.IsLocal(rel) {
			if rel, err = filepath.Rel(l.from, root); err == nil {
				return (&url.URL{Path: filepath.ToSlash(rel)}).EscapedPath()
			}
		}
		if filepath.Dir(around) == around {
			break
		}
	}
	b, err := regular.ReadFile(filepath.Join(root, "dataset_description.json"))
	var d struct{ DatasetDOI string }
	if err == nil && bids.Decode(b, &d) == nil && d.DatasetDOI != "" {
		return "doi:" + strings.TrimPrefix(strings.TrimPrefix(d.DatasetDOI, "https://doi.org/"), "doi:")
	}
	return "urn:sha256:" + artifacts.DigestOf(b).String()
}
