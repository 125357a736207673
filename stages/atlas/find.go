package atlas

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"prgnn/internal/foreign"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/bids"
)

// A Wanted names an atlas: what a person writes under labels.
type Wanted struct {
	Atlas      string `json:"atlas"`      // Schaefer2018; of FSL the name of its XML file
	Desc       string `json:"desc"`       // the desc- entity, 400Parcels7Networks; of FSL maxprob-thr25 or prob
	Seg        string `json:"seg"`        // the seg- entity
	Scale      string `json:"scale"`      // the scale- entity
	Cohort     string `json:"cohort"`     // of the template: the cohort- entity
	Resolution string `json:"resolution"` // the res- entity; 2 is 02
	Density    string `json:"density"`    // the den- entity of grayordinates, 91k
	Suffix     string `json:"suffix"`     // dseg or probseg
	Space      string `json:"space"`      // the space of the scans
	Dir        string `json:"dir"`        // the one directory to look in

	refused []string // why directories could not be listed
}

// entities are the parts of a file's name that were asked for.
func (w *Wanted) entities() map[string]string {
	all := map[string]string{}
	for key, value := range map[string]string{"desc": w.Desc, "seg": w.Seg, "scale": w.Scale, "cohort": w.Cohort,
		"res": w.Resolution, "den": w.Density} {
		if value = strings.TrimPrefix(value, key+"-"); value != "" {
			all[key] = value
		}
	}
	return all
}

// String is the atlas as a sentence names it: "Schaefer2018 (desc-400Parcels7Networks)".
func (w *Wanted) String() string {
	var parts []string
	have := w.entities()
	for _, key := range []string{"cohort", "seg", "scale", "res", "den", "desc"} {
		if v := have[key]; v != "" {
			parts = append(parts, key+"-"+v)
		}
	}
	if parts == nil {
		return w.Atlas
	}
	return fmt.Sprintf("%s (%s)", w.Atlas, strings.Join(parts, ", "))
}

// A Place is a directory in which atlases may lie.
type Place struct {
	Name string // of the collection: "TemplateFlow"
	Dir  string
	How  string // what named the directory: "$TEMPLATEFLOW_HOME"
	kind placeKind
}

type placeKind byte

const (
	entityNames placeKind = iota // files named by entities: TemplateFlow, BIDS
	fslXML                       // FSL's XML files
	surferHome                   // FreeSurfer's
)

// Places are the directories in which atlases are looked for, in this order. beside is a dataset
// of derivatives ("" for none): XCP-D copies its atlases there.
func Places(beside string) []Place {
	var all []Place
	add := func(name, how, dir string, kind placeKind) {
		if dir != "" && !slices.ContainsFunc(all, func(p Place) bool { return p.Dir == dir }) {
			all = append(all, Place{name, dir, how, kind})
		}
	}
	if beside != "" {
		add("the dataset's atlases", "dir", filepath.Join(beside, "atlases"), entityNames)
	}
	if home := os.Getenv("TEMPLATEFLOW_HOME"); home != "" {
		add("TemplateFlow", "$TEMPLATEFLOW_HOME", home, entityNames)
	} else {
		user, _ := os.UserHomeDir()
		if cache := os.Getenv("XDG_CACHE_HOME"); cache != "" {
			add("TemplateFlow", "$XDG_CACHE_HOME", filepath.Join(cache, "templateflow"), entityNames)
		}
		if user != "" && runtime.GOOS == "darwin" {
			add("TemplateFlow", "its default", filepath.Join(user, "Library", "Caches", "templateflow"), entityNames)
		}
		if user != "" {
			add("TemplateFlow", "its default", filepath.Join(user, ".cache", "templateflow"), entityNames)
		}
	}
	if home := os.Getenv("FSLDIR"); home != "" {
		add("FSL", "$FSLDIR", filepath.Join(home, "data", "atlases"), fslXML)
	}
	if home := os.Getenv("FREESURFER_HOME"); home != "" {
		add("FreeSurfer", "$FREESURFER_HOME", home, surferHome)
	}
	return all
}

