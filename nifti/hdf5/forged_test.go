package hdf5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/forge"
	"prgnn/internal/need"
	"prgnn/internal/peak"
)

// forgeFile writes a file of a dataset "x": contiguous, in links of the header and in a continuation of it (0), in a
// fractal heap (1), in deflated chunks (2), or in the old format of groups and headers (3).
func forgeFile(f *forge.File, kind int) {
	summed := func(write func()) uint64 { // with its checksum
		b := f.Part(write)
		at := f.Len()
		f.Write(binary.LittleEndian.AppendUint32(b, lookup3(b)))
		return uint64(at)
	}
	superblock := 48
	if kind == 3 {
		superblock = 96
	}
	f.Write(make([]byte, superblock))
	at := uint64(f.Len())
	f.Write(make([]byte, 8*100))
	layout := f.Part(func() {
		f.Put(1, 3, 1)
		f.Put(8, at, 800)
	})
	var filters []byte
	if kind == 2 {
		filters = f.Part(func() { f.Put(1, 2, 1); f.Put(2, deflate2, 0, 1); f.Put(4, 6) })
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		w.Write(make([]byte, 8*50))
		w.Close()
		chunk := uint64(f.Len())
		f.Write(z.Bytes())
		tree := uint64(f.Len())
		f.WriteString("TREE")
		f.Put(1, 1, 0)
		f.Put(2, 2)
		f.Put(8, undefined, undefined)
		for i := range uint64(2) {
			f.Put(4, uint64(z.Len()), 0)
			f.Put(8, 50*i, 0, chunk)
		}
		layout = f.Part(func() { f.Put(1, 3, 2, 2); f.Put(8, tree); f.Put(4, 50, 8) })
	}
	space := f.Part(func() { f.Put(1, 2, 1, 0, 1); f.Put(8, 100) })
	kindOf := f.Part(func() {
		f.Put(1, 0x11)
		f.WriteString(ieee[8])
	})
	old := func(messages ...[]byte) uint64 { // each begins with its kind
		at := uint64(f.Len())
		size := 0
		for _, m := range messages {
			size += 8 + len(m) - 1
		}
		f.Put(1, 1, 0)
		f.Put(2, uint64(len(messages)))
		f.Put(4, 1, uint64(size), 0)
		for _, m := range messages {
			f.Put(2, uint64(m[0]), uint64(len(m)-1))
			f.Put(4, 0)
			f.Write(m[1:])
		}
		return at
	}
	put := func(messages [][]byte) {
		for _, m := range messages {
			f.Put(1, uint64(m[0]))
			f.Put(2, uint64(len(m)-1))
			f.Put(1, 0)
			f.Write(m[1:])
		}
	}
	header := func(messages ...[]byte) uint64 {
		return summed(func() {
			inner := f.Part(func() { put(messages) })
			f.WriteString("OHDR")
			f.Put(1, 2, 1)
			f.Put(2, uint64(len(inner)))
			f.Write(inner)
		})
	}
	message := func(kind byte, b []byte) []byte { return append([]byte{kind}, b...) }
	make1 := header
	if kind == 3 {
		make1 = old
	}
	described := [][]byte{message(msgDataspace, space), message(msgDatatype, kindOf), message(msgLayout, layout)}
	if filters != nil {
		described = append(described, message(msgFilters, filters))
	}
	dataset := make1(described...)
	link := message(msgLink, f.Part(func() {
		f.Put(1, 1, 0, 1)
		f.WriteString("x")
		f.Put(8, dataset)
	}))
	var root uint64
	switch kind {
	case 0:
		more := summed(func() { f.WriteString("OCHK"); put([][]byte{link}) })
		root = header(message(msgContinuation, f.Part(func() { f.Put(8, more, uint64(f.Len())-more) })))
	case 1:
		root = header(message(msgLinkInfo, dense(f, summed, link[1:])))
	case 2:
		root = header(link)
	case 3:
		names := uint64(f.Len())
		f.WriteString("\x00x\x00\x00\x00\x00\x00\x00")
		heap := uint64(f.Len())
		f.WriteString("HEAP")
		f.Put(4, 0)
		f.Put(8, 8, 1, names)
		node := uint64(f.Len())
		f.WriteString("SNOD")
		f.Put(1, 1, 0)
		f.Put(2, 1)
		f.Put(8, 1, dataset, 0, 0, 0)
		tree := uint64(f.Len())
		f.WriteString("TREE")
		f.Put(1, 0, 0)
		f.Put(2, 1)
		f.Put(8, undefined, undefined, 0, node)
		root = old(message(msgSymbolTable, f.Part(func() { f.Put(8, tree, heap) })))
	}
	end := uint64(f.Len())
	head := f.Part(func() {
		f.Write(signature)
		if kind == 3 {
			f.Put(1, 0, 0, 0, 0, 0, 8, 8, 0)
			f.Put(2, 4, 16)
			f.Put(4, 0)
			f.Put(8, 0, undefined, end, undefined, 0, root, 0, 0, 0)
			return
		}
		f.Put(1, 2, 8, 8, 0)
		f.Put(8, 0, undefined, end, root)
	})
	if kind != 3 {
		head = binary.LittleEndian.AppendUint32(head, lookup3(head))
	}
	copy(f.Bytes()[:superblock], head)
}

const deflate2 = uint64(deflate)

