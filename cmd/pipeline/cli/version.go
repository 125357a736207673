package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"prgnn/internal/version"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "version, commit, Go, platform",
		Long:    "Prints the build of the program, to quote in a paper or a bug report.",
		Example: "  pipeline version --json",
		RunE:    func(*cobra.Command, []string) error { return a.version() },
	}
}

type versionEvent struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"` // built from files that differ from the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (a *app) version() error {
	p := version.This()
	v := versionEvent{p.Version, cmp.Or(p.Revision, "unknown"), p.Modified, p.Go, p.Platform}
	if a.AsJSON("version", v) {
		return nil
	}
	modified := ""
	if v.Modified {
		modified = " (with changes)"
	}
	fmt.Fprintf(a.Out, "pipeline %s\ncommit %s%s\n%s %s\n", v.Version, v.Commit, modified, v.Go, v.Platform)
	return nil
}
