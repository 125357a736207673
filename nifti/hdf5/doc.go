// Package hdf5 reads the part of HDF5 in which ITK writes spatial transforms and MATLAB its
// files of version 7.3: groups, texts, arrays of numbers and of references, and attributes.
//
// Read are superblocks 0, 2 and 3, also behind a userblock; object headers 1 and 2; links in
// object headers, in symbol tables and in a fractal heap of one block; whole numbers, float32
// and float64, little endian; references to objects; attributes that are a number or a text
// of fixed length; one text of variable length; compact, contiguous and chunked storage; the
// filters deflate and shuffle. Everything else is refused by its name.
//
// A Vector is handed on in pieces, in order: memory does not grow with its length. Of an
// Object any range of its first index can be read.
//
// # Invariants
//
//   - Every checksum that the format has is checked: Jenkins' lookup3 of headers, heaps and
//     trees, Adler-32 of deflated chunks.
//   - Every address and size is checked against the file before memory is asked for.
//   - Whatever the bytes, there is no panic, and work is bounded by the size of the file.
//
// Source: HDF5 File Format Specification, version 3.0 (The HDF Group); the section of it
// stands at each structure.
package hdf5
