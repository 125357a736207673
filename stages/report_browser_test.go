package stages

import (
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/stagetest"
)

// settled is true once the viewer has drawn, or has given up.
const settled = `(async () => {
  for (let i = 0; i < 3000 && !document.documentElement.dataset.viewer; i++) await new Promise(r => setTimeout(r, 20))
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
  return !!document.documentElement.dataset.viewer
})()`

// viewed are how many points of a picture have the colors of scores, and of the crosshair of the viewer.
func viewed(img image.Image) (warm, cross int) {
	for y, box := img.Bounds().Min.Y, img.Bounds(); y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			switch r, g, b := r>>8, g>>8, b>>8; {
			case r > 225 && g > 60 && g < 190 && b < 110: // from yellow to red
				warm++
			case r < 40 && g > 105 && g < 130 && b > 165 && b < 195:
				cross++
			}
		}
	}
	return warm, cross
}

// seen is what a person would see of the page.
const seen = `(async () => {
  const where = document.getElementById('where'), canvas = document.getElementById('brain'), said = [where.textContent]
  for (const key of ['ArrowRight', 'PageDown']) {
    canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    said.push(where.textContent)
  }
  const places = [...document.querySelectorAll('button.place')]
  places[3].click()
  said.push(where.textContent, places[3].textContent)
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
  return result
})()`

