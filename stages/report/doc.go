// Package report writes one HTML file that opens anywhere: no network, no file beside
// it, no program behind it.
//
// A Page is what is to be told, as plain data: sections of paragraphs, tables, figures
// and, at most once, a viewer of the brain. HTML and Text are its renderings.
//
// Invariants:
//   - Everything that comes from outside (names, file names, notes, labels) is text and
//     is escaped by body.put, the one way into a page. Pictures stand in <img>, where no
//     picture can run anything.
//   - The page forbids itself everything but what HTML put there: its policy names
//     the digests of its own style and scripts, and no other address than data:.
//   - The same Page gives the same bytes.
//   - Without scripts or WebGL nothing is lost but the turning of the brain: every
//     figure is a picture in the file.
package report
