//go:build linux && (amd64 || arm64)

package spill

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// direct reads past the system's cache, with Linux's asynchronous requests: hundreds in one system call, which the
// kernel merges where they are neighbors. A read costs a quarter of the processor time of a goroutine's. The calls that
// do not wait are raw: after a call of 20 µs that it knows of, the runtime looks for more every 20 µs.
type direct struct {
	cache   int             // the file
	disk    int             // the same, past the cache
	pages   []byte          // the file, for resident alone
	gone    []atomic.Uint32 // a bit a page: the system's cache lacked a record that begins there
	context uintptr
	events  []event
}

// iocb and event are those of linux/aio_abi.h on little-endian machines.
type iocb struct {
	data           uint64
	_, _           uint32 // key, which the kernel sets, and flags
	_              uint16 // opcode; 0: read
	_              int16  // priority
	file           uint32
	memory, length uint64
	at             int64
	_              uint64
	_, _           uint32
}

type event struct {
	data, _ uint64
	result  int64
	_       int64
}

// newEngine reads directly where the file system can, and else through the system's cache.
func newEngine(file *os.File) engine {
	d := &direct{cache: int(file.Fd()), events: make([]event, depth)}
	var err error
	d.disk, err = unix.Open(fmt.Sprintf("/proc/self/fd/%d", d.cache), unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		return newGoroutines(file)
	}
	_, err = unix.Pread(d.disk, aligned(sector), sector) // disks may want larger sectors
	if _, _, e := unix.Syscall(unix.SYS_IO_SETUP, depth, uintptr(unsafe.Pointer(&d.context)), 0); e != 0 || err != nil {
		d.close()
		return newGoroutines(file)
	}
	if info, err := file.Stat(); err == nil { // else nothing counts as cached
		d.pages, _ = unix.Mmap(d.cache, 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
		d.gone = make([]atomic.Uint32, len(d.pages)/os.Getpagesize()/32+1)
	}
	return d
}

// submit takes from the system's cache what is there, and asks the disk for the rest.
func (d *direct) submit(rs []request, done func(int32, error)) {
	blocks, each := make([]iocb, 0, len(rs)), make([]*iocb, 0, len(rs))
	for _, r := range rs {
		if d.resident(r) {
			n, err := unix.Pread(d.cache, r.memory, r.at)
			if err == nil && n == len(r.memory) {
				done(r.slot, nil)
				continue
			}
		}
		blocks = append(blocks, iocb{data: uint64(r.slot) | uint64(len(r.memory))<<32, file: uint32(d.disk), at: r.at,
			memory: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(r.memory)))), length: uint64(len(r.memory))})
		each = append(each, &blocks[len(blocks)-1])
	}
	for len(each) > 0 {
		n, _, e := unix.RawSyscall(unix.SYS_IO_SUBMIT, d.context, uintptr(len(each)),
			uintptr(unsafe.Pointer(unsafe.SliceData(each))))
		switch e {
		case 0:
			each = each[n:]
		case unix.EINTR:
		default:
			for _, b := range each {
				done(int32(b.data), e)
			}
			return
		}
	}
}

// resident reports whether the system's cache has a part of the file. A read that does not wait (RWF_NOWAIT) would make
// the system load what the cache lacks. A question costs a third of a read, so a page that was absent once is not
// asked for again.
func (d *direct) resident(r request) bool {
	page := int64(os.Getpagesize())
	from, to := r.at/page*page, min(r.at+int64(len(r.memory)), int64(len(d.pages)))
	if from >= to {
		return false
	}
	gone, bit := &d.gone[from/page/32], uint32(1)<<(from/page%32)
	if gone.Load()&bit != 0 {
		return false
	}
	in := make([]byte, (to-from+page-1)/page)
	_, _, e := unix.RawSyscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&d.pages[from])), uintptr(to-from),
		uintptr(unsafe.Pointer(&in[0])))
	for _, x := range in {
		if x&1 == 0 {
			gone.Or(bit)
			return false
		}
	}
	return e == 0
}

func (d *direct) wait(least int, done func(int32, error)) error {
	for {
		n, _, e := unix.RawSyscall6(unix.SYS_IO_GETEVENTS, d.context, 1, uintptr(len(d.events)),
			uintptr(unsafe.Pointer(unsafe.SliceData(d.events))), uintptr(unsafe.Pointer(new(unix.Timespec))), 0)
		if n == 0 && e == 0 && least > 0 { // nothing was there at once
			n, _, e = unix.Syscall6(unix.SYS_IO_GETEVENTS, d.context, uintptr(least), uintptr(len(d.events)),
				uintptr(unsafe.Pointer(unsafe.SliceData(d.events))), 0, 0)
		}
		if e == unix.EINTR {
			continue
		}
		if e != 0 {
			return e
		}
		for _, v := range d.events[:n] {
			var err error
			switch {
			case v.result < 0:
				err = unix.Errno(-v.result)
			case v.result < int64(v.data>>32):
				err = io.ErrUnexpectedEOF
			}
			done(int32(v.data), err)
		}
		if least -= int(n); least <= 0 {
			return nil
		}
	}
}

func (d *direct) close() {
	unix.Syscall(unix.SYS_IO_DESTROY, d.context, 0, 0)
	unix.Close(d.disk)
	if d.pages != nil {
		unix.Munmap(d.pages)
	}
}

// newArena gives memory that the garbage collector does not count: else it would let as much garbage pile up.
func newArena(n int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil {
		unix.Madvise(b, unix.MADV_HUGEPAGE) // the kernel pins a large page at once, and the disk gets one address
	}
	return b, err
}

func freeArena(b []byte) { unix.Munmap(b) }
