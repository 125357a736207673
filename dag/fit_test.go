package dag

import (
	"testing"

	"prgnn/internal/need"
)

func TestFits(t *testing.T) {
	for _, tt := range []struct {
		out, in Type
		want    string
	}{
		{NPY("<f8", "draw", "roi"), NPY("<f8", "draw", "roi"), ""},
		{NPY("<f8", "draw", "roi"), Type{}, ""},
		{Type{}, NPY("<f8"), ""},
		{NPY("<f8", "draw", "roi"), NPY(""), ""},
		{NPY("<f8", "draw", "roi"), Arrow("id"), "takes arrow, not npy"},
		{NPY("<f8"), NPY("<f4"), "takes elements of type <f4, not <f8"},
		{NPY("", "roi", "draw"), NPY("", "draw", "roi"), "takes the axes [draw, roi], not [roi, draw]"},
		{Arrow("id", "score", "sd"), Arrow("score", "id"), ""},
		{Arrow("id"), Arrow("id", "score", "sd"), "needs the column score, sd; available: id"},
		{Arrow(), Arrow("id"), ""},
		{Format("text"), Format("text"), ""},
	} {
		got := ""
		if err := Fits(tt.out, tt.in); err != nil {
			got = err.Error()
		}
		need.Equal(t, got, tt.want, tt.out, tt.in)
	}
	if got := NPY("<f8", "draw", "roi").String() + "; " + Arrow("id", "score").String() + "; " +
		(Type{}).String(); got != "npy <f8 [draw, roi]; arrow (id, score); anything" {
		t.Error(got)
	}
}