// dense is the link info of a group whose one link is in a fractal heap.
func dense(f *forge.File, summed func(func()) uint64, link []byte) []byte {
	block := uint64(f.Len())
	f.Write(f.Part(func() {
		f.WriteString("FHDB")
		f.Put(1, 0)
		f.Put(8, 0)
		f.Put(4, 0)
		f.Write(link)
	}))
	size := uint64(f.Len()) - block
	heap := summed(func() {
		f.WriteString("FRHP")
		f.Put(1, 0)
		f.Put(2, 7, 0)
		f.Put(1, 0)
		f.Write(make([]byte, 112-10))
		f.Put(8, size)
		f.Write(make([]byte, 8))
		f.Put(2, 32, 0)
		f.Put(8, block)
		f.Put(2, 0)
	})
	leaf := summed(func() {
		f.WriteString("BTLF")
		f.Put(1, 0, 5)
		f.Put(4, 0)
		f.Put(1, 0)
		f.Put(4, 17)
		f.Put(2, uint64(len(link)))
	})
	tree := summed(func() {
		f.WriteString("BTHD")
		f.Put(1, 0, 5)
		f.Put(4, 512)
		f.Put(2, 11, 0)
		f.Put(1, 100, 40)
		f.Put(8, leaf)
		f.Put(2, 1)
		f.Put(8, 1)
	})
	return f.Part(func() { f.Put(1, 0, 0); f.Put(8, heap, tree) })
}

func FuzzForged(f *testing.F) {
	forge.Fuzz(f, 4, forgeFile, func(b []byte) error { return walk(f, b) })
}

// 4,096 names of a group that overlap in 2 MB, a header whose continuations are one block of 1 MB, and 200 chunks that
// are the same bytes: each is some MB that claim gigabytes.
func TestMemory(t *testing.T) {
	for name, c := range map[string]struct {
		file func() []byte
		want string
	}{
		"names":         {overlappingNames, "further bytes of names, too many for a file of"},
		"continuations": {oneBlockAgain, "further messages in object headers, too many for a file of"},
		"chunks":        {oneChunkAgain, "further bytes of chunks, too many for a file of"},
	} {
		t.Run(name, func(t *testing.T) {
			peak.Below(t, 600, func(t *testing.T) { need.Error(t, walk(t, c.file()), c.want) })
		})
	}
	need.Error(t, walk(t, need.Value(os.ReadFile(filepath.Join("testdata", "refuse", "empty-heap.h5")))(t)),
		"FHDB of 0 bytes: the file is damaged")
}

// oldFile is a file of the old format whose root group has these messages, behind some data.
func oldFile(data []byte, messages func(at uint64) []byte) []byte {
	b := make([]byte, 96)
	copy(b, signature)
	b[13], b[14] = 8, 8
	b = append(b, data...)
	b = append(b, make([]byte, -len(b)&7)...)
	root := messages(96)
	binary.LittleEndian.PutUint64(b[64:], uint64(len(b)))
	b = append(b, 1, 0, 0, 0, 1, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(root)))
	b = append(b, root...)
	binary.LittleEndian.PutUint64(b[40:], uint64(len(b)))
	return b
}

func words64(numbers ...uint64) (b []byte) {
	for _, v := range numbers {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func overlappingNames() []byte {
	const n = 4096
	names := append([]byte(strings.Repeat("a", 2<<20)), make([]byte, 8)...)
	data := append(names, "HEAP\x00\x00\x00\x00"...)
	heap := uint64(96 + len(names))
	data = append(data, words64(uint64(len(names)), 1, 96)...)
	node := uint64(96 + len(data))
	data = append(data, "SNOD\x01\x00\x00\x10"...) // 4096 names
	for i := range uint64(n) {
		data = append(data, words64(i, 0, 0, 0, 0)...)
	}
	tree := uint64(96 + len(data))
	data = append(data, "TREE\x00\x00\x01\x00"...)
	data = append(data, words64(undefined, undefined, 0, node)...)
	return oldFile(data, func(uint64) []byte {
		return append([]byte{msgSymbolTable, 0, 16, 0, 0, 0, 0, 0}, words64(tree, heap)...)
	})
}

func oneBlockAgain() []byte {
	return oldFile(make([]byte, 1<<20), func(at uint64) (b []byte) { // messages of kind 0 and no length
		for range 63 {
			b = append(append(b, msgContinuation, 0, 16, 0, 0, 0, 0, 0), words64(at, 1<<20)...)
		}
		return b
	})
}

func oneChunkAgain() []byte {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(make([]byte, 16<<20))
	w.Close()
	data := append(z.Bytes(), make([]byte, 4<<20)...) // a vector has no more than its file could hold
	tree := uint64(96 + len(data))
	data = append(data, "TREE\x01\x00\xc8\x00"...)
	data = append(data, words64(undefined, undefined)...)
	for i := range uint64(200) {
		data = append(data, words64(uint64(z.Len()), i<<21, 0, 96)...)
	}
	return oldFile(data, func(uint64) (b []byte) {
		message := func(kind byte, m []byte) {
			b = append(append(b, kind, 0, byte(len(m)), 0, 0, 0, 0, 0), m...)
		}
		message(msgDataspace, append([]byte{2, 1, 0, 1}, words64(200<<21)...))
		message(msgDatatype, append([]byte{0x11}, ieee[8]...))
		message(msgLayout, append(append([]byte{3, 2, 2}, words64(tree)...), 0, 0, 0x20, 0, 8, 0, 0, 0))
		message(msgFilters, []byte{2, 1, 1, 0, 0, 0, 1, 0, 6, 0, 0, 0})
		return b
	})
}
