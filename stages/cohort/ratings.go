package cohort

import (
	"errors"
	"fmt"
	"os"

	"prgnn/stages/sheet"
)

// RatedFail is why a participant takes no part whose scan was rated fail.
const RatedFail = "rated fail"

// FailedRatings are the participants whom a table of ratings (columns participant_id and rating: pass, maybe, fail, or
// no
// value) rates fail. A report saves such a table.
func FailedRatings(path string) (ids []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, plainError(path, err)
	}
	defer f.Close()
	s, err := sheet.Read(f, path)
	if err != nil {
		return nil, err
	}
	who, ok1 := s.Column("participant_id")
	rating, ok2 := s.Column("rating")
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("%s: a table of ratings has the columns participant_id and rating", path)
	}
	var problems []error
	for i, r := range rating {
		switch r {
		case "fail":
			ids = append(ids, who[i])
		case "pass", "maybe", "", "n/a":
		default:
			problems = append(problems, fmt.Errorf("%s:%d: the rating of %s is %q, want pass, maybe, fail or n/a", path, s.Lines[i], who[i], r))
		}
	}
	if problems != nil {
		return nil, errors.Join(problems...)
	}
	return ids, nil
}
