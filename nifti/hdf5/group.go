package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
)

func sortedNames(links map[string]uint64) []string { return slices.Sorted(maps.Keys(links)) }

// links are the names in a group with the addresses of their objects.
func (f *File) links(o *object) (map[string]uint64, error) {
	links, group := map[string]uint64{}, false
	for _, m := range o.messages {
		var err error
		switch m.kind {
		case msgLink:
			group, err = true, f.addLink(links, m.data)
		case msgLinkInfo:
			group, err = true, f.denseLinks(links, m.data)
		case msgSymbolTable:
			group, err = true, f.symbolTable(links, m.data)
		}
		if err != nil {
			return nil, err
		}
	}
	if !group {
		return nil, errors.New("it is not a group")
	}
	return links, nil
}

// addLink reads a link message (IV.A.2.g).
func (f *File) addLink(links map[string]uint64, b []byte) error {
	c := cursor{b: b}
	version, flags := c.byte(), c.byte()
	if version != 1 {
		return fmt.Errorf("links of version %d are not supported", version)
	}
	if flags&0x08 != 0 {
		if kind := c.byte(); kind != 0 {
			return fmt.Errorf("soft and external links (kind %d) are not supported", kind)
		}
	}
	if flags&0x04 != 0 {
		c.skip(8) // order of creation
	}
	if flags&0x10 != 0 {
		c.skip(1) // character set
	}
	n := c.uint(1 << (flags & 3))
	if n > uint64(len(c.b)) {
		return fmt.Errorf("the name of a link has %d bytes, but %d are left: the file is damaged", n, len(c.b))
	}
	name := string(c.take(int(n)))
	at := c.uint(8)
	if c.short {
		return fmt.Errorf("link %.80q is too short: the file is damaged", name)
	}
	return f.put(links, name, at)
}

// put adds a link. No name comes twice, so that a tree which points at itself ends.
func (f *File) put(links map[string]uint64, name string, at uint64) error {
	if _, twice := links[name]; twice {
		return fmt.Errorf("link %.80q: its name appears twice: the file is damaged", name)
	}
	if err := f.mem.Take(int64(len(name)+64), 1, "further bytes of names"); err != nil { // names may overlap
		return err
	}
	links[name] = at
	return nil
}

// symbolTable reads the links of a group of the old format (IV.A.2.r): a B-tree of version 1
// of symbol nodes, with names in a local heap (III.D).
func (f *File) symbolTable(links map[string]uint64, data []byte) error {
	c := cursor{b: data}
	tree, heap := c.uint(8), c.uint(8)
	if c.short {
		return errors.New("a symbol table is too short: the file is damaged")
	}
	b, err := f.block(heap, 32, "HEAP", 0)
	if err != nil {
		return err
	}
	size := u64(b[8:])
	names, err := f.bytes(u64(b[24:]), size, "name heap")
	if err != nil {
		return err
	}
	return f.tree(tree, 0, 8, -1, func(_ []byte, child uint64) error {
		b, err := f.block(child, 8, "SNOD", 1)
		if err != nil {
			return err
		}
		n := int(u16(b[6:]))
		if n == 0 {
			return fmt.Errorf("a symbol node at byte %d without names: the file is damaged", child)
		}
		if b, err = f.bytes(child+8, uint64(40*n), "SNOD"); err != nil {
			return err
		}
		for ; len(b) > 0; b = b[40:] {
			at := u64(b)
			if at >= uint64(len(names)) {
				return fmt.Errorf("a name at byte %d of a heap of %d: the file is damaged", at, len(names))
			}
			name, _, ended := bytes.Cut(names[at:], []byte{0})
			if !ended || u32(b[16:]) == 2 {
				return fmt.Errorf("%.80q is unterminated, or is a soft link, which is not supported", name)
			}
			if err := f.put(links, string(name), u64(b[8:])); err != nil {
				return err
			}
		}
		return nil
	})
}

// tree walks the leaves of a B-tree of version 1 (III.A.1) in order: kind 0 of groups, 1 of
// chunks, with keys of keySize bytes. level is that of the node, -1 for the root.
func (f *File) tree(at uint64, kind byte, keySize uint64, level int, leaf func(key []byte, child uint64) error) error {
	b, err := f.bytes(at, 24, "TREE")
	if err != nil {
		return err
	}
	n := uint64(u16(b[6:]))
	if string(b[:4]) != "TREE" || b[4] != kind || n == 0 || level >= 0 && int(b[5]) != level {
		return fmt.Errorf("there is no B-tree of this kind and level at byte %d: the file is damaged", at)
	}
	level = int(b[5])
	if b, err = f.bytes(at+24, n*(keySize+8), "TREE"); err != nil {
		return err
	}
	for ; len(b) > 0; b = b[keySize+8:] {
		child := u64(b[keySize:])
		if level == 0 {
			err = leaf(b[:keySize], child)
		} else {
			err = f.tree(child, kind, keySize, level-1, leaf)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// denseLinks reads the links of a group that has more than 8 (IV.A.2.c): a B-tree of version
// 2 (III.A.2) of one leaf gives their places in a fractal heap (III.G) of one direct block.
func (f *File) denseLinks(links map[string]uint64, data []byte) error {
	c := cursor{b: data}
	version, flags := c.byte(), c.byte()
	if version != 0 {
		return fmt.Errorf("link info of version %d is not supported", version)
	}
	if flags&1 != 0 {
		c.skip(8) // greatest order of creation
	}
	heapAt, treeAt := c.uint(8), c.uint(8)
	if c.short {
		return errors.New("link info is too short: the file is damaged")
	}
	if heapAt == undefined {
		return nil // all links are in the header
	}
	heap, err := f.fractalHeap(heapAt)
	if err != nil {
		return err
	}
	b, err := f.block(treeAt, 38, "BTHD", 0)
	if err != nil {
		return err
	}
	if err := checked(b, "BTHD"); err != nil {
		return err
	}
	size, n := uint64(u16(b[10:])), uint64(u16(b[24:]))
	if b[5] != 5 || size != 11 || u16(b[12:]) != 0 {
		return fmt.Errorf("a group with a name index of kind %d and depth %d (more than about 45 links) is not supported", b[5], u16(b[12:]))
	}
	if n == 0 {
		return nil
	}
	if b, err = f.block(u64(b[16:]), 6+size*n+4, "BTLF", 0); err != nil {
		return err
	}
	if err := checked(b, "BTLF"); err != nil {
		return err
	}
	for b = b[6 : len(b)-4]; len(b) > 0; b = b[size:] {
		link, err := heap.get(b[4:size])
		if err != nil {
			return err
		}
		if err := f.addLink(links, link); err != nil {
			return err
		}
	}
	return nil
}
