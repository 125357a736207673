package modelfile

import (
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// Data that differ from those of a training are named by what a user accepts; parameters that state the same are not
// stated twice.
func TestDataDiffers(t *testing.T) {
	pearson := column.Data{Measure: column.Pearson, Estimator: "empirical", Series: column.Denoised}
	for _, c := range []struct {
		is   column.Data
		made []column.Difference
		want []string
	}{
		{pearson, nil, nil},
		{column.Data{Measure: column.Partial, Estimator: "ledoit-wolf", Series: column.Denoised}, nil,
			[]string{"measure"}},
		{column.Data{Measure: column.Covariances, Series: column.Raw}, nil, []string{"measure", "denoised"}},
		{column.Data{Measure: column.Pearson, Series: column.Raw}, nil, []string{"denoised"}},
		{column.Data{Measure: column.Pearson, Series: column.Raw}, []column.Difference{{Key: "denoise.detrend"}}, nil},
		{column.Data{Measure: column.Pearson, FisherZ: true, Series: column.Denoised}, nil, []string{"measure"}},
		{column.Data{Measure: column.Pearson, Estimator: "oas", Series: column.Denoised}, nil, []string{"estimator"}},
		{column.Data{Measure: column.Pearson, Estimator: "oas", Series: column.Denoised},
			[]column.Difference{{Key: "connectivity.pearson"}}, nil},
		{column.Data{}, nil, []string{"measure", "denoised"}},
	} {
		for _, pair := range [][2]column.Data{{c.is, pearson}, {pearson, c.is}} {
			got := lists.Map(dataDiffers(pair[0], pair[1], c.made), func(d column.Difference) string { return d.Key })
			need.Equal(t, strings.Join(got, " "), strings.Join(c.want, " "), pair)
			for _, key := range got {
				need.Equal(t, slices.Contains(dataKeys(), key), true, key)
			}
		}
	}
}
