package nifti

import (
	"encoding/binary"
	"fmt"
	"math"
)

// mghHeaderSize is where the voxels of an MGH file start, bytes.
const mghHeaderSize = 284

// mghTypes gives the data types of FreeSurfer's MGH format.
var mghTypes = map[int32]DataType{0: Uint8, 1: Int32, 3: Float32, 4: Int16, 10: Uint16}

// isMGH reports whether a file starts as an MGH file does: version 1, big-endian.
// The first number of a NIfTI file is 348 or 540 in either order.
func isMGH(b []byte) bool { return len(b) >= 4 && binary.BigEndian.Uint32(b) == 1 }

// decodeMGH reads the header of an MGH file: always big-endian; version, four
// lengths, type, degrees of freedom (int32), a flag that orientation is given
// (int16), voxel sizes (3 float32), the direction cosines of the three axes, one
// after the other (9), and the place of the middle voxel (3).
//
// With M the cosines as columns, D the sizes and c = shape/2:
//
//	affine = [ M·D | place − M·D·c ]
//
// The repetition time stands in a footer after the voxels, and is not read.
func decodeMGH(b []byte) (*Header, error) {
	be := binary.BigEndian
	num := func(at int) int32 { return int32(be.Uint32(b[at:])) }
	flt := func(at int) float64 { return float64(math.Float32frombits(be.Uint32(b[at:]))) }

	h := &Header{BigEndian: true, XYZTUnits: unitMillimetre | unitSecond, VoxOffset: mghHeaderSize}
	t, ok := mghTypes[num(20)]
	if !ok {
		return nil, fmt.Errorf("MGH header: type %d is not supported (uint8 0, int32 1, float32 3, int16 4, uint16 10 are); convert the image with mri_convert -odt float", num(20))
	}
	h.Datatype, h.Bitpix = int64(t), int64(8*t.Size())
	h.Dim[0] = 4
	for i := range 4 {
		h.Dim[i+1] = int64(num(4 + 4*i))
	}
	if h.Dim[4] == 1 {
		h.Dim[0] = 3
	}
	for i := 5; i < 8; i++ {
		h.Dim[i] = 1
	}
	size := [3]float64{1, 1, 1}
	cosines := [3][3]float64{{-1, 0, 0}, {0, 0, -1}, {0, 1, 0}} // of each axis
	var place [3]float64
	if int16(be.Uint16(b[28:])) > 0 {
		for a := range 3 {
			size[a] = flt(30 + 4*a)
			for r := range 3 {
				cosines[a][r] = flt(42 + 12*a + 4*r)
			}
			place[a] = flt(78 + 4*a)
		}
	}
	m := Identity
	for r := range 3 {
		m[r][3] = place[r]
		for a := range 3 {
			m[r][a] = float64(cosines[a][r] * size[a])
			m[r][3] -= float64(m[r][a] * float64(h.Dim[a+1]) / 2)
		}
	}
	copy(h.Pixdim[1:], size[:])
	h.mgh = &m
	if !m.Usable() {
		return nil, fmt.Errorf("MGH header: affine %v cannot be inverted: its voxels have no volume; convert the image again with mri_convert", m)
	}
	return h, nil
}
