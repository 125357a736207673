package motion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// A table of confounds is that of one scan in other digits, another order of columns and beside other columns. Heads
// that drift alike under one task, that barely move or whose motion was rounded to a tenth are different.
func TestCopies(t *testing.T) {
	const volumes = 120
	type columns map[string][]float64
	head := func(seed uint64) columns {
		stream := rand.New(rand.NewPCG(seed, 1))
		c := columns{}
		for _, name := range []string{"framewise_displacement", "trans_x", "rot_z", "csf"} {
			x := 0.0
			for v := range volumes {
				task := 0.02 * math.Sin(float64(v)/5) // which all share
				x += 0.02 * stream.NormFloat64()
				c[name] = append(c[name], math.Abs(x)+task)
			}
		}
		c["cosine00"] = make([]float64, volumes)
		for v := range volumes {
			c["cosine00"][v] = math.Cos(float64(v) * math.Pi / volumes)
		}
		return c
	}
	dir := t.TempDir()
	var paths []string
	write := func(format string, c columns, names ...string) {
		b := strings.Join(names, "\t") + "\n"
		for v := range volumes {
			var row []string
			for _, name := range names {
				if row = append(row, fmt.Sprintf(format, c[name][v])); name == "framewise_displacement" && v == 0 {
					row[len(row)-1] = "n/a"
				}
			}
			b += strings.Join(row, "\t") + "\n"
		}
		paths = append(paths, filepath.Join(dir, fmt.Sprint(len(paths), ".tsv")))
		need.NoError(t, os.WriteFile(paths[len(paths)-1], []byte(b), 0o666))
	}
	still := func(x float64) columns {
		c := head(1)
		for name := range c {
			for v := range volumes {
				c[name][v] = 0
			}
			c[name][volumes/2] = x
		}
		return c
	}
	one, two := head(1), head(2)
	all := []string{"framewise_displacement", "trans_x", "rot_z", "csf", "cosine00"}
	write("%v", one, all...)
	write("%v", two, all...)
	write("%.9e", one, "cosine00", "csf", "rot_z", "trans_x", "framewise_displacement")
	write("%.4f", one, all...)
	write("%.3g", two, "csf", "trans_x")
	mixed := head(3) // with a displacement of its own
	mixed["trans_x"], mixed["rot_z"] = one["trans_x"], one["rot_z"]
	write("%.4f", mixed, all...)
	write("%v", head(4), all...)
	write("%.1f", head(5), all...)
	write("%.1f", head(6), all...)
	write("%.2f", still(0.1), all...)
	write("%.2f", still(0.1), "csf", "trans_x")
	write("%.3f", head(7), "cosine00")
	write("%.4f", head(8), "cosine00")
	later := columns{} // two volumes dropped, and the last one repeated in their place
	for name, v := range head(4) {
		later[name] = append(slices.Clone(v[2:]), v[volumes-1], v[volumes-1])
	}
	write("%.6f", later, all...)
	need.Equal(t, fmt.Sprint(Copies(append(paths, filepath.Join(dir, "missing.tsv")))), "[[0 2 3 5] [1 4] [6 13]]")
}
