package atlas

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/pattern"
	"prgnn/internal/regular"
	"prgnn/stages/bids"
)

// FSL's space. Its templates and atlases are those of MNI152NLin6Asym.
const fslSpace = "MNI152NLin6Asym"

// readFile reads the table of a file.
func readFile(path string, read func(io.Reader, string) ([]Node, error)) ([]Node, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, path)
}

// anImage finds the image of a stem, compressed or not, or "".
func anImage(stem string) string {
	for _, ext := range []string{".nii.gz", ".nii"} {
		if _, err := os.Lstat(stem + ext); err == nil {
			return stem + ext
		}
	}
	return ""
}

// entity makes a candidate of a file whose name has no entities.
func (p Place) entity(path, suffix, atlas, desc, res, space string, table func() (string, []Node, error)) candidate {
	n := bids.Name{Entities: []bids.Entity{{Key: "tpl", Value: space}, {Key: "atlas", Value: atlas}},
		Suffix: suffix, Extension: ".nii.gz"}
	n = n.With(bids.Entity{Key: "res", Value: res}, bids.Entity{Key: "desc", Value: desc})
	return candidate{File: bids.File{Name: n, Path: path}, place: p, table: table}
}

// An fslAtlas is an XML file of FSL. Coordinates are voxels of its first image.
type fslAtlas struct {
	Type   string `xml:"header>type"`
	Images []struct {
		Weights string `xml:"imagefile"`
		Labels  string `xml:"summaryimagefile"`
	} `xml:"header>images"`
	Labels []struct {
		Index string `xml:"index,attr"`
		Name  string `xml:",chardata"`
	} `xml:"data>label"`
}

// longestXML bounds an XML file of FSL, bytes; they have some tens of thousands.
const longestXML = 16 << 20

var (
	fslResolution = pattern.New(`-(\d+(?:\.\d+)?)mm$`)
	fslThreshold  = pattern.New(`(?i)(maxprob-thr\d+)`)
)

// fsl are the images of FSL's atlases: NAME.xml names them. Their weights have the desc- prob,
// and the labels of the largest weights maxprob-thr25.
func (p Place) fsl() []candidate {
	files, _ := filepath.Glob(filepath.Join(p.Dir, "*.xml"))
	var all []candidate
	for _, path := range files {
		f, err := regular.Open(path)
		if err != nil {
			continue
		}
		var a fslAtlas
		err = xml.NewDecoder(io.LimitReader(f, longestXML)).Decode(&a)
		f.Close()
		if err != nil || len(a.Labels) == 0 {
			continue // another kind of XML file
		}
		atlas := strings.TrimSuffix(filepath.Base(path), ".xml")
		probabilistic := strings.EqualFold(strings.TrimSpace(a.Type), "probabilistic")
		seen := map[string]bool{}
		for _, images := range a.Images {
			for i, name := range []string{images.Weights, images.Labels} {
				image := anImage(filepath.Join(p.Dir, filepath.FromSlash(strings.TrimSpace(name))))
				if name = strings.TrimSpace(name); name == "" || image == "" || seen[image] {
					continue
				}
				seen[image] = true
				res := ""
				if m := fslResolution.FindStringSubmatch(name); m != nil {
					res = m[1]
				}
				suffix, desc, from := "dseg", "", 0
				if probabilistic && i == 0 {
					suffix, desc, from = "probseg", "prob", 1
				} else if probabilistic {
					desc, from = fslThreshold.FindString(name), 1 // label 0 is the value 1
				}
				all = append(all, p.entity(image, suffix, atlas, desc, res, fslSpace, func() (string, []Node, error) {
					nodes, err := a.nodes(path, from)
					return path, nodes, err
				}))
			}
		}
	}
	return all
}

// nodes are the regions; from is the value of label 0 in the image. The label 0 of an image of
// labels is the background, and its name has to be one of it.
func (a *fslAtlas) nodes(path string, from int) ([]Node, error) {
	var nodes []Node
	for _, l := range a.Labels {
		index, ok := parseID(l.Index)
		if !ok {
			return nil, fmt.Errorf("%s: the label %q has the index %q, which is not an integer", path, l.Name, l.Index)
		}
		if id := index + from; id == 0 {
			if err := Zero(strings.TrimSpace(l.Name)); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		} else {
			nodes = append(nodes, Node{Index: len(nodes) + 1, ID: id, Name: strings.TrimSpace(l.Name), X: nan, Y: nan,
				Z: nan, Volume: nan})
		}
	}
	fill(nodes)
	return nodes, check(nodes, path, func(i int) string { return fmt.Sprintf("%s: label %d", path, nodes[i].ID) })
}

var surferStem = pattern.New(`^([^_]+)_(.*?)_?(MNI152.*)?$`)

