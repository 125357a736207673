// Package draw sets up gonum/plot for all our pictures: one sans font, thin gray
// axes, a white ground, colors that color-blind people can tell apart, and the same
// picture as SVG and as PNG.
//
// A Figure is painted by a function on a canvas of a fixed size. The bytes of a figure
// depend on nothing but what is painted: the fonts are compiled in, and no clock, path
// or locale enters. An SVG embeds the glyphs that it shows, so that every viewer draws texts
// as wide as they were measured.
//
// Lengths are vg.Length: points, 1/72 inch.
package draw
