package region

import (
	"fmt"
	"slices"

	"prgnn/dag"
	"prgnn/stages/bids"
)

// StreamOf names the random numbers of a scan. One scan per participant draws without the names of run and session.
func StreamOf(purpose, subject, run, session string) []any {
	who := []any{purpose, subject}
	if run != "" {
		who = append(who, "run", run)
	}
	if session != "" {
		who = append(who, "session", session)
	}
	return slices.Clip(who)
}

// JSON reads the bytes of a JSON file of a dataset.
func JSON(in dag.Input) ([]byte, error) {
	if in.Ref.Size > bids.LongestJSON {
		return nil, fmt.Errorf("%s: more than the limit of %d MiB for a JSON file", in.Name, bids.LongestJSON>>20)
	}
	return in.Bytes()
}

// ReadJSON reads a JSON file of a dataset.
func ReadJSON(in dag.Input, into any) error {
	b, err := JSON(in)
	if err != nil {
		return err
	}
	if err := bids.Decode(b, into); err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	return nil
}
