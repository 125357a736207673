package nifti

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/regular"
)

// LabelCopies are the groups of label images that show the same, as places in paths, ascending: whatever their type,
// byte order and scaling, with their axes in the order and direction that the affine states, the labels of one are at
// the places of another in the array or in the world, or at nearly all (mostApart) of them in an array of the same
// shape. An image with a single value is in no group. Images larger than
// manyVoxels are compared in this way if they fill the same box in the world; otherwise only their stored voxels are
// compared (see storedCopies).
func LabelCopies(paths []string) (groups [][]int) {
	extents := make([]string, len(paths)) // of larger images
	regular.Each(len(paths), func(i int) {
		if r, err := Open(paths[i]); err == nil {
			if g := r.Header.Grid(); g.Voxels() > manyVoxels {
				extents[i] = g.extent()
			}
			r.Close()
		}
	})
	sharing := map[string]int{}
	for _, e := range extents {
		sharing[e]++
	}
	seen := make([]*upright, len(paths))
	regular.Each(len(paths), func(i int) {
		if extents[i] == "" || sharing[extents[i]] > 1 {
			seen[i] = uprightLabels(paths[i])
		}
	})
	for i, one := range seen {
		if one == nil {
			continue
		}
		with := slices.IndexFunc(groups, func(g []int) bool {
			return slices.ContainsFunc(g, func(j int) bool {
				return one.same(seen[j]) || one.resembles(seen[j]) && nearlySame(paths[i], paths[j])
			})
		})
		if with < 0 {
			groups = append(groups, []int{i})
		} else {
			groups[with] = append(groups[with], i)
		}
	}
	groups = slices.DeleteFunc(groups, func(g []int) bool { return len(g) < 2 })
	return append(groups, storedCopies(paths)...)
}

// manyVoxels is how many voxels a label image may have to be read before a run without need.
const manyVoxels = 1 << 21

// extent is the box of the voxels' centers in the world, rounded to 0.1 mm: one for one grid with its axes in any
// order.
func (g Grid) extent() string {
	lo, hi := g.box()
	return fmt.Sprintf("%.1f %.1f", lo, hi)
}

// upright are the labels of an image along the axes of the world: the first one to the right, then to the front, then
// up.
type upright struct {
	shape [3]int
	from  [3]int // of the smallest box with all labels
	box   Grid
	sum   [sha256.Size]byte // of the labels in the box
	// of the labels in each cube of blockSide voxels of the array; 0 where it has none
	blocks []uint64
}

// blockSide is how many voxels of an axis a block of upright has.
const blockSide = 8

// A walk goes through a label image along the axes of the world.
type walk struct {
	*Labels
	shape, step [3]int // step is in Voxels
	start       int
	axes        Affine // of a voxel, in these directions, without its place
}

// walkOf reads a label image; nil where it has none, or one value alone.
func walkOf(path string) *walk {
	l, err := OpenLabels(path)
	if err != nil || len(l.Voxels) == 0 ||
		!slices.ContainsFunc(l.Voxels, func(v int32) bool { return v != l.Voxels[0] }) {
		return nil
	}
	w := &walk{Labels: l}
	stride := [3]int{1, l.Shape[0], l.Shape[0] * l.Shape[1]}
	w.axes[3][3] = 1
	for axis, end := range l.Affine.Axes() {
		world := strings.IndexRune("RASLPI", end)
		if world < 0 {
			return nil
		}
		sign := 1
		if world >= 3 {
			world, sign = world-3, -1
			w.start += stride[axis] * (l.Shape[axis] - 1)
		}
		w.step[world], w.shape[world] = sign*stride[axis], l.Shape[axis]
		for r := range 3 {
			w.axes[r][world] = float64(sign) * l.Affine[r][axis]
		}
	}
	return w
}

func (w *walk) place(x, y, z int) int { return w.start + x*w.step[0] + y*w.step[1] + z*w.step[2] }

