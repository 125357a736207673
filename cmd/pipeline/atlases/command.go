package atlases

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/atlas"
)

// Command is the command atlas.
func Command(a *console.Console) (cmd *cobra.Command, output *string, usage string) {
	var g getting
	cmd = &cobra.Command{
		Use:   "atlas list [WORD] | atlas get NAME",
		Short: "list atlases of TemplateFlow, and fetch one",
		Long: `atlas list prints the atlases that the program can fetch, those whose name has WORD; it needs
no network. atlas get fetches one, with its table of regions, into TemplateFlow's directory
($TEMPLATEFLOW_HOME), where labels: { atlas: NAME } finds it. It prints the address, the size and
the license, and asks first. Size and digest of every file are part of the program; a file that
differs is not kept, and a file that is there with other content is not replaced. A run fetches
nothing.`,
		Example: `  pipeline atlas list Schaefer
  pipeline atlas get Schaefer2018 --space MNI152NLin2009cAsym --desc 400Parcels7Networks --res 2
  pipeline atlas get DiFuMo --space MNI152NLin2009cAsym --desc 64dimensions --res 2 --from /media/stick --yes`,
		ValidArgs: []string{"list", "get"},
		Args:      cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0 && len(args) < 3 && args[0] == "list":
				if err := flags.Only(cmd, "atlas list takes a word only"); err != nil {
					return err
				}
				return list(a, strings.Join(args[1:], ""))
			case len(args) == 2 && args[0] == "get":
				g.Name = args[1]
				return g.get(a)
			case len(args) == 1 && args[0] == "get":
				return flags.Usage(cmd, "NAME is missing; pipeline atlas list has the names")
			case len(args) == 0:
				return flags.Usage(cmd, "list or get is missing")
			}
			return flags.Usage(cmd, "unexpected argument %q", args[min(len(args)-1, 2)])
		},
	}
	f := cmd.Flags()
	f.StringVar(&g.Space, "space", "", "the atlas in the space `S`, such as MNI152NLin2009cAsym")
	f.StringVar(&g.Desc, "desc", "", "the form `DESC` of the atlas, such as 400Parcels7Networks")
	f.StringVar(&g.Res, "res", "", "the resolution `N` of TemplateFlow, such as 2 for res-02")
	f.StringVar(&g.from, "from", Bucket, "fetch from a mirror's `URL` or from a directory with TemplateFlow's files")
	f.StringVar(&g.to, "to", "", "write below the directory `DIR` (default: TemplateFlow's)")
	f.StringVar(&g.sha256, "sha256", "", "NAME is a file that the list does not have, with the SHA-256 `DIGEST`")
	f.BoolVarP(&g.yes, "yes", "y", false, "do not ask")
	return cmd, nil, ""
}

type atlasEvent struct {
	Atlas    string   `json:"atlas"`
	Space    string   `json:"space"`
	Desc     string   `json:"desc"`
	Res      string   `json:"res"`
	Regions  int      `json:"regions,omitempty"` // where the name states it
	Files    []string `json:"files"`
	Bytes    int64    `json:"bytes"`
	Digests  []string `json:"digests"` // of the files: MD5, or the SHA-1 of a git blob
	License  string   `json:"license"`
	Citation string   `json:"citation"`
	Here     bool     `json:"here"`
}

// list prints the atlases whose name, space or form has a word.
func list(a *console.Console, word string) error {
	home, err := home("")
	if err != nil {
		return err
	}
	grid := console.Grid{Right: map[int]bool{4: true, 5: true}, Wide: a.Wide()}
	grid.Add("atlas", "desc", "space", "res", "regions", "size", "here")
	var names []string
	for _, at := range All() {
		if !strings.Contains(strings.ToLower(at.Name+" "+at.Space+" "+at.Desc), strings.ToLower(word)) {
			continue
		}
		names = lists.Add(names, at.Name)
		here, err := at.here(home)
		if a.JSON {
			e := atlasEvent{at.Name, at.Space, at.Desc, at.Res, at.Regions, nil, at.Size(), nil,
				Sources[at.Name].License, Sources[at.Name].Citation, here}
			for _, f := range at.Files() {
				e.Files, e.Digests = append(e.Files, f.Template+"/"+f.Name), append(e.Digests, f.Digest)
			}
			a.Object("atlas", e)
			continue
		}
		regions, there := "", ""
		if at.Regions > 0 {
			regions = fmt.Sprint(at.Regions)
		}
		if here {
			there = "yes"
		} else if err != nil {
			there = "differs"
		}
		grid.Add(at.Name, at.Desc, at.Space, at.Res, regions, console.ByteCount(at.Size()), there)
	}
	if names == nil {
		_, err := Choice{Name: word}.Find()
		return exit.Wrong(err)
	}
	if a.JSON {
		return nil
	}
	grid.Print(a.Out)
	sources := console.Grid{Wide: a.Wide()}
	for _, name := range names {
		sources.Add(name, "license "+Sources[name].License+"; "+Sources[name].Citation)
	}
	fmt.Fprintln(a.Out)
	sources.Print(a.Out)
	a.Note("here: in %s", home)
	return nil
}

// here reports whether all files of the atlas are below home; an error when one has other bytes.
func (a Atlas) here(home string) (bool, error) {
	for _, f := range a.Files() {
		if there, err := f.Here(filepath.Join(home, f.Template, f.Name)); !there {
			return false, err
		}
	}
	return true, nil
}

