// Package rival has the networks that PR-GNN is compared with, in the form of their authors' released programs:
// BNT, the Brain Network Transformer of Kan et al. (2022, NeurIPS; Wayfear/BrainNetworkTransformer, 8a588aa);
// BrainGNN of Li et al. (2021, Medical Image Analysis; xxlya/BrainGNN_Pytorch, 1e337e7); and MeanMLP, the
// classifier of time series of Popov et al. (2024, NeuroImage; neuroneural/meanMLP, ec138ec). Package network
// trains them all.
//
// Same numbers in, same bits out, on every machine and at any number of goroutines.
//
// # Brain Network Transformer
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
// # BrainGNN
//
// PaperBrainGNN is our reading of the paper, of which we had the abstract and not the equations; AuthorsBrainGNN is
// the released program.
//
// A participant is a graph with node features h_i and edge weights e_ij. Each of two blocks is
//
//	W_i = Σ_u relu(Θ1[u, i])·Θ2_u + b          kernel of region i; relu(Θ1[u, i]): its membership of community u
//	h'_i = relu(W_i h_i + Σ_j e_ij W_j h_j)    j: the neighbors of i
//	s_i = h'_i·w/‖w‖, z-scored over the nodes of the graph
//	the share r of the nodes with the largest s is kept, features h'_i·sigmoid(s_i), and the edges between them;
//
// the mean and the largest value of each feature over the kept nodes of both blocks go to an MLP with ReLU.
// The regions that are kept carry their kernels along.
//
// In the released program the weights of the neighbors (and of the node itself, 1) go through a softmax, a bias
// follows and no ReLU, s is not z-scored, E becomes the off-diagonal of (E+I)² between the blocks, and the MLP
// has batch normalization and dropout. It puts the largest values before the means, which only
// permutes the columns of its first layer; here the means come first.
//
// # The loss of BrainGNN
//
// Cross-entropy (mean) + λu Σ_l (‖w_l‖ − 1)² + λ1 Σ_l TPK_l + λ2 GLC. With ŝ = sigmoid(s), M graphs, N_l nodes:
//
//	TPK_l = −mean over graphs of (1/N_l)·[Σ_kept log ŝ + Σ_dropped log(1 − ŝ)]
//	GLC = Σ_c (1/M_c²) Σ_{m,n in class c} ‖ŝ_m − ŝ_n‖², block 1, region by region
//
// The released program has other terms of these names: TPK of the kept nodes alone, split into an upper
// and a lower half, after a second sigmoid; GLC of the kept nodes in the order of their rank, after three
// sigmoids. So regions are not compared with themselves.
//
// # MeanMLP
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
package rival
