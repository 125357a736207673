package region

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
)

// Parcels are the regions of a CIFTI file by their names, each with what it is made of.
type Parcels struct {
	Names []string // in the order of the file
	all   map[string]cifti.Parcel
	made  map[string]string // digest of each, by name
	grid  nifti.Grid
}

// ParcelsOf reads the parcels of a file; nil where it has none.
func ParcelsOf(path string) *Parcels { return ParcelSets{}.Of(path) }

// ParcelSets are the parcels of files by the digests of their XML: most files have the text of another.
type ParcelSets map[[sha256.Size]byte]*Parcels

// Of reads the parcels of a file; nil where it has none. Of all files but the first with this text it has no vertices.
func (known ParcelSets) Of(path string) *Parcels {
	r, err := nifti.Open(path)
	if err != nil {
		return nil
	}
	defer r.Close()
	key := sha256.Sum256(cifti.ParcelText(r))
	if p, again := known[key]; again {
		return p
	}
	list, grid := cifti.Parcellation(r)
	if list == nil {
		return nil
	}
	p := &Parcels{all: map[string]cifti.Parcel{}, made: map[string]string{}, grid: grid}
	for _, one := range list {
		text := fmt.Sprint(one.Vertices, one.Voxels) // maps are printed in the order of their keys
		if one.Voxels != nil {
			text += fmt.Sprint(grid.Affine)
		}
		sum := sha256.Sum256([]byte(text))
		p.Names = append(p.Names, one.Name)
		p.all[one.Name], p.made[one.Name] = one, string(sum[:])
	}
	if known != nil {
		known[key] = &Parcels{Names: p.Names, made: p.made}
	}
	return p
}

// Digest is equal for equal parcels, in any order.
func (p *Parcels) Digest() string {
	var b strings.Builder
	for _, name := range slices.Sorted(slices.Values(p.Names)) {
		b.WriteString(name + "\x00" + p.made[name])
	}
	sum := sha256.Sum256([]byte(b.String()))
	return string(sum[:])
}

// Differ are the parcels of the same name that consist of other vertices or voxels in another file, and those that
// share none with it; common is the number of parcels of the same name.
func (p *Parcels) Differ(other *Parcels) (differ, elsewhere []string, common int) {
	for _, name := range p.Names {
		made, there := other.made[name]
		if !there {
			continue
		}
		if common++; made == p.made[name] {
			continue
		}
		differ = append(differ, name)
		a, b := p.all[name], other.all[name]
		shared := p.grid.Affine == other.grid.Affine && share(a.Voxels, b.Voxels)
		for structure, vertices := range a.Vertices {
			shared = shared || share(vertices, b.Vertices[structure])
		}
		if !shared {
			elsewhere = append(elsewhere, name)
		}
	}
	return differ, elsewhere, common
}

// Elsewhere reports whether so many of the common parcels share nothing that the names stand for different regions;
// small areas of individual parcellations may share nothing, too.
func Elsewhere(parcels, common int) bool { return float64(parcels) > mostFarOff*float64(common) }

func share[T comparable](a, b []T) bool {
	of := lists.Set(a)
	return slices.ContainsFunc(b, func(x T) bool { return of[x] })
}

// Describe is what a parcel consists of: "vertices 0, 1, 2 … of CORTEX_LEFT".
func (p *Parcels) Describe(name string) string {
	one := p.all[name]
	ends := func(list any, n int) string {
		return strings.Trim(fmt.Sprint(list), "[]") + map[bool]string{true: " …", false: ""}[n > 3]
	}
	var parts []string
	for structure, v := range one.Vertices {
		parts = append(parts, fmt.Sprintf("vertices %s of %s", ends(v[:min(3, len(v))], len(v)),
			strings.TrimPrefix(structure, "CIFTI_STRUCTURE_")))
	}
	if v := one.Voxels; v != nil {
		parts = append(parts, "voxels "+ends(v[:min(3, len(v))], len(v)))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// Implausible refuses parcels whose vertices or voxels are of the other hemisphere than their names, or than side,
// which gives the hemisphere of a name.
func (p *Parcels) Implausible(side func(name string) string) error {
	var nodes []Node
	var places []Place
	var named []string
	for i, name := range p.Names {
		one, at := p.all[name], Place{X: math.NaN(), Y: math.NaN(), Z: math.NaN()}
		for structure := range one.Vertices {
			of := map[string]string{"CIFTI_STRUCTURE_CORTEX_LEFT": "L", "CIFTI_STRUCTURE_CORTEX_RIGHT": "R"}[structure]
			if len(one.Vertices) == 1 {
				at.Hemisphere = of
			}
		}
		if n := float64(len(one.Voxels)); n > 0 && len(one.Vertices) == 0 {
			at = Place{}
			for _, v := range one.Voxels {
				x, y, z := p.grid.Affine.Apply(float64(v[0]), float64(v[1]), float64(v[2]))
				at.X, at.Y, at.Z = at.X+x/n, at.Y+y/n, at.Z+z/n
			}
		}
		nodes = append(nodes, Node{Index: int32(i + 1), Id: int32(i + 1), Name: name})
		places, named = append(places, at), append(named, side(name))
	}
	return Implausible(nodes, places, named, "the surface of the vertices", true)
}
