package wiring

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/pipelines/tree"
)

// SameValue reports whether two values set the same: 1 and 1.0 do.
func SameValue(a, b *tree.Node) bool {
	switch {
	case a.Kind == tree.Scalar && b.Kind == tree.Scalar:
		_, text := a.Value.(string)
		_, other := b.Value.(string)
		return reflect.DeepEqual(a.Decoded(), b.Decoded()) ||
			!text && !other && SameNumber(ScalarText(a.Value), ScalarText(b.Value))
	case a.Kind == tree.List && b.Kind == tree.List:
		return slices.EqualFunc(a.Items, b.Items, SameValue)
	case a.Kind == tree.List && len(a.Items) == 1 && b.Kind == tree.Scalar: // of a matrix
		return SameValue(a.Items[0], b)
	case a.Kind == tree.Mapping && b.Kind == tree.Mapping:
		return len(a.Keys) == len(b.Keys) && !slices.ContainsFunc(a.Keys, func(k tree.Key) bool {
			other := b.Get(k.Name)
			return other == nil || !SameValue(k.Value, other)
		})
	}
	return reflect.DeepEqual(a.Decoded(), b.Decoded())
}

// SameNumber reports whether two texts are one number.
func SameNumber(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, also := strconv.ParseFloat(b, 64)
	return a == b || err == nil && also == nil && x == y && strings.ContainsAny(a+b, ".eE")
}

// Shortly is a value for a sentence.
func Shortly(v *tree.Node) string {
	switch v.Kind {
	case tree.Scalar:
		return cmp.Or(v.Text, "empty")
	case tree.List:
		return "[" + strings.Join(lists.Map(v.Items, Shortly), ", ") + "]"
	}
	return v.String()
}

// Default is the default of a parameter of a stage.
func Default(stage *tree.Node, name string) (text string, ok bool) {
	kind, ok := dag.Lookup(Kind(stage))
	if !ok {
		return "", false
	}
	for _, p := range param.Of(kind.New()) {
		if p.Name == name {
			return strings.Join(Texts(p.Default), ", "), true
		}
	}
	return "", false
}

// Texts is the value of a parameter as a list of texts; a value that is no list has one item.
func Texts(v any) []string {
	list := reflect.ValueOf(v)
	switch {
	case v == nil:
		return nil
	case list.Kind() != reflect.Slice:
		return []string{fmt.Sprint(v)}
	}
	items := make([]string, list.Len())
	for i := range items {
		items[i] = fmt.Sprint(list.Index(i))
	}
	return items
}
