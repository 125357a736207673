package python_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"prgnn/cmd/pipeline/cli"
	_ "prgnn/cmd/pipeline/imaging"
	"prgnn/internal/need"
	_ "prgnn/stages" // the kinds
)

// page is docs/python.md at work: a directory in which its commands have run.
type page struct{ text, dir string }

func newPage(t *testing.T) *page {
	t.Helper()
	text := need.Value(os.ReadFile("../../docs/python.md"))(t)
	p := &page{string(text), t.TempDir()}
	source := need.Value(filepath.Abs(filepath.Join("..", "..", "python", "src")))(t)
	t.Setenv("PYTHONPATH", source)
	write(t, p.dir, "export.sh", []byte("set -e\n"+blocksOf(p.text)["sh"]))
	output(t, p.dir, "sh", "export.sh")
	return p
}

// run writes a script beside the exported files and runs it.
func (p *page) run(t *testing.T, name, script, program string, flags ...string) {
	t.Helper()
	write(t, p.dir, name, []byte(script))
	t.Logf("%s", output(t, p.dir, program, append(flags, name)...))
}

// TestDocsPython runs docs/python.md: its commands, then its Python as one script, then its
// lines for MATLAB in Octave. docs_torch_test.go and docs_r_test.go run the rest.
func TestDocsPython(t *testing.T) {
	python := need.Python(t, "pyarrow", "pandas", "polars", "duckdb", "sklearn", "xarray")
	need.Program(t, "dash", "sh")
	p := newPage(t)
	blocks := blocksOf(p.text)
	p.run(t, "page.py", blocks["python"], python)
	t.Run("Octave", func(t *testing.T) {
		p.run(t, "page.m", blocks["matlab"], need.Program(t, "octave", "octave-cli"), "--no-gui", "--norc")
	})
}

// blocksOf joins the code blocks of a page, by what stands after their ```.
func blocksOf(page string) map[string]string {
	blocks := map[string]string{}
	in := ""
	for line := range strings.Lines(page) {
		mark, is := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case is && in == "":
			in = mark
		case is:
			in = ""
		case in != "":
			blocks[in] += line
		}
	}
	return blocks
}

// program is what all tests call.
var program string

// TestMain makes the test program the command, which need not be linked then, and gives all tests one store: the
// pipeline that they look at runs once.
func TestMain(m *testing.M) {
	command := func() { os.Exit(cli.Main()) }
	testscript.Main(prepared{m}, map[string]func(){"pipeline": command, "prgnn": command})
}

type prepared struct{ *testing.M }

func (p prepared) Run() int {
	dir, err := os.MkdirTemp("", "prgnn-python-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if program, err = exec.LookPath("pipeline"); err != nil {
		panic(err)
	}
	os.Setenv("PIPELINE_STORE", filepath.Join(dir, "store"))
	os.Setenv("PRGNN_PIPELINE", program)
	os.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	return p.M.Run()
}