// freeSurfer are the atlases of a FreeSurfer: the volumes in MNI152 space under average (Yeo's,
// Buckner's, Choi's networks), each with a ColorLUT beside it, and in MNI305 space the volumes of
// fsaverage, named by FreeSurferColorLUT.txt.
func (p Place) freeSurfer() []candidate {
	var all []candidate
	lut := func(path string) func() (string, []Node, error) {
		return func() (string, []Node, error) {
			nodes, err := readFile(path, ReadLUT)
			return path, nodes, err
		}
	}
	images, _ := filepath.Glob(filepath.Join(p.Dir, "average", "*_MNI152", "*.nii.gz"))
	for _, image := range images {
		m := surferStem.FindStringSubmatch(strings.TrimSuffix(filepath.Base(image), ".nii.gz"))
		if m == nil {
			continue
		}
		desc := strings.Trim(m[2]+"_"+strings.TrimPrefix(strings.TrimPrefix(m[3], "MNI152"), "_FreeSurferConformed1mm"), "_")
		table := filepath.Join(filepath.Dir(image), m[1]+"_"+m[2]+"_ColorLUT.txt")
		if _, err := os.Stat(table); err == nil {
			all = append(all, p.entity(image, "dseg", m[1], desc, "", fslSpace, lut(table)))
		}
	}
	images, _ = filepath.Glob(filepath.Join(p.Dir, "subjects", "fsaverage", "mri", "*aseg.mgz"))
	for _, image := range images {
		all = append(all, p.entity(image, "dseg", strings.TrimSuffix(filepath.Base(image), ".mgz"), "", "", "MNI305",
			lut(filepath.Join(p.Dir, "FreeSurferColorLUT.txt"))))
	}
	for i := range all {
		all[i].more = true
	}
	return all
}

// ReadLUT reads a color table of FreeSurfer: value, name, red, green, blue and alpha a line. The
// value 0, if its name is one of the background, and lines that begin with # are passed over.
func ReadLUT(r io.Reader, file string) ([]Node, error) {
	var nodes []Node
	var at []int
	zero := false // the table has a row of the value 0
	err := eachLine(r, file, func(n int, text string) error {
		fields := strings.Fields(text)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			return nil
		}
		if len(nodes) > maxNodes {
			return fmt.Errorf("%s: the table has more than %d regions: is it the right file?", file, maxNodes)
		}
		id, ok := parseID(fields[0])
		var rgb [3]int64
		for i := range rgb {
			if len(fields) < 5 {
				ok = false
				break
			}
			var err error
			rgb[i], err = strconv.ParseInt(fields[2+i], 10, 32)
			ok = ok && err == nil && rgb[i] >= 0 && rgb[i] <= 255
		}
		if !ok {
			return fmt.Errorf("%s:%d: %.80q; a color table has a value, a name, and red, green and blue from 0 to 255", file, n, text)
		}
		if id == 0 {
			zero = true
			if err := Zero(fields[1]); err != nil {
				return fmt.Errorf("%s:%d: %w", file, n, err)
			}
			return nil
		}
		nodes = append(nodes, Node{Index: len(nodes) + 1, ID: id, Name: fields[1],
			Color: fmt.Sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2]), X: nan, Y: nan, Z: nan, Volume: nan})
		at = append(at, n)
		return nil
	})
	if err != nil {
		return nil, err
	}
	fill(nodes)
	where := func(i int) string { return fmt.Sprintf("%s:%d", file, at[i]) }
	if err := countsBackground(nodes, zero, where); err != nil {
		return nil, err
	}
	return nodes, check(nodes, file, where)
}

// Listed checks nodes that a file lists, and takes hemispheres and networks from their names.
func Listed(nodes []Node, file string) ([]Node, error) {
	fill(nodes)
	return nodes, check(nodes, file, func(i int) string { return fmt.Sprintf("%s: label %d", file, nodes[i].ID) })
}

// OfTable are the regions of a label table that occur in an image.
func OfTable[L any](table []L, node func(L) Node, values []int32, file string) ([]Node, error) {
	var nodes []Node
	for _, l := range table {
		n := node(l)
		if n.ID != 0 {
			n.X, n.Y, n.Z, n.Volume = math.NaN(), math.NaN(), math.NaN(), math.NaN()
			nodes = append(nodes, n)
		} else if err := Zero(n.Name); err != nil {
			return nil, fmt.Errorf("labels: the label table of %s: %w", file, err)
		}
	}
	return Listed(Only(nodes, values), file)
}

// Only are the nodes whose ids occur in an image, numbered anew: a color table of FreeSurfer names
// more regions than any one image has.
func Only(nodes []Node, values []int32) []Node {
	var kept []Node
	for _, n := range nodes {
		if slices.Contains(values, int32(n.ID)) {
			n.Index = len(kept) + 1
			kept = append(kept, n)
		}
	}
	return kept
}

var (
	leftName   = pattern.New(`(?i)(^|[-_. ])(lh|left|l)([-_. ]|$)`)
	rightName  = pattern.New(`(?i)(^|[-_. ])(rh|right|r)([-_. ]|$)`)
	yeoNetwork = pattern.New(`^\d+[Nn]etworks_(?:LH|RH)_([A-Za-z]+)`)
)

// fill takes the hemisphere from a name that says it (7Networks_LH_Vis_1, Left-Putamen) where no
// column does, and the network from the names of Schaefer's atlas.
func fill(nodes []Node) {
	for i := range nodes {
		n := &nodes[i]
		n.Hemisphere = cmp.Or(n.Hemisphere, Side(n.Name))
		if m := yeoNetwork.FindStringSubmatch(n.Name); m != nil && n.Structure == "" {
			n.Structure = m[1]
		}
	}
}

// Side is the hemisphere of which the name of a region is, L or R; "" where it has none.
func Side(name string) string {
	switch left, right := leftName.MatchString(name), rightName.MatchString(name); {
	case left == right:
		return ""
	case left:
		return "L"
	}
	return "R"
}

// hemisphere is L or R for the ways in which tables write it.
func hemisphere(text string) string {
	switch strings.ToLower(text) {
	case "l", "lh", "left":
		return "L"
	case "r", "rh", "right":
		return "R"
	case "b", "both", "bilateral", "midline", "none":
		return ""
	}
	return text
}
