package stages

import (
	"bytes"
	"context"
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"prgnn/internal/need"
)

// browser finds a Chromium, or skips.
func browser(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes too long for -short")
	}
	return need.Program(t, "chromium", os.Getenv("CHROMIUM"), "chromium-browser", "google-chrome", "chromium")
}

// visit opens a page headless, with software WebGL and no name server, and returns what
// the document is after its scripts have run, and what the console says.
func visit(t *testing.T, path string, flags ...string) (dom string, console []string) {
	t.Helper()
	out, log, net := openPage(t, path, flags)
	for line := range strings.Lines(log) {
		if strings.Contains(line, ":CONSOLE") && !strings.Contains(line, "GL Driver Message") {
			console = append(console, strings.TrimSpace(line))
		}
	}
	// Addresses that the page asked for: none but its own file and data in it.
	for line := range strings.Lines(net) {
		// Chromium has errands of its own, which no page began.
		if m := regexp.MustCompile(`"url":"((?:https?|wss?|ftp):[^"]{0,60})`).FindStringSubmatch(line); m != nil && regexp.MustCompile(`"initiator":"(?:file|null|data)`).MatchString(line) {
			t.Errorf("the page asks the network for %s", m[1])
		}
	}
	return out, console
}

// openPage runs the browser; its log and that of its network are what it leaves. Now and then a
// headless Chromium does not come to its end, whatever page it has: then it is asked again.
func openPage(t *testing.T, path string, flags []string) (dom, log, network string) {
	t.Helper()
	for try := 1; ; try++ {
		dir := profile(t)
		net := filepath.Join(dir, "net.json")
		args := append([]string{
			"--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run", "--mute-audio", "--hide-scrollbars",
			"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-dev-shm-usage", "--disable-quic",
			"--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + dir, "--log-net-log=" + net, "--enable-logging=stderr",
			"--virtual-time-budget=10000", "--run-all-compositor-stages-before-draw",
		}, flags...)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		cmd := exec.CommandContext(ctx, browser(t), append(args, "file://"+path)...)
		var out, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &log
		cmd.WaitDelay = 10 * time.Second
		err := cmd.Run()
		hung := ctx.Err() != nil
		cancel()
		switch {
		case err == nil:
			b := need.Value(os.ReadFile(net))(t)
			return out.String(), log.String(), string(b)
		case !hung || try == 3:
			t.Fatalf("chromium: %v\n%.2000s", err, log.String())
		}
		t.Logf("chromium has not come to its end: once more")
	}
}

// asked is what asks a page, after it has settled, for what a person would see of it.
const asked = `
const wait = async () => { for (let i = 0; i < 400 && !document.documentElement.dataset.viewer; i++) await new Promise(r => setTimeout(r, 20)) }
addEventListener('load', async () => {
  await wait()
  const where = document.getElementById('where'), canvas = document.getElementById('brain'), said = [where.textContent]
  for (const key of ['ArrowRight', 'PageDown']) {
    canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    said.push(where.textContent)
  }
  const places = [...document.querySelectorAll('button.place')]
  places[3].click()
  said.push(where.textContent, places[3].textContent)
  const st = document.createElement('pre')
  st.id = 'st'
  const result = {
    said, places: places.length,
    wide: document.documentElement.scrollWidth - innerWidth,
    broken: [...document.images].filter(i => !i.complete || i.naturalWidth < 50).length, images: document.images.length,
  }
  if (globalThis.axe) {
    const r = await axe.run(document)
    result.passes = r.passes.length
    result.violations = r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 120) + ' ' + n.failureSummary).join(' | '))
  }
  st.textContent = JSON.stringify(result)
  document.body.append(st)
})`

