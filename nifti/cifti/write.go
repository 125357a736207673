package cifti

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"prgnn/internal/markup"
	"prgnn/nifti"
)

// Kinds of files: their NIfTI intents.
const (
	intentConn    = 3003
	intentSeries  = 3004
	intentScalars = 3008
	intentDense   = 3006
	extensionCode = 32
)

// WriteConn writes a matrix of parcels × parcels, row-major, as a .pconn.nii.
func (p *Parcels) WriteConn(w io.Writer, matrix []float64) error {
	n := len(p.Names)
	return writeMatrix(w, intentConn, "ConnParcels", n, n, matrix, p.parcelMap("0,1"))
}

// WriteSeries writes series of volumes × parcels, row-major, as a .ptseries.nii. tr is
// the time from a volume to the next, s.
func (p *Parcels) WriteSeries(w io.Writer, series []float64, tr float64) error {
	n := len(p.Names)
	if !(tr > 0) || math.IsInf(tr, 0) {
		return fmt.Errorf("a repetition time of %v s", tr)
	}
	volumes := len(series) / n
	across := make([]float64, len(series)) // a row a parcel
	for t := range volumes {
		for i := range n {
			across[i*volumes+t] = series[t*n+i]
		}
	}
	time := fmt.Sprintf(`<MatrixIndicesMap AppliesToMatrixDimension="0" IndicesMapToDataType="CIFTI_INDEX_TYPE_SERIES" NumberOfSeriesPoints="%d" SeriesExponent="0" SeriesStart="0" SeriesStep="%s" SeriesUnit="SECOND"></MatrixIndicesMap>`,
		volumes, strconv.FormatFloat(tr, 'f', -1, 64))
	return writeMatrix(w, intentSeries, "ConnParcelSries", volumes, n, across, time+"\n"+p.parcelMap("1"))
}

// WriteScalars writes maps, a value a parcel each, as a .pscalar.nii: saliency, degree.
func (p *Parcels) WriteScalars(w io.Writer, names []string, maps [][]float64) error {
	n, m := len(p.Names), len(maps)
	if m == 0 || len(names) != m {
		return fmt.Errorf("%d maps and %d names of maps", m, len(names))
	}
	across, scalars, err := rowsOf(names, maps, n)
	if err != nil {
		return err
	}
	return writeMatrix(w, intentScalars, "ConnParcelScalr", m, n, across, scalars+p.parcelMap("1"))
}

// rowsOf puts maps of n values beside each other, and writes the XML of their names.
func rowsOf(names []string, maps [][]float64, n int) (across []float64, text string, err error) {
	m := len(maps)
	across = make([]float64, n*m)
	var b strings.Builder
	b.WriteString(`<MatrixIndicesMap AppliesToMatrixDimension="0" IndicesMapToDataType="CIFTI_INDEX_TYPE_SCALARS">` + "\n")
	for k, values := range maps {
		if len(values) != n {
			return nil, "", fmt.Errorf("map %q has %d values, want %d", names[k], len(values), n)
		}
		for i, v := range values {
			across[i*m+k] = v
		}
		b.WriteString("<NamedMap><MapName>" + markup.Text(names[k]) + "</MapName></NamedMap>\n")
	}
	b.WriteString("</MatrixIndicesMap>\n")
	return across, b.String(), nil
}

// WriteDense writes maps, a value a grayordinate each, as a .dscalar.nii.
func (m *Models) WriteDense(w io.Writer, names []string, maps [][]float64) error {
	across, scalars, err := rowsOf(names, maps, m.N)
	if err != nil {
		return err
	}
	return writeMatrix(w, intentDense, "ConnDenseScalar", len(maps), m.N, across, scalars+m.text())
}

