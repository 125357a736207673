package cifti

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/nifti"
)

// A File is a CIFTI-2 file that is being read, one row after the other.
type File struct {
	Header  *nifti.Header
	Columns Axis // along a row: dimension 0 of CIFTI, axis 5 of NIfTI
	Rows    Axis // dimension 1, axis 6

	r    *nifti.Reader
	name string
}

// An Axis says what a dimension is: one of the fields is set, but for scalars of which only the
// number counts.
type Axis struct {
	N       int
	Models  *Models  // grayordinates
	Parcels []string // names of parcels
	Step    float64  // time between points, s
	Series  bool
	Labels  []Label  // of the first map
	Map     string   // name of the first map
	Maps    []string // names of all maps
}

// Models are grayordinates: the vertices of surfaces and the voxels of structures.
type Models struct {
	N    int
	Grid nifti.Grid // of the voxels; no shape where there are none
	List []Model
}

// A Model is one structure: the vertices of a surface, or voxels.
type Model struct {
	Structure string // CIFTI_STRUCTURE_CORTEX_LEFT
	From      int    // the first of its grayordinates
	Surface   int    // vertices of the surface; 0 for voxels
	Vertices  []int32
	Voxels    [][3]int32
}

// Len is the number of its grayordinates.
func (m *Model) Len() int { return max(len(m.Vertices), len(m.Voxels)) }

// key tells its grayordinate k from its other ones.
func (m *Model) key(k int) [3]int32 {
	if m.Surface > 0 {
		return [3]int32{m.Vertices[k], -1, -1}
	}
	return m.Voxels[k]
}

// A Label is a parcel of a label file.
type Label struct {
	Key   int
	Name  string
	Color string // #rrggbb
}

