package nifti

import (
	"bytes"
	"encoding/binary"
	"math"
)

// A Header is the header of a NIfTI-1 or NIfTI-2 file, every field of it, or
// what the header of an MGH file says in those terms. Fields that differ
// between versions in width have the wider type here.
type Header struct {
	Version   int  // 1 or 2; 0 for MGH
	BigEndian bool // of header and data

	SizeofHdr     int64
	Magic         [8]byte // NIfTI-1 uses four
	DataTypeName  [10]byte
	DBName        [18]byte
	Extents       int64
	SessionError  int64
	Regular       int64
	DimInfo       int64
	Dim           [8]int64 // number of axes, then their lengths
	IntentP       [3]float64
	IntentCode    int64
	Datatype      int64
	Bitpix        int64
	SliceStart    int64
	Pixdim        [8]float64 // qfac, then the step along each axis (see Units)
	VoxOffset     float64    // where the data start, bytes
	SclSlope      float64
	SclInter      float64
	SliceEnd      int64
	SliceCode     int64
	XYZTUnits     int64
	CalMax        float64
	CalMin        float64
	SliceDuration float64
	TOffset       float64
	GLMax         int64
	GLMin         int64
	Descrip       [80]byte
	AuxFile       [24]byte
	QformCode     int64
	SformCode     int64
	Quatern       [3]float64    // b, c, d
	QOffset       [3]float64    // x, y, z, mm
	Srow          [3][4]float64 // the first three rows of the sform affine
	IntentName    [16]byte
	Unused        [15]byte

	mgh *Affine // the affine of an MGH file
}

// A kind is how one field's elements lie in a file.
type kind uint8

const (
	none kind = iota // the version has no such field
	text
	i8
	i16
	i32
	i64
	f32
	f64
)

var kindSize = [...]int{text: 1, i8: 1, i16: 2, i32: 4, i64: 8, f32: 4, f64: 8}

// A place is where a field lies in one version of the format.
type place struct {
	offset int
	kind   kind
}

// A field is one row of the format: where it lies in NIfTI-1 and NIfTI-2, and
// the Header's field that holds it: *int64, *float64, or a slice of int64,
// float64 or byte, whose length is the number of elements.
type field struct {
	name string
	v1   place
	v2   place
	at   func(*Header) any
}

// fields is the format. Reading, writing and the tests all follow it.
var fields = []field{
	{"sizeof_hdr", place{0, i32}, place{0, i32}, func(h *Header) any { return &h.SizeofHdr }},
	{"data_type", place{4, text}, place{}, func(h *Header) any { return h.DataTypeName[:] }},
	{"db_name", place{14, text}, place{}, func(h *Header) any { return h.DBName[:] }},
	{"extents", place{32, i32}, place{}, func(h *Header) any { return &h.Extents }},
	{"session_error", place{36, i16}, place{}, func(h *Header) any { return &h.SessionError }},
	{"regular", place{38, i8}, place{}, func(h *Header) any { return &h.Regular }},
	{"dim_info", place{39, i8}, place{524, i8}, func(h *Header) any { return &h.DimInfo }},
	{"dim", place{40, i16}, place{16, i64}, func(h *Header) any { return h.Dim[:] }},
	{"intent_p", place{56, f32}, place{80, f64}, func(h *Header) any { return h.IntentP[:] }},
	{"intent_code", place{68, i16}, place{504, i32}, func(h *Header) any { return &h.IntentCode }},
	{"datatype", place{70, i16}, place{12, i16}, func(h *Header) any { return &h.Datatype }},
	{"bitpix", place{72, i16}, place{14, i16}, func(h *Header) any { return &h.Bitpix }},
	{"slice_start", place{74, i16}, place{224, i64}, func(h *Header) any { return &h.SliceStart }},
	{"pixdim", place{76, f32}, place{104, f64}, func(h *Header) any { return h.Pixdim[:] }},
	{"vox_offset", place{108, f32}, place{168, i64}, func(h *Header) any { return &h.VoxOffset }},
	{"scl_slope", place{112, f32}, place{176, f64}, func(h *Header) any { return &h.SclSlope }},
	{"scl_inter", place{116, f32}, place{184, f64}, func(h *Header) any { return &h.SclInter }},
	{"slice_end", place{120, i16}, place{232, i64}, func(h *Header) any { return &h.SliceEnd }},
	{"slice_code", place{122, i8}, place{496, i32}, func(h *Header) any { return &h.SliceCode }},
	{"xyzt_units", place{123, i8}, place{500, i32}, func(h *Header) any { return &h.XYZTUnits }},
	{"cal_max", place{124, f32}, place{192, f64}, func(h *Header) any { return &h.CalMax }},
	{"cal_min", place{128, f32}, place{200, f64}, func(h *Header) any { return &h.CalMin }},
	{"slice_duration", place{132, f32}, place{208, f64}, func(h *Header) any { return &h.SliceDuration }},
	{"toffset", place{136, f32}, place{216, f64}, func(h *Header) any { return &h.TOffset }},
	{"glmax", place{140, i32}, place{}, func(h *Header) any { return &h.GLMax }},
	{"glmin", place{144, i32}, place{}, func(h *Header) any { return &h.GLMin }},
	{"descrip", place{148, text}, place{240, text}, func(h *Header) any { return h.Descrip[:] }},
	{"aux_file", place{228, text}, place{320, text}, func(h *Header) any { return h.AuxFile[:] }},
	{"qform_code", place{252, i16}, place{344, i32}, func(h *Header) any { return &h.QformCode }},
	{"sform_code", place{254, i16}, place{348, i32}, func(h *Header) any { return &h.SformCode }},
	{"quatern", place{256, f32}, place{352, f64}, func(h *Header) any { return h.Quatern[:] }},
	{"qoffset", place{268, f32}, place{376, f64}, func(h *Header) any { return h.QOffset[:] }},
	{"srow_x", place{280, f32}, place{400, f64}, func(h *Header) any { return h.Srow[0][:] }},
	{"srow_y", place{296, f32}, place{432, f64}, func(h *Header) any { return h.Srow[1][:] }},
	{"srow_z", place{312, f32}, place{464, f64}, func(h *Header) any { return h.Srow[2][:] }},
	{"intent_name", place{328, text}, place{508, text}, func(h *Header) any { return h.IntentName[:] }},
	{"magic", place{344, text}, place{4, text}, func(h *Header) any { return h.Magic[:] }},
	{"unused_str", place{}, place{525, text}, func(h *Header) any { return h.Unused[:] }},
}

