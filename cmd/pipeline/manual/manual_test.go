package manual

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"prgnn/internal/need"
)

// A page has each command with its flags, and texts that roff would take for requests come
// out as they are.
func TestWrite(t *testing.T) {
	root := &cobra.Command{Use: "tool COMMAND", Short: "a tool", Long: "First\n.so evil\n\n  a  b\n  c\\d"}
	root.PersistentFlags().Bool("json", false, "one object a line …")
	one := &cobra.Command{Use: "one FILE", Short: "does one thing", Example: "  tool one x-y\n'quoted", Run: func(*cobra.Command, []string) {}}
	one.Flags().IntP("jobs", "j", 0, "run `N` tasks")
	root.AddCommand(one, &cobra.Command{Use: "secret", Hidden: true, Run: func(*cobra.Command, []string) {}})
	var b bytes.Buffer
	need.NoError(t, Write(&b, root, "1.2.3"))
	for _, want := range []string{".TH TOOL 1 \"\" \"tool 1.2.3\"", "\n\\&.so evil\n", ".nf\n  a  b\n  c\\ed\n.fi", ".SS tool one FILE", ".B \\-j, \\-\\-jobs N\nrun N tasks", "\n\\&'quoted\n", ".B \\-\\-json\none object a line ..."} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "secret") {
		t.Error("a hidden command is in the page")
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		need.Missing(t, "%v: apt-get install groff", err)
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = &b
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}