// Read reads what a CIFTI-2 file says of its matrix. The file takes r over.
func Read(r *nifti.Reader, name string) (*File, error) {
	f := &File{Header: r.Header, r: r, name: name}
	if err := f.read(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// What the XML becomes: an element, and each byte of a list of indices and of the places that are looked up.
const elementSize, byteSize = 512, 16

func (f *File) read() error {
	h := f.Header
	if !h.CIFTI() || h.Dim[0] != 6 {
		return fmt.Errorf("not a CIFTI-2 file: shape %v, intent %d", h.Shape(), h.IntentCode)
	}
	i := slices.IndexFunc(f.r.Extensions, func(e nifti.Extension) bool { return e.Code == extensionCode })
	if i < 0 {
		return errors.New("not a CIFTI-2 file: it has no XML extension (code 32)")
	}
	text, mem := bytes.TrimRight(f.r.Extensions[i].Data, "\x00"), f.r.Budget()
	if err := mem.Take(int64(bytes.Count(text, []byte("<"))), elementSize, "elements in the CIFTI XML"); err != nil {
		return err
	}
	if err := mem.Take(int64(len(text)), byteSize, "bytes of CIFTI XML"); err != nil {
		return err
	}
	var x xmlMatrix
	if err := xml.Unmarshal(text, &x); err != nil {
		return fmt.Errorf("the CIFTI XML: %w", err)
	}
	if x.Version != "2" && x.Version != "2.0" {
		return fmt.Errorf("CIFTI version %q; only version 2 can be read (wb_command -file-convert -cifti-version-convert)", x.Version)
	}
	for dimension, axis := range []*Axis{&f.Columns, &f.Rows} {
		n := h.Dim[5+dimension]
		if n < 1 {
			return fmt.Errorf("dimension %d has the length %d, expected at least 1", dimension, n)
		}
		if err := mem.Take(n, 64, "indices along a dimension"); err != nil { // rows are kept on the header's word
			return err
		}
		axis.N = int(h.Dim[5+dimension])
		var found *xmlMap
		for k := range x.Maps {
			if slices.Contains(strings.Split(x.Maps[k].Dimensions, ","), strconv.Itoa(dimension)) {
				if found != nil {
					return fmt.Errorf("the CIFTI XML describes dimension %d twice: write the file again with one MatrixIndicesMap for each dimension", dimension)
				}
				found = &x.Maps[k]
			}
		}
		if found == nil {
			return fmt.Errorf("the CIFTI XML does not describe dimension %d", dimension)
		}
		if err := found.axis(axis); err != nil {
			return fmt.Errorf("dimension %d: %w", dimension, err)
		}
	}
	return nil
}

// Step is the time between the points of a file of series, s; 0 where it has none.
func Step(r *nifti.Reader) float64 {
	if x := mapOf(r, "CIFTI_INDEX_TYPE_SERIES"); x != nil {
		return x.step()
	}
	return 0
}

// Sum is a checksum of the list of the grayordinates of a file, however its XML is spaced; "" where it has none.
func Sum(r *nifti.Reader) string {
	i := slices.IndexFunc(r.Extensions, func(e nifti.Extension) bool { return e.Code == extensionCode })
	if i < 0 {
		return ""
	}
	for part := range bytes.SplitSeq(r.Extensions[i].Data, []byte("<MatrixIndicesMap")) {
		if list, _, _ := bytes.Cut(part, []byte("</MatrixIndicesMap>")); bytes.Contains(list, []byte("<BrainModel")) {
			list = bytes.Join(bytes.Fields(list), []byte(" "))
			list = bytes.ReplaceAll(bytes.ReplaceAll(list, []byte("> "), []byte(">")), []byte(" <"), []byte("<"))
			return fmt.Sprintf("%08x", crc32.ChecksumIEEE(list))
		}
	}
	return ""
}

// mapOf is the first map of a type, nil for none. It reads the XML up to this map.
func mapOf(r *nifti.Reader, kind string) *xmlMap {
	i := slices.IndexFunc(r.Extensions, func(e nifti.Extension) bool { return e.Code == extensionCode })
	if i < 0 {
		return nil
	}
	for d := xml.NewDecoder(bytes.NewReader(r.Extensions[i].Data)); ; {
		token, err := d.Token()
		if err != nil {
			return nil
		}
		at, begins := token.(xml.StartElement)
		if !begins || at.Name.Local != "MatrixIndicesMap" ||
			!slices.ContainsFunc(at.Attr, func(a xml.Attr) bool { return a.Value == kind }) {
			continue
		}
		x := new(xmlMap)
		if d.DecodeElement(x, &at) != nil {
			return nil
		}
		return x
	}
}

// A Parcel is a region with its grayordinates, ascending: those of surfaces by their structure, and voxels.
type Parcel struct {
	Name     string
	Vertices map[string][]int32
	Voxels   [][3]int32
}

// ParcelText is the XML that Parcellation reads: equal texts are equal parcels.
func ParcelText(r *nifti.Reader) []byte {
	i := slices.IndexFunc(r.Extensions, func(e nifti.Extension) bool { return e.Code == extensionCode })
	if i < 0 {
		return nil
	}
	text := r.Extensions[i].Data
	at := bytes.Index(text, []byte("CIFTI_INDEX_TYPE_PARCELS"))
	if at < 0 {
		return text
	}
	text = text[bytes.LastIndexByte(text[:at], '<')+1:]
	if end := bytes.Index(text, []byte("</MatrixIndicesMap")); end >= 0 {
		text = text[:end]
	}
	return text
}

// Parcellation reads the parcels of a file, and the grid of their voxels; none from a file that has no parcels or whose
// XML is damaged.
func Parcellation(r *nifti.Reader) (parcels []Parcel, grid nifti.Grid) {
	x := mapOf(r, "CIFTI_INDEX_TYPE_PARCELS")
	text := 0
	for i := range r.Extensions {
		text += len(r.Extensions[i].Data)
	}
	if x == nil || r.Budget().Take(int64(text), byteSize, "bytes of CIFTI XML") != nil {
		return nil, grid
	}
	m, err := x.models() // the grid
	if err != nil {
		return nil, grid
	}
	for _, p := range x.Parcels {
		one := Parcel{Name: p.Name, Vertices: map[string][]int32{}}
		flat, err := numbers(p.Voxels, 3, math.MaxInt16)
		for i := 0; i+2 < len(flat); i += 3 {
			one.Voxels = append(one.Voxels, [3]int32(flat[i:i+3]))
		}
		slices.SortFunc(one.Voxels, func(a, b [3]int32) int { return slices.Compare(a[:], b[:]) })
		for _, v := range p.Vertices {
			var own []int32
			if own, err = numbers(v.Text, 1, mostVertices); err != nil {
				break
			}
			one.Vertices[v.Structure] = slices.Sorted(slices.Values(own))
		}
		if err != nil {
			return nil, grid
		}
		parcels = append(parcels, one)
	}
	return parcels, m.Grid
}

// step is the time between points, s; 0 for another unit.
func (x *xmlMap) step() float64 {
	if x.Unit != "SECOND" {
		return 0
	}
	return x.Step * math.Pow10(x.Exponent)
}

// Next reads the next row, scaled, into dst of Columns.N values; io.EOF after the last.
func (f *File) Next(dst []float64) error { return f.r.NextRow(dst) }

// Close closes the file.
func (f *File) Close() error { return f.r.Close() }

// The XML, as far as it is read.
type xmlMatrix struct {
	Version string   `xml:"Version,attr"`
	Maps    []xmlMap `xml:"Matrix>MatrixIndicesMap"`
}

type xmlMap struct {
	Dimensions string  `xml:"AppliesToMatrixDimension,attr"`
	Kind       string  `xml:"IndicesMapToDataType,attr"`
	Points     int     `xml:"NumberOfSeriesPoints,attr"`
	Exponent   int     `xml:"SeriesExponent,attr"`
	Step       float64 `xml:"SeriesStep,attr"`
	Unit       string  `xml:"SeriesUnit,attr"`
	Volume     *struct {
		Dimensions string `xml:"VolumeDimensions,attr"`
		Transform  struct {
			Exponent int    `xml:"MeterExponent,attr"`
			Text     string `xml:",chardata"`
		} `xml:"TransformationMatrixVoxelIndicesIJKtoXYZ"`
	} `xml:"Volume"`
	Models []struct {
		Offset    int    `xml:"IndexOffset,attr"`
		Count     int    `xml:"IndexCount,attr"`
		Structure string `xml:"BrainStructure,attr"`
		Type      string `xml:"ModelType,attr"`
		Surface   int    `xml:"SurfaceNumberOfVertices,attr"`
		Vertices  string `xml:"VertexIndices"`
		Voxels    string `xml:"VoxelIndicesIJK"`
	} `xml:"BrainModel"`
	Parcels []struct {
		Name     string `xml:"Name,attr"`
		Vertices []struct {
			Structure string `xml:"BrainStructure,attr"`
			Text      string `xml:",chardata"`
		} `xml:"Vertices"`
		Voxels string `xml:"VoxelIndicesIJK"`
	} `xml:"Parcel"`
	Named []struct {
		Name   string `xml:"MapName"`
		Labels []struct {
			Key   int     `xml:"Key,attr"`
			Red   float64 `xml:"Red,attr"`
			Green float64 `xml:"Green,attr"`
			Blue  float64 `xml:"Blue,attr"`
			Name  string  `xml:",chardata"`
		} `xml:"LabelTable>Label"`
	} `xml:"NamedMap"`
}

// axis fills in what the map says, and checks its length.
func (x *xmlMap) axis(a *Axis) error {
	var n int
	switch x.Kind {
	case "CIFTI_INDEX_TYPE_BRAIN_MODELS":
		m, err := x.models()
		if err != nil {
			return err
		}
		a.Models, n = m, m.N
	case "CIFTI_INDEX_TYPE_PARCELS":
		for _, p := range x.Parcels {
			a.Parcels = append(a.Parcels, p.Name)
		}
		n = len(a.Parcels)
	case "CIFTI_INDEX_TYPE_SERIES":
		a.Series, a.Step, n = true, x.step(), x.Points
	case "CIFTI_INDEX_TYPE_LABELS", "CIFTI_INDEX_TYPE_SCALARS":
		if n = len(x.Named); n > 0 {
			a.Map = strings.TrimSpace(x.Named[0].Name)
			for _, m := range x.Named {
				a.Maps = append(a.Maps, strings.TrimSpace(m.Name))
			}
			keys := map[int]string{}
			for _, l := range x.Named[0].Labels {
				if other, twice := keys[l.Key]; twice {
					return fmt.Errorf("the label table has the key %d twice, for %q and %q", l.Key, other, strings.TrimSpace(l.Name))
				}
				keys[l.Key] = strings.TrimSpace(l.Name)
				b := func(v float64) int { return int(math.Round(255 * min(max(v, 0), 1))) }
				a.Labels = append(a.Labels, Label{l.Key, strings.TrimSpace(l.Name),
					fmt.Sprintf("#%02x%02x%02x", b(l.Red), b(l.Green), b(l.Blue))})
			}
		}
	default:
		return fmt.Errorf("%q is not a CIFTI-2 mapping type", x.Kind)
	}
	if n != a.N {
		return fmt.Errorf("the XML has %d indices, but the matrix has %d", n, a.N)
	}
	return nil
}

// numbers reads whole numbers from 0 to a limit, a multiple of n of them.
func numbers(text string, n, limit int) ([]int32, error) {
	fields := strings.Fields(text)
	if len(fields)%n != 0 {
		return nil, fmt.Errorf("%d indices, which is not a multiple of %d", len(fields), n)
	}
	out := make([]int32, len(fields))
	for i, f := range fields {
		v, err := strconv.Atoi(f)
		if err != nil || v < 0 || v >= limit {
			return nil, fmt.Errorf("the index %q; want 0 to %d", f, limit-1)
		}
		out[i] = int32(v)
	}
	return out, nil
}

// distinct refuses vertices that appear twice; files list them in ascending order.
func distinct(vertices []int32) error {
	if !slices.IsSorted(vertices) {
		vertices = slices.Sorted(slices.Values(vertices))
	}
	for i := 1; i < len(vertices); i++ {
		if vertices[i] == vertices[i-1] {
			return fmt.Errorf("the vertex %d appears twice", vertices[i])
		}
	}
	return nil
}

// mostVertices bounds the vertices of a surface; FreeSurfer's have some 160,000.
const mostVertices = 1 << 22

func (x *xmlMap) models() (*Models, error) {
	m := &Models{}
	if x.Volume != nil {
		shape, err := numbers(strings.ReplaceAll(x.Volume.Dimensions, ",", " "), 3, math.MaxInt16)
		fields := strings.Fields(x.Volume.Transform.Text)
		if err != nil || len(shape) != 3 || len(fields) != 16 {
			return nil, errors.New("the element Volume lacks its dimensions or the 16 numbers of its transform")
		}
		m.Grid.Oriented = true
		for i, f := range fields {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return nil, fmt.Errorf("the transform of Volume: %w", err)
			}
			if i < 12 { // to mm
				v *= math.Pow10(x.Volume.Transform.Exponent + 3)
			}
			m.Grid.Affine[i/4][i%4] = v
		}
		if !m.Grid.Affine.Usable() {
			return nil, fmt.Errorf("the transform of Volume, %v, is no affine: its numbers must be finite, and its voxels have a volume", fields)
		}
		for a := range 3 {
			m.Grid.Shape[a] = int(shape[a])
		}
	}
	seen, voxels := map[string]bool{}, map[[3]int32]string{}
	for _, b := range x.Models {
		one := Model{Structure: b.Structure, From: b.Offset}
		var err error
		var flat []int32
		switch b.Type {
		case "CIFTI_MODEL_TYPE_SURFACE":
			if one.Surface = b.Surface; one.Surface < 1 || one.Surface > mostVertices {
				return nil, fmt.Errorf("%s: a surface of %d vertices", b.Structure, b.Surface)
			}
			if one.Vertices, err = numbers(b.Vertices, 1, b.Surface); err == nil {
				err = distinct(one.Vertices)
			}
		case "CIFTI_MODEL_TYPE_VOXELS":
			if x.Volume == nil {
				return nil, fmt.Errorf("%s: voxels without the element Volume", b.Structure)
			}
			flat, err = numbers(b.Voxels, 3, slices.Max(m.Grid.Shape[:]))
			for i := 0; i+2 < len(flat); i += 3 {
				v := [3]int32(flat[i : i+3])
				for a := range 3 {
					if int(v[a]) >= m.Grid.Shape[a] {
						err = fmt.Errorf("the voxel %v of a volume of %v", v, m.Grid.Shape)
					}
				}
				if of, twice := voxels[v]; twice && err == nil {
					err = fmt.Errorf("the voxel %v appears twice, first in %s", v, of)
				}
				voxels[v] = b.Structure
				one.Voxels = append(one.Voxels, v)
			}
		default:
			err = fmt.Errorf("the model type %q", b.Type)
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", b.Structure, err)
		case seen[b.Structure]:
			return nil, fmt.Errorf("%s appears twice", b.Structure)
		case one.From != m.N || one.Len() != b.Count:
			return nil, fmt.Errorf("%s: %d grayordinates from %d, expected %d from %d", b.Structure, one.Len(), m.N, b.Count, b.Offset)
		}
		seen[b.Structure] = true
		m.N += one.Len()
		m.List = append(m.List, one)
	}
	return m, nil
}

// ReadParcels reads the series of a file of parcels (ptseries): volumes × parcels, row-major, the
// names of the parcels, and the repetition time, s, 0 where it is not said.
func ReadParcels(r io.Reader) (names []string, series []float64, tr float64, err error) {
	n, err := nifti.NewReader(r, "the CIFTI file")
	if err != nil {
		return nil, nil, 0, err
	}
	defer n.Close()
	f, err := Read(n, "the CIFTI file")
	if err != nil {
		return nil, nil, 0, err
	}
	if f.Rows.Parcels == nil || !f.Columns.Series {
		return nil, nil, 0, errors.New("a CIFTI file that is not a parcellated time series (ptseries)")
	}
	volumes, parcels := f.Columns.N, f.Rows.N
	if err := n.Budget().Take(int64(volumes)*int64(parcels), 16, "values of parcels"); err != nil {
		return nil, nil, 0, err
	}
	row := make([]float64, volumes)
	rows := make([]float64, 0, volumes*parcels) // parcels × volumes
	for range parcels {
		if err := f.Next(row); err != nil {
			return nil, nil, 0, err
		}
		rows = append(rows, row...)
	}
	if err := f.Next(row); err != io.EOF {
		return nil, nil, 0, err
	}
	series = make([]float64, len(rows))
	for p := range parcels {
		for v := range volumes {
			series[v*parcels+p] = rows[p*volumes+v]
		}
	}
	return f.Rows.Parcels, series, f.Columns.Step, nil
}