// placesIn are the places of a directory of the user's: any of the layouts.
func placesIn(dir string) []Place {
	return []Place{{"dir", dir, "dir", entityNames}, {"dir", dir, "dir", fslXML},
		{"dir", filepath.Join(dir, "data", "atlases"), "dir", fslXML}, {"dir", dir, "dir", surferHome}}
}

// A Found is an atlas that was found.
type Found struct {
	Image string // the file of labels or weights
	Table string // the file that names its regions; "" where a CIFTI file does so itself
	From  string // the collection: "TemplateFlow"; "" of a directory that was named
	Nodes []Node // nil where the image itself names them
	More  bool   // Nodes has regions that are not in the image
}

// A candidate is a file that fits, with its parts.
type candidate struct {
	bids.File
	place Place
	table func() (string, []Node, error)
	more  bool // the table names regions that are not in the image
}

// Find looks for an atlas in the space of the scans. Where several files fit, or none, the error
// says what there is and where it was looked for.
func (w *Wanted) Find(places []Place, grayordinates bool) (*Found, error) {
	switch {
	case w.Atlas == "":
		return nil, errors.New("the key atlas is missing: the name of the atlas, such as Schaefer2018")
	case w.Space == "":
		return nil, errors.New("the key space is missing: the space of the scans, such as MNI152NLin2009cAsym; an atlas fits only scans in its own space")
	case w.Suffix != "" && w.Suffix != "dseg" && w.Suffix != "probseg":
		return nil, fmt.Errorf("suffix: %q; a label image has the suffix dseg, a probabilistic atlas probseg", w.Suffix)
	}
	if w.Dir != "" {
		if info, err := os.Stat(w.Dir); errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("dir: %w", foreign.Missing(w.Dir, err))
		} else if err != nil || !info.IsDir() {
			return nil, fmt.Errorf("dir: %s: no such directory", w.Dir)
		}
		places = placesIn(w.Dir)
	}
	w.refused = nil
	var stubs, elsewhere []candidate
	var near []string // names of atlases in this space
	for _, p := range places {
		all := p.list(w)
		var fits []candidate
		for _, c := range all {
			switch {
			case grayordinates != (c.Extension == ".dlabel.nii"):
			case w.Suffix != "" && c.Suffix != w.Suffix:
			case !strings.EqualFold(c.name(), w.Atlas):
				if c.space() == w.Space && !slices.Contains(near, c.name()) {
					near = append(near, c.name())
				}
			case !(bids.Want{Suffixes: []string{c.Suffix}, Extensions: []string{c.Extension},
				Entities: w.entities()}).Fits(c.Name):
				elsewhere = append(elsewhere, c)
			case c.space() != w.Space:
				elsewhere = append(elsewhere, c)
			case c.stub():
				stubs = append(stubs, c)
			default:
				fits = append(fits, c)
			}
		}
		if w.Suffix == "" && slices.ContainsFunc(fits, func(c candidate) bool { return c.Suffix == "dseg" }) {
			fits = slices.DeleteFunc(fits, func(c candidate) bool { return c.Suffix != "dseg" })
		}
		if len(fits) > 1 {
			return nil, fmt.Errorf("%d files of the atlas %s in %s match; they differ in %s", len(fits), w, p.Dir, differences(fits))
		}
		if len(fits) == 1 {
			return fits[0].found()
		}
	}
	return nil, w.missing(places, stubs, elsewhere, near)
}

