package fold

import (
	"strings"
	"testing"

	"prgnn/internal/need"
)

// The log has the participants of all pairs, each once, and the message as many lines as a person reads.
func TestLoggedDuplicates(t *testing.T) {
	twins := []Duplicate{{First: "sub-1", Later: "sub-4", How: "are equal"}, {First: "sub-2", Later: "sub-3, x"},
		{First: "sub-1", Later: "sub-3, x"}}
	var log strings.Builder
	log.WriteString("compared 3 scans\n")
	LogDuplicates(&log, twins)
	log.WriteString("error: " + DuplicateText(twins))
	need.Equal(t, strings.Join(LoggedDuplicates(log.String()), ";"), "sub-1;sub-4;sub-2;sub-3, x")
	need.Equal(t, len(LoggedDuplicates("error: "+DuplicateText(twins))), 0)
}
