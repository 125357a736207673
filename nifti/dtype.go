package nifti

import (
	"fmt"
	"strconv"
)

// A DataType is a NIfTI datatype code.
type DataType int

// The data types that hold one real number a voxel, and so can be read.
const (
	Uint8   DataType = 2
	Int16   DataType = 4
	Int32   DataType = 8
	Float32 DataType = 16
	Float64 DataType = 64
	Int8    DataType = 256
	Uint16  DataType = 512
	Uint32  DataType = 768
	Int64   DataType = 1024
	Uint64  DataType = 1280
)

// dataTypes is every code of the NIfTI standard: numpy's name, the bits of one
// voxel, and whether a voxel is one real number, which is what we read.
var dataTypes = map[DataType]struct {
	name string
	bits int
	real bool
}{
	1:       {"binary", 1, false},
	Uint8:   {"uint8", 8, true},
	Int16:   {"int16", 16, true},
	Int32:   {"int32", 32, true},
	Float32: {"float32", 32, true},
	32:      {"complex64", 64, false},
	Float64: {"float64", 64, true},
	128:     {"RGB24", 24, false},
	Int8:    {"int8", 8, true},
	Uint16:  {"uint16", 16, true},
	Uint32:  {"uint32", 32, true},
	Int64:   {"int64", 64, true},
	Uint64:  {"uint64", 64, true},
	1536:    {"float128", 128, false},
	1792:    {"complex128", 128, false},
	2048:    {"complex256", 256, false},
	2304:    {"RGBA32", 32, false},
}

// String is numpy's name of the type, or the bare code of one that is not in
// the standard.
func (t DataType) String() string {
	if d, ok := dataTypes[t]; ok {
		return d.name
	}
	return "code " + strconv.Itoa(int(t))
}

// Size is the number of bytes of one voxel of a real type, else 0.
func (t DataType) Size() int {
	if d := dataTypes[t]; d.real {
		return d.bits / 8
	}
	return 0
}

// readable says why a type cannot be read, or nil.
func (t DataType) readable() error {
	d, ok := dataTypes[t]
	switch {
	case !ok:
		return fmt.Errorf("datatype %d is not a NIfTI data type", int(t))
	case !d.real:
		return fmt.Errorf("data type %s (code %d) does not hold one real number a voxel", d.name, int(t))
	}
	return nil
}
