package rival

import (
	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// A readout is what the forward pass leaves from the encoder on.
type readout[T gnn.Float] struct {
	encoded [][]T // input and results of the MLP before the readout; the last is z, rows × columns
	project []T   // rows × clusters: products of z with the centers
	assign  []T   // rows × clusters: P
	target  []T   // that of P, for the clustering loss; nil without
	values  [][]T // pooled (participants · clusters × columns), then what each layer of the head makes
}

// read computes the logits from the encoder's result x.
func (n *bntNet[T]) read(params, x []T, graphs, threads int) *readout[T] {
	r := &readout[T]{encoded: network.Through(n.encode, params, x, leaky, graphs, threads)}
	z := r.encoded[len(r.encoded)-1]
	c, k := n.columns, n.Clusters
	rows := len(z) / c
	r.project, r.assign = make([]T, rows*k), make([]T, rows*k)
	pooled := make([]T, graphs*k*c)
	dense.Each(threads, graphs, func(g int) {
		part, p, to := graph(z, g, graphs), graph(r.project, g, graphs), graph(r.assign, g, graphs)
		dense.Multiply(p, k, dense.Rows(part, c), dense.Rows(n.centers, c).T(), n.Nodes, c, k, false, 1)
		for i := range n.Nodes {
			n.alike(to[i*k:][:k], p[i*k:][:k], part[i*c:][:c])
		}
		softmax(to, k)
		dense.Multiply(graph(pooled, g, graphs), c, dense.Rows(to, k).T(), dense.Rows(part, c), k, n.Nodes, c, false, 1)
	})
	reduced := network.Through(n.head[:1], params, pooled, leaky, graphs*k, threads)
	gnn.ReLU(reduced[1], leaky)
	r.values = append(reduced[:1], network.Through(n.head[1:], params, reduced[1], leaky, graphs, threads)...)
	return r
}

// squared is the squared length of a vector.
func squared[T gnn.Float](v []T) (sum T) {
	for _, x := range v {
		sum += T(x * x)
	}
	return sum
}

// distance is 1 + ‖z − e‖² by the product of z and center k.
func (n *bntNet[T]) distance(lengthOfZ, product T, k int) T {
	return 1 + max(0, lengthOfZ+T(n.length[k]*n.length[k])-T(2*product))
}

// alike computes l(z, e) for each center from the products of z with them.
func (n *bntNet[T]) alike(l, product, z []T) {
	length := squared(z)
	for k, p := range product {
		switch n.Readout {
		case "paper":
			l[k] = p
		case "student_t":
			l[k] = T(-exact.Log(float64(n.distance(length, p, k))))
		default:
			l[k] = T(p*p) / n.length[k]
		}
	}
}

// alikeBack turns the gradient d of l into that of the products; that of z itself, beside the products, is
// factor·z.
func (n *bntNet[T]) alikeBack(d, product, z []T) (factor T) {
	length := squared(z)
	for k, p := range product {
		switch n.Readout {
		case "paper":
		case "student_t":
			d[k] = 2 * (d[k] / n.distance(length, p, k))
			factor -= d[k]
		default:
			d[k] = 2 * (T(p*d[k]) / n.length[k])
		}
	}
	return factor
}

// cluster sets the target of the clustering loss, and returns the weighted loss.
func (n *bntNet[T]) cluster(p *bntPass[T]) float64 {
	if n.Clustering == 0 {
		return 0
	}
	p.target = target(p.assign, n.Clusters)
	return float64(n.Clustering * divergence(p.target, p.assign, n.Clusters))
}

// target is the sharpened P of the clustering loss: Q_ik = (P_ik²/f_k) / Σ_j (P_ij²/f_j), f_k = Σ_i P_ik over
// all rows of the batch (Xie et al. 2016, ICML, eq. 3).
func target[T gnn.Float](assign []T, clusters int) []T {
	f := make([]float64, clusters)
	for i, p := range assign {
		f[i%clusters] += float64(p)
	}
	q, row := make([]T, len(assign)), make([]float64, clusters)
	for at := 0; at < len(assign); at += clusters {
		sum := 0.0
		for k, p := range assign[at:][:clusters] {
			if row[k] = 0; p > 0 {
				row[k] = float64(p) * (float64(p) / f[k])
			}
			sum += row[k]
		}
		for k, v := range row {
			q[at+k] = T(v / sum)
		}
	}
	return q
}

// divergence is the clustering loss, the mean over the rows of KL(Q‖P) = Σ_k Q_k·log(Q_k/P_k) (Xie et al. 2016,
// eq. 2).
func divergence[T gnn.Float](target, assign []T, clusters int) (kl float64) {
	for i, q := range target {
		if q > 0 {
			kl += float64(float64(q) * exact.Log(float64(q)/float64(assign[i])))
		}
	}
	return kl / float64(len(target)/clusters)
}

// readBack carries gradients of the logits to the parameters, and returns that of the encoder's result.
func (n *bntNet[T]) readBack(params, grad []T, r *readout[T], logits []T, threads int) []T {
	c, k := n.columns, n.Clusters
	graphs := len(logits) / n.Classes
	z := r.encoded[len(r.encoded)-1]
	d := network.ThroughBack(n.head[1:], params, grad, r.values[1:], logits, leaky, true, graphs, threads)
	gnn.ReLUBack(d, r.values[1], leaky)
	pooled := network.ThroughBack(n.head[:1], params, grad, r.values[:1], d, leaky, true, graphs*k, threads)
	dz := make([]T, len(z))
	weight := T(n.Clustering / float64(len(z)/c))
	dense.Each(threads, graphs, func(g int) {
		part, dg, to := graph(z, g, graphs), graph(pooled, g, graphs), graph(dz, g, graphs)
		p := graph(r.assign, g, graphs)
		dp := make([]T, n.Nodes*k)
		dense.Multiply(dp, k, dense.Rows(part, c), dense.Rows(dg, c).T(), n.Nodes, c, k, false, 1)
		softmaxBack(dp, p, k, 1)
		if r.target != nil { // of λ·KL(Q‖softmax(l)) with Q fixed: λ(P − Q)
			for i, q := range graph(r.target, g, graphs) {
				dp[i] += T(weight * (p[i] - q))
			}
		}
		for i := range n.Nodes {
			row := part[i*c:][:c]
			factor := n.alikeBack(dp[i*k:][:k], graph(r.project, g, graphs)[i*k:][:k], row)
			for j, v := range row {
				to[i*c+j] = factor * v
			}
		}
		dense.Multiply(to, c, dense.Rows(dp, k), dense.Rows(n.centers, c), n.Nodes, k, c, true, 1)
		dense.Multiply(to, c, dense.Rows(p, k), dense.Rows(dg, c), n.Nodes, k, c, true, 1)
	})
	return network.ThroughBack(n.encode, params, grad, r.encoded, dz, leaky, true, graphs, threads)
}
