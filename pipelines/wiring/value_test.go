package wiring

import (
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/pipelines/tree"
)

// A file within the directory of the pipeline file has its path, so that two directories differ in a plan; where others
// lie is no part of it.
func TestReferencesOfFiles(t *testing.T) {
	file := func(path, head string) *tree.Node {
		return &tree.Node{Kind: tree.Mapping, Keys: []tree.Key{{Name: "file",
			Value: &tree.Node{Kind: tree.Scalar, Text: path, Head: head}}}}
	}
	for _, c := range []struct{ path, head, want string }{
		{"d1/x.tsv", "", "d1/x.tsv"}, {"./d1/../d2/x.tsv", "", "d2/x.tsv"}, {"../d1/x.tsv", "", "x.tsv"},
		{"/home/me/d1/x.tsv", "", "x.tsv"}, {"d1/x.tsv", "data", "x.tsv"},
	} {
		need.Equal(t, strings.Join(References(file(c.path, c.head)), " "), c.want, c)
	}
}
