package cluster

import (
	"context"

	"prgnn/artifacts"
)

// Status is the state of the submitted, unfinished work of a store: by key, in the words of Slurm, such as
// "pending: Priority".
func Status(ctx context.Context, s *artifacts.Store) (map[artifacts.Key]string, error) {
	batches := spaceOf(s).batches()
	if len(batches) == 0 { // no run has handed anything over, so nobody is asked
		return nil, nil
	}
	if err := present(); err != nil {
		return nil, err
	}
	list, err := commands{}.list(ctx)
	if err != nil {
		return nil, err
	}
	at := map[place]element{}
	for _, e := range list {
		at[place{e.name, e.index}] = e
	}
	where := map[artifacts.Key]string{}
	for _, b := range batches {
		for i, keys := range b.elements {
			e, ok := at[place{b.name, i}]
			if !ok || !underWay(e.state) {
				continue
			}
			for _, k := range keys {
				where[k] = e.text()
			}
		}
	}
	return where, nil
}
