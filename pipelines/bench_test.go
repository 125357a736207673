package pipelines

import "testing"

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
