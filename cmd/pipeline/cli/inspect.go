package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/internal/foreign"
	"prgnn/internal/regular"
)

func (a *app) inspectCommand() *cobra.Command {
	var withStats bool
	rows := 5
	cmd := &cobra.Command{
		Use:   "inspect PATH",
		Short: "describe a NIfTI, MGH/MGZ, npy, Arrow or Parquet file",
		Long: `Describes a file by its content, not by its name. For an image: shape, voxel size,
repetition time, orientation, affine, scaling, and every error or
doubt in its header, with the rule that applies. With --stats the voxels are read too: minimum,
maximum and mean value (scaled), NaNs, and the SHA-256 of the scaled values as float64,
little-endian, x fastest, to compare with other programs.`,
		Example: `  pipeline inspect sub-01_bold.nii.gz --stats
  pipeline inspect aparc+aseg.mgz
  pipeline inspect scores.arrow --rows 20
  pipeline inspect sub-01_bold.nii.gz --json | jq .affine`,
		Args: exactly(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.inspect(args[0], withStats, rows) },
	}
	cmd.Flags().BoolVar(&withStats, "stats", false, "read the voxels too, which also finds damage")
	cmd.Flags().Var(positive{&rows}, "rows", "show the first `N` rows of a table (with --json also elements of an array)")
	return cmd
}

// An inspectEvent is what a file holds, or why it cannot be read.
type inspectEvent struct {
	Event  string `json:"event"` // "inspect"
	Path   string `json:"path"`
	Format string `json:"format,omitempty"`
	Bytes  int64  `json:"bytes"`
	Error  string `json:"error,omitempty"`
}

func (a *app) inspect(path string, withStats bool, rows int) error {
	e := inspectEvent{Event: "inspect", Path: path}
	err := func() error {
		f, err := regular.Open(path)
		if err != nil {
			return foreign.Missing(path, err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		e.Bytes = info.Size()
		var magic [foreign.Enough]byte
		n, _ := io.ReadFull(f, magic[:])
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		e.Format = results.FormatOf(magic[:n])
		switch e.Format {
		case "npy", "arrow", "parquet":
			return a.inspectValue(e, f, rows)
		}
		if reason := cmp.Or(cutShort(magic[:n]), foreign.Name(magic[:n])); reason != "" {
			return fmt.Errorf("%s: %s", path, reason)
		}
		return a.inspectImage(e, withStats)
	}()
	if err != nil && a.JSON {
		e.Error = err.Error()
		a.Object(e)
		fmt.Fprintln(a.Stderr, a.Term.Red("error: ")+err.Error())
		return &exit.Error{Code: exit.Failed}
	}
	return err
}

// cutShort says that a file is the beginning of one of ours.
func cutShort(magic []byte) string {
	for _, whole := range []string{"\x93NUMPY", "ARROW1", "PAR1"} {
		if len(magic) > 1 && len(magic) < len(whole) && strings.HasPrefix(whole, string(magic)) {
			return fmt.Sprintf("cut short: it has %d bytes, the first of %q", len(magic), whole)
		}
	}
	return ""
}

func (a *app) inspectValue(e inspectEvent, f *os.File, rows int) error {
	var c results.Content
	var err error
	r := bufio.NewReaderSize(f, 1<<20)
	if e.Format == "npy" {
		c.Array, err = encoding.ReadArray(r)
	} else {
		c.Table, err = encoding.ReadTable(r)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.Path, err)
	}
	if a.JSON {
		a.Object(struct {
			inspectEvent
			results.ContentJSON
		}{e, c.JSON(rows)})
		return nil
	}
	fmt.Fprintf(a.Out, "%s  %s, %s\n", a.Page.Bold(e.Path), e.Format, console.ByteCount(e.Bytes))
	c.Print(a.Out, rows, "  ")
	if c.Table != nil {
		g := console.Grid{Indent: "  "}
		for _, col := range results.Columns(c.Table) {
			g.Add(col.Name, col.Type, col.Unit, col.Doc)
		}
		fmt.Fprintln(a.Out)
		g.Print(a.Out)
	}
	return nil
}
