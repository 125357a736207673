// Package baseline holds the classifiers that PR-GNN is compared with (Table 2 of
// Li et al., MICCAI 2020) and cheaper ones that every study should be compared with.
//
// # Use
//
// Cases are rows of numbers (Rows): the upper triangle of a participant's
// correlation matrix. A Fit function learns from rows and their labels and gives a
// Classifier, which rates any rows. Labels are numbers of classes, from 0.
//
// Machines that tell two classes apart (SVM, ridge, logistic regression) give a
// decision value, positive for class 1; with more classes there is one machine a
// class, against all others. The probability of class 1 is 1/(1+exp(−f)) of the decision value f,
// and with more classes the softmax of all of them: it orders cases as f does and is one
// half where f is 0, and it is not calibrated (logistic regression's is, by nature).
//
// # Invariants
//
//   - Nothing is learned from rows that are not handed to Fit, nor from those that are for the test (Training.Test).
//   - Same numbers in, same bits out: on every machine, at any number of
//     goroutines. Random numbers come from streams named by the seed and by what they are for.
//   - Inputs are read-only.
package baseline
