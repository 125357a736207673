// Package present has the kinds that show results: summary, report, tables and figures.
package present
