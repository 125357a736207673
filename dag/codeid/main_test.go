package main

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	roomy()
	os.Exit(m.Run())
}
