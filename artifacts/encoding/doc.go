// Package encoding holds the values that stages exchange, and their files: arrays are npy 1.0
// (see Array), tables are Arrow IPC files (see Table). Both can be mapped into memory, and numpy,
// pyarrow, polars, R and others read both as they are.
//
// Arrow is the module github.com/apache/arrow/go/v15: what Record returns and FromRecord and Column
// take are its types, and those of another major version are others.
//
// # Canonical bytes
//
// Equal values give equal bytes, on every machine and at every time, for the digest of an
// output decides whether the work behind it runs again. So an encoding holds no time, no path
// and no order of a map; a NaN has one pattern of bits (which one arithmetic gives depends on
// the processor); a missing value is zero underneath; and each value has one form.
//
// # Hostile bytes
//
// Decoders allocate in proportion to what they were given, return errors, and do not panic.
package encoding
