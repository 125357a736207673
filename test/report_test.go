package main

import (
	"strings"
	"testing"

	"prgnn/internal/need"
)

const stream = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestGood"}
{"Action":"output","Package":"p","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"output","Package":"p","Test":"TestGood","Output":"chatter\n"}
{"Action":"output","Package":"p","Test":"TestGood","Output":"--- PASS: TestGood (0.00s)\n"}
{"Action":"pass","Package":"p","Test":"TestGood","Elapsed":0}
{"Action":"output","Package":"p","Test":"TestData/x","Output":"=== RUN   TestData/x\n"}
{"Action":"output","Package":"p","Test":"TestData/x","Output":"    x_test.go:12: no data: PRGNN_SHARED\n"}
{"Action":"output","Package":"p","Test":"TestData/x","Output":"    --- SKIP: TestData/x (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestData/x","Elapsed":0}
{"Action":"output","Package":"p","Test":"TestBad","Output":"=== RUN   TestBad\n"}
{"Action":"output","Package":"p","Test":"TestBad","Output":"    x_test.go:20: 1, want 2\n"}
{"Action":"output","Package":"p","Test":"TestBad","Output":"--- FAIL: TestBad (0.00s)\n"}
{"Action":"fail","Package":"p","Test":"TestBad","Elapsed":0}
{"Action":"output","Package":"p","Test":"TestPanics","Output":"panic: gone\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.003s\n"}
{"Action":"fail","Package":"p","Elapsed":0.003}
{"ImportPath":"q","Action":"build-output","Output":"q.go:1: no\n"}
{"Action":"output","Package":"r","Output":"PASS\n"}
{"Action":"output","Package":"r","Output":"ok  \tr\t0.003s\n"}
{"Action":"pass","Package":"r","Elapsed":0.003}
`

func TestReport(t *testing.T) {
	var b strings.Builder
	skipped := need.Value(report(&b, strings.NewReader(stream), false))(t)
	want := "    x_test.go:20: 1, want 2\n--- FAIL: TestBad (0.00s)\nFAIL\tp\t0.003s\npanic: gone\nq.go:1: no\nok  \tr\t0.003s\n"
	if b.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", b.String(), want)
	}
	need.Equal(t, strings.Join(skipped, "\n"), "p.TestData/x: no data: PRGNN_SHARED", "skipped")
	b.Reset()
	if _, err := report(&b, strings.NewReader(stream), true); err != nil ||
		!strings.Contains(b.String(), "chatter\n") || strings.Count(b.String(), "1, want 2") != 1 {
		t.Errorf("verbose: error %v, printed\n%s", err, b.String())
	}
}

func TestSkippedAgain(t *testing.T) {
	const earlier = `ok  	prgnn/p	0.003s
skipped: 3
  prgnn/p.TestData/1:_x+y: no data: PRGNN_SHARED
  prgnn/p.TestSlurm: PRGNN_SLURM is not set
  prgnn/q.TestData: no data
`
	need.Equal(t, strings.Join(skippedIn(earlier), " "),
		`-run ^TestData$/^1:_x\+y$|^TestSlurm$|^TestData$ prgnn/p prgnn/q`, "arguments")
	need.Equal(t, len(skippedIn("ok  	prgnn/p	0.003s\nno test was skipped\n")), 0, "arguments")
}
