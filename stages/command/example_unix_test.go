//go:build unix

package command_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/stages/command"
)

// A program by hand runs a command on a file. Importing this package registers the kind exec.
func Example() {
	dir, err := os.MkdirTemp("", "")
	check(err)
	defer os.RemoveAll(dir)
	words := filepath.Join(dir, "words.txt")
	check(os.WriteFile(words, []byte("pear\napple\n"), 0o666))

	exec, _ := dag.Lookup("exec")
	b := dag.NewGraph("words")
	sorted := b.Task(b.Stage("sorted", exec), &command.Exec{
		Command: []string{"sort", "-o", "{sorted}", "{words}"},
		Inputs:  []string{"words=text"}, Outputs: []string{"sorted=text"},
	})
	b.Connect(sorted, "words", dag.Source{File: words, Name: "words.txt", Format: "text"})
	graph, err := b.Build()
	check(err)

	store, err := disk.Open(filepath.Join(dir, "store"))
	check(err)
	defer store.Close()
	for range 2 {
		result, err := engine.Run(context.Background(), graph, store, engine.Options{})
		check(err)
		fmt.Println(result.Ran, "ran,", result.Cached, "cached")
		if result.Errors != nil {
			log.Fatal(result.Errors[0])
		}
		blob, err := store.OpenBlob(result.Outputs["sorted"].Of("sorted"))
		check(err)
		_, err = io.Copy(os.Stdout, blob)
		check(err)
	}
	// Output:
	// 1 ran, 0 cached
	// apple
	// pear
	// 0 ran, 1 cached
	// apple
	// pear
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
