// Package gnn is PR-GNN, the pooling-regularised graph neural network of Li et
// al. (MICCAI 2020): two (or more) blocks of edge-weighted graph attention and ranking pooling,
// a readout, an MLP, and losses that make the pooling scores say which regions matter.
//
// # Use
//
// Options describe a model (Paper and AuthorsCode give two), NewGraph makes its
// inputs, New a Model with starting weights, Model.Train fits it and
// Model.Predict applies it. A Packer packs graphs that need too much memory. All of it
// exists in float32 and float64.
//
// # How it computes
//
//	        Graph: features H, adjacency E
//	           │
//	 ┌─────────▼─────────┐
//	 │ conv    Eq. 1, 2  │  z = Θh; α = softmax(e·ReLU(a₁z_i + a₂z_j)); h' = αz
//	 │ pool    Eq. 3, 4  │  s = sigmoid(…); keep the k best, times s
//	 └─────────┬─────────┘  × number of blocks
//	        readout          z = mean over the kept nodes
//	        linear, ReLU …   logits
//	           │
//	CE + λ₁·Σ distance(s) + λ₂·Σ consistency(s of block 1)
//
// Every layer has its forward and its backward function side by side, written
// out by hand, in a file of its own: conv.go, sagescore.go, pool.go, readout.go,
// mlp.go, batchnorm.go; the losses are in distance.go and consistency.go. To check a
// gradient, read the two together; to check them by machine, see the tests, which
// hold an independent program's numbers to 1e-12.
//
// A batch goes through in three steps. Each graph by itself runs forward, to its own
// terms of the loss. Then the terms that tie graphs together (consistency, batch
// normalization) are computed over the batch. Then each graph by itself runs backward,
// into a gradient of its own; the gradients are added in the order of the batch. The first
// and the third step are spread over goroutines.
//
// # Invariants
//
//   - Params is one slice; Layout names its arrays, which are row-major. What the
//     inner loops need (Θ transposed, rows padded to a multiple of 8, w/‖w‖) is made
//     from it by prepare, and a gradient goes back through the same by finish.
//   - Same numbers in, same bits out: on every machine, in any number of
//     goroutines, with and without vector instructions. Sums have a defined order, their
//     products a defined rounding, and exponentials are package exact's.
//   - Graphs and inputs are read-only. A Model may be used by one goroutine at a time.
//   - Nodes count from 0 and keep their number through the poolings (Scores.Node).
//   - Graphs are undirected. Sizes may differ within a batch, except for the losses
//     that compare graphs node by node.
package gnn
