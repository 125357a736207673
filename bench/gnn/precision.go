//go:build unix

package main

import (
	"context"
	"math"

	"prgnn/bench/measure"
	"prgnn/gnn"
)

// comparePrecisions trains the same model from the same start in float32 and in float64,
// and prints how far the probabilities of the test graphs lie apart as the epochs go by.
func comparePrecisions(dir string, o gnn.Options, t gnn.Training) error {
	epochs := t.Epochs
	for _, n := range []int{1, 10, 20, 50, 100} {
		if n > epochs {
			break
		}
		t.Epochs = n
		single, err := trained[float32](dir, o, t)
		if err != nil {
			return err
		}
		double, err := trained[float64](dir, o, t)
		if err != nil {
			return err
		}
		largest, mean, other := 0.0, 0.0, 0
		for i := range single {
			d := math.Abs(single[i].Probability[1] - double[i].Probability[1])
			largest = max(largest, d)
			mean += d / float64(len(single))
			if single[i].Class != double[i].Class {
				other++
			}
		}
		measure.Print(map[string]any{"epochs": n, "test_graphs": len(single), "largest": largest, "mean": mean,
			"other_class": other})
	}
	return nil
}

func trained[T gnn.Float](dir string, o gnn.Options, t gnn.Training) ([]gnn.Prediction, error) {
	train, test, err := load[T](dir, &o)
	if err != nil {
		return nil, err
	}
	m, err := gnn.New[T](o, 1)
	if err != nil {
		return nil, err
	}
	if _, err := m.Train(context.Background(), train, nil, t); err != nil {
		return nil, err
	}
	return m.Predict(test, t.Workers)
}
