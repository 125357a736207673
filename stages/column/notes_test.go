package column

import (
	"testing"

	"prgnn/internal/need"
)

// The more specific words count: a table with codes is not taken for confounds with codes.
func TestNoteOf(t *testing.T) {
	for note, want := range map[string]string{
		"participant names consist of letters and digits only":                  "",
		"column age: -9 " + MayBeMissing + "; if they do, list them in missing": "missing values as categories",
		"confounds of sub-1 hold numbers that " + CodesInMotion:                 NotedCodes,
		"the repetition time " + ProtocolApart + ": ASD 2 s, HC 3 s":            NotedTR,
		"the number of volumes " + ProtocolApart + ": ASD 90, HC 80":            NotedLength,
	} {
		need.Equal(t, NoteOf(note), NoteRow{note, want})
	}
}
