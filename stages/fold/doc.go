// Package fold has what every cross-validated kind shares: the parameters of a fold, the
// division into training and test participants, the settings, and their scores.
package fold
