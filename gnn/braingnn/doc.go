// Package braingnn is BrainGNN of Li et al. (2021, Medical Image Analysis): a graph convolution whose kernel
// depends on the region, and pooling of the regions with the highest scores. Two forms are offered: Paper, our
// reading of the paper, of which we had the abstract and not the equations, and AuthorsCode, that of the
// released program (xxlya/BrainGNN_Pytorch, 1e337e7).
//
// # The model
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
// # The loss
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
// Same numbers in, same bits out, on every machine and at any number of goroutines.
package braingnn
