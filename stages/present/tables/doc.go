// Package tables has the kind that writes the paper's Tables 1 and 2.
//
// Li et al., MICCAI 2020.
package tables
