package inference

// The squared difference of the means of different people is the part leastMeans of the expected one with a probability
// of 5e-6 where all inputs together vary in six directions only (chi-squared, 6 degrees of freedom). Of 8,000 divisions
// of participants of ABIDE, none was below 0.26.
const (
	fewestMeans = 100
	leastMeans  = 0.01
)

// SameMeans reports whether the training participants have the means of the new ones. Each one is in the training of
// equally many folds, so the mean over the models of a study, by their participants, is that of all.
func SameMeans(differences, sds []float64, weight float64, participants, trained int) bool {
	if len(differences) < fewestMeans {
		return false
	}
	squares := 0.0
	for j, d := range differences {
		d /= float64(weight * sds[j])
		squares += float64(d * d)
	}
	expected := 1/float64(participants) + 1/float64(trained)
	return squares/float64(len(differences)) < leastMeans*expected
}
