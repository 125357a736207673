package inference

// Fisher is the two-sided p of Fisher's exact test that a share is the same in two groups: in of n participants in
// each. It sums the probabilities of all tables with these margins that are no more likely than this one (Fisher 1935;
// ties to within 1e-7, as in R's fisher.test).
func Fisher(in1, n1, in2, n2 int) float64 {
	in, n := in1+in2, n1+n2
	// next is the probability of k+1 in the first group over that of k.
	next := func(k int) float64 {
		return float64(in-k) * float64(n1-k) / (float64(k+1) * float64(n-n1-in+k+1))
	}
	// Likelihoods are relative to that of the observed table.
	all, rare, likelihood := 1.0, 1.0, 1.0
	add := func(w float64) {
		if all += w; w <= 1+1e-7 {
			rare += w
		}
	}
	for k := in1; k < min(in, n1); k++ {
		likelihood = float64(likelihood * next(k))
		add(likelihood)
	}
	likelihood = 1
	for k := in1; k > max(0, in-n2); k-- {
		likelihood /= next(k - 1)
		add(likelihood)
	}
	return rare / all
}
