package stages

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/draw"
	"prgnn/stages/stagetest"
)

// faults lists, for the page at its present width, texts of a figure that overlap each other or leave the figure,
// tables and
// figures whose hidden part shows no scroll shadow, and a page that is wider than its window. Boxes of texts are those
// of
// their ink: from the height of capitals (0.74 em) to the descenders (0.21 em) of Liberation Sans.
const faults = `(async () => {
  const found = []
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is " + document.documentElement.scrollWidth + " px wide")
  if (!matchMedia("print").matches) for (const box of document.querySelectorAll(".scroll, .pan")) {
    if (box.scrollWidth <= box.clientWidth + 1) continue
    const style = getComputedStyle(box)
    if (style.overflowX !== "auto" || !(style.backgroundImage.includes("gradient") || box.offsetHeight - box.clientHeight > 4)) found.push("nothing shows that " + box.getAttribute("aria-label") + " scrolls")
  }
  let scans = 0
  const texts = []
  for (const img of document.querySelectorAll("img[src^='data:image/svg']")) {
    if (!img.clientWidth) continue // not printed
    if (img.closest("figure").querySelector(".rating") && ++scans > 2) continue // all scans have the same figure
    const frame = document.createElement("div"), doc = new DOMParser().parseFromString(await (await fetch(img.src)).text(), "image/svg+xml")
    const svg = document.importNode(doc.documentElement, true), name = img.alt.slice(0, 60)
    for (const image of svg.querySelectorAll("image")) image.remove()
    svg.style.cssText = "width:" + img.clientWidth + "px;height:" + img.clientHeight + "px;overflow:visible"
    frame.style.cssText = "position:fixed;left:0;top:0;visibility:hidden"
    frame.append(svg)
    document.body.append(frame)
    svg.getBoundingClientRect()
    await document.fonts.ready
    const whole = svg.getBoundingClientRect(), boxes = []
    for (const text of svg.querySelectorAll("text")) {
      for (const run of text.querySelector("tspan") ? text.querySelectorAll("tspan") : [text]) {
        if (!run.textContent.trim()) continue
        const style = getComputedStyle(run)
        if (style.fontFamily.includes("PRGNN Sans")) texts.push({ text: run.textContent, bold: style.fontWeight >= 600, size: parseFloat(style.fontSize), width: run.getComputedTextLength() })
        const box = run.getBBox(), em = parseFloat(style.fontSize), base = box.y + 0.905 * em, at = text.getScreenCTM()
        const corners = [[box.x, base - 0.74 * em], [box.x + box.width, base - 0.74 * em], [box.x, base + 0.21 * em], [box.x + box.width, base + 0.21 * em]].map(([x, y]) => new DOMPoint(x, y).matrixTransform(at))
        const x = corners.map(p => p.x), y = corners.map(p => p.y)
        boxes.push({ text: run.textContent, left: Math.min(...x), right: Math.max(...x), top: Math.min(...y), bottom: Math.max(...y) })
      }
    }
    boxes.forEach((a, i) => {
      if (a.left < whole.left - 0.5 || a.right > whole.right + 0.5 || a.top < whole.top - 0.5 || a.bottom > whole.bottom + 0.5) found.push(name + ": " + a.text + " leaves the figure")
      for (const b of boxes.slice(0, i))
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.3 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.3) found.push(name + ": " + a.text + " overlaps " + b.text)
    })
    frame.remove()
  }
  return { found, texts }
})()`

