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
// Two options that the released program has and its published figures do not use: learned columns beside those
// of X, the same for all participants (its positional encoding "identity"), and the clustering loss of Xie et
// al. (2016, ICML, eq. 2 and 3), λ times the mean over the nodes of a batch of KL(Q‖P), where
// Q_ik = (P_ik²/f_k) / Σ_j (P_ij²/f_j), f_k = Σ_i P_ik, is taken as fixed.
//
// The head maps each row of G to 8 values, and an MLP (8·K, 256, 32, classes) follows; its slope below 0 is
// 0.01. A batch is mixed with itself in another order, x ← λx + (1−λ)x', λ uniform in 0 to 1, the labels
// likewise. The loss of a batch is the sum of its cross-entropies.
//
// Same numbers in, same bits out, on every machine and at any number of goroutines.
package bnt
