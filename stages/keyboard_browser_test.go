package stages

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
)

// atStop compares the element that has the focus with the stop of this number in the order of the document: all that
// can be operated, and all that scrolls. It says what is wrong, and how many stops the page has now.
const atStop = `window.atStop = n => {
  const scrolls = e => {
    const { overflowX, overflowY } = getComputedStyle(e), can = o => o === "auto" || o === "scroll"
    return can(overflowX) && e.scrollWidth > e.clientWidth || can(overflowY) && e.scrollHeight > e.clientHeight
  }
  const stops = [...document.body.querySelectorAll("*")].filter(e => (e.matches("a[href], button, summary, select, input, textarea, canvas") || scrolls(e)) && e.checkVisibility({ visibilityProperty: true }))
  const e = document.activeElement, want = stops[n], faults = [], style = getComputedStyle(e)
  const name = e => e ? e.tagName + " " + (e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent).trim().slice(0, 50) : "nothing"
  if (e !== want) faults.push("the focus is on " + name(e) + ", want " + name(want))
  if (!name(e).replace(e.tagName, "").trim()) faults.push(e.outerHTML.slice(0, 80) + " has no name")
  if (!e.matches(":focus-visible") || style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) faults.push("the focus on " + name(e) + " is not visible")
  if (scrolls(e) && !(e.getAttribute("role") === "region" && e.hasAttribute("aria-label"))) faults.push(name(e) + " scrolls, and is no region with a name")
  const box = e.getClientRects()[0], left = Math.max(0, box.left), right = Math.min(innerWidth, box.right), top = Math.max(0, box.top), bottom = Math.min(innerHeight, box.bottom)
  if (left >= right || top >= bottom) faults.push(name(e) + " is outside the window")
  else {
    const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    if (!e.contains(over)) faults.push(name(e) + " is covered by " + name(over))
  }
  const kind = e.matches("summary") ? e.parentNode.open ? "" : "folded" : e.matches(".controls button, .rating button") ? "toggle" : e.matches("[type=checkbox]") ? "check" : e.tagName
  return { faults, kind, stops: stops.length }
}`

// A stop is what atStop says.
type stop struct {
	Faults []string
	Kind   string
	Stops  int
}

// stop looks at the stop of this number, where the focus should be.
func (s *session) stop(n int) (got stop) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(s.ask("", fmt.Sprintf("atStop(%d)", n))), &got); err != nil {
		s.t.Fatal(err)
	}
	for _, fault := range got.Faults {
		s.t.Errorf("stop %d of %d: %s", n+1, got.Stops, fault)
	}
	if len(got.Faults) > 0 && s.ask("", "document.activeElement === document.body") == "true" {
		s.t.FailNow()
	}
	return got
}

// operate uses the element that has the focus, by keys alone.
func (s *session) operate(kind string) {
	s.t.Helper()
	const state = `document.getElementById("where").textContent`
	switch kind {
	case "folded":
		s.press(" ", 0)
		s.ask("true", `new Promise(done => setTimeout(() => done(document.activeElement.parentNode.open), 50))`)
	case "toggle":
		s.press(" ", 0)
		s.ask(`"true"`, `document.activeElement.getAttribute("aria-pressed")`)
	case "check":
		for _, checked := range []string{"false", "true"} {
			s.press(" ", 0)
			s.ask(checked, `document.activeElement.checked`)
		}
	case "INPUT":
		s.press("ArrowRight", 0)
		s.ask("true", `+document.activeElement.value > 0`)
	case "CANVAS": // the button before it chose the surface
		for _, key := range []string{"ArrowRight", "PageUp"} {
			before := s.ask("", state)
			s.press(key, 0)
			if s.ask("", state) == before {
				s.t.Errorf("%s leaves the crosshair at %s", key, before)
			}
		}
		before := s.canvas()
		s.press("ArrowRight", 8)
		if s.canvas() == before {
			s.t.Error("Shift+ArrowRight does not turn the surface")
		}
		s.press("ArrowLeft", 8)
		if s.canvas() != before {
			s.t.Error("Shift+ArrowLeft does not turn the surface back")
		}
	}
}

