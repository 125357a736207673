package export

import (
	"bytes"
	"errors"
	"testing"

	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
)

// Results that a format cannot hold for the same reason are named in one line, whatever their numbers and columns.
func TestLostResultsByReason(t *testing.T) {
	var b bytes.Buffer
	x := &job{Console: console.New(nil, &b, &b)}
	for _, l := range []struct{ stage, port, why string }{
		{"parcels", "coverage", `no column "value": the columns are index, kept`},
		{"train", "scores", "it has 672 rankings (layer 1, score …), but this format holds one"},
		{"series", "voxels", `no column "value": the columns are used, drawn`},
		{"biomarkers", "individual", "it has 42 rankings (score …), but this format holds one"},
		{"graphs", "edges", "the positions of 4 of 4 regions are unknown: the columns are x, y"},
	} {
		b := dag.NewGraph("test")
		n := b.Task(b.Stage(l.stage, nil), nil)
		for _, form := range []string{"edge", "node"} {
			x.lose(n, dag.Port{Name: l.port}, form, errors.New(l.why))
		}
	}
	x.noteLost()
	const want = `left out: parcels.coverage, series.voxels as edge, node: no column "value"
left out: train.scores, biomarkers.individual as edge, node: it has 672 rankings (layer 1, score …), but this format holds one
left out: graphs.edges as edge, node: the positions of 4 of 4 regions are unknown: the columns are x, y
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}
