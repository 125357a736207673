package wiring

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/pipelines/tree"
)

// Effective is what the parameters that a decision sets are with each option, by STAGE.PARAMETER.
type Effective map[*Option]map[string]string

// Add adds those of a stage, as it is with the option.
func (e Effective) Add(d *Decision, o *Option, stage string, with dag.Stage) {
	if e[o] == nil {
		e[o] = map[string]string{}
	}
	for _, p := range param.Of(with) {
		if d.Sets(stage, p.Name) {
			e[o][stage+"."+p.Name] = strings.Join(Texts(p.Default), ", ")
		}
	}
}

// RefuseEqual refuses options that differ in what they set, and leave the stages with the same: the value that one sets
// is that of the file, or the default. Their universes would be one.
func (d *Decision) RefuseEqual(e Effective, bad *tree.Mistakes) {
	for i := range d.Options {
		o := &d.Options[i]
		for j := range d.Options[:i] {
			other := &d.Options[j]
			if o.Inputs != nil || other.Inputs != nil || e[o] == nil || o.Same(other) || !maps.Equal(e[o], e[other]) {
				continue
			}
			var all []string
			for _, set := range slices.Concat(other.Sets, o.Sets) {
				path := set.Stage + "." + set.Parameter
				if text := path + " is " + cmp.Or(e[o][path], `""`); !slices.Contains(all, text) {
					all = append(all, text)
				}
			}
			bad.Add(o.Pos, "decision %s: the options %s and %s are the same analysis, since %s with both (by the file "+
				"or by default, where an option does not set it): remove one", d.Name, other.Name, o.Name, strings.Join(all, " and "))
		}
	}
}
