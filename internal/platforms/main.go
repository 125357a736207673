// Command platforms checks the types of all packages and tests, with what they import, for each platform that is
// promised: what does not compile there fails here, without compiling it. go run ./internal/platforms [OS/PROCESSOR…]
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

var promised = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	if len(os.Args) > 1 {
		promised = os.Args[1:]
	}
	for _, platform := range promised {
		system, processor, _ := strings.Cut(platform, "/")
		all, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
				packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax,
			Env:   append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor),
			Tests: true,
		}, "./...")
		if err != nil {
			fmt.Fprintf(os.Stderr, "platforms: %s: %v\n", platform, err)
			os.Exit(1)
		}
		if packages.PrintErrors(all) > 0 {
			fmt.Fprintf(os.Stderr, "platforms: %s: the errors above\n", platform)
			os.Exit(1)
		}
		fmt.Printf("%s: %d packages have no mistakes of types\n", platform, len(all))
	}
}
