// Command pipeline runs pipelines of neuroimaging analysis; see package cli.
package main

import (
	"os"

	"prgnn/cmd/pipeline/cli"
	_ "prgnn/cmd/pipeline/imaging" // images, and the formats of other programs
	_ "prgnn/stages"               // the kinds
)

func main() { os.Exit(cli.Main()) }
