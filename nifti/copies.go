package nifti

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"prgnn/internal/lists"
	"prgnn/internal/regular"
)

// Copies are the groups of NIfTI images whose voxels are the same, whatever their headers state of space and history,
// as places in paths, ascending. The voxels are compared as they are stored: type, byte order and scaling count too. Of
// gzip files it reads the ends, and the whole of those alone whose sums agree. An image in two files, in several
// members of gzip or in MGH is in no group.
func Copies(paths []string) (groups [][]int) {
	sums := make([]string, len(paths))
	regular.Each(len(paths), func(i int) { sums[i] = voxelSum(paths[i]) })
	places := make([]int, len(paths))
	for i := range places {
		places[i] = i
	}
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
