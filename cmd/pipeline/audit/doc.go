// Package audit runs tasks again in an empty place, or takes results from another machine, and
// compares them with what is stored: bit for bit, and in numbers where bits differ.
package audit
