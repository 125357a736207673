package inference

import (
	"math"

	"prgnn/numeric/exact"
)

// VarianceRatioP is the upper tail of the F distribution with whole degrees of freedom (Abramowitz and Stegun, 26.6.2).
func VarianceRatioP(f float64, above, below int) float64 {
	if math.IsNaN(f) || above < 1 || below < 1 {
		return math.NaN()
	}
	x := float64(below) / (float64(below) + float64(float64(above)*f))
	return beta(x, below, above)
}

// beta is the regularized incomplete beta function I_x(a/2, b/2), by its continued fraction (Abramowitz and Stegun,
// 26.5.8), evaluated by the method of Lentz (1976, Appl Opt 15:668).
func beta(x float64, a, b int) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x*float64(a+b+4) > float64(a+2):
		return 1 - beta(1-x, b, a)
	}
	const tiny = 1e-300
	p, q := float64(float64(a)/2), float64(float64(b)/2) // converted, so that no processor fuses them with a sum
	c, d := 1.0, 1/(1-float64((p+q)*x)/(p+1))
	h := d
	for i := 1; i < 10_000; i++ {
		k, twice := float64(i), float64(2*i)
		even := k * (q - k) * x / ((p + twice - 1) * (p + twice))
		odd := -(p + k) * (p + q + k) * x / ((p + twice) * (p + twice + 1))
		for _, n := range []float64{even, odd} {
			if d = 1 + float64(n*d); math.Abs(d) < tiny {
				d = tiny
			}
			if c = 1 + n/c; math.Abs(c) < tiny {
				c = tiny
			}
			d = 1 / d
			h *= c * d
		}
		if math.Abs(float64(c*d)-1) < 1e-16 {
			break
		}
	}
	return min(1, exact.Exp(betaTerm(x, a, b))*h/p)
}

// betaTerm is log of x^p (1−x)^q / B(p, q) of p = a/2 and q = b/2.
func betaTerm(x float64, a, b int) float64 {
	return float64(float64(a)/2*exact.Log(x)) + float64(float64(b)/2*exact.Log1p(-x)) +
		halfLogGamma(a+b) - halfLogGamma(a) - halfLogGamma(b)
}

// halfLogGamma is log Γ(n/2), by the recursion from Γ(1/2) = √π or Γ(1) = 1.
func halfLogGamma(n int) float64 {
	sum, k := 0.0, 2
	if n%2 == 1 {
		sum, k = 0.5723649429247001, 1 // log √π
	}
	for ; k+2 <= n; k += 2 {
		sum += exact.Log(float64(k) / 2)
	}
	return sum
}

// StudentT is the t whose two-sided p is p.
func StudentT(p float64, degrees int) float64 {
	return crossing(func(t float64) bool { return StudentP(t, degrees) < p })
}

// VarianceRatio is the F whose upper tail is p.
func VarianceRatio(p float64, above, below int) float64 {
	return crossing(func(f float64) bool { return VarianceRatioP(f, above, below) < p })
}

// crossing is where beyond becomes true, above 0, by bisection to the last bits.
func crossing(beyond func(x float64) bool) float64 {
	low, high := 0.0, 1.0
	for !beyond(high) && high < 1e300 {
		low, high = high, high*2
	}
	for range 200 {
		x := low + float64((high-low)/2)
		if x == low || x == high {
			break
		}
		if beyond(x) {
			high = x
		} else {
			low = x
		}
	}
	return high
}

// ExplainedInterval is the 95% interval of partial η² = λ/(λ + N) by the noncentral F distributions whose tails at the
// F that was seen are 2.5% (Steiger 2004, Psychol Methods 9:164). N = above + below + 1.
func ExplainedInterval(f float64, above, below int) (low, high float64) {
	if math.IsNaN(f) {
		return math.NaN(), math.NaN()
	}
	x := float64(float64(above)*f) / (float64(below) + float64(float64(above)*f))
	parts := noncentralParts(x, above, below)
	at := func(p float64) float64 {
		if noncentralF(parts, 0) < p {
			return 0
		}
		l := crossing(func(lambda float64) bool { return noncentralF(parts, lambda) < p })
		return l / (l + float64(above+below+1))
	}
	return at(0.975), at(0.025)
}

// noncentralParts are I_x(above/2 + j, below/2) of j = 0, 1 …, as far as they are above 1e-17.
func noncentralParts(x float64, above, below int) (parts []float64) {
	if x >= 1 {
		return nil
	}
	for a := above; ; a += 2 {
		v := beta(x, a, below)
		if parts = append(parts, v); v < 1e-17 || len(parts) > 100_000 {
			return parts
		}
	}
}

// noncentralF is the distribution function Σ Poisson(j; λ/2) · I_x(above/2 + j, below/2).
func noncentralF(parts []float64, lambda float64) (sum float64) {
	mean, logFactorial := float64(lambda/2), 0.0
	if mean == 0 {
		return parts[0]
	}
	logMean := exact.Log(mean)
	for j, part := range parts {
		if j > 0 {
			logFactorial += exact.Log(float64(j))
		}
		sum += float64(exact.Exp(float64(float64(j)*logMean)-mean-logFactorial) * part)
	}
	return sum
}
