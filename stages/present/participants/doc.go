// Package participants writes what a page says of the participants and their scans: groups,
// exclusions, labels, cleaning, head motion and quality.
package participants
