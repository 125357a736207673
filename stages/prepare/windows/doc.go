// Package windows has the kinds of dynamic connectivity: sliding windows, their states, and the time in each.
package windows
