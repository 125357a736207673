// Package chart draws the figures of a result: plain numbers in, a draw.Figure out,
// which is a picture as SVG and as PNG.
//
// A Plot describes a figure of marks over axes (plot.go), and a layout is rows of views of the brain (regionmap.go): a
// new figure describes itself where its tables are read, and needs no code here.
//
// A chart says in its own texts what it shows, with units; colors are those of package
// draw, which color-blind people can tell apart, and never the only sign. Sizes are
// those of print: a figure is 85 mm (a column) or 180 mm (a page) wide, and its texts have 8 points.
package chart
