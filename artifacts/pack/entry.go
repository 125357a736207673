package pack

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
)

// A Name names an object: a digest of 32 bytes, and the kind of object that has it, a letter of
// the caller's other than x and i.
type Name struct {
	Kind byte
	ID   [32]byte
}

const (
	removal = 'x'
	index   = 'i'

	fileMagic  = "prgnn pack 1\n"
	entryMagic = "pgn1"
	tailMagic  = "pgnindex"

	headSize  = 4 + 4 + 4 + 32 + 32 + 4
	tailSize  = 8 + len(tailMagic)
	indexSize = 1 + 32 + 4 + 8
)

// longest is the size of the largest body, in bytes.
const longest = 1 << 26

// longestPack bounds the offsets in a pack, in bytes. Those that are written have roll and one entry more.
const longestPack = 1 << 31

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendEntry appends the bytes of an entry; sum is the SHA-256 of its body.
func appendEntry(b []byte, n Name, body []byte, sum [32]byte) []byte {
	from := len(b)
	b = append(b, entryMagic...)
	b = append(b, n.Kind, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
	b = append(b, n.ID[:]...)
	b = append(b, sum[:]...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
	return append(b, body...)
}

// A head is what stands before the body of an entry.
type head struct {
	name Name
	size int64
	sum  [32]byte
}

// parseHead reads headSize bytes; false when they are not whole.
func parseHead(b []byte) (h head, ok bool) {
	at := headSize - 4
	if string(b[:4]) != entryMagic || b[5] != 0 || b[6] != 0 || b[7] != 0 ||
		crc32.Checksum(b[:at], castagnoli) != binary.LittleEndian.Uint32(b[at:]) {
		return head{}, false
	}
	h.name.Kind, h.size = b[4], int64(binary.LittleEndian.Uint32(b[8:]))
	copy(h.name.ID[:], b[12:])
	copy(h.sum[:], b[44:])
	return h, h.size <= longest
}

// whole reports whether an entry is what its head says.
func (h head) whole(body []byte) bool {
	return int64(len(body)) == h.size && sha256.Sum256(body) == h.sum
}

// appendIndex appends the index of a pack that is as long as at says, and the tail.
func appendIndex(b []byte, at int64, all []entry) []byte {
	var body []byte
	for i := range all {
		e := &all[i]
		body = append(append(body, e.Kind), e.ID[:]...)
		body = binary.LittleEndian.AppendUint32(body, uint32(e.size))
		body = binary.LittleEndian.AppendUint64(body, uint64(e.at))
	}
	b = appendEntry(b, Name{Kind: index}, body, sha256.Sum256(body))
	b = binary.LittleEndian.AppendUint64(b, uint64(at))
	return append(b, tailMagic...)
}

// parseIndex reads the body of an index of a pack whose entries end at end; false when it is not one.
func parseIndex(body []byte, end int64, add func(n Name, at, size int64)) bool {
	if len(body)%indexSize != 0 {
		return false
	}
	for rest := body; len(rest) > 0; rest = rest[indexSize:] {
		at, size := int64(binary.LittleEndian.Uint64(rest[37:])), int64(binary.LittleEndian.Uint32(rest[33:]))
		if at < int64(len(fileMagic)) || at > end-headSize || size > end-headSize-at {
			return false
		}
	}
	for rest := body; len(rest) > 0; rest = rest[indexSize:] {
		add(Name{rest[0], [32]byte(rest[1:33])}, int64(binary.LittleEndian.Uint64(rest[37:])),
			int64(binary.LittleEndian.Uint32(rest[33:])))
	}
	return true
}
