package lists

import (
	"slices"
	"strconv"
	"testing"
)

func TestMap(t *testing.T) {
	if got := Map([]int{3, 1, 2}, strconv.Itoa); !slices.Equal(got, []string{"3", "1", "2"}) {
		t.Error(got)
	}
	if got := Map(nil, strconv.Itoa); got == nil {
		t.Error("a list of nothing is nil")
	}
}

func TestBy(t *testing.T) {
	got := By([]int{3, 1, 5, 2, 4}, func(x int) bool { return x%2 == 1 })
	if len(got) != 2 || !got[0].Key || !slices.Equal(got[0].All, []int{3, 1, 5}) ||
		!slices.Equal(got[1].All, []int{2, 4}) {
		t.Error(got)
	}
}