// TestLayoutInBrowser: no text of a figure overlaps another or leaves its figure, and what is wider than the window
// says so,
// on a desk, a tablet, a phone and paper.
func TestLayoutInBrowser(t *testing.T) {
	browser(t)
	dir := t.TempDir()
	pages := map[string]func(t *testing.T) []byte{
		"everything": wholeReport,
		"quick.yaml": quickReport,
	}
	if own := os.Getenv("PRGNN_REPORT"); own != "" { // another page, to look for its faults
		pages = map[string]func(t *testing.T) []byte{own: func(t *testing.T) []byte {
			b := need.Value(os.ReadFile(own))(t)
			return b
		}}
	}
	for name, make := range pages {
		t.Run(name, func(t *testing.T) {
			// Its policy would refuse the styles of the figures, which the script puts into the page to measure them.
			page := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAll(make(t), nil)
			path := filepath.Join(dir, "open.html")
			need.NoError(t, os.WriteFile(path, page, 0o644))
			// The viewer is measured in the page of quick.yaml.
			s := startSession(t, path, dir, view{without3D: name == "everything"})
			for _, width := range []int{1280, 768, 390, 680} { // 680 px: the text width of A4
				media := "screen"
				if width == 680 {
					media = "print"
				}
				s.call("Emulation.setEmulatedMedia", map[string]any{"media": media}, nil)
				s.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
				var got struct {
					Found []string
					Texts []struct {
						Text        string
						Bold        bool
						Size, Width float64
					}
				}
				need.NoError(t, json.Unmarshal([]byte(s.ask("", faults)), &got))
				if len(got.Texts) < 200 {
					t.Errorf("%s, %d px: %d texts in all figures", media, width, len(got.Texts))
				}
				for _, one := range got.Texts { // kerning, which viewers need not do, is less than 3%
					if want := draw.Style(one.Size,
						one.Bold).Width(one.Text).Points(); math.Abs(one.Width-want) > 0.03*want+0.5 {
						t.Errorf("%s, %d px: %q is %.1f points wide, but was measured as %.1f", media, width, one.Text, one.Width, want)
					}
				}
				for _, fault := range got.Found {
					t.Errorf("%s, %d px: %s", media, width, fault)
				}
			}
			// The first screen has a line of each of the first cautions, and the brain.
			s.call("Emulation.setEmulatedMedia", map[string]any{"media": "screen"}, nil)
			for _, size := range [][2]int{{1280, 800}, {390, 844}} {
				s.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": size[0], "height": size[1], "deviceScaleFactor": 1,
					"mobile": false}, nil)
				s.ask(`""`, `(scrollTo({ top: 0, behavior: "instant" }), [...document.querySelectorAll("#cautions ~ ol > li, .pictures img")].map(e => {
					const r = e.getBoundingClientRect();
					return (e.tagName === "IMG" ? r.bottom : r.top + 22) - innerHeight;
				}).filter(d => d > 0).join())`)
			}
		})
	}
}

// Tables of many numbers with ranges and intervals fit on a desk: their cells break between their parts.
func TestTablesFitInBrowser(t *testing.T) {
	browser(t)
	people := stagetest.SomeParticipants(80, "HC", "PAT")
	for k, name := range []string{"age", "mean_fd", "IQ", "score", "weight"} {
		values := make([]float64, 80)
		for i := range values {
			values[i] = 123.4 + float64(i*(k+3)%80)
		}
		values[k] = math.NaN()
		people.Columns = append(people.Columns, encoding.Column{Name: name, Values: values})
	}
	evaluation, scores := stagetest.Evaluated(0.8, 0.7, 0.9)
	page := stagetest.Encoded(t, stagetest.MustRun(t, stagetest.Fresh("report"), map[string][]dag.Input{
		"participants": {dag.InputOf(people)}, "evaluation": {dag.InputOf(evaluation)},
		"scores": {dag.InputOf(scores)}})["page"])
	dir := t.TempDir()
	path := filepath.Join(dir, "tables.html")
	need.NoError(t, os.WriteFile(path, page, 0o644))
	s := startSession(t, path, dir, view{width: 1280, height: 900, without3D: true})
	s.ask("true", `(document.querySelectorAll("details").forEach(d => d.open = true), document.querySelectorAll(".scroll").length > 3)`)
	s.ask(`""`, `[...document.querySelectorAll(".scroll")].filter(b => b.scrollWidth > b.clientWidth + 1).map(b =>
		b.getAttribute("aria-label") + " " + b.scrollWidth + " > " + b.clientWidth).join("; ")`)
	s.ask("true", `[...document.querySelectorAll("td .whole")].every(w => w.getClientRects().length === 1)`)
}

// quickPage is the page of quickReport, once it is there.
var quickPage []byte

// quickReport runs quick.yaml, once for all tests, and returns the page of its report.
func quickReport(t *testing.T) []byte {
	t.Helper()
	if quickPage != nil {
		return quickPage
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "pipeline")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program,
		"prgnn/cmd/pipeline").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The curves of a short training have the same texts.
	run := exec.Command(program, "run", "-q", "quick.yaml", "--set", "train.epochs=10")
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	quickPage = need.Value(os.ReadFile(filepath.Join(dir, "quick.html")))(t)
	return quickPage
}
