package stages

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/present/participants"
	"prgnn/stages/report"
	"prgnn/stages/stagetest"
)

// TestRatingsInBrowser: in the page as a reader has it, keys and buttons rate the scan in view, the browser keeps the
// ratings, and the table that it saves is what a cohort's exclude reads.
func TestRatingsInBrowser(t *testing.T) {
	browser(t)
	dir := t.TempDir()
	page := filepath.Join(dir, "report.html")
	need.NoError(t, os.WriteFile(page, wholeReport(t), 0o644))
	s := startSession(t, page, dir, view{without3D: true})
	const rated = `[...document.querySelectorAll(".rating")].map(r => r.querySelector("[aria-pressed=true]")?.textContent ?? "n/a").join(" ")`
	scans := studied.scans(t)
	if len(scans) != 6 {
		t.Fatalf("%d scans", len(scans))
	}
	s.press("p", 0) // at the top of the page, where no scan is in view
	s.ask(`"n/a n/a n/a n/a n/a n/a"`, rated)
	s.ask("", `document.querySelector(".rating").closest("figure").scrollIntoView({ block: "center", behavior: "instant" })`)
	s.press("p", 2) // Ctrl+P prints
	s.ask(`"n/a n/a n/a n/a n/a n/a"`, rated)
	s.ask("", `document.querySelector(".ratings input").click()`) // off
	s.press("p", 0)
	s.ask(`"n/a n/a n/a n/a n/a n/a"`, rated)
	s.ask("", `document.querySelector(".ratings input").click()`)
	// Each key leads to the next scan at once: nobody waits for a page that scrolls.
	for _, key := range []string{"p", "2", "f", "1", "x", "3"} {
		s.press(key, 0)
	}
	s.ask(`"pass maybe fail pass fail n/a"`, rated)
	s.ask("", `[...document.querySelectorAll(".rating")[1].children].find(b => b.textContent === "pass").click()`)
	s.ask(`"5 of 6 rated."`, `document.querySelector(".ratings [role=status]").textContent`)
	s.ask(`[5,6]`, `(p => [p.value, p.max])(document.querySelector(".ratings progress"))`)
	s.ask(`"1 2 3"`, `[...document.querySelector(".rating").children].map(b => b.dataset.key).join(" ")`)
	// The scans without a rating, and the worst half by a measure, of which the greatest values are the worst.
	show := func(option string) string {
		return `(() => { const list = document.querySelector(".ratings select"), all = [...document.querySelectorAll(".rating")]
			list.selectedIndex = [...list.options].findIndex(o => o.textContent === "` + option + `")
			list.dispatchEvent(new Event("change"))
			const of = box => JSON.parse(box.dataset.measures).find(m => m[0] === "mean FD (mm)")[1]
			const shown = all.filter(box => !box.closest("figure").hidden), other = all.filter(box => !shown.includes(box))
			return [shown.length, other.every(box => shown.every(s => of(s) >= of(box)))] })()`
	}
	s.ask(`[3,true]`, show("the 3 worst in mean FD (mm)"))
	s.ask(`1`, show("scans without a rating")+`[0]`)
	s.ask(`6`, show("all scans")+`[0]`)
	// At 1280 × 900 a scan with its rating is on one screen.
	s.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1280, "height": 900, "deviceScaleFactor": 1,
		"mobile": false}, nil)
	s.ask("true", `[...document.querySelectorAll(".rating")].every(r => r.getBoundingClientRect().bottom -
		r.closest("figure").getBoundingClientRect().top + document.querySelector(".ratings").offsetHeight <= 900)`)
	s.ask("", `window.left = true`) // the page that is there has the same name
	s.call("Page.reload", nil, nil)
	s.arrive("report.html")
	s.settle(`"pass pass fail pass fail n/a"`, rated)
	s.ask("", `document.querySelector(".ratings button").click()`)

	var ids, ratings []string
	for i, in := range scans {
		ids, ratings = append(ids, in.Coord("subject")),
			append(ratings, []string{"pass", "pass", "fail", "pass", "fail", "n/a"}[i])
	}
	checkRatings(t, dir, ids, ratings)
}

