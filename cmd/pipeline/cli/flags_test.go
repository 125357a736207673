package cli

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/console"
	"prgnn/internal/need"
)

// groff has a glyph for every character of the manual page, on every device.
func TestManualPageInGroff(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		need.Missing(t, "%v: apt-get install groff", err)
	}
	var page bytes.Buffer
	if code := run([]string{"help", "--man"}, &page, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for _, device := range []string{"utf8", "ascii", "latin1", "ps"} {
		cmd := exec.Command(groff, "-man", "-T"+device, "-ww", "-z")
		cmd.Stdin = bytes.NewReader(page.Bytes())
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", device, err, out)
		}
	}
}

// Each command is listed under its own name, and made alone it is the same one.
func TestCommandsAlone(t *testing.T) {
	for _, c := range commands {
		all := (&app{Console: console.New(nil, io.Discard, io.Discard)}).root("")
		alone := (&app{Console: console.New(nil, io.Discard, io.Discard)}).root(c.name)
		var texts [2]string
		for i, root := range []*cobra.Command{all, alone} {
			cmd, _, err := root.Find([]string{c.name})
			if err != nil || cmd.Name() != c.name {
				t.Fatalf("%s: found %s, %v", c.name, cmd.Name(), err)
			}
			var text strings.Builder
			root.SetOut(&text)
			need.NoError(t, cmd.Help())
			texts[i] = text.String()
		}
		need.Equal(t, texts[1], texts[0], c.name)
	}
}
