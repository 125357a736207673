// Package present has the kinds that show results as a page: report as HTML, summary as text. Its
// packages write the sections of the page.
package present
