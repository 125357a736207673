// Package lists makes lists of others.
package lists

import "slices"

// Map is a list with f of each element. It is never nil.
func Map[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// A Group is the elements of a list that have a key, in their order.
type Group[K comparable, E any] struct {
	Key K
	All []E
}

// By groups a list by a key, in the order in which the keys first occur.
func By[K comparable, E any](list []E, key func(E) K) (groups []Group[K, E]) {
	at := map[K]int{}
	for _, x := range list {
		k := key(x)
		i, known := at[k]
		if !known {
			i, at[k] = len(groups), len(groups)
			groups = append(groups, Group[K, E]{Key: k})
		}
		groups[i].All = append(groups[i].All, x)
	}
	return groups
}

// UpTo is 0 … n−1.
func UpTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// At are the elements of a list at these places.
func At[E any](list []E, places []int) []E {
	return Map(places, func(i int) E { return list[i] })
}

// Set has the elements of a list.
func Set[E comparable](list []E) map[E]bool {
	return SetOf(list, func(x E) E { return x })
}

// SetOf has a key of each element of a list.
func SetOf[E any, K comparable](list []E, key func(E) K) map[K]bool {
	set := make(map[K]bool, len(list))
	for _, x := range list {
		set[key(x)] = true
	}
	return set
}

// Places are the places of the elements in a list, of equal ones the last.
func Places[E comparable](list []E) map[E]int {
	return PlacesOf(list, func(x E) E { return x })
}

// PlacesOf are the places in a list by a key of the elements, of equal keys the last.
func PlacesOf[E any, K comparable](list []E, key func(E) K) map[K]int {
	at := make(map[K]int, len(list))
	for i, x := range list {
		at[key(x)] = i
	}
	return at
}

// Count is the number of elements for which is holds.
func Count[E any](list []E, is func(E) bool) (n int) {
	for _, x := range list {
		if is(x) {
			n++
		}
	}
	return n
}

// Keep are the elements for which is holds, nil for none; the list stays as it is.
func Keep[E any](list []E, is func(E) bool) (kept []E) {
	for _, x := range list {
		if is(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// Add is a list with an element at its end, unless it is there.
func Add[E comparable](list []E, x E) []E {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}
