// Package figure draws the figures of a report from tables: each is a stage kind of its own,
// and a part of the report. It also puts the regions into slices and the viewer.
//
// chart draws plain values; figure reads tables and describes what a figure shows. Titles,
// alternative texts and captions stand in wording/figures.txt, under the code of the figure.
package figure
