package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// architectures are those whose system calls can be filtered: how the kernel calls them, and the calls that some have
// beside fchmodat, openat and mknodat.
var architectures = map[string]struct {
	audit uint32
	modes []modeCall
}{
	// chmod, open, creat, mknod
	"amd64": {unix.AUDIT_ARCH_X86_64, []modeCall{{90, 1, -1}, {2, 2, 1}, {85, 1, -1}, {133, 1, -1}}},
	"arm64": {unix.AUDIT_ARCH_AARCH64, nil},
}

// A modeCall gives a file the mode in an argument; where there are flags, only if they make the file.
type modeCall struct {
	number, mode uint32
	flags        int // -1: none
}

// A rule is for one system call: its result if one of the values passes the test on an argument (counted from 0), and
// else. Without a test it is the first. With makes, calls are allowed that have none of these flags.
type rule struct {
	call       uint32
	arg        uint32
	test       uint16 // unix.BPF_JEQ, or unix.BPF_JSET for bits
	values     []uint32
	hit, other uint32

	flags, makes uint32
}

// filter is the program of the kernel (seccomp(2)) that refuses the system calls for which namespaces are no bound.
func filter(network bool) ([]unix.SockFilter, error) {
	arch, known := architectures[runtime.GOARCH]
	if !known {
		return nil, fmt.Errorf("the system calls of %s cannot be filtered", runtime.GOARCH)
	}
	const allow = unix.SECCOMP_RET_ALLOW
	errno := func(e syscall.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }
	var rules []rule
	for _, call := range []uint32{
		unix.SYS_OPENAT2,                                        // whose mode is no argument; programs then call openat
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, // the keys of the user's session
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, // other ways to all calls
	} {
		rules = append(rules, rule{call: call, hit: errno(unix.ENOSYS)})
	}
	// A file in scratch would run as the user, also when others start it. Directories may keep their group.
	modes := uint32(unix.S_ISUID)
	if os.Getgid() == 0 {
		modes |= unix.S_ISGID
	}
	for _, call := range append([]modeCall{{unix.SYS_FCHMOD, 1, -1}, {unix.SYS_FCHMODAT, 2, -1},
		{unix.SYS_FCHMODAT2, 2, -1}, {unix.SYS_MKNODAT, 2, -1}, {unix.SYS_OPENAT, 3, 2}}, arch.modes...) {
		r := rule{call: call.number, arg: call.mode, test: unix.BPF_JSET, values: []uint32{modes},
			hit: errno(unix.EPERM), other: allow}
		if call.flags >= 0 {
			r.flags, r.makes = uint32(call.flags), unix.O_CREAT|unix.O_TMPFILE&^unix.O_DIRECTORY
		}
		rules = append(rules, r)
	}
	// The first process is bubblewrap, which has the same user.
	for _, call := range []struct{ number, pid uint32 }{{unix.SYS_PTRACE, 1}, {unix.SYS_PROCESS_VM_READV, 0},
		{unix.SYS_PROCESS_VM_WRITEV, 0}} {
		rules = append(rules, rule{call: call.number, arg: call.pid, test: unix.BPF_JEQ, values: []uint32{1},
			hit: errno(unix.EPERM), other: allow})
	}
	if !network { // sockets of other kinds lead to the host of a virtual machine, to devices …
		rules = append(rules, rule{call: unix.SYS_SOCKET, test: unix.BPF_JEQ, values: []uint32{unix.AF_UNIX,
			unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}, hit: allow, other: errno(unix.EAFNOSUPPORT)})
	}
	const ( // where they are in seccomp_data
		number   = 0
		audit    = 4
		firstArg = 16
	)
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	jump := func(test uint16, k uint32, yes, no int) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | test, K: k, Jt: uint8(yes), Jf: uint8(no)}
	}
	result := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	const others = 0x40000000 // from here on, the calls of x32
	program := []unix.SockFilter{load(audit), jump(unix.BPF_JEQ, arch.audit, 1, 0), result(errno(unix.ENOSYS)),
		load(number), jump(unix.BPF_JGE, others, 0, 1), result(errno(unix.ENOSYS))}
	for _, r := range rules {
		var body []unix.SockFilter
		if r.makes != 0 {
			body = append(body, load(firstArg+8*r.flags), jump(unix.BPF_JSET, r.makes, 1, 0), result(allow))
		}
		if r.values != nil {
			body = append(body, load(firstArg+8*r.arg))
			for i, v := range r.values {
				body = append(body, jump(r.test, v, len(r.values)-i, 0))
			}
			body = append(body, result(r.other))
		}
		body = append(body, result(r.hit))
		program = append(append(program, jump(unix.BPF_JEQ, r.call, 0, len(body))), body...)
	}
	return append(program, result(allow)), nil
}

// restrict lays a filter on this thread, and on what it starts.
func restrict(program []unix.SockFilter) error {
	all := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&all)), 0, 0)
}
