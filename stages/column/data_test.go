package column

import (
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
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

// Data that differ from those of a training are named by what a user accepts; parameters that state the same are not
// stated twice.
func TestDataDiffers(t *testing.T) {
	pearson := Data{Measure: Pearson, Estimator: "empirical", Series: Denoised}
	for _, c := range []struct {
		is   Data
		made []Difference
		want []string
	}{
		{pearson, nil, nil},
		{Data{Measure: Partial, Estimator: "ledoit-wolf", Series: Denoised}, nil, []string{"measure"}},
		{Data{Measure: Covariances, Series: Raw}, nil, []string{"measure", "denoised"}},
		{Data{Measure: Pearson, Series: Raw}, nil, []string{"denoised"}},
		{Data{Measure: Pearson, Series: Raw}, []Difference{{Key: "denoise.detrend"}}, nil},
		{Data{Measure: Pearson, FisherZ: true, Series: Denoised}, nil, []string{"measure"}},
		{Data{Measure: Pearson, Estimator: "oas", Series: Denoised}, nil, []string{"estimator"}},
		{Data{Measure: Pearson, Estimator: "oas", Series: Denoised}, []Difference{{Key: "connectivity.pearson"}}, nil},
		{Data{}, nil, []string{"measure", "denoised"}},
	} {
		for _, pair := range [][2]Data{{c.is, pearson}, {pearson, c.is}} {
			got := lists.Map(DataDiffers(pair[0], pair[1], c.made), func(d Difference) string { return d.Key })
			need.Equal(t, strings.Join(got, " "), strings.Join(c.want, " "), pair)
			for _, key := range got {
				need.Equal(t, slices.Contains(DataKeys(), key), true, key)
			}
		}
	}
}
