package cluster

import (
	"context"
	"path/filepath"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
)

// Status is the state of the submitted, unfinished work of a store: by key, in the words of Slurm, such as
// "pending: Priority".
func Status(ctx context.Context, s *disk.Store) (map[artifacts.Key]string, error) {
	where := map[artifacts.Key]string{}
	for _, pool := range list(filepath.Join(spaceOf(s).dir, poolsDir)) {
		dir := spaceOf(s).path(poolsDir, pool)
		for _, id := range list(filepath.Join(dir, pilotsDir)) {
			for k := range jobsIn(filepath.Join(dir, pilotsDir, id)) {
				where[k] = "running"
			}
		}
		for k := range jobsIn(filepath.Join(dir, queueDir)) {
			where[k] = "pending"
		}
	}
	batches := spaceOf(s).batches()
	if len(batches) == 0 { // no run has handed anything over, so nobody is asked
		return where, nil
	}
	if err := present(); err != nil {
		return where, err
	}
	elements, err := commands{}.list(ctx)
	if err != nil {
		return where, err
	}
	at := map[place]element{}
	for _, e := range elements {
		at[place{e.name, e.index}] = e
	}
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