// missing says that an atlas was not found, where it was looked for, and what to do.
func (w *Wanted) missing(places []Place, stubs, elsewhere []candidate, near []string) error {
	if len(stubs) > 0 {
		c := stubs[0]
		what := "is an empty file, a placeholder that TemplateFlow has not fetched yet"
		if _, err := os.Stat(c.Path); err != nil {
			what = "is a link to a file that has not been fetched (datalad get fetches it)"
		}
		command := "templateflow get " + c.space() // the command of the Python package
		for _, e := range c.Entities {
			if e.Key != "tpl" && e.Key != "space" {
				command += " --" + e.Key + " " + e.Value
			}
		}
		return fmt.Errorf("the atlas %s is not here yet: %s %s: %s --suffix %s", w, c.Path, what, command, c.Suffix)
	}
	tried := map[string]bool{}
	var looked []string
	for _, p := range places {
		if tried[p.Dir] {
			continue
		}
		tried[p.Dir] = true
		text := p.Dir + " (" + p.How + ")"
		if p.Name != "dir" {
			text = p.Dir + " (" + p.Name + ", " + p.How + ")"
		}
		if _, err := os.Stat(p.Dir); err != nil {
			text += ": not there"
		}
		looked = append(looked, text)
	}
	for _, name := range []string{"TEMPLATEFLOW_HOME", "FSLDIR", "FREESURFER_HOME"} {
		if w.Dir == "" && os.Getenv(name) == "" {
			looked = append(looked, "$"+name+": not set")
		}
	}
	text := fmt.Sprintf("no atlas %s in the space %s; looked in %s", w, w.Space, strings.Join(append(looked, w.refused...), "; "))
	switch {
	case len(elsewhere) > 0:
		have := lists.Map(elsewhere, func(c candidate) string { return filepath.Base(c.Path) })
		text += "; this atlas is available in " + words.Some(have, 6)
		if slices.ContainsFunc(elsewhere, func(c candidate) bool { return c.space() != w.Space }) {
			text += " (labels of another space are refused: templates differ by millimeters)"
		}
	case len(near) > 0:
		slices.Sort(near)
		text += words.DidYouMean(w.Atlas, near) + "; the atlases in this space are " + words.Some(near, 12)
	default:
		text += "; the key dir is for another directory"
	}
	if w.Dir == "" && len(elsewhere) == 0 {
		text += "; if pipeline atlas list has it, it is fetched by: " + w.get() + "; a label image of your own is set by labels: FILE"
	}
	return errors.New(text)
}

// get is the command that fetches the atlas, if TemplateFlow has it.
func (w *Wanted) get() string {
	command := "pipeline atlas get " + w.Atlas + " --space " + w.Space
	for _, part := range [][2]string{{"desc", w.Desc}, {"res", w.Resolution}} {
		if part[1] != "" {
			command += " --" + part[0] + " " + strings.TrimPrefix(part[1], part[0]+"-")
		}
	}
	return command
}

// name is the atlas that a file is of.
func (c *candidate) name() string { return cmp.Or(c.Get("atlas"), c.Get("seg")) }

// space is the space that a file is in.
func (c *candidate) space() string { return cmp.Or(c.Get("space"), c.Get("tpl")) }

// stub reports whether the file's content has not been fetched.
func (c *candidate) stub() bool {
	info, err := os.Stat(c.Path)
	return err != nil || info.Size() == 0
}

// found reads the table of the regions.
func (c *candidate) found() (*Found, error) {
	f := &Found{Image: c.Path, From: c.place.Name, More: c.more}
	if f.From == "dir" { // a directory of the user's is no collection
		f.From = ""
	}
	var err error
	f.Table, f.Nodes, err = c.table()
	return f, err
}

// differences lists the entities in which files differ.
func differences(files []candidate) string {
	var text []string
	for _, key := range []struct{ entity, key string }{
		{"tpl", ""}, {"cohort", "cohort"}, {"space", ""}, {"seg", "seg"}, {"scale", "scale"}, {"res", "resolution"},
		{"den", "density"}, {"label", ""}, {"desc", "desc"},
	} {
		var values []string
		for _, f := range files {
			if v := cmp.Or(f.Get(key.entity), "none"); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) > 1 {
			line := key.entity + " (" + words.Some(values, 12) + ")"
			if key.key != "" {
				line += ": set the key " + key.key
			}
			text = append(text, line)
		}
	}
	if text == nil {
		for _, f := range files {
			text = append(text, filepath.Base(f.Path))
		}
		return "their names alone: " + strings.Join(text, ", ")
	}
	return strings.Join(text, ", ")
}

