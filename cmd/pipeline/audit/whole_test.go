package audit

import (
	"bytes"
	"io"
	"testing"

	"prgnn/cmd/pipeline/console"
	"prgnn/dag/why"
	"prgnn/internal/need"
	"prgnn/internal/version"
	"prgnn/pipelines/differ"
	_ "prgnn/stages" // the kinds
)

// A replay names both programs where they differ, and the kinds whose code does.
func TestNotePrograms(t *testing.T) {
	here := version.Program{Version: "1.1.0", Platform: "linux/amd64"}
	made := version.Program{Version: "1.0.0", Revision: "3f2a7c0145b8aa", Platform: "darwin/arm64"}
	for _, c := range []struct {
		made  version.Program
		other []string
		want  string
	}{
		{here, nil, "run.tar: study, made by version 1.1.0 on linux/amd64\n"},
		{made, nil, "run.tar: study, made by version 1.0.0 (commit 3f2a7c0145b8) on darwin/arm64\n" +
			"this program is version 1.1.0 on linux/amd64\n"},
		{here, []string{"denoise", "train"}, "run.tar: study, made by version 1.1.0 on linux/amd64\n" +
			"its code of denoise, train differs from the code that made the bundle: results may differ for that reason\n"},
	} {
		var said bytes.Buffer
		con := console.New(nil, io.Discard, &said)
		notePrograms(con, "run.tar: study", c.made, here, c.other)
		con.Close()
		need.Equal(t, said.String(), c.want)
	}
}

// Causes of the same tasks stand together, below one line of tasks.
func TestPrintCauses(t *testing.T) {
	list := why.Difference{What: "parameter", Name: "software", Old: "[]", New: "[/opt]"}
	dir := why.Difference{What: "directory", Name: "opt", New: "1a"}
	seed := why.Difference{What: "parameter", Name: "seed", Old: "1", New: "2"}
	var out bytes.Buffer
	con := console.New(nil, &out, io.Discard)
	start(con, Options{}).printCauses([]*differ.TaskDiff{
		{Task: "b", Stage: "s", Causes: []why.Difference{dir, list}},
		{Task: "c", Stage: "u", Causes: []why.Difference{seed}},
		{Task: "d", Stage: "s", Causes: []why.Difference{dir, list}},
	})
	con.Close()
	need.Equal(t, out.String(), `
causes
  b, d
    - parameter software: []
    + parameter software: [/opt]
    + directory opt: 1a
  c
    - parameter seed: 1
    + parameter seed: 2
`)
}
