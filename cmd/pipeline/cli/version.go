package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "version, commit, Go, platform",
		Long:    "Prints which build of the program this is: what to quote in a paper or a report of a fault.",
		Example: "  pipeline version --json",
		Args:    exactly(0),
		RunE:    func(*cobra.Command, []string) error { return a.version() },
	}
}

type versionEvent struct {
	Event    string `json:"event"` // "version"
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"` // built from files that differ from the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (a *app) version() error {
	v := versionEvent{"version", "(devel)", "unknown", false, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			v.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Commit = s.Value
			case "vcs.modified":
				v.Modified = s.Value == "true"
			}
		}
	}
	if a.JSON {
		a.Object(v)
		return nil
	}
	modified := ""
	if v.Modified {
		modified = " (with changes)"
	}
	fmt.Fprintf(a.Out, "pipeline %s\ncommit %s%s\n%s %s\n", v.Version, v.Commit, modified, v.Go, v.Platform)
	return nil
}
