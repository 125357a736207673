// Package learn has the kinds that divide participants, train models and apply them.
package learn
