package param

import (
	"errors"
	"strconv"
	"strings"
)

// ParseSize reads a number of bytes: 500M, 1.5G, 2TB; powers of 1000.
func ParseSize(text string) (int64, error) {
	number := strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(text)), "B")
	factor := 1.0
	for i, unit := range []string{"K", "M", "G", "T"} {
		if n, ok := strings.CutSuffix(number, unit); ok {
			number = n
			for range i + 1 {
				factor *= 1000
			}
		}
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(x > 0) || x*factor > 1<<62 {
		return 0, errors.New("it must be a size, such as 500M or 200G")
	}
	return int64(x * factor), nil
}
