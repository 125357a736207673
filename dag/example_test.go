package dag_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/engine"
)

var number = dag.Port{Name: "number", Type: dag.Format("text")}

// Three stages: two numbers, the square of each, and their sum. The second run finds every result in the store.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(dir)
	store, err := disk.Open(dir)
	check(err)
	defer store.Close()

	b := dag.NewGraph("squares")
	numbers := b.Stage("number", kind("number", func() dag.Stage { return &Number{} }), "n")
	squares := b.Stage("square", kind("square", func() dag.Stage { return &Square{} }), "n")
	for _, n := range []string{"3", "4"} {
		value, _ := strconv.Atoi(n)
		from := b.Task(numbers, &Number{Value: value}, n)
		b.Connect(b.Task(squares, &Square{}, n), "number", from.Output("number"))
	}
	sum := b.Task(b.Stage("sum", kind("sum", func() dag.Stage { return &Sum{} })), &Sum{})
	b.Connect(sum, "numbers", squares.Outputs("number")...)
	graph, err := b.Build()
	check(err)
	for range 2 {
		result, err := engine.Run(context.Background(), graph, store, engine.Options{})
		check(err)
		blob, err := store.OpenBlob(result.Outputs["sum"].Of("number"))
		check(err)
		text, err := io.ReadAll(blob)
		check(err)
		blob.Close()
		fmt.Printf("%s: %d ran, %d cached\n", text, result.Ran, result.Cached)
	}
	// Output:
	// 25: 5 ran, 0 cached
	// 25: 0 ran, 5 cached
}

// Number gives a number.
type Number struct {
	Value int `param:"value"`
}

func (*Number) Ports() dag.Ports { return dag.Ports{Out: []dag.Port{number}} }

func (s *Number) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return dag.Outputs{"number": artifacts.Text(strconv.Itoa(s.Value))}, nil
}

// Square squares a number.
type Square struct{}

func (*Square) Ports() dag.Ports { return dag.Ports{In: []dag.Port{number}, Out: []dag.Port{number}} }

func (*Square) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	n, err := read(t.In("number"))
	return dag.Outputs{"number": artifacts.Text(strconv.Itoa(n * n))}, err
}

// Sum adds up numbers.
type Sum struct{}

func (*Sum) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{{Name: "numbers", Type: number.Type, Gather: true}}, Out: []dag.Port{number}}
}

func (*Sum) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	sum := 0
	for _, in := range t.All("numbers") {
		n, err := read(in)
		if err != nil {
			return nil, err
		}
		sum += n
	}
	return dag.Outputs{"number": artifacts.Text(strconv.Itoa(sum))}, nil
}

func read(in dag.Input) (int, error) {
	b, err := in.Bytes()
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(b))
}

func kind(name string, new func() dag.Stage) *dag.Kind {
	return &dag.Kind{Name: name, Code: "1", New: new}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