// list are the files of atlases in a place.
func (p Place) list(w *Wanted) []candidate {
	if p.kind != fslXML && p.kind != surferHome {
		return p.named(w)
	}
	_, err := os.ReadDir(p.Dir)
	w.unlisted(p.Dir, err)
	if p.kind == fslXML {
		return p.fsl()
	}
	return p.freeSurfer()
}

// unlisted keeps why a directory could not be listed: it may hold the atlas.
func (w *Wanted) unlisted(dir string, err error) {
	if bids.Unlisted(err) {
		w.refused = append(w.refused, foreign.Missing(dir, err).Error())
	}
}

// depth is how many directories below a place the files lie at most: tpl-…/cohort-…/anat.
const depth = 3

// named are the files whose names have entities, in the layouts of TemplateFlow, of BIDS
// (BEP038), and of its drafts (atlas-X/atlas-X_space-S_res-R_dseg.nii.gz).
func (p Place) named(w *Wanted) []candidate {
	var all []candidate
	var walk func(dir string, left int)
	walk = func(dir string, left int) {
		entries, err := os.ReadDir(dir)
		w.unlisted(dir, err)
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if n, ok := bids.ParseName(e.Name()); ok && !strings.HasPrefix(e.Name(), "sub-") {
				c := candidate{File: bids.File{Name: n, Path: path}, place: p}
				image := n.Extension == ".nii.gz" || n.Extension == ".nii" || n.Extension == ".dlabel.nii"
				if image && (n.Suffix == "dseg" || n.Suffix == "probseg") && c.name() != "" {
					c.table = func() (string, []Node, error) { return p.inherited(c.File) }
					all = append(all, c)
				}
				continue
			}
			deeper := strings.HasPrefix(e.Name(), "atlas-") || e.Name() == "tpl-"+w.Space ||
				strings.HasPrefix(e.Name(), "cohort-") || e.Name() == "anat"
			if left > 0 && (deeper || strings.HasPrefix(e.Name(), "tpl-")) && isDirectory(path, e) {
				walk(path, left-1)
			}
		}
	}
	walk(p.Dir, depth)
	slices.SortFunc(all, func(a, b candidate) int { return strings.Compare(a.Path, b.Path) })
	return all
}

func isDirectory(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// inherited is the table of an image by the inheritance principle: in its directory or above it,
// the nearest first, named by no entity that the image has not, there the one with the most.
// Where a table of dseg is missing, a CIFTI file names its labels itself.
func (p Place) inherited(image bids.File) (string, []Node, error) {
	for dir := filepath.Dir(image.Path); ; dir = filepath.Dir(dir) {
		best, path := -1, ""
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			n, ok := bids.ParseName(e.Name())
			if !ok || n.Extension != ".tsv" || n.Suffix != image.Suffix || len(n.Entities) <= best {
				continue
			}
			if !slices.ContainsFunc(n.Entities,
				func(e bids.Entity) bool { return !bids.Same(image.Get(e.Key), e.Value) }) {
				best, path = len(n.Entities), filepath.Join(dir, e.Name())
			}
		}
		if path != "" {
			nodes, err := readFile(path, Read)
			fill(nodes)
			return path, nodes, err
		}
		if dir == filepath.Clean(p.Dir) || dir == filepath.Dir(dir) {
			break
		}
	}
	if image.Extension == ".dlabel.nii" {
		return "", nil, nil
	}
	return "", nil, fmt.Errorf("%s has no table of its regions (%s.tsv, in its directory or above); set nodes to such a table", image.Path, image.Suffix)
}
