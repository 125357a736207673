package nifti

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// An Info is what an image file holds, for people and scripts to look at. The
// statistics are of the scaled values, and null unless asked for.
type Info struct {
	// as nibabel names it: Nifti1Image, Nifti1Pair, Nifti2Image, Nifti2Pair, Cifti2Image or MGHImage
	Class     string      `json:"class"`
	Bytes     int64       `json:"bytes"` // of the file
	Shape     []int64     `json:"shape"`
	DType     string      `json:"dtype"` // as numpy says it: int16 for the little-endian, >i2 for the big-endian one
	Datatype  int64       `json:"datatype"`
	Endian    string      `json:"endian"` // < or >
	Magic     string      `json:"magic"`
	Affine    [][]float64 `json:"affine"`
	AffineBy  string      `json:"affine_source"` // sform, qform, mgh or none
	Axes      string      `json:"axes"`          // such as LAS
	SformCode int64       `json:"sform_code"`
	QformCode int64       `json:"qform_code"`
	Pixdim    []Number    `json:"pixdim"` // the first is qfac as it is taken: 1 or -1
	Units     int64       `json:"xyzt_units"`
	TR        float64     `json:"tr"` // s; 0 when the header gives none
	SclSlope  float64     `json:"scl_slope"`
	SclInter  float64     `json:"scl_inter"`
	Intent    int64       `json:"intent_code"`
	Descrip   string      `json:"descrip"`
	VoxOffset Number      `json:"vox_offset"`
	ExtCodes  []int       `json:"ext_codes"`
	Problems  []Problem   `json:"problems"`

	*Stats
}

// Stats describes the values of an image.
type Stats struct {
	Min    Number `json:"min"`   // of the values that are not NaN
	Max    Number `json:"max"`   //
	Mean   Number `json:"mean"`  //
	NaN    int64  `json:"n_nan"` // how many are
	SHA256 string `json:"sha256_f64le_xfastest"`
}

// A Number is a float64 that JSON can hold: null unless it is finite.
type Number float64

// MarshalJSON writes null for NaN and the infinities.
func (n Number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return fmt.Appendf(nil, "%v", float64(n)), nil
}

// Inspect tells what an image file holds; with stats it reads the voxels too. When
// the file cannot be read to its end, the Info has what could be learnt before the
// error; its Class is empty when that is nothing.
func Inspect(path string, stats bool) (Info, error) {
	var info Info
	if f, err := os.Stat(path); err == nil {
		info.Bytes = f.Size()
	}
	r, err := Open(path)
	if err != nil {
		// A header may say much, though its voxels are nowhere.
		var p *unreadable
		if errors.As(err, &p) && p.header != nil {
			info.describe(p.header, nil)
		}
		return info, err
	}
	defer r.Close()
	info.describe(r.Header, r.Extensions)
	if stats {
		info.Stats, err = r.stats()
	}
	return info, err
}

// describe fills in what the header says.
func (info *Info) describe(h *Header, extensions []Extension) {
	info.Class = "MGHImage"
	info.Endian = "<"
	if h.BigEndian {
		info.Endian = ">"
	}
	if h.Version > 0 {
		kind := "Image"
		if !h.single() {
			kind = "Pair"
		}
		info.Class = fmt.Sprintf("Nifti%d%s", h.Version, kind)
		info.Magic = strings.TrimRight(string(h.Magic[:4]), "\x00")
	}
	info.Shape = h.Shape()
	if h.CIFTI() {
		info.Class = "Cifti2Image"
		info.Shape = info.Shape[4:]
	}
	t := DataType(h.Datatype)
	info.Datatype, info.DType = h.Datatype, t.numpy(h.BigEndian)
	a := h.Affine()
	for _, row := range a {
		info.Affine = append(info.Affine, row[:])
	}
	info.AffineBy, info.Axes = h.AffineSource(), a.Axes()
	info.SformCode, info.QformCode = h.SformCode, h.QformCode
	for _, p := range h.Pixdim {
		info.Pixdim = append(info.Pixdim, Number(p))
	}
	if h.Version > 0 {
		info.Pixdim[0] = Number(h.qfac())
	}
	info.Units, info.TR = h.XYZTUnits, h.TR()
	info.SclSlope, info.SclInter, _ = h.Scaling() // a problem of it is among Problems
	info.Intent, info.Descrip, info.VoxOffset = h.IntentCode, strings.ToValidUTF8(cString(h.Descrip[:]),
		"�"), Number(h.VoxOffset)
	info.ExtCodes = []int{}
	for _, e := range extensions {
		info.ExtCodes = append(info.ExtCodes, e.Code)
	}
	info.Problems = append([]Problem{}, h.Check()...)
}

// numpy is numpy's name of the type in a byte order.
func (t DataType) numpy(bigEndian bool) string {
	if !bigEndian || t.Size() < 2 {
		return t.String()
	}
	kind := map[byte]string{'i': "i", 'u': "u", 'f': "f"}[t.String()[0]]
	return fmt.Sprintf(">%s%d", kind, t.Size())
}

// stats reads all voxels. The mean is the sum, compensated (Neumaier 1974), over
// the number.
func (r *Reader) stats() (*Stats, error) {
	slope, inter, err := r.Header.Scaling()
	if err != nil {
		return nil, r.fail(err)
	}
	t := DataType(r.Header.Datatype)
	size := int64(t.Size())
	left := r.Volumes() * r.volumeBytes()
	s := &Stats{Min: Number(math.Inf(1)), Max: Number(math.Inf(-1))}
	var sum, small float64
	var n int64
	hash := sha256.New()
	raw := make([]byte, 1<<15*size)
	values := make([]float64, 1<<15)
	bytes := make([]byte, 8<<15)
	for left > 0 {
		part := raw[:min(left, int64(len(raw)))]
		if _, err := r.read(part); err != nil {
			return nil, r.fail(fmt.Errorf("the voxels: %w", err))
		}
		left -= int64(len(part))
		if r.Header.BigEndian {
			swap(part, int(size))
		}
		v := values[:len(part)/int(size)]
		decode(v, part, t)
		scale(v, slope, inter)
		encodeFloat64(bytes, v)
		hash.Write(bytes[:8*len(v)])
		for _, x := range v {
			if math.IsNaN(x) {
				s.NaN++
				continue
			}
			n++
			s.Min, s.Max = min(s.Min, Number(x)), max(s.Max, Number(x))
			total := sum + x
			if math.Abs(sum) >= math.Abs(x) {
				small += (sum - total) + x
			} else {
				small += (x - total) + sum
			}
			sum = total
		}
	}
	if n == 0 {
		s.Min, s.Max = Number(math.NaN()), Number(math.NaN())
	}
	s.Mean = Number((sum + small) / float64(n))
	s.SHA256 = hex.EncodeToString(hash.Sum(nil))
	r.volume = r.Volumes()
	if _, err := r.NextRaw(); err != io.EOF {
		return nil, err
	}
	return s, nil
}
