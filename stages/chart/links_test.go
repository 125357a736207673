package chart

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"prgnn/internal/need"
	ours "prgnn/stages/draw"
)

// TestLinks: regions with places in a brain are drawn in three views, all others on a circle; red is above 0, and the
// strongest edge comes last.
func TestLinks(t *testing.T) {
	links := []Link{{0, 1, -5}, {1, 2, 3}}
	places := [3][]float64{{-40, 38, 0}, {20, -60, 10}, {10, 30, 50}}
	groups := []string{"L", "R", "R"}
	brain := string(need.Value(Links(links, places, groups, groups).SVG())(t))
	circle := string(need.Value(Links(links, [3][]float64{}, groups, groups).SVG())(t))
	for _, word := range []string{"from above", "from the left", "from behind"} {
		if !strings.Contains(brain, word) || strings.Contains(circle, word) {
			t.Errorf("%s: only in the views of a brain", word)
		}
	}
	nowhere := [3][]float64{{math.NaN(), 38, 0}, places[1], places[2]}
	need.Equal(t, string(need.Value(Links(links, nowhere, groups, groups).SVG())(t)), circle)
	need.Equal(t, InBrain(links[1:], nowhere), true) // a region without an edge needs no place
	red, blue := Link{Value: 5}.shade(5), Link{Value: -5}.shade(5)
	if red.R <= red.B || blue.B <= blue.R {
		t.Errorf("colors %v and %v", red, blue)
	}
	need.Equal(t, links[0].Value, -5) // the edges of the caller keep their order
}

// On a circle the first block, the left, is at the left.
func TestLeftOfCircle(t *testing.T) {
	svg := string(need.Value(Links([]Link{{0, 1, 1}}, [3][]float64{}, []string{"L", "R"}, []string{"a", "b"}).SVG())(t))
	if textAt(t, svg, "L") > textAt(t, svg, "R") {
		t.Errorf("L at %v, R at %v", textAt(t, svg, "L"), textAt(t, svg, "R"))
	}
}

// On a circle the regions that have an edge have a number and a name, of many those with most edges.
func TestNamesOnCircle(t *testing.T) {
	var links []Link
	groups, names := make([]string, 40), make([]string, 40)
	for i := range names {
		names[i] = "region " + string(rune('A'+i%26)) + strconv.Itoa(i)
		if i > 0 && i < 39 {
			links = append(links, Link{0, i, 1})
		}
	}
	svg := string(need.Value(Links(links, [3][]float64{}, groups, names).SVG())(t))
	need.Equal(t, strings.Count(svg, " region "), MostNamed)
	few := string(need.Value(Links(links[:3], [3][]float64{}, groups, names).SVG())(t))
	for _, want := range []string{">1 region A0<", ">4 region D3<", ">4<"} {
		need.Equal(t, strings.Contains(few, want), true, want)
	}
	need.Equal(t, strings.Contains(few, "region E4"), false)
}

// A word beside a view does not touch the word of the next view.
func TestLinksKeepWordsApart(t *testing.T) {
	svg := string(need.Value(Links([]Link{{0, 1, 1}}, [3][]float64{{-40, 38}, {20, -60}, {10, 30}}, nil, nil).SVG())(t))
	style := ours.Style(ours.TextSize, false)
	if gap := textAt(t, svg, "front") - textAt(t, svg, "R") - float64(style.Width("R")); gap < 8 {
		t.Errorf("%.1f points between R and front", gap)
	}
}

// textAt is where a word of a picture begins, from the left in points.
func textAt(t *testing.T, svg, word string) float64 {
	t.Helper()
	m := regexp.MustCompile(`<text x="([0-9.]+)"[^>]*>` + word + `</text>`).FindStringSubmatch(svg)
	need.Equal(t, len(m), 2, word)
	return need.Value(strconv.ParseFloat(m[1], 64))(t)
}