// A person can read the report with a mouse or a keyboard, with eyes or ears, in the
// light and in the dark, on a wide screen and on a phone, with WebGL and without.
func TestReportInBrowser(t *testing.T) {
	browser(t)
	page := wholeReport(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	need.NoError(t, os.WriteFile(path, page, 0o644))
	for _, part := range []string{"Permutation test", "Comparison of classifiers", "Variations of the model", "Other classifiers", "Effect of masking the top regions", "Agreement of rankings", "Individual or group level"} {
		if !regexp.MustCompile(`\d\.(</strong>)? ` + regexp.QuoteMeta(part)).Match(page) {
			t.Errorf("the report has nothing headed %q", part)
		}
	}
	t.Run("as it is", func(t *testing.T) {
		s := startSession(t, path, dir, view{height: 2400, bare: true})
		s.ask("true", settled)
		warm, cross := 0, 0
		for range 20 { // a browser under load shows what was drawn some frames later
			s.ask("true", `(document.getElementById("viewer").scrollIntoView(), true)`)
			if warm, cross = viewed(s.picture()); warm >= 2000 && cross >= 100 {
				break
			}
		}
		s.quiet()
		if warm < 2000 || cross < 100 {
			t.Errorf("the viewer shows %d points of a region and %d of its crosshair", warm, cross)
		}
	})
	t.Run("without WebGL", func(t *testing.T) {
		s := startSession(t, path, dir, view{without3D: true})
		s.ask("true", `document.getElementById("viewer").hidden`)
		s.ask("0", `document.querySelectorAll("button.place").length`)
		s.ask("true", `document.querySelectorAll("span.place").length > 0`)
		s.quiet()
	})
	axe, err := os.ReadFile("report/web/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Run("axe-core", func(t *testing.T) { need.Missing(t, "no axe-core, which judges accessibility: make web") })
	}
	for name, v := range map[string]view{
		"narrow and light": {width: 390, height: 800, bare: true},
		"wide and dark":    {dark: true, bare: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := startSession(t, path, dir, v)
			s.ask("true", settled)
			s.ask("", string(axe)+";0")
			var got struct {
				Said                                 []string
				Places, Wide, Broken, Images, Passes int
				Violations                           []string
			}
			need.NoError(t, json.Unmarshal([]byte(s.ask("", seen)), &got))
			s.quiet()
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

// Every figure can be saved, at 300 dots an inch: also the drawing of the stages, whose size is in pixels.
func TestFiguresAreSaved(t *testing.T) {
	browser(t)
	drawing := artifacts.Bytes{Kind: "svg", Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 48" width="96" height="48"></svg>`)}
	page := stagetest.Encoded(t, stagetest.MustRun(t, stagetest.Fresh("report"), map[string][]dag.Input{
		"participants": {dag.InputOf(stagetest.SomeParticipants(20, "ASD", "HC"))},
		"settings":     stagetest.ReportInputs("a", "b", "c")["settings"],
		"overview":     {dag.InputOf(drawing)},
	})["page"])
	path := filepath.Join(t.TempDir(), "report.html")
	need.NoError(t, os.WriteFile(path, page, 0o644))
	s := startSession(t, path, t.TempDir(), view{without3D: true, bare: true})
	s.ask("true", `(window.all = [...document.querySelectorAll("figure")]).length > 0`)
	s.ask("0", `all.filter(f => f.querySelectorAll(".save button").length !== 2).length`)
	s.ask("300", `(async () => { const saved = new Promise(done => URL.createObjectURL = b => (done(b), "#"));
		all.at(-1).querySelectorAll(".save button")[1].click(); return (await createImageBitmap(await saved)).width })()`)
	s.quiet()
}

// A reader restricts the specification curve by decision, and sees the settings of a universe.
func TestMultiverseInBrowser(t *testing.T) {
	browser(t)
	out := stagetest.MustRun(t, stagetest.Fresh("multiverse", "headline", []any{"model=b"}), stagetest.Multiverse())
	settings := column.Table([]finding.Parameter{{Stage: "clean", Kind: "denoise", Parameter: "detrend",
		Value: []string{"1"}}})
	decision := column.Decision{Name: "model"}
	for _, o := range []string{"a", "b", "c"} {
		decision.Options = append(decision.Options, column.Option{Name: o, Sets: []column.OptionSet{
			{Stage: "clean", Parameter: "detrend", Value: []string{o}}}})
	}
	settings.Meta = map[string]string{column.SettingDecisions: column.JSON(column.Decisions{
		Decisions: []column.Decision{decision}, Universes: [][]int32{{0}, {1}, {2}}})}
	page := stagetest.Encoded(t, stagetest.MustRun(t, stagetest.Fresh("report"), map[string][]dag.Input{
		"participants":     {dag.InputOf(stagetest.SomeParticipants(20, "ASD", "HC"))},
		"settings":         {dag.InputOf(settings)},
		"universe_tests":   {dag.InputOf(out["joint"])},
		"universe_options": {dag.InputOf(out["options"])},
		"universes":        {dag.InputOf(out["universes"])},
	})["page"])
	path := filepath.Join(t.TempDir(), "report.html")
	need.NoError(t, os.WriteFile(path, page, 0o644))
	s := startSession(t, path, t.TempDir(), view{width: 768, without3D: true, bare: true})
	s.ask("false", `(window.box = document.querySelector("details.curve")).hidden`)
	s.ask("true", `(async () => { box.open = true; await new Promise(done => setTimeout(done, 100)); return !!box.querySelector("svg") })()`)
	shows := `box.querySelectorAll("circle.filled, circle.hollow").length`
	s.ask("2", shows) // c predicts as b does
	s.ask("true", `box.querySelector("[role=status]").textContent.includes(", headline")`)
	s.ask(`"clean.detrend = b"`, `box.querySelector("dd").textContent`)
	// The slider and the pointer lead to the other one.
	s.ask(`"clean.detrend = a"`, `(() => { const s = box.querySelector("[type=range]"); s.value = 3 - s.value; `+
		`s.dispatchEvent(new Event("input")); return box.querySelector("dd").textContent })()`)
	s.ask(`"clean.detrend = b"`, `(() => { const r = box.querySelector("circle.ring").getBoundingClientRect(); `+
		`box.querySelector("svg").dispatchEvent(new PointerEvent("pointermove", { clientX: r.x + r.width / 2 })); `+
		`return box.querySelector("dd").textContent })()`)
	s.ask("true", `(box.querySelectorAll("[type=checkbox]")[0].click(), `+shows+` === 1)`)
	s.ask("true", `(box.querySelectorAll("[type=checkbox]")[1].click(), box.textContent.includes("No universe has these options"))`)
	s.ask("true", `document.documentElement.scrollWidth <= innerWidth`)
	if axe, err := os.ReadFile("report/web/node_modules/axe-core/axe.min.js"); err == nil {
		s.ask("", string(axe)+";0")
		s.ask("[]", `axe.run(document).then(r => r.violations.map(v => v.id + ": " + v.nodes[0].html))`)
	}
	s.quiet()
}
