package budget

import (
	"bytes"
	"io"
	"math"
	"testing"

	"prgnn/internal/need"
)

func TestTake(t *testing.T) {
	b := For(1 << 10)
	need.NoError(t, b.Take(1<<20, 256, "rows"))
	need.NoError(t, b.Take(PerByte<<10, 1, "bytes"))
	need.Error(t, b.Take(1, 1, "columns"), "1 columns, too many for a file of 1024 bytes, which may take 256 MiB of memory")
	b.Give(1)
	need.NoError(t, b.Take(1, 1, "columns"))
	for _, n := range []int64{-1, math.MinInt64, math.MaxInt64} {
		if err := For(math.MaxInt64).Take(n, 16, "rows"); err == nil {
			t.Errorf("%d rows were taken", n)
		}
	}
	need.Error(t, For(0).Take(Base+1, 1, "bytes"), "268435457 bytes, too many for a file of unknown size, which may take 256 MiB of memory: it is damaged")
}

func TestOf(t *testing.T) {
	need.Equal(t, Of(bytes.NewReader(make([]byte, 100))).left, int64(Base+100*PerByte))
	need.Equal(t, Of(io.LimitReader(nil, 5)).left, int64(Base))
}
