package memo

import (
	"encoding/binary"
	"time"
)

// A State is what the file system says of a file without reading it. Two that
// are equal, and not too young, mean that no program has written other bytes: to set
// the ctime back, one has to set back the clock of the machine, and who writes through
// a memory map moves the times if the pages were clean before (see HashFile).
type State struct {
	Regular bool
	Unsure  bool // the system keeps too little for equality to mean anything
	Size    int64
	Mtime   int64 // ns since 1970
	Ctime   int64 // ns since 1970, of the last change to bytes or inode
	Inode   uint64
	Device  uint64
}

// Identity is the part of the state that goes into a memo.
func (st State) Identity() State {
	return State{Regular: true, Size: st.Size, Mtime: st.Mtime, Ctime: st.Ctime, Inode: st.Inode}
}

func appendState(b []byte, st State) []byte {
	for _, x := range []int64{st.Size, st.Mtime, st.Ctime, int64(st.Inode)} {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

func decode(b []byte) State {
	at := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	return State{Regular: true, Size: at(0), Mtime: at(1), Ctime: at(2), Inode: uint64(at(3))}
}

// Younger reports whether the file was changed less than d before now, or after it:
// a time in the future proves nothing.
func (st State) Younger(now time.Time, d time.Duration) bool {
	return max(st.Mtime, st.Ctime) > now.Add(-d).UnixNano()
}