// headerSize is the length of the header by version, bytes.
var headerSize = [...]int{1: 348, 2: 540}

// place is where the field lies in a version.
func (f field) place(version int) place {
	if version == 1 {
		return f.v1
	}
	return f.v2
}

// bytesOf is the memory of a text field in a version: all of it, but of the
// magic the first four bytes in NIfTI-1.
func (f field) bytesOf(h *Header, version int) []byte {
	b := f.at(h).([]byte)
	if f.name == "magic" && version == 1 {
		b = b[:4]
	}
	return b
}

// versionOf finds the version and byte order of a header from its first field,
// which is the header's own length; version 0 when it is neither.
func versionOf(b []byte) (version int, bigEndian bool) {
	for v := 1; v <= 2 && len(b) >= 4; v++ {
		switch uint32(headerSize[v]) {
		case binary.LittleEndian.Uint32(b):
			return v, false
		case binary.BigEndian.Uint32(b):
			return v, true
		}
	}
	return 0, false
}

// order is the byte order of header and data.
func (h *Header) order() binary.ByteOrder {
	if h.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// decodeHeader reads the 348 or 540 bytes of a header. It judges nothing.
func decodeHeader(b []byte, version int, bigEndian bool) *Header {
	h := &Header{Version: version, BigEndian: bigEndian}
	order := h.order()
	for _, f := range fields {
		p := f.place(version)
		if p.kind == none {
			continue
		}
		at, size := b[p.offset:], kindSize[p.kind]
		switch v := f.at(h).(type) {
		case []byte:
			copy(f.bytesOf(h, version), at)
		case *int64:
			*v, _ = getNumber(at, p.kind, order)
		case *float64:
			_, *v = getNumber(at, p.kind, order)
		case []int64:
			for i := range v {
				v[i], _ = getNumber(at[i*size:], p.kind, order)
			}
		case []float64:
			for i := range v {
				_, v[i] = getNumber(at[i*size:], p.kind, order)
			}
		}
	}
	return h
}

// Encode gives the header's 348 or 540 bytes, as its version says; for formats that
// are built on NIfTI. It judges nothing.
func (h *Header) Encode() []byte { return h.encode() }

// encode writes the header as its version and byte order say: 348 or 540 bytes.
func (h *Header) encode() []byte {
	b := make([]byte, headerSize[h.Version])
	order := h.order()
	for _, f := range fields {
		p := f.place(h.Version)
		if p.kind == none {
			continue
		}
		at, size := b[p.offset:], kindSize[p.kind]
		switch v := f.at(h).(type) {
		case []byte:
			copy(at, f.bytesOf(h, h.Version))
		case *int64:
			putNumber(at, p.kind, order, *v, 0)
		case *float64:
			putNumber(at, p.kind, order, int64(*v), *v)
		case []int64:
			for i, x := range v {
				putNumber(at[i*size:], p.kind, order, x, 0)
			}
		case []float64:
			for i, x := range v {
				putNumber(at[i*size:], p.kind, order, 0, x)
			}
		}
	}
	return b
}

// getNumber reads one element, as an integer (when it is one) and as a float64.
func getNumber(b []byte, k kind, order binary.ByteOrder) (int64, float64) {
	var n int64
	switch k {
	case i8:
		n = int64(b[0])
	case i16:
		n = int64(int16(order.Uint16(b)))
	case i32:
		n = int64(int32(order.Uint32(b)))
	case i64:
		n = int64(order.Uint64(b))
	case f32:
		return 0, float64(math.Float32frombits(order.Uint32(b)))
	case f64:
		return 0, math.Float64frombits(order.Uint64(b))
	}
	return n, float64(n)
}

// putNumber writes one element: n where the file has an integer, else x.
func putNumber(b []byte, k kind, order binary.ByteOrder, n int64, x float64) {
	switch k {
	case i8:
		b[0] = byte(n)
	case i16:
		order.PutUint16(b, uint16(n))
	case i32:
		order.PutUint32(b, uint32(n))
	case i64:
		order.PutUint64(b, uint64(n))
	case f32:
		order.PutUint32(b, math.Float32bits(float32(x)))
	case f64:
		order.PutUint64(b, math.Float64bits(x))
	}
}

// cString is a text field up to its first zero byte.
func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}
