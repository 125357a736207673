package wiring

import (
	"testing"

	"prgnn/internal/need"
)

// Combinations are written as few products that have just these, whatever the order of axes and combinations.
func TestSelections(t *testing.T) {
	for _, c := range []struct {
		axes []string
		rows [][]string
		want string
	}{
		{nil, [][]string{nil}, ""},
		{[]string{"fold"}, [][]string{{"10"}, {"2"}, {"1"}}, "[fold=1|2|10]"},
		{[]string{"b", "a"}, [][]string{{"x", "1"}, {"y", "1"}, {"x", "2"}, {"y", "2"}}, "[a=1|2,b=x|y]"},
		{[]string{"a", "b"}, [][]string{{"2", "x"}, {"1", "y"}, {"1", "x"}}, "[a=1,b=y][a=1|2,b=x]"},
		{[]string{"a", "b"}, [][]string{{"1", "x"}, {"2", "y"}}, "[a=1,b=x][a=2,b=y]"},
	} {
		need.Equal(t, Selections(c.axes, c.rows), c.want)
	}
}
