package inflate

import "math/bits"

// An entry of a decoding table says what the next bits mean: in its lowest byte how many to consume, in the next how
// many of them are the code (the others are added to a value), and
//
//	a literal   flagLiteral, the byte in bits 16–23
//	a length    flagLength, its least value from bit 48 on
//	a distance  flagDistance, its least value from bit 48 on
//	the end     flagEnd
//	a subtable  flagSubtable, where it starts from bit 48 on, the bits of its index in bits 8–15;
//	            codes longer than the table's bits are there
//
// and 0 is no code. The first three have flagDirect, and in bits 32–39 the bits of the index of the next entry.
const (
	shiftCode    = 8
	shiftByte    = 16
	shiftWidth   = 32
	shiftValue   = 48
	flagDistance = 1 << 26
	flagEnd      = 1 << 27
	flagSubtable = 1 << 28
	flagDirect   = 1 << 29
	flagLength   = 1 << 30
	flagLiteral  = 1 << 31
)

// The bits of the main tables (10 to 12 are as fast as each other for literals), and
// the sizes with the subtables. A subtable of k bits has at least k+1 codes if the
// code is complete, so n symbols need no more than n·2ᵏ/(k+1) entries, k being 15
// less the table's bits.
const (
	maxBits  = 15 // of a code
	litBits  = 11
	distBits = 8
	litSize  = 1<<litBits + 288*16/5
	distSize = 1<<distBits + 32*128/8
)

// The least values and extra bits of the lengths of symbols 257 to 285, and of the
// distances of symbols 0 to 29 (RFC 1951, 3.2.5).
var (
	lengthBase = [29]uint64{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31,
		35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra = [29]uint64{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2,
		3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distBase = [30]uint64{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193,
		257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distExtra = [30]uint64{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6,
		7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

// litMeaning, distMeaning and preMeaning are the entries of the symbols of each
// code without the bits of their codes. The code of code lengths gives bytes.
var litMeaning, distMeaning, preMeaning = func() (lit [288]uint64, dist [32]uint64, pre [19]uint64) {
	for s := range 256 {
		lit[s] = flagLiteral | flagDirect | litBits<<shiftWidth | uint64(s)<<shiftByte
	}
	lit[256] = flagEnd
	for i := range lengthBase {
		lit[257+i] = flagLength | flagDirect | distBits<<shiftWidth | lengthBase[i]<<shiftValue | lengthExtra[i]
	}
	for i := range distBase {
		dist[i] = flagDistance | flagDirect | litBits<<shiftWidth | distBase[i]<<shiftValue | distExtra[i]
	}
	for s := range pre {
		pre[s] = flagLiteral | uint64(s)<<shiftByte
	}
	return lit, dist, pre
}()

// finish puts the bits of a code into the entry of its symbol.
func finish(meaning uint64, n int) uint64 {
	if meaning == 0 {
		return 0
	}
	return meaning + uint64(n)<<shiftCode + uint64(n)
}

// build fills a decoding table from the lengths of the codes by symbol. It tells
// whether they are those of a complete prefix code. A code of no symbol, and one
// of a single symbol of one bit, are let pass too, as every decompressor does.
func build(table []uint64, tableBits int, lengths []uint8, meaning []uint64) bool {
	var count, end [maxBits + 2]int // by length: symbols; the end of theirs among the sorted ones
	for _, n := range lengths {
		count[n]++
	}
	count[0] = 0
	left, longest := 1, 0
	for n := 1; n <= maxBits; n++ {
		left = left<<1 - count[n]
		if left < 0 {
			return false // more codes than there can be
		}
		if count[n] > 0 {
			longest = n
		}
		end[n+1] = end[n] + count[n]
	}
	if left > 0 && longest > 1 {
		return false // bits that no code starts with
	}
	var sorted [288]uint16 // symbols, by length
	for s, n := range lengths {
		if n > 0 {
			sorted[end[n]] = uint16(s)
			end[n]++
		}
	}

	// Codes of n bits count up; with their bits reversed, as they stand in the
	// stream, they are places in a table of n bits. The table is filled for the
	// shortest codes first, and for each further bit repeated.
	table[0] = 0
	code, at, n := uint32(0), 0, 1
	for ; n <= tableBits; n++ {
		size := 1 << (n - 1)
		copy(table[size:2*size], table[:size])
		for ; at < end[n]; at++ {
			table[code] = finish(meaning[sorted[at]], n)
			code = increment(code, n)
		}
	}

	free := 1 << tableBits
	prefix, start, size := ^uint32(0), 0, 0
	for ; n <= longest; n++ {
		for ; at < end[n]; at++ {
			if p := code & (1<<tableBits - 1); p != prefix {
				// A subtable as deep as the codes of this prefix: deeper, while
				// those of a length do not fill it.
				bits := n - tableBits
				for used := end[n] - at; used < 1<<bits && tableBits+bits < longest; {
					bits++
					used = used<<1 + count[tableBits+bits]
				}
				prefix, start, size = p, free, 1<<bits
				free += size
				table[p] = flagSubtable | uint64(start)<<shiftValue | uint64(bits)<<shiftCode | uint64(tableBits)
			}
			e := finish(meaning[sorted[at]], n-tableBits)
			for i := int(code >> tableBits); i < size; i += 1 << (n - tableBits) {
				table[start+i] = e
			}
			code = increment(code, n)
		}
	}
	return true
}

// increment adds one to a code of n bits whose bits are reversed.
func increment(code uint32, n int) uint32 {
	// The ones at its top become zeros, and the zero below them a one.
	ones := bits.LeadingZeros32(^(code << (32 - n)))
	if ones >= n {
		return 0
	}
	top := uint32(1) << (n - 1 - ones)
	return code&(top-1) | top
}
