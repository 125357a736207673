package atlases

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/bids"
)

// A File is a file of TemplateFlow.
type File struct {
	Template string // tpl-MNI152NLin2009cAsym, which is also its directory
	Name     string // with the template
	Size     int64  // bytes; -1 when only the digest is known
	Digest   string // hexadecimal: 32 digits of MD5, 40 of the SHA-1 of its git blob, or 64 of SHA-256
	parts    bids.Name
}

// An Atlas is an image of labels or weights, and the table that names its regions.
type Atlas struct {
	Name    string // Schaefer2018, or the value of seg
	Space   string // MNI152NLin2009cAsym
	Desc    string // 400Parcels7Networks; "" when the atlas has one form
	Res     string // 02
	Regions int    // 0 when the name does not contain it
	Image   File
	Table   *File // nil when TemplateFlow has none
}

//go:embed catalogue.txt
var catalogue string

// All are the atlases of the catalogue, by name, space, regions, form and resolution.
var All = sync.OnceValue(func() []Atlas {
	var files []File
	template := ""
	for line := range strings.Lines(catalogue) {
		f := strings.Fields(line)
		if len(f) == 2 {
			template = f[0]
			continue
		}
		size, err := strconv.ParseInt(f[1], 10, 64)
		file, ok := newFile(template+"_"+f[0], size, f[2])
		if err != nil || !ok {
			panic("catalogue.txt: " + line) // the program contains it
		}
		files = append(files, file)
	}
	var all []Atlas
	for _, f := range files {
		if f.parts.Extension == ".nii.gz" {
			all = append(all, f.atlas(files))
		}
	}
	slices.SortStableFunc(all, func(a, b Atlas) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.Space, b.Space),
			cmp.Compare(a.Regions, b.Regions), cmp.Compare(a.Desc, b.Desc), cmp.Compare(a.Res, b.Res))
	})
	return all
})

func newFile(name string, size int64, digest string) (File, bool) {
	parts, ok := bids.ParseName(name)
	return File{"tpl-" + parts.Get("tpl"), name, size, digest, parts}, ok && parts.Get("tpl") != ""
}

// atlas is the atlas of an image, with its table among the files.
func (f File) atlas(files []File) Atlas {
	a := Atlas{Name: cmp.Or(f.parts.Get("atlas"), f.parts.Get("seg")), Space: f.parts.Get("tpl"),
		Desc: f.parts.Get("desc"), Res: f.parts.Get("res"), Image: f}
	if m := regionsOf.FindStringSubmatch(a.Desc); m != nil {
		a.Regions, _ = strconv.Atoi(m[1]) // digits
	}
	for _, t := range files {
		other := func(e bids.Entity) bool { return f.parts.Get(e.Key) != e.Value }
		fits := t.parts.Extension == ".tsv" && t.parts.Suffix == f.parts.Suffix
		if fits && !slices.ContainsFunc(t.parts.Entities, other) {
			a.Table = &t
		}
	}
	return a
}

var regionsOf = regexp.MustCompile(`^(\d+)(Parcels|dimensions)`)

// Files are the image and the table.
func (a Atlas) Files() []File {
	if a.Table == nil {
		return []File{a.Image}
	}
	return []File{a.Image, *a.Table}
}

// Size is that of all files, bytes.
func (a Atlas) Size() int64 {
	var n int64
	for _, f := range a.Files() {
		n += f.Size
	}
	return n
}

// A Source is where an atlas comes from.
type Source struct{ License, Citation string }

const notStated = "not stated"

// Sources are those of the atlases, by name. TemplateFlow's metadata have no licenses of atlases.
var Sources = map[string]Source{
	"Schaefer2018": {"MIT (LICENSE.md of ThomasYeoLab/CBIG)",
		"Schaefer et al. (2018), Cerebral Cortex 28:3095–3114, doi:10.1093/cercor/bhx179"},
	"DiFuMo": {notStated, "Dadi et al. (2020), NeuroImage 221:117126, doi:10.1016/j.neuroimage.2020.117126"},
	"HOCPA":  {harvardOxford.License, harvardOxford.Citation},
	"HOCPAL": {harvardOxford.License, harvardOxford.Citation},
	"HOSPA":  {harvardOxford.License, harvardOxford.Citation},
	"MIAL67ThalamicNuclei": {notStated,
		"Najdenovska et al. (2018), Scientific Data 5:180270, doi:10.1038/sdata.2018.270"},
	"HCP":  {notStated, "Glasser et al. (2013), NeuroImage 80:105–124, doi:10.1016/j.neuroimage.2013.04.127"},
	"aseg": {notStated, "Fischl et al. (2002), Neuron 33:341–355, doi:10.1016/S0896-6273(02)00569-X"},
}

var harvardOxford = Source{"FSL's license (non-commercial use)",
	"Makris et al. (2006), Schizophrenia Research 83:155–171, doi:10.1016/j.schres.2005.11.020"}

// elsewhere are atlases that people ask for and TemplateFlow does not have on an MNI grid, by their first letters.
var elsewhere = []struct{ names, text string }{
	{"desikan dk aparc", "TemplateFlow has no Desikan-Killiany atlas on an MNI grid; FreeSurfer, and fMRIPrep with " +
		"FreeSurfer, write it for each participant (aparc+aseg)"},
	{"tian melbourne", "TemplateFlow has no Tian atlas; its authors publish it as yetianmed/subcortex"},
	{"mmp glasser hcpmmp", "TemplateFlow has no HCP-MMP atlas on an MNI grid; BALSA has it on the surface, as a " +
		".dlabel.nii for scans in fsLR"},
	{"aal power gordon", "the list does not have this atlas; give its image as labels and its table as nodes"},
}

// A Choice is what a person asks for; "" leaves a part open.
type Choice struct{ Name, Space, Desc, Res string }

// Find is the one atlas that fits. Where several or none fit, the error lists what there is.
func (c Choice) Find() (Atlas, error) {
	var names []string
	var fits []Atlas
	for _, a := range All() {
		names = lists.Add(names, a.Name)
		if strings.EqualFold(a.Name, c.Name) {
			fits = append(fits, a)
		}
	}
	if fits == nil {
		name := strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(c.Name))
		for _, e := range elsewhere {
			for _, first := range strings.Fields(e.names) {
				if strings.HasPrefix(name, first) {
					return Atlas{}, errors.New(e.text)
				}
			}
		}
		return Atlas{}, fmt.Errorf("the list has no atlas %q%s", c.Name, words.OrAll(c.Name, names))
	}
	for _, part := range []struct {
		flag, asked string
		of          func(Atlas) string
	}{
		{"space", c.Space, func(a Atlas) string { return a.Space }},
		{"desc", strings.TrimPrefix(c.Desc, "desc-"), func(a Atlas) string { return a.Desc }},
		{"res", strings.TrimPrefix(c.Res, "res-"), func(a Atlas) string { return a.Res }},
	} {
		var values []string
		for _, a := range fits {
			if v := part.of(a); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		other := func(a Atlas) bool { return !bids.Same(part.of(a), part.asked) }
		left := slices.DeleteFunc(slices.Clone(fits), other)
		switch {
		case part.asked != "" && len(left) == 0:
			return Atlas{}, fmt.Errorf("%s has no --%s %s%s", fits[0].Name, part.flag, part.asked, words.OrAll(part.asked, values))
		case part.asked != "":
			fits = left
		case len(values) > 1:
			return Atlas{}, fmt.Errorf("%d values of %s are available for %s; add --%[2]s %[4]s", len(values), part.flag,
				fits[0].Name, strings.Join(values, " | "))
		}
	}
	return fits[0], nil
}
