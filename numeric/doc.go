// Package numeric is the root of three packages for stages whose results must be the same bytes on every machine:
//
//   - exact: elementary functions, with their errors in ulp
//   - random: streams of random numbers, named by seed and words
//   - dense: products, factors and eigenvalues of matrices
//
// The same arguments give the same bits on every processor and operating system, with any number of goroutines and
// any version of Go. A change of these bits is a change of results: see docs/versions.md.
//
// A stage keeps the promise in its own loops when it rounds each product before it adds it, s += float64(a*b), so that
// no compiler fuses the two, or fuses them itself, s = math.FMA(a, b, s) (exact.FMA32 in float32, which is slow);
// when it sums in one fixed order; and when it calls exact in place of math.Exp, Log, Log1p,
// Tanh, Atanh, Sin and Cos. math.Sqrt, FMA, Floor, Frexp, Ldexp and Abs have the same bits everywhere.
package numeric
