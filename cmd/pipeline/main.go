// Command pipeline runs pipelines of neuroimaging analysis; see package cli.
package main

import (
	"os"

	"prgnn/cmd/pipeline/cli"
	_ "prgnn/stages" // the kinds
)

func main() { os.Exit(cli.Main()) }