// A person can read the report with a mouse or a keyboard, with eyes or ears, in the
// light and in the dark, on a wide screen and on a phone, with WebGL and without.
func TestReportInBrowser(t *testing.T) {
	browser(t)
	page := wholeReport(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	need.NoError(t, os.WriteFile(path, page, 0o644))
	for _, part := range []string{"Permutation test (", "Comparison of classifiers", "Variations of the model", "Other classifiers", "Effect of masking the top regions", "Agreement of rankings", "Individual or group level"} {
		if !regexp.MustCompile(`\d\.(</strong>)? ` + regexp.QuoteMeta(part)).Match(page) {
			t.Errorf("the report has nothing headed %q", part)
		}
	}
	t.Run("as it is", func(t *testing.T) {
		shot := filepath.Join(dir, "shot.png")
		_, console := visit(t, path, "--window-size=1280,7800", "--screenshot="+shot)
		for _, line := range console {
			t.Errorf("the console says: %s", line)
		}
		b := need.Value(os.ReadFile(shot))(t)
		img := need.Value(png.Decode(bytes.NewReader(b)))(t)
		warm, cross, box := 0, 0, img.Bounds()
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				r, g, b, _ := img.At(x, y).RGBA()
				switch r, g, b := r>>8, g>>8, b>>8; {
				case r > 225 && g > 60 && g < 190 && b < 110: // scores, from yellow to red
					warm++
				case r < 40 && g > 105 && g < 130 && b > 165 && b < 195: // its crosshair
					cross++
				}
			}
		}
		if warm < 2000 || cross < 100 {
			t.Errorf("the viewer shows %d points of a region and %d of its crosshair", warm, cross)
		}
	})
	t.Run("without WebGL", func(t *testing.T) {
		dom, console := visit(t, path, "--disable-3d-apis", "--dump-dom")
		for _, line := range console {
			t.Errorf("the console says: %s", line)
		}
		if !regexp.MustCompile(`<div id="viewer"[^>]* hidden`).MatchString(dom) || strings.Contains(dom, `<button type="button" class="place"`) || !strings.Contains(dom, `<span class="place"`) {
			t.Error("a viewer that cannot work is shown")
		}
	})
	// Asked by a script, which the page's own policy would refuse: it is taken out.
	axe, err := os.ReadFile("report/web/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Run("axe-core", func(t *testing.T) { need.Missing(t, "no axe-core, which judges accessibility: make web") })
	}
	open := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAll(page, nil)
	end := bytes.LastIndex(open, []byte("</body>"))
	open = slices.Concat(open[:end], []byte("<script>"+string(axe)+"</script><script>"+asked+"</script>"), open[end:])
	asking := filepath.Join(dir, "asked.html")
	need.NoError(t, os.WriteFile(asking, open, 0o644))
	for name, flags := range map[string][]string{
		"narrow and light": {"--window-size=390,800"},
		"wide and dark":    {"--window-size=1280,900", "--blink-settings=preferredColorScheme=0"},
	} {
		t.Run(name, func(t *testing.T) {
			dom, console := visit(t, asking, append(flags, "--dump-dom")...)
			for _, line := range console {
				t.Errorf("the console says: %s", line)
			}
			m := regexp.MustCompile(`<pre id="st">(.*?)</pre>`).FindStringSubmatch(dom)
			if m == nil {
				t.Fatal("the page does not answer")
			}
			var got struct {
				Said                                 []string
				Places, Wide, Broken, Images, Passes int
				Violations                           []string
			}
			unescape := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
			need.NoError(t, json.Unmarshal([]byte(unescape.Replace(m[1])), &got))
			if got.Wide > 0 || got.Broken > 0 || got.Images < 8 || got.Places < 20 {
				t.Errorf("%+v", got)
			}
			// The crosshair begins at the first region; each key and each name moves it.
			said := got.Said
			if len(said) != 5 || !strings.Contains(said[0], "rank 1 ") || said[0] == said[1] || said[1] == said[2] ||
				said[2] == said[3] {
				t.Errorf("it says %q", said)
			} else if !strings.HasPrefix(said[3], said[4]+" ") || !strings.Contains(said[3], "rank 4 ") {
				t.Errorf("the name %s leads to %s", said[4], said[3])
			}
			for _, v := range got.Violations {
				t.Error(v)
			}
			if axe != nil && got.Passes < 10 {
				t.Errorf("axe looked at %d rules", got.Passes)
			}
		})
	}
}
