// Package draw sets up gonum/plot for all our pictures: one sans font, thin grey
// axes, a white ground, colours that colour-blind people can tell apart, and the same
// picture as SVG and as PNG.
//
// A Figure is painted by a function on a canvas of a fixed size. The bytes of a figure
// depend on nothing but what is painted: the fonts are compiled in, and no clock, path
// or locale enters. An SVG names its fonts (Liberation Sans, else Arial, else any sans)
// and does not embed them; text widths are those of Liberation Sans.
//
// Lengths are vg.Length: points, 1/72 inch.
package draw
