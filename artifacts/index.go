package artifacts

import (
	"encoding/binary"
)

// An actionIndex remembers what the action records say, so that a check of ten
// thousand tasks reads one file and not ten thousand. It is never the truth: an
// entry counts only while the record lies there with the size, times and inode
// that it had when it was read and found whole. So looking up costs one question
// to the file system (0.7 µs where opening, reading and checking a record cost
// 12), and a record that is removed, replaced or written over is seen.
type actionIndex struct{ memo[Key, indexed] }

// An indexed is an entry: the state of the record's file, and the record
// without its seal.
type indexed struct {
	stat fileStat
	body []byte
}

// indexRoom is how many bytes of entries may wait: one that is lost with a killed process costs reading a record.
const indexRoom = 256 << 10

const indexHead = len(Key{}) + 4*8

func (x *actionIndex) load() {
	x.fill(indexHead, func(b []byte) (Key, indexed) {
		return Key(b[:len(Key{})]), indexed{stat: decodeStat(b[len(Key{}):]), body: b[indexHead:]}
	})
}

func (e indexed) encode(k Key) []byte {
	return append(appendStat(k[:], e.stat), e.body...)
}

// lookup finds an action whose record has not been touched since it was read.
func (x *actionIndex) lookup(s *Store, k Key) (Action, bool) {
	x.load()
	e, ok := x.get(k)
	if !ok {
		return Action{}, false
	}
	if st, err := s.acts.stat(k.String()); err != nil || st.identity() != e.stat {
		return Action{}, false
	}
	a, err := parseActionBody(string(e.body))
	return a, err == nil
}

// remember keeps a record that was just written, or read and found whole.
func (x *actionIndex) remember(s *Store, k Key, sealed []byte) {
	x.load()
	st, err := s.acts.stat(k.String())
	body, sealErr := unseal(sealed)
	if err != nil || sealErr != nil || st.size != int64(len(sealed)) || st.unsure {
		return
	}
	x.put(k, indexed{stat: st.identity(), body: body})
}

// identity is the part of the state that goes into a memo.
func (st fileStat) identity() fileStat {
	return fileStat{regular: true, size: st.size, mtime: st.mtime, ctime: st.ctime, inode: st.inode}
}

func appendStat(b []byte, st fileStat) []byte {
	for _, x := range []int64{st.size, st.mtime, st.ctime, int64(st.inode)} {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

func decodeStat(b []byte) fileStat {
	at := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	return fileStat{regular: true, size: at(0), mtime: at(1), ctime: at(2), inode: uint64(at(3))}
}
