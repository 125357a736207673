// Package section writes the sections of a page: paragraphs, cautions, tables and figures, and
// the words and parameters that several sections share.
package section
