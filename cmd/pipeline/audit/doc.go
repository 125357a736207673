// Package audit prints which results differ and where the difference enters: after running tasks again in an empty
// place, between places or machines, and between two runs.
package audit
