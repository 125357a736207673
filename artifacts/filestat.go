package artifacts

// A fileStat is what the file system says of a file without reading it. Two that
// are equal, and not too young, mean that no program has written other bytes: to set
// the ctime back, one has to set back the clock of the machine, and who writes through
// a memory map moves the times if the pages were clean before (see HashFile).
type fileStat struct {
	regular bool
	unsure  bool // the system keeps too little for equality to mean anything
	size    int64
	mtime   int64 // ns since 1970
	ctime   int64 // ns since 1970, of the last change to bytes or inode
	inode   uint64
	device  uint64
}
