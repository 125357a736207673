package located

import (
	"fmt"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// A file that states another session than its row is of the other session; what all names have states none.
func TestFilesOfOtherSessions(t *testing.T) {
	for _, c := range []struct {
		format   string // N the participant, S the session
		sessions [2]string
		swapped  int // participants whose files are exchanged
		want     int
	}{
		{"sub-N/ses-S/sub-N_ses-S_bold.tsv", [2]string{"pre", "post"}, 0, 0},
		{"sub-N/ses-S/sub-N_ses-S_bold.tsv", [2]string{"pre", "post"}, 6, 12},
		{"sub-N_ses-0S_bold.tsv", [2]string{"1", "2"}, 1, 2},
		{"series/N_S.tsv", [2]string{"pre", "post"}, 1, 2},
		{"series/N_S.tsv", [2]string{"1", "2"}, 1, 2},
		{"series/N_T%S.tsv", [2]string{"V1", "V2"}, 1, 2},
		{"series/N_T%S_b.tsv", [2]string{"V1", "V2"}, 0, 0},
		{"series/N_T%S.tsv", [2]string{"V1", "V2"}, 3, 0}, // half of the names: the order of sessions may differ
		{"series/N_T1_b.tsv", [2]string{"V1", "V2"}, 0, 0},
		{"visit2/N_visitS.tsv", [2]string{"1", "2"}, 0, 0},
		{"post/N_a.tsv", [2]string{"pre", "post"}, 0, 0},
		{"N.tsv", [2]string{"pre", "post"}, 6, 0},
	} {
		var files []InPart
		for i := range 6 {
			for k, session := range c.sessions {
				stated := session
				if i < c.swapped {
					stated = c.sessions[1-k]
				}
				name := strings.NewReplacer("N", fmt.Sprintf("%02d", i+1),
					"%S", strings.TrimPrefix(stated, "V"), "S", stated).Replace(c.format)
				files = append(files, InPart{session, name, fmt.Sprint("sub-", i+1)})
			}
		}
		got, _ := sessions.others(files, nil)
		need.Equal(t, len(got), c.want, c.format, c.sessions, c.swapped)
	}
}
