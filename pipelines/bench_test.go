package pipelines

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkFanOut(b *testing.B) {
	text := []byte("stages:\n  a: { use: echo, matrix: { value: [1..100000] } }\n")
	for b.Loop() {
		if _, err := build("x.yaml", text, ".", nil, maxTasks); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
}

func BenchmarkBiopoint(b *testing.B) {
	for b.Loop() {
		if _, err := build("biopoint.yaml", []byte(template()), ".", nil, maxTasks); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
}

// BenchmarkRow builds stages that follow each other, each of one task.
func BenchmarkRow(b *testing.B) {
	for _, n := range []int{1500, 15000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			text := []byte(row(n, nil))
			for b.Loop() {
				if _, err := build("x.yaml", text, ".", nil, maxTasks); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCycle refuses one cycle, and as many as there are stages.
func BenchmarkCycle(b *testing.B) {
	for name, back := range map[string]func(i int) bool{
		"one": func(i int) bool { return i == 0 }, "many": func(int) bool { return true },
	} {
		b.Run(name, func(b *testing.B) {
			text := []byte(row(15000, back))
			for b.Loop() {
				if _, err := build("x.yaml", text, ".", nil, maxTasks); err == nil {
					b.Fatal("no error")
				}
			}
		})
	}
}

// row is a file of n stages, each of which needs the one before it, and some also the last.
func row(n int, back func(i int) bool) string {
	var b strings.Builder
	b.WriteString("stages:\n")
	for i := range n {
		var needs []string
		if i > 0 {
			needs = append(needs, fmt.Sprintf("s%d", i-1))
		}
		if back != nil && back(i) {
			needs = append(needs, fmt.Sprintf("s%d", n-1))
		}
		fmt.Fprintf(&b, "  s%d: { use: echo, with: { value: x }", i)
		if needs != nil {
			fmt.Fprintf(&b, ", in: { inputs: [%s] }", strings.Join(needs, ", "))
		}
		b.WriteString(" }\n")
	}
	return b.String()
}
