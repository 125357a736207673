// Command pipeline is the program of a lab: all that prgnn's has, and a stage
// kind of the lab's own.
package main

import (
	"os"

	_ "examples/own-stage/outliers" // registers the kind

	"prgnn/cmd/pipeline/cli"
	_ "prgnn/cmd/pipeline/imaging" // images, and the formats of other programs
	_ "prgnn/stages"               // the kinds of prgnn
)

func main() { os.Exit(cli.Main()) }
