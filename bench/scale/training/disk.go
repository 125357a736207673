//go:build unix

package main

import (
	"fmt"
	"os"

	"prgnn/bench/measure"
	"prgnn/gnn/spill"
	"prgnn/internal/lists"
	"prgnn/internal/random"
)

// disk reads records as large as packed graphs in the order of a training, and computes nothing.
func disk(file *os.File) {
	const batch = 100
	records, bytes := spill.NewFile(file), random.New(1, "record")
	record := lists.Map(make([]struct{}, 14_300), func(struct{}) byte { return byte(bytes.Float64() * 256) })
	for range *n {
		_, err := records.Add(record)
		measure.Check(err)
	}
	measure.Check(file.Sync())
	said(size(file))
	r, err := records.NewReader(*memory, batch)
	measure.Check(err)
	defer r.Close()
	for e := range *epochs {
		order := lists.Map(random.New(1, "order", e).Perm(*n), func(i int) int32 { return int32(i) })
		measure.Check(r.Begin(order))
		for at := 0; at < *n; at += batch {
			measure.Check(r.Next(min(batch, *n-at)))
			for range r.Pieces() {
				r.Ahead()
			}
		}
		said(fmt.Sprintf("pass %d", e+1))
	}
}
