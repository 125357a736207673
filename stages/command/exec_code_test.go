package command

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// TestPathsOfCommands: which files and directories count that a command names by absolute paths.
func TestPathsOfCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths with slashes")
	}
	dir := need.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	for _, name := range []string{"a.txt", "b c.txt", "d/e.txt", "fold=1/f,g.txt"} {
		need.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	need.NoError(t, os.Symlink("/dev/null", filepath.Join(dir, "null")))
	t.Setenv("PRGNN_DIR", dir)
	for text, want := range map[string]string{
		"DIR/a.txt":                            "/a.txt",
		"DIR/b c.txt":                          "/b c.txt",
		"--file=DIR/a.txt":                     "/a.txt",
		"-IDIR/d":                              "/d",
		"@DIR/a.txt":                           "/a.txt",
		"DIR/fold=1/f,g.txt":                   "/fold=1/f,g.txt",
		"import x; x.read('DIR/b c.txt')":      "/b c.txt",
		"it isn't; open(\"DIR/a.txt\")":        "/a.txt",
		"sh cat <DIR/a.txt >DIR/d/e.txt":       "/a.txt",
		"sh cat DIR/a.txt 2>> DIR/d/e.txt":     "/a.txt",
		"sh cat x > DIR/a.txt; wc DIR/a.txt":   "/a.txt",
		"sh cat DIR/b\\ c.txt":                 "/b c.txt",
		"sh cat DIR/*.txt":                     "",
		"sh cat $PRGNN_DIR/a.txt":              "/a.txt",
		"sh cat \"${PRGNN_DIR}\"/d/e.txt":      "/d/e.txt",
		"sh cat \"$PRGNN_DIR/d/$1\"":           "/d",
		"sh x=$PRGNN_DIR/d; cat ${x}/e.txt":    "/d/e.txt",
		"sh cat ${UNKNOWN:-DIR/a.txt}":         "/a.txt",
		"sh cat DIR/fold=1/f,g.txt":            "/fold=1/f,g.txt",
		"sh PATH=DIR/d:/dev:$PATH; ls /tmp /":  "/d",
		"sh python -c \"open('DIR/a.txt')\"":   "/a.txt",
		"sh FSLDIR=DIR/d; fsl":                 "none",
		"sh # don't\nwc DIR/a.txt":             "/a.txt",
		"sh x=\"$(cat DIR/a.txt)\"; echo $x":   "/a.txt",
		"sh wc $(dirname DIR/d/e.txt)/x":       "/d /d/e.txt",
		"sh awk '/usr/ {print}' DIR/nowhere":   "none",
		"sh cat /proc/self/status $HOME/a.txt": "none",
		"sh cat DIR/null":                      "none",
		// What only the command computes stands for the directory.
		"sh cat DIR/d/sub-${n}_mask.txt":                  "/d",
		"sh n=$(basename x .tsv); cat DIR/d/e$n\".txt\"":  "/d",
		"sh cat DIR/d/sub-$(basename $(cat DIR/a.txt))_m": "/d /a.txt",
		"sh cat DIR/d/sub-`cat DIR/a.txt`_m":              "/d /a.txt",
		"sh cat DIR/d/sub-$((0+1)).txt":                   "/d",
		"sh n=0; n+=1; cat DIR/d/sub-$n.txt":              "/d",
		"sh n=A; cat DIR/d/f_${n,}.txt":                   "/d",
		"sh n=e; read n; cat DIR/d/$n.txt":                "/d/e.txt /d",
		"sh n=e; cat DIR/d/$n.txt":                        "/d/e.txt",
		"sh n=zz; n=e; cat DIR/d/$n.txt":                  "/d/e.txt /d",
		"sh D=$(echo DIR/d); cat $D/e.txt":                "/d",
		"sh cat DIR/{a,z}.txt":                            "/a.txt",
		"sh cat DIR/{a,d/{e,f}}.txt":                      "/a.txt /d/e.txt",
		"sh cat DIR/d/e{1..2}.txt":                        "/d",
		"sh cat DIR/d/@(e|f).txt":                         "/d",
		"sh cat ${UNKNOWN:-DIR/d}/e.txt":                  "/d",
		"sh HOME=DIR/d; cat ~/e.txt":                      "/d/e.txt",
		"sh HOME=DIR/d; cat <~/e.txt":                     "/d/e.txt",
		"sh { cat DIR/a.txt; }":                           "/a.txt",
		"open('DIR/d/'+'e.txt')":                          "/d/",
		"open(\"DIR/d/\"+\"e.txt\")":                      "/d/",
		"open('DIR/d'+'/e.txt')":                          "/d",
		"open('DIR/d/'+n+'.txt')":                         "/d/",
		"open(''.join(['DIR/d/','e.txt']))":               "/d/",
		"open('/'.join(['DIR/d','e.txt']))":               "/d",
		"perl open F,'DIR/d/'.'e.txt'":                    "/d/",
		"open(f'DIR/d/sub-{n}_mask.txt')":                 "/d",
		"open('DIR/d/sub-%s.txt' % n)":                    "/d",
		"json.loads('{\"a\": \"DIR/a.txt\", \"b\": 1}')":  "/a.txt",
	} {
		e := newExec()
		e.Environment = []string{"PRGNN_DIR"}
		line, shell := strings.CutPrefix(strings.ReplaceAll(text, "DIR/", dir+"/"), "sh ")
		line = strings.ReplaceAll(line, "PRGNN_"+dir, "PRGNN_DIR")
		got := lists.Map(e.pathsIn(line, shell), func(p string) string { return strings.TrimPrefix(p, dir) })
		if text := strings.Join(got, " "); len(got) == 0 && want != "none" || len(got) > 0 && text != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestHomeOfCommands: ~/ is the home that the command sees, and not that of the caller.
func TestHomeOfCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths with slashes")
	}
	of := func(environment ...string) string {
		e := newExec()
		e.Command, e.Environment = []string{"sh", "-c", "cat ~/a.txt {{b,c}}"}, environment
		for _, c := range e.CodeFiles(func(string) bool { return false }) {
			if filepath.Base(c.Paths[0]) == "a.txt" {
				return c.Paths[0]
			}
		}
		return ""
	}
	caller, own := t.TempDir(), t.TempDir()
	for _, dir := range []string{caller, own} {
		need.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o644))
	}
	t.Setenv("HOME", caller)
	need.Equal(t, of("HOME="+own), filepath.Join(own, "a.txt"), "set")
	need.Equal(t, of("HOME"), filepath.Join(caller, "a.txt"), "passed on")
	need.Equal(t, of(), "", "not seen")
}