// canvas is what the viewer shows, as a PNG in base64.
func (s *session) canvas() string {
	s.t.Helper()
	var box struct{ X, Y, Width, Height float64 }
	if err := json.Unmarshal([]byte(s.ask("", `new Promise(done => requestAnimationFrame(() => { const r = document.getElementById("brain").getBoundingClientRect(); `+
		`done({ x: r.x + scrollX + 8, y: r.y + scrollY + 8, width: r.width - 16, height: r.height - 16 }) }))`)), &box); err != nil {
		s.t.Fatal(err)
	}
	var shot struct{ Data string }
	s.call("Page.captureScreenshot", map[string]any{"clip": map[string]any{
		"x": box.X, "y": box.Y, "width": box.Width, "height": box.Height, "scale": 1}}, &shot)
	return shot.Data
}

// TestKeyboardInBrowser: Tab leads through all of quick.yaml's report in the order of the document and back, to
// everything that can be operated or scrolled; the focus is visible, and keys do what the mouse does.
func TestKeyboardInBrowser(t *testing.T) {
	browser(t)
	axe, err := os.ReadFile("report/web/node_modules/axe-core/axe.min.js")
	if err != nil {
		need.Missing(t, "no axe-core, which judges accessibility: make web")
	}
	dir := t.TempDir()
	page := filepath.Join(dir, "quick.html")
	if own := os.Getenv("PRGNN_REPORT"); own != "" { // another page
		page = own
	} else {
		need.NoError(t, os.WriteFile(page, quickReport(t), 0o644))
	}
	for _, width := range []int{1280, 390} { // on a phone's width, most tables and figures scroll
		t.Run(fmt.Sprint(width, " px"), func(t *testing.T) {
			s := startSession(t, page, dir, view{})
			s.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{
				{"name": "prefers-reduced-motion", "value": "reduce"}}}, nil) // the window is where the focus is at once
			s.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
			// The page looks at what scrolls once a frame has the new width.
			s.ask(`"ready"`, `new Promise(async done => { const of = document.documentElement.dataset; `+
				fmt.Sprintf(`while (!of.viewer || innerWidth !== %d) await new Promise(r => setTimeout(r, 20)); `, width)+
				`requestAnimationFrame(() => requestAnimationFrame(() => done(of.viewer))) })`)
			s.ask("", atStop)
			kinds, last := map[string]int{}, 0
			for n, stops := 0, 1; n < stops && !t.Failed(); n++ {
				s.press("Tab", 0)
				at := s.stop(n)
				s.operate(at.Kind)
				kinds[at.Kind]++
				if stops, last = at.Stops, n; at.Kind == "folded" {
					stops = s.stop(n).Stops // with what was folded
				}
			}
			for kind, least := range map[string]int{"folded": 10, "toggle": 20, "A": 10,
				"BUTTON": 50, "CANVAS": 1, "check": 1, "INPUT": 1, "SELECT": 1} {
				if kinds[kind] < least {
					t.Errorf("%d stops of the kind %s, want at least %d", kinds[kind], kind, least)
				}
			}
			if width < 500 && kinds["DIV"] < 20 {
				t.Errorf("%d stops are tables and figures that scroll", kinds["DIV"])
			}
			for n := last - 1; n >= 0 && !t.Failed(); n-- {
				s.press("Tab", 8)
				s.stop(n)
			}
			s.press("Enter", 0) // the skip link
			s.ask(`"main"`, `document.activeElement.id`)
			s.press("Tab", 0)
			s.ask("true", `!!document.activeElement.closest("main")`)
			t.Run("axe-core, unfolded", func(t *testing.T) {
				s.ask("", string(axe)+"; 0")
				var got struct {
					Passes     int
					Violations []string
				}
				answer := s.ask("", `axe.run(document).then(r => ({ passes: r.passes.length, violations: `+
					`r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 120) + " " + n.failureSummary).join(" | ")) }))`)
				need.NoError(t, json.Unmarshal([]byte(answer), &got))
				for _, v := range got.Violations {
					t.Error(v)
				}
				if got.Passes < 10 {
					t.Errorf("axe looked at %d rules", got.Passes)
				}
			})

			// The scan whose buttons have the focus is rated, wherever the page has scrolled to.
			s.ask("", `document.querySelectorAll(".rating")[1].firstChild.focus(); scrollTo(0, 0)`)
			s.press("m", 0)
			s.press("f", 0)
			s.ask(`"maybe fail"`, `[1, 2].map(i => document.querySelectorAll(".rating")[i].querySelector("[aria-pressed=true]")?.textContent).join(" ")`)
			s.ask("true", `document.querySelectorAll(".rating")[3].contains(document.activeElement)`)
		})
	}
}
