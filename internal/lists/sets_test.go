package lists

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	if got := Set([]int{2, 1, 2}); !maps.Equal(got, map[int]bool{1: true, 2: true}) {
		t.Error(got)
	}
	if got := SetOf([]string{"a", "A", "b"}, strings.ToUpper); !maps.Equal(got, map[string]bool{"A": true, "B": true}) {
		t.Error(got)
	}
}

func TestPlaces(t *testing.T) {
	if got := Places([]string{"a", "b", "a"}); !maps.Equal(got, map[string]int{"a": 2, "b": 1}) {
		t.Error(got)
	}
	if got := PlacesOf([]string{"a", "b"}, strings.ToUpper); !maps.Equal(got, map[string]int{"A": 0, "B": 1}) {
		t.Error(got)
	}
}

func TestKeep(t *testing.T) {
	list := []int{3, 4, 5, 6}
	even := func(x int) bool { return x%2 == 0 }
	if got := Keep(list, even); !slices.Equal(got, []int{4, 6}) || list[0] != 3 {
		t.Error(got, list)
	}
	if n := Count(list, even); n != 2 {
		t.Error(n)
	}
	if got := Keep(list[:1], even); got != nil {
		t.Error("an empty list is not nil")
	}
}

func TestAdd(t *testing.T) {
	if got := Add(Add([]int{1}, 2), 1); !slices.Equal(got, []int{1, 2}) {
		t.Error(got)
	}
}
