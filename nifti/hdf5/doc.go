// Package hdf5 reads the part of HDF5 in which ITK writes spatial transforms: groups,
// texts, and vectors of floating-point numbers.
//
// Read are superblocks 0, 2 and 3; object headers 1 and 2; links in object headers, in
// symbol tables and in a fractal heap of one block; vectors of float32 and float64, little
// endian; one text of variable length; compact, contiguous and chunked storage; the filters
// deflate and shuffle. Everything else is refused by its name.
//
// A vector is handed on in pieces, in order: memory does not grow with its length.
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
