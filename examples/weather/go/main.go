// Command pipeline is the program of a lab that links what it imports: the command line, and the lab's own kinds.
package main

import (
	"os"

	_ "examples/weather/weather" // registers the kinds

	"prgnn/cmd/pipeline/cli"
)

func main() { os.Exit(cli.Main()) }
