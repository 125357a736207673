// Package estimator trains a user's model in Python on the same folds as PR-GNN. One process fits and others
// predict, so that no process has both the model's code and a label of a test participant. host.py is their Python
// side.
package estimator
