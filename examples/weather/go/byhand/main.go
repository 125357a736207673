// Command byhand runs the weather job on dag and artifacts alone: no pipeline file, no cohort, no command line.
package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"examples/weather/weather"

	"prgnn/artifacts/disk"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/engine"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: byhand DATA STORE")
	}
	dir := os.Args[1] // of stations.tsv and its files
	f, err := os.Open(filepath.Join(dir, "stations.tsv"))
	check(err)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	rows, err := r.ReadAll()
	check(err)

	b := dag.NewGraph("weather")
	readings := b.Stage("readings", kind("weather-clean"), "station")
	means := b.Stage("means", kind("weather-daily"), "station")
	for _, row := range rows[1:] {
		path, err := filepath.Abs(filepath.Join(dir, row[1]))
		check(err)
		clean := b.Task(readings, &weather.Clean{Missing: -999}, row[0])
		b.Connect(clean, "file", dag.Source{File: path, Name: row[1], Format: "csv"})
		b.Connect(b.Task(means, &weather.Daily{Hours: 12}, row[0]), "readings", clean.Output("readings"))
	}
	all := b.Task(b.Stage("correlations", kind("weather-correlation")), &weather.Correlation{})
	b.Connect(all, "means", means.Outputs("means")...)
	graph, err := b.Build()
	check(err)

	store, err := disk.Open(os.Args[2])
	check(err)
	defer store.Close()
	result, err := engine.Run(context.Background(), graph, store, engine.Options{})
	check(err)
	if result.Sources != "" {
		log.Print("warning: " + result.Sources)
	}
	for _, wrong := range result.Errors {
		log.Print(wrong)
	}
	fmt.Printf("%d ran, %d cached, %d failed\n", result.Ran, result.Cached, result.Failed)
	blob, err := store.OpenBlob(result.Outputs["correlations"].Of("pairs"))
	check(err)
	defer blob.Close()
	table, err := encoding.ReadTable(blob)
	check(err)
	check(table.WriteCSV(os.Stdout, '\t'))
}

func kind(name string) *dag.Kind {
	k, ok := dag.Lookup(name)
	if !ok {
		log.Fatalf("there is no kind %s", name)
	}
	return k
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
