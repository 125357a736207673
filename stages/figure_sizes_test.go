package stages

import (
	"bytes"
	"fmt"
	"html"
	"image/png"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"prgnn/internal/need"
)

// svgsOf are the pictures of a page, by the number of their figure, without those of scans.
func svgsOf(t *testing.T, page []byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, figure := range regexp.MustCompile(`(?s)<figure( class="wide")?>.*?</figure>`).FindAllString(string(page), -1) {
		number := regexp.MustCompile(`<strong>(Figure \d+)\.`).FindStringSubmatch(figure)
		src := regexp.MustCompile(`src="data:image/svg\+xml;charset=utf-8,([^"]*)"`).FindStringSubmatch(figure)
		if number != nil && src != nil {
			all[number[1]] = need.Value(url.PathUnescape(html.UnescapeString(src[1])))(t)
		}
	}
	return all
}

// Every figure of a report has the width of a column or of a page of a journal, and all its texts have 8 points; a cell
// of the confusion matrix may have a larger number.
func TestFiguresOfJournals(t *testing.T) {
	figures := svgsOf(t, wholeReport(t))
	if len(figures) < 10 {
		t.Fatalf("%d figures", len(figures))
	}
	for name, svg := range figures {
		if strings.Contains(svg, "<title>Stages</title>") { // the graph of the stages is no figure of a paper
			continue
		}
		width := need.Value(strconv.ParseFloat(regexp.MustCompile(`width="([0-9.]+)pt"`).FindStringSubmatch(svg)[1], 64))(t)
		if mm := width / 72 * 25.4; math.Abs(mm-85) > 0.1 && math.Abs(mm-180) > 0.1 {
			t.Errorf("%s is %.1f mm wide: %.300s", name, mm, svg[strings.Index(svg, "<title>"):])
		}
		for _, size := range regexp.MustCompile(`font-size:([0-9.]+)px`).FindAllStringSubmatch(svg, -1) {
			if size[1] != "8" && !strings.Contains(svg, "<title>Confusion matrix</title>") {
				t.Errorf("%s has texts of %s points: %.200s", name, size[1], svg[strings.Index(svg, "<title>"):])
				break
			}
		}
	}
}

// A figure is saved from the page as the SVG that it is, and as a PNG of 300 dots an inch.
func TestFiguresAreSavedInBrowser(t *testing.T) {
	browser(t)
	dir := t.TempDir()
	report := wholeReport(t)
	page := filepath.Join(dir, "my report.html")
	need.NoError(t, os.WriteFile(page, report, 0o644))
	s := startSession(t, strings.ReplaceAll(page, " ", "%20"), dir, view{without3D: true})
	svg := svgsOf(t, report)["Figure 2"]
	saved := func(kind, end string) (got []byte) {
		t.Helper()
		s.ask("", fmt.Sprintf(`document.querySelector('[aria-label="Save Figure 2 as %s"]').click()`, kind))
		// The browser makes the file first, and fills it later.
		late := time.Now().Add(time.Minute)
		for ; !bytes.Contains(got, []byte(end)) && time.Now().Before(late); time.Sleep(20 * time.Millisecond) {
			got, _ = os.ReadFile(filepath.Join(dir, "my report figure 2."+strings.ToLower(kind)))
		}
		return got
	}
	if got := saved("SVG", "</svg>"); string(got) != svg {
		t.Errorf("the SVG is not that of the page: %.300q", got)
	}
	got := saved("PNG", "IEND")
	size := need.Value(png.DecodeConfig(bytes.NewReader(got)))(t)
	points := need.Value(strconv.ParseFloat(regexp.MustCompile(`width="([0-9.]+)pt"`).FindStringSubmatch(svg)[1], 64))(t)
	if want := points / 72 * 300; math.Abs(float64(size.Width)-want) > 4 {
		t.Errorf("the PNG is %d dots wide, want %.0f", size.Width, want)
	}
	if !bytes.Contains(got[:60], []byte("pHYs\x00\x00\x2e\x23\x00\x00\x2e\x23\x01")) {
		t.Errorf("the PNG does not have its density: %q", got[:60])
	}
}
