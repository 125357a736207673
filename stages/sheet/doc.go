// Package sheet reads tables of participants the way people make them: CSV and TSV
// files of a spreadsheet or a BIDS dataset, and expressions that select rows
// ("group in [ASD, HC] and mean_fd < 0.3").
//
// A sheet holds texts; what is a number is decided a column at a time (Numbers).
// Every row remembers its line in the file, so that a mistake can be shown where it
// stands. An empty cell, n/a and their like (cell.Missing) mean that there is no value.
package sheet
