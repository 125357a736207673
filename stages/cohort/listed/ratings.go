package listed

import (
	"errors"
	"fmt"
	"os"

	"prgnn/internal/cell"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/sheet"
)

// RatedFail is why a participant takes no part whose scan was rated fail.
const RatedFail = "rated fail"

// A Rating is a row of a table of ratings.
type Rating struct {
	ID     string // as the table has it
	Rating string // pass, maybe or fail
	Line   int
}

// FailedRatings are the participants whom a table of ratings (columns participant_id and rating: pass, maybe, fail, or
// no value) rates fail. A report saves such a table. It is an error to rate a participant twice and differently.
func FailedRatings(path string) (failed []Rating, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, userfile.Plain(path, err)
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
	first := map[string]Rating{} // of each participant
	var problems []error
	for i, r := range rating {
		now := Rating{who[i], r, s.Lines[i]}
		id, _ := cell.Whole(bareName(now.ID))
		before, again := first[id]
		switch {
		case r == "" || cell.DoubtOf(r) == cell.Mark:
			continue
		case r != "pass" && r != "maybe" && r != "fail":
			problems = append(problems, fmt.Errorf("%s:%d: the rating of %s is %q, want pass, maybe, fail or n/a", path, now.Line, now.ID, r))
			continue
		case again && before.Rating != r:
			problems = append(problems, fmt.Errorf("%s:%d: %s is rated %s here but %s in line %d: keep one of the two ratings", path, now.Line, now.ID, r, before.Rating, before.Line))
			continue
		case again:
			continue
		}
		first[id] = now
		if r == "fail" {
			failed = append(failed, now)
		}
	}
	if problems != nil {
		return nil, errors.Join(problems...)
	}
	return failed, nil
}
