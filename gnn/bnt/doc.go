// Package bnt is the Brain Network Transformer of Kan et al. (2022, NeurIPS), in the form of the released
// program (Wayfear/BrainNetworkTransformer, 8a588aa), from which the published figures come.
//
// # The model
//
// A participant is a matrix X [N, V]: the rows of the correlations of N regions, with columns of zeros up to
// a multiple of the heads. Two encoder blocks follow, each
//
//	[q|k|v] = x·W + b; A = softmax(q·kᵀ/√d) for each of the heads, d = V/heads;
//	x ← LN(x + drop(concat(drop(A)·v)·W + b)); x ← LN(x + drop(drop(relu(x·W + b))·W + b)),
//
// and the readout with K fixed centers E [K, V], orthogonal to each other:
//
//	P = softmax over k of l(z_i, e_k); G = Pᵀ·z [K, V].
//
// In the released program z is an MLP of the flattened x (N·V, 32, 32, N·V) and l = ⟨z, e⟩²/‖e‖, and the first
// center keeps the length that it has before the others are made orthogonal to it. In the paper, as we read
// it, z = x, l = ⟨z, e⟩, and all centers have length 1. The third readout is Student's: l = −log(1 + ‖z − e‖²).
// After the MLP, row i of z no longer belongs to region i.
//
// The head maps each row of G to 8 values, and an MLP (8·K, 256, 32, classes) follows; its slope below 0 is
// 0.01. A batch is mixed with itself in another order, x ← λx + (1−λ)x', λ uniform in 0 to 1, the labels
// likewise. The loss of a batch is the sum of its cross-entropies.
//
// Same numbers in, same bits out, on every machine and at any number of goroutines.
package bnt