// checkRatings compares the table of ratings that a page has saved, and what exclude reads in it.
func checkRatings(t *testing.T, dir string, ids, ratings []string) {
	t.Helper()
	path := filepath.Join(dir, "ratings.tsv")
	want := "participant_id\trating\n"
	var fail []string
	for i, id := range ids {
		want += id + "\t" + ratings[i] + "\n"
		if ratings[i] == "fail" {
			fail = append(fail, id)
		}
	}
	var got []byte
	var err error
	// The browser makes the file first, and fills it later.
	end := time.Now().Add(time.Minute)
	for ; string(got) != want && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		got, err = os.ReadFile(path)
	}
	need.NoError(t, err)
	if string(got) != want {
		t.Errorf("ratings.tsv\n%swant\n%s", got, want)
	}
	failed, err := listed.FailedRatings(path)
	if err != nil || !slices.EqualFunc(failed, fail, func(r listed.Rating, id string) bool { return r.ID == id }) {
		t.Errorf("exclude reads %v %v", failed, err)
	}
}

// TestScanPagesInBrowser: the report leads to the pages of the scans, a rating there leads to the next one, and the
// report knows all ratings, under whatever name it lies.
func TestScanPagesInBrowser(t *testing.T) {
	browser(t)
	dir := t.TempDir()
	picture := studied.scans(t)[0]
	var scans []dag.Input
	var ids, ratings []string
	for i := range 51 {
		id := fmt.Sprintf("sub-%02d", i+1)
		if i == 1 {
			id = "sub-02/ & <3>"
		}
		in := picture
		in.Coords = []dag.Coord{{Axis: "subject", Value: id}}
		scans, ids, ratings = append(scans, in), append(ids, id), append(ratings, "n/a")
	}
	in := map[string][]dag.Input{"scans": scans, "settings": stagetest.ReportInputs("a", "b", "c")["settings"]}
	page := filepath.Join(dir, "my study.html")
	files := map[string][]byte{page: stagetest.Encoded(t, stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"])}
	pages, err := participants.ScanPages(dag.NewTask(in))
	if err != nil || len(pages) != 51 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, p := range pages {
		html := need.Value(p.HTML())(t)
		files[filepath.Join(report.SheetDir(page), p.File)] = html
	}
	need.NoError(t, os.Mkdir(report.SheetDir(page), 0o777))
	for path, content := range files {
		need.NoError(t, os.WriteFile(path, content, 0o644))
	}
	s := startSession(t, strings.ReplaceAll(page, " ", "%20"), dir, view{without3D: true})
	s.arrive("my%20study.html")
	s.leave(`document.querySelector("a.sheet").click()`)
	for i, key := range []string{"p", "3", "m"} {
		s.arrive(strings.ReplaceAll(pages[i].File, "=", "%3D"))
		s.ask(`"`+ids[i]+`"`, `document.querySelector(".rating").dataset.participant`)
		s.settle("true", `document.getElementById("next") !== null`)
		// Not by press: the page is gone before the key is released.
		s.leave(fmt.Sprintf(`document.body.dispatchEvent(new KeyboardEvent("keydown", { key: %q, bubbles: true }))`, key))
		ratings[i] = []string{"pass", "fail", "maybe"}[i]
	}
	s.arrive(pages[3].File)
	s.settle(`"This scan is not rated."`, `document.querySelector(".ratings [role=status]").textContent`)
	s.leave(`document.getElementById("previous").click()`)
	s.arrive(pages[2].File)
	s.settle(`"This scan is rated."`, `document.querySelector(".ratings [role=status]").textContent`)
	s.leave(`[...document.querySelectorAll(".ratings a")].find(a => a.textContent.startsWith("report")).click()`)
	s.arrive("my%20study.html")
	s.settle(`"3 of 51 rated."`, `document.querySelector(".ratings [role=status]").textContent`)
	s.settle(`" pass fail maybe"`, `[...document.querySelectorAll(".told")].map(e => e.textContent).join("")`)
	s.ask("", `document.querySelector(".ratings button").click()`)
	checkRatings(t, dir, ids, ratings)
}
