package connectivity

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// plainRow reads a line of plain cells between separators, as many as dst has room for. It reports false for every
// other line, which may be right all the same.
func plainRow(dst []float64, line []byte, separator byte) bool {
	for j := range dst {
		if separator == ' ' { // any number of them
			for len(line) > 0 && line[0] == ' ' {
				line = line[1:]
			}
		}
		v, n := decimal(line)
		if n == 0 || n < len(line) && line[n] != separator {
			if v, n = plainCell(line, separator); n == 0 {
				return false
			}
		}
		dst[j], line = v, line[n:]
		if j < len(dst)-1 {
			if len(line) == 0 {
				return false
			}
			line = line[1:]
		}
	}
	return len(line) == 0
}

// plainCell reads a cell that decimal leaves to others, such as n/a and 1e-300: printable ASCII without quotes, so that
// nothing stands around it that is to be taken off.
func plainCell(line []byte, separator byte) (v float64, n int) {
	for n < len(line) && line[n] != separator {
		if line[n] <= ' ' || line[n] > '~' || n == 32 {
			return 0, 0
		}
		n++
	}
	v, ok := parseNumber(string(line[:n]))
	if !ok {
		return 0, 0
	}
	return v, n
}

// decimal reads the number at the beginning of a text, such as -12, 0.5 or 1.25e-03, to the bits that
// strconv.ParseFloat gives. It returns the number of its bytes, or 0 for a number that only strconv reads.
func decimal(b []byte) (v float64, n int) {
	if len(b) > 0 && b[0] == '-' {
		v, n = decimal(b[1:])
		if n == 0 || b[1] == '-' {
			return 0, 0
		}
		return -v, n + 1
	}
	m, n := digits(b, 0)
	if n <= 0 {
		return 0, 0
	}
	places := 0
	if n < len(b) && b[n] == '.' {
		if m, places = digits(b[n+1:], m); places <= 0 {
			return 0, 0
		}
		n += 1 + places
	}
	if n < len(b) && b[n] == 'e' {
		n++
		down := n < len(b) && b[n] == '-'
		if down || n < len(b) && b[n] == '+' {
			n++
		}
		power, k := digits(b[n:], 0)
		if k <= 0 || power > 99 {
			return 0, 0
		}
		n += k
		if places += int(power); !down {
			places -= 2 * int(power)
		}
	}
	if v, ok := quotient(m, places); ok {
		return v, n
	}
	return 0, 0
}

// digits reads digits behind those of m: the number of all, and how many there are here; -1 when they are too many.
func digits(b []byte, m uint64) (uint64, int) {
	n := 0
	for len(b)-n >= 8 && m < 1e11 {
		// Eight at once: pairs, then fours, then all (D. Lemire, Number parsing at a gigabyte per second, 2021).
		x := binary.LittleEndian.Uint64(b[n:])
		if x&0xf0f0f0f0f0f0f0f0|(x+0x0606060606060606)&0xf0f0f0f0f0f0f0f0>>4 != 0x3333333333333333 {
			break
		}
		x = x & 0x0f0f0f0f0f0f0f0f * (1 + 10<<8) >> 8
		x = x & 0x00ff00ff00ff00ff * (1 + 100<<16) >> 16
		x = x & 0x0000ffff0000ffff * (1 + 10000<<32) >> 32
		m, n = m*1e8+x, n+8
	}
	for ; n < len(b) && b[n]-'0' <= 9; n++ {
		if m > (math.MaxUint64-9)/10 {
			return 0, -1
		}
		m = m*10 + uint64(b[n]-'0')
	}
	return m, n
}

// quotient is m / 10^places, rounded once; false where neither integers nor floats divide exactly.
func quotient(m uint64, places int) (float64, bool) {
	switch {
	case m < 1<<53 && places >= 0 && places < len(powers):
		return float64(m) / powers[places], true
	case m < 1<<53 && places < 0 && -places < len(powers):
		return float64(m) * powers[-places], true
	case places < 0 || places >= len(fives):
		return 0, false
	}
	// 10^places is 5^places · 2^places, and a power of two only moves the point. With both shifted to 64 bits, the
	// quotient has more bits than a float64, and whether a rest is left stands in its last bit.
	d := fives[places]
	left, down := bits.LeadingZeros64(m), bits.LeadingZeros64(d)
	q, rest := bits.Div64(m<<left>>1, m<<left<<63, d<<down)
	if rest != 0 {
		q |= 1
	}
	return float64(q) * math.Float64frombits(uint64(1023+down-left-63-places)<<52), true
}

// fives are the powers of five that have 64 bits.
var fives = func() (f [28]uint64) {
	f[0] = 1
	for i := range f[1:] {
		f[i+1] = 5 * f[i]
	}
	return f
}()

// powers are those of ten that are floats.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
	1e17, 1e18, 1e19, 1e20, 1e21, 1e22}
