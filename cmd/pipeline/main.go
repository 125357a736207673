// Command pipeline runs pipelines of neuroimaging analysis; see package cli.
package main

import (
	"os"

	"prgnn/cmd/pipeline/cli"
)

func main() { os.Exit(cli.Main()) }
