// Package cpuid stands in for the module of that name, version v2.4.0: it asks the processor for some hundred facts at
// every start, each of them a trap of a virtual machine, 0.1 to 0.3 ms. These are the ones that the libraries here look
// at, as golang.org/x/sys/cpu knows them. docs/decisions/0008-size.md tells more.
package cpuid

import "golang.org/x/sys/cpu"

// A FeatureID is a set of instructions.
type FeatureID uint

const (
	SSE2 FeatureID = iota
	SSE4
	CLMUL
	AVX2
	AVX512F
	AVX512DQ
	AVX512VL
	VPCLMULQDQ
	ASIMD
	AESARM
	PMULL
	SHA3
)

// CPU is the processor that runs this program.
var CPU = func() (c CPUInfo) {
	for id, has := range map[FeatureID]bool{
		SSE2: cpu.X86.HasSSE2, SSE4: cpu.X86.HasSSE41, CLMUL: cpu.X86.HasPCLMULQDQ, AVX2: cpu.X86.HasAVX2,
		AVX512F: cpu.X86.HasAVX512F, AVX512DQ: cpu.X86.HasAVX512DQ, AVX512VL: cpu.X86.HasAVX512VL,
		VPCLMULQDQ: cpu.X86.HasAVX512VPCLMULQDQ,
		ASIMD:      cpu.ARM64.HasASIMD, AESARM: cpu.ARM64.HasAES, PMULL: cpu.ARM64.HasPMULL, SHA3: cpu.ARM64.HasSHA3,
	} {
		if has {
			c.Enable(id)
		}
	}
	return c
}()

// A CPUInfo is what a processor can do.
type CPUInfo struct{ features uint }

// Has reports whether the processor has a set of instructions.
func (c CPUInfo) Has(id FeatureID) bool { return c.features>>id&1 == 1 }

// Supports reports whether the processor has all of these.
func (c CPUInfo) Supports(ids ...FeatureID) bool {
	for _, id := range ids {
		if !c.Has(id) {
			return false
		}
	}
	return true
}

// Enable makes a set of instructions count as one that the processor has.
func (c *CPUInfo) Enable(ids ...FeatureID) bool {
	for _, id := range ids {
		c.features |= 1 << id
	}
	return true
}

// Disable makes a set of instructions count as one that the processor lacks.
func (c *CPUInfo) Disable(ids ...FeatureID) bool {
	for _, id := range ids {
		c.features &^= 1 << id
	}
	return true
}
