package regular

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
	"slices"

	"prgnn/numeric/dense"
)

// Same reports whether two files hold the same bytes. It reads as far as they do; one that cannot be read is
// none.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	if err != nil || one.Size() != two.Size() || one.Size() == 0 {
		return false
	}
	if os.SameFile(one, two) {
		return true
	}
	x, err := Open(a)
	if err != nil {
		return false
	}
	defer x.Close()
	y, err := Open(b)
	if err != nil {
		return false
	}
	defer y.Close()
	for size := 4 << 10; ; size = 1 << 20 { // scans that differ do so soon
		p, q := make([]byte, size), make([]byte, size)
		n, err := io.ReadFull(x, p)
		m, also := io.ReadFull(y, q)
		if !bytes.Equal(p[:n], q[:m]) {
			return false
		}
		if err != nil || also != nil {
			return n == m && (err == io.EOF || err == io.ErrUnexpectedEOF) && err == also
		}
	}
}

// Copies are the groups of files that are one file or hold the same bytes, as places in paths, ascending. Of files of
// one size it reads a few blocks, and the whole of those alone whose blocks agree, so that thousands of scans on a
// network file system are compared soon. A file that cannot be read is in no group, and an empty one equals only
// itself.
func Copies(paths []string) (groups [][]int) {
	infos, names := make([]os.FileInfo, len(paths)), make([]string, len(paths))
	Each(len(paths), func(i int) {
		infos[i], _ = os.Stat(paths[i])
		names[i], _ = Identity(paths[i])
	})
	places := map[string][]int{} // of a file
	for i, info := range infos {
		if info != nil && Otherwise(info) == "" && names[i] != "" {
			places[names[i]] = append(places[names[i]], i)
		}
	}
	bySize := map[int64][][]int{}
	for _, file := range places {
		size := infos[file[0]].Size()
		bySize[size] = append(bySize[size], file)
	}
	var alike [][]int // of one size with others
	for size, files := range bySize {
		if size > 0 && len(files) > 1 {
			alike = append(alike, files...)
		} else {
			groups = append(groups, files...)
		}
	}
	type key struct {
		size   int64
		blocks [sha256.Size]byte
	}
	keys := make([]key, len(alike))
	Each(len(alike), func(i int) {
		size := infos[alike[i][0]].Size()
		keys[i] = key{size, sample(paths[alike[i][0]], size)}
	})
	equal := map[key][][]int{} // by content
	for i, file := range alike {
		k := keys[i]
		at := slices.IndexFunc(equal[k], func(f []int) bool { return Same(paths[f[0]], paths[file[0]]) })
		if at < 0 {
			equal[k] = append(equal[k], file)
		} else {
			equal[k][at] = append(equal[k][at], file...)
		}
	}
	for _, files := range equal {
		groups = append(groups, files...)
	}
	groups = slices.DeleteFunc(groups, func(f []int) bool { return len(f) < 2 })
	for _, f := range groups {
		slices.Sort(f)
	}
	slices.SortFunc(groups, slices.Compare)
	return groups
}

// sample is the digest of blocks of a file of this size: its first, and others between, since images begin and end
// with background.
func sample(path string, size int64) (sum [sha256.Size]byte) {
	f, err := Open(path)
	if err != nil {
		return sum
	}
	defer f.Close()
	const block = 4 << 10
	b := make([]byte, 0, 5*block)
	for _, percent := range []int64{0, 29, 46, 62, 83} {
		n, _ := f.ReadAt(b[len(b):len(b)+block], size/100*percent)
		b = b[:len(b)+n]
	}
	return sha256.Sum256(b)
}

// Each calls a function for every i below n, several at the same time, as a network file system answers late.
func Each(n int, do func(i int)) {
	dense.Each(16, n, do)
}
