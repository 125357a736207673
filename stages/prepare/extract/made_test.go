package extract

import (
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/prepare"
	"prgnn/stages/stagetest"
)

// What the draws were made of reaches the graphs' quality: bootstrap says it with the scan, and
// denoise passes it on. The number of draws and the seed make no other kind of graph.
func TestMadeFromBootstrapOn(t *testing.T) {
	of := func(change func(*Bootstrap)) string {
		b := &Bootstrap{Draws: 10, Fraction: 1.0 / 3, MinValid: 0.5}
		change(b)
		scan := column.WithMeta(encoding.NewTable(encoding.Column{Name: "tr", Values: []float64{2}}), b.made())
		denoise := &prepare.Denoise{Detrend: 1, Filter: "none", Regress: "none", Standardize: "zscore",
			FirstRow: "next", TrendOver: "time", Task: "none"}
		out := stagetest.MustRun(t, denoise, map[string][]dag.Input{"series": {dag.InputOf(stagetest.Series(2, 60, 3))},
			"scan": {dag.InputOf(scan)}})
		return out["quality"].(*encoding.Table).Meta["made"]
	}
	paper := of(func(*Bootstrap) {})
	if column.MadeValue[float64](paper, "bootstrap.fraction") != 1./3 ||
		column.MadeValue[int](paper, "denoise.detrend") != 1 {
		t.Errorf("made by\n%s", paper)
	}
	if same := of(func(b *Bootstrap) { b.Draws, b.Seed = 3, 9 }); same != paper {
		t.Errorf("another number of draws and seed: %v", column.MadeApart(same, paper))
	}
	apart := column.MadeApart(of(func(b *Bootstrap) { b.Fraction = 0.5 }), paper)
	if len(apart) != 1 || apart[0] != "bootstrap.fraction is 0.5, not 0.3333333333333333" {
		t.Errorf("half of the voxels: %v", apart)
	}
}