// text is the XML of the grayordinates for dimension 1.
func (m *Models) text() string {
	var b bytes.Buffer
	b.WriteString(`<MatrixIndicesMap AppliesToMatrixDimension="1" IndicesMapToDataType="CIFTI_INDEX_TYPE_BRAIN_MODELS">` + "\n")
	if m.Grid.Shape != [3]int{} {
		writeVolume(&b, m.Grid)
	}
	for i := range m.List {
		one := &m.List[i]
		surface, kind := "", "VOXELS"
		if one.Surface > 0 {
			surface, kind = fmt.Sprintf(` SurfaceNumberOfVertices="%d"`, one.Surface), "SURFACE"
		}
		fmt.Fprintf(&b, `<BrainModel IndexOffset="%d" IndexCount="%d" ModelType="CIFTI_MODEL_TYPE_%s" BrainStructure="%s"%s>`, one.From, one.Len(), kind, markup.Text(one.Structure), surface)
		if one.Surface > 0 {
			b.WriteString("<VertexIndices>")
			for k, v := range one.Vertices {
				if k > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(strconv.Itoa(int(v)))
			}
			b.WriteString("</VertexIndices></BrainModel>\n")
			continue
		}
		b.WriteString("<VoxelIndicesIJK>")
		for _, v := range one.Voxels {
			fmt.Fprintf(&b, "%d %d %d\n", v[0], v[1], v[2])
		}
		b.WriteString("</VoxelIndicesIJK></BrainModel>\n")
	}
	b.WriteString("</MatrixIndicesMap>")
	return b.String()
}

// writeMatrix puts header, extension and data down. columns is the length of a row, the fast
// axis, which CIFTI counts as dimension 0.
func writeMatrix(w io.Writer, intent int64, name string, columns, rows int, data []float64, maps string) error {
	if len(data) != columns*rows || len(data) == 0 {
		return fmt.Errorf("%d values for %d rows of %d", len(data), rows, columns)
	}
	text := `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<CIFTI Version="2"><Matrix>` + "\n" + maps + "\n</Matrix></CIFTI>\n"
	size := (8 + len(text) + 15) &^ 15
	h := &nifti.Header{
		Version: 2, SizeofHdr: 540, Datatype: int64(nifti.Float32), Bitpix: 32, SclSlope: 1,
		Dim: [8]int64{6, 1, 1, 1, 1, int64(columns), int64(rows), 1}, Pixdim: [8]float64{1, 1, 1, 1, 1, 1, 1, 1},
		VoxOffset: float64(540 + 4 + size), IntentCode: intent, XYZTUnits: 10, // mm and s
	}
	copy(h.Magic[:], "n+2\x00\r\n\x1a\n")
	copy(h.IntentName[:], name)
	b := append(h.Encode(), 1, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	b = binary.LittleEndian.AppendUint32(b, extensionCode)
	b = append(b, text...)
	b = append(b, make([]byte, size-8-len(text))...)
	for _, v := range data {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	_, err := w.Write(b)
	return err
}

// parcelMap is the XML of the parcels for dimension 0, 1 or both.
func (p *Parcels) parcelMap(dimension string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<MatrixIndicesMap AppliesToMatrixDimension="%s" IndicesMapToDataType="CIFTI_INDEX_TYPE_PARCELS">`+"\n", dimension)
	writeVolume(&b, p.Grid)
	for i, name := range p.Names {
		b.WriteString(`<Parcel Name="` + markup.Text(name) + `"><VoxelIndicesIJK>`)
		for _, v := range p.Voxels[i] {
			fmt.Fprintf(&b, "%d %d %d\n", v[0], v[1], v[2])
		}
		b.WriteString("</VoxelIndicesIJK></Parcel>\n")
	}
	b.WriteString("</MatrixIndicesMap>")
	return b.String()
}

// writeVolume writes the element Volume, the grid of voxels.
func writeVolume(b *bytes.Buffer, g nifti.Grid) {
	s := g.Shape
	fmt.Fprintf(b, `<Volume VolumeDimensions="%d,%d,%d"><TransformationMatrixVoxelIndicesIJKtoXYZ MeterExponent="-3">`, s[0], s[1], s[2])
	for _, row := range g.Affine {
		b.WriteByte('\n')
		for c, v := range row {
			if c > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	b.WriteString("\n</TransformationMatrixVoxelIndicesIJKtoXYZ></Volume>\n")
}
