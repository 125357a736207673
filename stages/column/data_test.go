package column

import (
	"testing"

	"prgnn/internal/need"
)

func TestDataText(t *testing.T) {
	for _, d := range []Data{{}, {Measure: Partial, Estimator: "ridge", FisherZ: true, Series: Denoised},
		{Measure: Tangent, Of: Covariances, Series: Raw}, {Measure: Mixed}} {
		need.Equal(t, ParseData(d.String()), d)
	}
	need.Equal(t, Data{Measure: Partial, Series: Denoised}.String(), "measure=partial series=denoised")
	need.Equal(t, Data{}.String(), "")
	need.Equal(t, Data{Measure: Tangent, Of: Partial}.Before(), Data{Measure: Partial})
	need.Equal(t, Data{}.Text(), "values of unknown kind")
}

// What one input gathers of several outputs is what these have in common.
func TestDataJoin(t *testing.T) {
	pearson := Data{Measure: Pearson, Estimator: "empirical", Series: Denoised}
	raw, shrunk := pearson, pearson
	raw.Series, shrunk.Estimator = Raw, "oas"
	need.Equal(t, Join(), Data{})
	need.Equal(t, Join(pearson, pearson), pearson)
	need.Equal(t, Join(pearson, raw), Data{Measure: Pearson, Estimator: "empirical"})
	need.Equal(t, Join(pearson, shrunk), Data{Measure: Pearson, Series: Denoised})
	need.Equal(t, Join(pearson, Data{Measure: Partial}), Data{Measure: Mixed})
	partial := Data{Measure: Partial, Series: Denoised}
	need.Equal(t, Join(pearson, partial, pearson), Data{Measure: Mixed, Series: Denoised})
	need.Equal(t, Join(pearson, Data{Measure: Partial, Series: Raw}), Data{Measure: Mixed})
	need.Equal(t, Join(pearson, Data{}), Data{Measure: Mixed})
}
