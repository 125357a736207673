// Package meanmlp is the classifier of time series of Popov et al. (2024, NeuroImage), in the form of
// the released program (neuroneural/meanMLP, ec138ec).
//
// # The model
//
// A participant is a series x [T, F]: T volumes of F regions. For each volume t
//
//	u_t = relu(LN(W·x_t + b)), LN(y) = (y − mean)/√(var + 1e-5) · scale + shift over the hidden values,
//
// dropout in training, then Layers blocks u ← relu(LN(W_l·u + b_l) + u), and logits = mean_t(U·u_t + c).
// The order of the volumes does not enter. Series may have different lengths; the released program takes
// equal ones.
//
// The loss of a batch is the sum of the cross-entropies of its participants.
//
// Same numbers in, same bits out, on every machine and at any number of goroutines.
package meanmlp