// home is the directory below which files are written: that of the flag --to, or TemplateFlow's.
func home(to string) (string, error) {
	if to != "" {
		return to, nil
	}
	for _, p := range atlas.Places("") {
		if p.Name == "TemplateFlow" {
			return p.Dir, nil
		}
	}
	return "", exit.Wrongf("there is no home directory; set $TEMPLATEFLOW_HOME, or add --to DIR")
}

// getting is what atlas get is asked for.
type getting struct {
	Choice
	from, to, sha256 string
	yes              bool
}

type fetchedEvent struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Here  bool   `json:"here"` // it was there before
}

func (g *getting) get(a *console.Console) error {
	files, at, err := g.files()
	if err != nil {
		return exit.Wrong(err)
	}
	origin, err := From(g.from)
	if err != nil {
		return exit.Wrong(err)
	}
	home, err := home(g.to)
	if err != nil {
		return err
	}
	var missing []File
	for _, f := range files {
		place := filepath.Join(home, f.Template, f.Name)
		here, err := f.Here(place)
		if err != nil {
			return err
		}
		if here {
			g.report(a, fetchedEvent{place, f.Size, true})
		} else {
			missing = append(missing, f)
		}
	}
	if missing == nil {
		g.advise(a, at)
		return nil
	}
	if err := g.ask(a, origin, missing, at, home); err != nil {
		return err
	}
	if err := g.fetch(a, origin, missing, home); err != nil {
		return err
	}
	g.advise(a, at)
	return nil
}

// files are those to fetch; at is nil for a file that the catalogue does not have.
func (g *getting) files() ([]File, *Atlas, error) {
	if g.sha256 != "" {
		if g.Space+g.Desc+g.Res != "" {
			return nil, nil, fmt.Errorf("--sha256 is for one file by its whole name; leave out --space, --desc and --res")
		}
		f, err := Other(g.Name, g.sha256)
		return []File{f}, nil, err
	}
	at, err := g.Find()
	if err != nil {
		return nil, nil, err
	}
	return at.Files(), &at, nil
}

// ask prints what would be fetched, and waits for consent.
func (g *getting) ask(a *console.Console, origin *Origin, files []File, at *Atlas, home string) error {
	var total int64
	for _, f := range files {
		size := ""
		if f.Size >= 0 {
			size = " (" + console.ByteCount(f.Size) + ")"
			total += f.Size
		}
		a.Note("from %s%s", origin.Place(f), size)
	}
	a.Note("to   %s", home)
	if at != nil {
		a.Note("license: %s\nplease cite: %s", Sources[at.Name].License, Sources[at.Name].Citation)
	}
	if g.yes {
		return nil
	}
	if a.JSON || !a.Term.IsTerminal() || !term.IsTerminal(int(os.Stdin.Fd())) {
		return exit.Wrongf("nothing was fetched: without a terminal to ask in, add --yes")
	}
	fmt.Fprintf(a.Stderr, "Fetch %s, %s? [y/N] ", words.Count(len(files), "file"), console.ByteCount(total))
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n') // no answer is no
	if !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line))) {
		return &exit.Error{Code: exit.Failed, Err: fmt.Errorf("nothing was fetched")}
	}
	return nil
}

// fetch writes all files, or none.
func (g *getting) fetch(a *console.Console, origin *Origin, files []File, home string) error {
	ctx, stop := console.Interruptible("nothing is kept of an unfinished file", func(s string) { a.Note("%s", s) })
	defer stop()
	made, err := a.Files(home)
	if err != nil {
		return err
	}
	defer made.Discard()
	done := make([]int64, len(files))
	for i, f := range files {
		meter := func(n int64) {
			if done[i] += n; a.Term.IsTerminal() && !a.Quiet {
				fmt.Fprintf(a.Stderr, "%s%s of %s", console.ClearLine(), console.ByteCount(done[i]), f.Name)
			}
		}
		write := func(w io.Writer) error { return origin.Write(ctx, f, w, meter) }
		err := made.Write(filepath.Join(home, f.Template, f.Name), write)
		if a.Term.IsTerminal() && !a.Quiet {
			fmt.Fprint(a.Stderr, console.ClearLine())
		}
		if err != nil {
			return err
		}
	}
	if err := made.Publish(); err != nil {
		return err
	}
	for i, f := range files {
		g.report(a, fetchedEvent{filepath.Join(home, f.Template, f.Name), done[i], false})
	}
	return nil
}

func (g *getting) report(a *console.Console, e fetchedEvent) {
	if a.AsJSON("fetched", e) {
		return
	}
	if e.Here {
		fmt.Fprintf(a.Out, "%s was there already\n", e.Path)
		return
	}
	fmt.Fprintf(a.Out, "%s\n", e.Path)
}

// advise prints the lines of a pipeline file that use the atlas.
func (g *getting) advise(a *console.Console, at *Atlas) {
	if at == nil {
		return
	}
	if at.Table == nil {
		a.Note("TemplateFlow has no table of the regions' names for %s in %s; write one with the columns index and "+
			"name, and give it as nodes", at.Name, at.Space)
	}
	keys := []string{"atlas: " + at.Name}
	if at.Image.parts.Get("atlas") == "" {
		keys = []string{"atlas: " + at.Name, "seg: " + at.Name}
	}
	if at.Desc != "" {
		keys = append(keys, "desc: "+at.Desc)
	}
	if at.Res != "" {
		keys = append(keys, `resolution: "`+strings.TrimLeft(at.Res, "0")+`"`)
	}
	if g.to != "" {
		keys = append(keys, "dir: "+g.to)
	}
	a.Note("in the cohort of a pipeline file, with scans in %s:\n  labels: { %s }", at.Space, strings.Join(keys, ", "))
}
