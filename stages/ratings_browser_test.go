package stages

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"prgnn/stages/cohort"
)

// TestRatingsInBrowser: in the page as a reader has it, keys and buttons rate the scan in view, the browser keeps the
// ratings, and the table that it saves is what a cohort's exclude reads.
func TestRatingsInBrowser(t *testing.T) {
	browser(t)
	dir := t.TempDir()
	page := filepath.Join(dir, "report.html")
	if err := os.WriteFile(page, wholeReport(t), 0o644); err != nil {
		t.Fatal(err)
	}
	s := startSession(t, page, dir)
	const rated = `[...document.querySelectorAll(".rating")].map(r => r.querySelector("[aria-pressed=true]")?.textContent ?? "n/a").join(" ")`
	scans := (&chain{}).scans(t)
	if len(scans) != 6 {
		t.Fatalf("%d scans", len(scans))
	}
	s.press("p", 0) // at the top of the page, where no scan is in view
	s.ask(`"n/a n/a n/a n/a n/a n/a"`, rated)
	s.ask("", `document.querySelector(".rating").closest("figure").scrollIntoView({ block: "center", behavior: "instant" })`)
	s.press("p", 2) // Ctrl+P prints
	s.ask(`"n/a n/a n/a n/a n/a n/a"`, rated)
	// Each key leads to the next scan at once: nobody waits for a page that scrolls.
	for _, key := range []string{"p", "2", "f", "1", "x", "3"} {
		s.press(key, 0)
	}
	s.ask(`"pass maybe fail pass fail n/a"`, rated)
	s.ask("", `[...document.querySelectorAll(".rating")[1].children].find(b => b.textContent === "pass").click()`)
	s.ask(`"5 of 6 rated."`, `document.querySelector(".ratings [role=status]").textContent`)
	s.call("Page.reload", nil, nil)
	s.ask("", `new Promise(done => { const wait = () => document.querySelector(".rating button") ? done(true) : setTimeout(wait, 20); wait() })`)
	s.ask(`"pass pass fail pass fail n/a"`, rated)
	s.ask("", `document.querySelector(".ratings button").click()`)

	path := filepath.Join(dir, "ratings.tsv")
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			break
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "participant_id\trating\n"
	var ids []string
	for i, in := range scans {
		rating := "n/a"
		if i < 5 {
			rating = []string{"pass", "pass", "fail", "pass", "fail"}[i]
		}
		ids = append(ids, in.Coord("subject"))
		want += ids[i] + "\t" + rating + "\n"
	}
	if string(got) != want {
		t.Errorf("ratings.tsv\n%swant\n%s", got, want)
	}
	if failed, err := cohort.FailedRatings(path); err != nil || !slices.Equal(failed, []string{ids[2], ids[4]}) {
		t.Errorf("exclude reads %v %v", failed, err)
	}
}