// each visits the voxels with a label.
func (w *walk) each(visit func(x, y, z int, label int32)) {
	for z := range w.shape[2] {
		for y := range w.shape[1] {
			for x := range w.shape[0] {
				if v := w.Voxels[w.place(x, y, z)]; v != 0 {
					visit(x, y, z, v)
				}
			}
		}
	}
}

// uprightLabels reads a label image; nil where it has none, or one value alone.
func uprightLabels(path string) *upright {
	l := walkOf(path)
	if l == nil {
		return nil
	}
	t := upright{shape: l.shape}
	lo, hi := t.shape, [3]int{-1, -1, -1}
	var many [3]int // blocks
	for k, n := range t.shape {
		many[k] = (n + blockSide - 1) / blockSide
	}
	t.blocks = make([]uint64, many[0]*many[1]*many[2])
	l.each(func(x, y, z int, label int32) {
		for k, v := range [3]int{x, y, z} {
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
		// A sum of mixed numbers (the finalizer of SplitMix64) is one in any order.
		h := uint64(uint32(label))<<9 | uint64(z%blockSide)<<6 | uint64(y%blockSide)<<3 | uint64(x%blockSide)
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		t.blocks[(z/blockSide*many[1]+y/blockSide)*many[0]+x/blockSide] += h ^ h>>31
	})
	axes := l.axes
	first := l.coords(l.place(lo[0], lo[1], lo[2]))
	axes[0][3], axes[1][3], axes[2][3] = l.Affine.Apply(float64(first[0]), float64(first[1]), float64(first[2]))
	t.from, t.box = lo, Grid{Affine: axes, Oriented: l.Oriented}
	sum := sha256.New()
	var row []byte
	for z := lo[2]; z <= hi[2]; z++ {
		for y := lo[1]; y <= hi[1]; y++ {
			row = row[:0]
			for x := lo[0]; x <= hi[0]; x++ {
				row = binary.LittleEndian.AppendUint32(row, uint32(l.Voxels[l.place(x, y, z)]))
			}
			sum.Write(row)
		}
	}
	for k := range 3 {
		t.box.Shape[k] = hi[k] - lo[k] + 1
	}
	sum.Sum(t.sum[:0])
	return &t
}

// samePlace is how far a corner of one place in the world may lie from the other after an affine was rounded, mm.
const samePlace = 0.01

// same reports whether two images show the same labels at the same places of the array, or of the world.
func (t *upright) same(other *upright) bool {
	if t.sum != other.sum || t.box.Shape != other.box.Shape {
		return false
	}
	if t.shape == other.shape && t.from == other.from {
		return true
	}
	a, b := corners(t.box), corners(other.box)
	for i := range a {
		for k := range 3 {
			if !t.box.Oriented || !other.box.Oriented || math.Abs(a[i][k]-b[i][k]) > samePlace {
				return false
			}
		}
	}
	return true
}

// mostApart is the share of the voxels with a label in one of two images, at most, in which copies of one image differ
// that somebody edited. Labels of two people differ in many more.
const mostApart = 0.001

// resembles reports whether half of the blocks with labels are the same in two images, as in those that differ in few
// voxels.
func (t *upright) resembles(other *upright) bool {
	if t.shape != other.shape {
		return false
	}
	same, all := 0, 0
	for i, sum := range t.blocks {
		if sum != 0 || other.blocks[i] != 0 {
			all++
			if sum == other.blocks[i] {
				same++
			}
		}
	}
	return 2*same >= all
}

// nearlySame reports whether two images of one shape have the same labels at nearly all places of the array.
func nearlySame(a, b string) bool {
	one, two := walkOf(a), walkOf(b)
	if one == nil || two == nil || one.shape != two.shape {
		return false
	}
	all, apart := 0, 0
	one.each(func(x, y, z int, label int32) {
		if all++; two.Voxels[two.place(x, y, z)] != label {
			apart++
		}
	})
	two.each(func(x, y, z int, _ int32) {
		if one.Voxels[one.place(x, y, z)] == 0 {
			all, apart = all+1, apart+1
		}
	})
	return float64(apart) <= mostApart*float64(all)
}

// storedCopies are the groups of NIfTI images whose voxels are the same, whatever their headers state of space and
// history. The voxels are compared as they are stored: type, byte order and scaling count too. Of gzip files it reads
// the ends, and the whole of those alone whose sums agree. An image in two files, in several members of gzip or in MGH
// is in no group.
func storedCopies(paths []string) (groups [][]int) {
	sums := make([]string, len(paths))
	regular.Each(len(paths), func(i int) { sums[i] = voxelSum(paths[i]) })
	places := lists.UpTo(len(paths))
	for _, g := range lists.By(places, func(i int) string { return sums[i] }) {
		if g.Key == "" {
			continue
		}
		for all := g.All; len(all) > 1; {
			alike := func(i int) bool { return i == all[0] || sameVoxels(paths[all[0]], paths[i]) }
			var same, others []int
			for _, i := range all {
				if alike(i) {
					same = append(same, i)
				} else {
					others = append(others, i)
				}
			}
			if all = others; len(same) > 1 {
				groups = append(groups, same)
			}
		}
	}
	slices.SortFunc(groups, slices.Compare)
	return groups
}

// voxelSum is the CRC-32 of an image's voxels, with what decides their values; "" where it is not known. Of a gzip file
// it follows from the sum of the whole, which stands at the end (RFC 1952), and from the bytes before the voxels.
func voxelSum(path string) string {
	r, err := Open(path)
	if err != nil {
		return ""
	}
	defer r.Close()
	n := r.Volumes() * r.volumeBytes()
	if size, ok := storedSize(path); !ok || size != uint32(r.start+n) || r.Header.Version == 0 {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	src, err := unzip(f)
	if err != nil {
		return ""
	}
	before := crc32.NewIEEE()
	if _, err := io.CopyN(before, src, r.start); err != nil {
		return ""
	}
	var sum uint32
	if src == io.Reader(f) {
		voxels := crc32.NewIEEE()
		if _, err := f.Seek(r.start, io.SeekStart); err != nil {
			return ""
		}
		if _, err := io.CopyN(voxels, f, n); err != nil {
			return ""
		}
		sum = voxels.Sum32()
	} else {
		var last [8]byte // the sum, and the size
		info, err := f.Stat()
		if err != nil {
			return ""
		}
		if _, err := f.ReadAt(last[:], info.Size()-8); err != nil {
			return ""
		}
		sum = binary.LittleEndian.Uint32(last[:]) ^ followed(before.Sum32(), n)
	}
	h := r.Header
	return fmt.Sprint(sum, n, h.Dim, h.Datatype, h.BigEndian, h.SclSlope, h.SclInter)
}

// followed is the part of a CRC-32 that is of bytes before the last n, by their own sum: it is multiplied by x⁸ⁿ modulo
// the polynomial of IEEE 802.3, as zlib's crc32_combine does.
func followed(sum uint32, n int64) uint32 {
	shift := uint32(1 << 31) // x⁰, the highest bit first
	for power := uint32(1 << 23); n > 0; n >>= 1 {
		if n&1 == 1 {
			shift = product(power, shift)
		}
		power = product(power, power) // x⁸, x¹⁶, x³² …
	}
	return product(shift, sum)
}

// product is the product of two polynomials modulo that of IEEE 802.3, coefficients from the highest bit.
func product(a, b uint32) (p uint32) {
	for bit := uint32(1 << 31); bit != 0; bit >>= 1 {
		if a&bit != 0 {
			p ^= b
		}
		if b&1 != 0 {
			b = b>>1 ^ crc32.IEEE
		} else {
			b >>= 1
		}
	}
	return p
}

// sameVoxels reports whether two images of one type and shape have the same stored voxels.
func sameVoxels(a, b string) bool {
	one, err := Open(a)
	if err != nil {
		return false
	}
	defer one.Close()
	two, err := Open(b)
	if err != nil {
		return false
	}
	defer two.Close()
	for {
		x, err := one.NextRaw()
		y, also := two.NextRaw()
		if err != nil || also != nil {
			return err == io.EOF && also == io.EOF
		}
		if !slices.Equal(x, y) {
			return false
		}
	}
}
