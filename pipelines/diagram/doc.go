// Package diagram draws the stages of a pipeline as boxes and arrows, colored by state: as SVG, in
// the Graphviz language, and as Mermaid. The layout is its own; no other program is needed.
package diagram
