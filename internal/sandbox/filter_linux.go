package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// architectures are those whose system calls can be filtered: how the kernel calls them, and the number of chmod, which
// some have beside fchmodat.
var architectures = map[string]struct{ audit, chmod uint32 }{
	"amd64": {unix.AUDIT_ARCH_X86_64, 90},
	"arm64": {unix.AUDIT_ARCH_AARCH64, 0},
}

// A rule is for one system call: its result if one of the values passes the test on an argument (counted from 0), and
// else. Without a test it is the first.
type rule struct {
	call       uint32
	arg        uint32
	test       uint16 // unix.BPF_JEQ, or unix.BPF_JSET for bits
	values     []uint32
	hit, other uint32
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
	chmods := []struct{ number, mode uint32 }{{unix.SYS_FCHMOD, 1}, {unix.SYS_FCHMODAT, 2}, {unix.SYS_FCHMODAT2, 2}}
	if arch.chmod != 0 {
		chmods = append(chmods, struct{ number, mode uint32 }{arch.chmod, 1})
	}
	for _, call := range chmods {
		rules = append(rules, rule{call.number, call.mode, unix.BPF_JSET, []uint32{modes}, errno(unix.EPERM), allow})
	}
	// The first process is bubblewrap, which has the same user.
	for _, call := range []struct{ number, pid uint32 }{{unix.SYS_PTRACE, 1}, {unix.SYS_PROCESS_VM_READV, 0},
		{unix.SYS_PROCESS_VM_WRITEV, 0}} {
		rules = append(rules, rule{call.number, call.pid, unix.BPF_JEQ, []uint32{1}, errno(unix.EPERM), allow})
	}
	if !network { // sockets of other kinds lead to the host of a virtual machine, to devices …
		rules = append(rules, rule{unix.SYS_SOCKET, 0, unix.BPF_JEQ, []uint32{unix.AF_UNIX, unix.AF_INET,
			unix.AF_INET6, unix.AF_NETLINK}, allow, errno(unix.EAFNOSUPPORT)})
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
		if r.values == nil {
			program = append(program, jump(unix.BPF_JEQ, r.call, 0, 1), result(r.hit))
			continue
		}
		program = append(program, jump(unix.BPF_JEQ, r.call, 0, 3+len(r.values)), load(firstArg+8*r.arg))
		for i, v := range r.values {
			program = append(program, jump(r.test, v, len(r.values)-i, 0))
		}
		program = append(program, result(r.other), result(r.hit))
	}
	return append(program, result(allow)), nil
}

// restrict lays a filter on this thread, and on what it starts.
func restrict(program []unix.SockFilter) error {
	all := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&all)), 0, 0)
}
