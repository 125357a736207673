// Package inflate decompresses gzip streams (RFC 1952 and RFC 1951) faster than
// the standard library does, for reading large images.
//
// A stream is decompressed in pieces into a window, so that memory does not grow
// with it, by the methods that make libdeflate (E. Biggers) fast: a bit buffer of
// 64 bits filled by whole words, one table look-up a symbol with the extra bits
// worked into the entry, and a loop that checks for the end of input and of output
// once a round. (Tables that give two literals, or a literal and a length, at one
// look-up save little: of the 30.8 million literals and lengths of an image, indices of
// 11 bits would join 2.7 million to the one before.)
//
// In images, whether a literal or a match comes next cannot be predicted, and a wrong
// prediction costs a processor more than a symbol. On amd64 with AVX2 a loop in assembly
// does without such branches: each entry, of a literal, a length or a distance alike, says
// in which table the next one is, and all that either could mean is done, a copy of no
// length where there is none. Blocks with few matches, mistakes, and the ends of blocks are
// left to the loop in Go. Both make the same, in the same pieces.
//
// # Invariants
//
// All members of a stream are read, one after the other. The CRC-32 and the length
// of each member are checked; bytes after the last member that do not start
// another are an error, as is a stream that ends early: no error means that every
// byte is there and right. Zeros after the last member, with which tapes and some
// file systems pad, are let pass. Whatever the input, nothing is read outside of
// the window and no memory beyond it is asked for.
package inflate
