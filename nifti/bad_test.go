package nifti

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// good is a sound scan of 4×3×2 voxels and 3 volumes, as a NIfTI-1 file.
func good() scan {
	s := scan{Int16, false, 1, 0, [4]int{4, 3, 2, 3}, nil}
	for i := range 4 * 3 * 2 * 3 {
		s.values = append(s.values, float64(i*i%97))
	}
	return s
}

// with changes the header of the good scan.
func with(change func(*Header)) func() []byte {
	return func() []byte {
		b := good().file()
		h := decodeHeader(b, 1, false)
		change(h)
		return append(h.encode(), b[348:]...)
	}
}

// second is the good scan as NIfTI-2, with its header changed.
func second(change func(*Header)) func() []byte {
	return func() []byte {
		b := good().file()
		h := decodeHeader(b, 1, false)
		h.Version, h.SizeofHdr, h.VoxOffset = 2, 540, 544
		copy(h.Magic[:], "n+2\x00\r\n\x1a\n")
		change(h)
		return append(h.encode(), b[348:]...)
	}
}

// cut gives the first n bytes of the good file.
func cut(n int) func() []byte { return func() []byte { return good().file()[:n] } }

func zipped(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(b)
	w.Close()
	return z.Bytes()
}

// extended is the good scan with an extension between header and voxels, whose
// size field is as given.
func extended(size uint32, offset float64) func() []byte {
	return func() []byte {
		b := good().file()
		h := decodeHeader(b, 1, false)
		h.VoxOffset = offset
		ext := make([]byte, 32)
		binary.LittleEndian.PutUint32(ext, size)
		return slices.Concat(h.encode(), []byte{1, 0, 0, 0}, ext, b[352:])
	}
}

// mgh is an MGH file of 4×3×2 uint8 voxels, changed.
func mgh(change func([]byte)) func() []byte {
	return func() []byte {
		b := make([]byte, mghHeaderSize+24)
		for i, v := range []uint32{1, 4, 3, 2, 1, 0, 0} {
			binary.BigEndian.PutUint32(b[4*i:], v)
		}
		change(b)
		return b
	}
}

// readAll reads a whole image as the pipeline does.
func readAll(b []byte) error {
	r, err := NewReader(bytes.NewReader(b), "x.nii")
	if err != nil {
		return err
	}
	for {
		if _, err := r.NextRaw(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Bad input gives one clear error: the file, what is wrong and where, what to do.
func TestBadInput(t *testing.T) {
	nan, inf := nanInf()
	const again = "export the image again from the program that wrote it"
	const fetch = "; fetch or write the file again"
	for _, c := range []struct {
		name string
		file func() []byte
		want string
	}{
		// Truncation at every structure.
		{"empty", cut(0), "the file is empty; fetch or write the file again"},
		{"three bytes", cut(3), "not a NIfTI or MGH image: it starts with the bytes 5c 01 00"},
		{"in the header", cut(100), "the header: truncated at byte 100" + fetch + " (unexpected EOF)"},
		{"at the magic", cut(346), "the header: truncated at byte 346" + fetch + " (unexpected EOF)"},
		{"before the flags", cut(348), "the header: truncated at byte 348" + fetch + " (unexpected EOF)"},
		{"in the flags", cut(350), "the header: truncated at byte 350" + fetch + " (unexpected EOF)"},
		{"without voxels", cut(352), "volume 1 of 3: truncated at byte 352" + fetch + " (unexpected EOF)"},
		{"in the first volume", cut(380), "volume 1 of 3: truncated at byte 380" + fetch + " (unexpected EOF)"},
		{"between volumes", cut(352 + 48), "volume 2 of 3: truncated at byte 400" + fetch + " (unexpected EOF)"},
		{"one byte short", cut(352 + 143), "volume 3 of 3: truncated at byte 495" + fetch + " (unexpected EOF)"},
		{"NIfTI-2 in the header", func() []byte { return second(func(*Header) {})()[:400] }, "the header: truncated at byte 400" + fetch + " (unexpected EOF)"},
		{"in an extension", func() []byte { return extended(32, 384)()[:370] }, "the extension at byte 352: truncated at byte 370" + fetch + " (unexpected EOF)"},
		{"before vox_offset", with(func(h *Header) { h.VoxOffset = 4096 }), "before the voxels, which start at byte 4096: truncated at byte 496" + fetch + " (unexpected EOF)"},
		{"gzip in its header", func() []byte { return zipped(good().file())[:5] }, "gzip: truncated at byte 5" + fetch + " (unexpected EOF)"},
		{"gzip in the middle", func() []byte { return zipped(good().file())[:100] }, "gzip: truncated at byte 100" + fetch + " (unexpected EOF)"},
		{"gzip without its trailer", func() []byte { z := zipped(good().file()); return z[:len(z)-8] }, "gzip: truncated at byte 184" + fetch + " (unexpected EOF)"},
		{"MGH in the header", func() []byte { return mgh(func([]byte) {})()[:200] }, "the header: truncated at byte 200" + fetch + " (unexpected EOF)"},
		{"MGH in the voxels", func() []byte { return mgh(func([]byte) {})()[:290] }, "volume 1 of 1: truncated at byte 290" + fetch + " (unexpected EOF)"},

		// Damage.
		{"gzip flipped", func() []byte { z := zipped(good().file()); z[len(z)-30] ^= 4; return z }, "damaged"},
		{"gzip checksum", func() []byte { z := zipped(good().file()); z[len(z)-8]++; return z }, "gzip: damaged somewhere before byte 184: its checksum is"},
		{"gzip with something behind", func() []byte { return append(zipped(good().file()), "tail"...) }, "gzip: data after the end, at byte 192, that are not gzip" + fetch},
		{"NIfTI-2 sent as text", second(func(h *Header) { copy(h.Magic[4:], "\n\n\x1a\n") }), `header: magic: line-end bytes "\n\n\x1a\n" were changed in transfer, so the voxels are damaged too; copy the file again in binary mode`},

		// Other formats.
		{"text", func() []byte { return []byte("Not an image, but a text of some length.") }, "not a NIfTI or MGH image: it starts with the bytes 4e 6f 74 20 61 6e 20 69"},
		{"a web page", func() []byte { return []byte("<!DOCTYPE html><title>404</title>") }, "it is a web page (HTML), not the file: the address may be wrong or require a login; download it again"},
		{"git-lfs", func() []byte { return []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\n") }, "it is a git-lfs pointer, not the file; fetch it with git lfs pull"},
		{"git-annex", func() []byte { return []byte("../../.git/annex/objects/xx/MD5E-s1--0.nii.gz") }, "it is a git-annex pointer, not the file; fetch it with datalad get"},
		{"bzip2", func() []byte { return []byte("BZh91AY&SY") }, "it is compressed with bzip2; decompress it, or compress it with gzip"},
		{"AFNI", func() []byte { return []byte("\ntype = string-attribute\nname = HISTORY_NOTE\n") }, "it is an AFNI header; convert the image with 3dAFNItoNIFTI"},
		{"Analyze", with(func(h *Header) { h.Magic = [8]byte{} }), "header: magic: none: this is an Analyze 7.5 header, which defines neither orientation nor scaling; convert it to NIfTI with the program that wrote it"},
		{"header of a pair", with(func(h *Header) { copy(h.Magic[:], "ni1\x00") }), "this is the header of a pair of files; the voxels are in an .img file beside it; write both into one .nii.gz file"},
		{"wrong magic", with(func(h *Header) { copy(h.Magic[:], "abc\x00") }), `header: magic: "abc\x00", want n+1 or ni1; ` + again},

		// Headers that lie.
		{"no axes", with(func(h *Header) { h.Dim[0] = 0 }), "header: dim[0]: 0 axes, want 1 to 7; " + again},
		{"nine axes", with(func(h *Header) { h.Dim[0] = 9 }), "header: dim[0]: 9 axes, want 1 to 7; " + again},
		{"an axis of 0", with(func(h *Header) { h.Dim[2] = 0 }), "header: dim[2]: length 0, want at least 1; " + again},
		{"negative axes", with(func(h *Header) { h.Dim[2], h.Dim[4] = -5, -1 }), "header: dim[2]: length -5, want at least 1; " + again + "\n  header: dim[4]: length -1, want at least 1; " + again},
		{"huge axes", with(func(h *Header) { h.Dim[1], h.Dim[2], h.Dim[3], h.Dim[4] = 32767, 32767, 32767, 32767 }),
			"header: dim: a volume of shape [32767 32767 32767] takes 67102720 MiB, the limit is 1024 MiB; if it is correct, resample the image to larger voxels; if not, export the image again from the program that wrote it"},
		{"axes beyond any file", second(func(h *Header) { h.Dim[1], h.Dim[2] = 1<<40, 1<<40 }), "header: dim: shape [1099511627776 1099511627776 2 3] is larger than any file; " + again},
		{"a long vector", with(func(h *Header) { h.Dim[1], h.GLMin = -1, 163842 }), "header: dim[1]: -1: FreeSurfer keeps a long vector here (its length is glmin), not a volume; convert it with mri_convert to a surface format"},
		{"an ico7 surface", with(func(h *Header) { h.Dim[0], h.Dim[1], h.Dim[2], h.Dim[3] = 3, 27307, 1, 6 }), "header: dim: 27307×1×6: FreeSurfer keeps values on an ico7 surface here, not a volume; convert it with mri_convert to a surface format"},
		{"complex", with(func(h *Header) { h.Datatype = 32 }), "header: datatype: data type complex64 (code 32) does not hold one real number a voxel; convert the image to a real type, such as float32 or int16"},
		{"RGB", with(func(h *Header) { h.Datatype = 128 }), "header: datatype: data type RGB24 (code 128) does not hold one real number a voxel; convert the image to a real type, such as float32 or int16"},
		{"float128", with(func(h *Header) { h.Datatype = 1536 }), "header: datatype: data type float128 (code 1536) does not hold one real number a voxel; convert the image to a real type, such as float32 or int16"},
		{"no type", with(func(h *Header) { h.Datatype = 5 }), "header: datatype: datatype 5 is not a NIfTI data type; convert the image to a real type, such as float32 or int16"},
		{"vox_offset in the header", with(func(h *Header) { h.VoxOffset = 100 }), "header: vox_offset: 100: the voxels would start inside the header of 352 bytes; " + again},
		{"negative vox_offset", with(func(h *Header) { h.VoxOffset = -352 }), "header: vox_offset: -352: the voxels would start inside the header of 352 bytes; " + again},
		{"vox_offset NaN", with(func(h *Header) { h.VoxOffset = nan }), "header: vox_offset: NaN is not a position in a file; " + again},
		{"vox_offset infinite", with(func(h *Header) { h.VoxOffset = inf }), "header: vox_offset: +Inf is not a position in a file; " + again},
		{"vox_offset fractional", with(func(h *Header) { h.VoxOffset = 352.5 }), "header: vox_offset: 352.5 is not a position in a file; " + again},
		{"vox_offset far", with(func(h *Header) { h.VoxOffset = 1e30 }), "header: vox_offset: 1.0000000150474662e+30 is beyond the end of any file; " + again},
		{"intercept NaN", with(func(h *Header) { h.SclSlope, h.SclInter = 2, nan }), "header: scl_inter: scl_inter is NaN beside a scl_slope of 2; set scl_slope and scl_inter (1 and 0 for no scaling), for instance with nifti_tool -mod_hdr"},
		{"a flat sform", with(func(h *Header) { h.Srow[2] = [4]float64{} }), "header: srow: [[1 0 0 0] [0 1 0 0] [0 0 0 0]] cannot be inverted: its voxels have no volume; set sform_code to 0 to use the qform, or set a correct affine"},
		{"an sform with NaN", with(func(h *Header) { h.Srow[0][3] = nan }), "header: srow: [[1 0 0 NaN] [0 1 0 0] [0 0 1 0]] cannot be inverted: its voxels have no volume; set sform_code to 0 to use the qform, or set a correct affine"},
		{"negative pixdim", with(func(h *Header) { h.SformCode, h.QformCode, h.Pixdim[2] = 0, 1, -3 }), "header: qform: pixdim[2] is -3, but a qform needs positive voxel sizes; set a correct qform or sform, for instance with fslorient"},
		{"pixdim 0", with(func(h *Header) { h.SformCode, h.QformCode, h.Pixdim[3] = 0, 1, 0 }), "header: qform: pixdim[3] is 0, but a qform needs positive voxel sizes; set a correct qform or sform, for instance with fslorient"},
		{"pixdim NaN", with(func(h *Header) { h.SformCode, h.QformCode, h.Pixdim[1] = 0, 1, nan }), "header: qform: pixdim[1] is NaN, but a qform needs positive voxel sizes; set a correct qform or sform, for instance with fslorient"},
		{"no quaternion", with(func(h *Header) { h.SformCode, h.QformCode, h.Quatern = 0, 1, [3]float64{1, 1, 0} }),
			"header: qform: quatern [1 1 0] is longer than a unit quaternion; set a correct qform or sform, for instance with fslorient"},
		{"qoffset infinite", with(func(h *Header) { h.SformCode, h.QformCode, h.QOffset[0] = 0, 1, inf }), "header: qform: affine [[1 0 0 +Inf] [0 1 0 0] [0 0 1 0] [0 0 0 1]] is not finite; set a correct qform or sform, for instance with fslorient"},
		{"everything", with(func(h *Header) { h.Dim[1], h.Datatype, h.VoxOffset = 0, 1, 0 }), "header: dim[1]: length 0, want at least 1; " + again + "\n  header: datatype: data type binary (code 1) does not hold one real number a voxel; convert the image to a real type, such as float32 or int16\n  header: vox_offset: 0: the voxels would start inside the header of 352 bytes; " + again},
		{"an extension without size", extended(0, 384), "the extension at byte 352 has a size of 0 bytes, expected at least 8 and no more than fits before the voxels; " + again},
		{"an extension beyond the voxels", extended(48, 384), "the extension at byte 352 has a size of 48 bytes, expected at least 8 and no more than fits before the voxels; " + again},
		{"an extension of 2 GB", extended(0x7ffffff0, 4294967296), "the extension at byte 352: 4294967520 further bytes of extensions, too many for a file of 528 bytes, which may take 256 MiB of memory: it is damaged; if not, write it without compression or in parts"},
		{"an MGH type", mgh(func(b []byte) { b[23] = 2 }), "MGH header: type 2 is not supported (uint8 0, int32 1, float32 3, int16 4, uint16 10 are); convert the image with mri_convert -odt float"},
		{"MGH voxels without volume", mgh(func(b []byte) { b[29] = 1 }), "MGH header: affine [[0 0 0 0] [0 0 0 0] [0 0 0 0] [0 0 0 1]] cannot be inverted: its voxels have no volume; convert the image again with mri_convert"},
		{"an MGH axis of 0", mgh(func(b []byte) { b[7] = 0 }), "header: dim[1]: length 0, want at least 1; " + again},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := readAll(c.file())
			switch {
			case err == nil:
				t.Fatal("no error")
			case c.want == "damaged" && strings.Contains(err.Error(), "x.nii: ") &&
				strings.Contains(err.Error(), "gzip: damaged"):
			case strings.HasSuffix(c.want, "checksum is") && strings.HasPrefix(err.Error(), "x.nii: "+c.want):
			case err.Error() != "x.nii: "+c.want:
				t.Errorf("error %s\nwant  x.nii: %s", err, c.want)
			}
		})
	}
}

// What is odd but has a rule is read, and reported.
func TestWarnings(t *testing.T) {
	nan, _ := nanInf()
	for _, c := range []struct {
		name   string
		change func(*Header)
		want   string
	}{
		{"none", func(h *Header) {}, ""},
		{"bitpix", func(h *Header) { h.Bitpix = 8 }, "bitpix: 8, but int16 has 16 bits a voxel; the data type counts"},
		{"slope NaN", func(h *Header) { h.SclSlope = nan }, "scl_slope: NaN: no scaling is assumed (other tools may show an empty image)"},
		{"codes 0", func(h *Header) { h.SformCode = 0 }, "sform_code, qform_code: both 0: the file does not state the image's position; set them (fslorient, nifti_tool) if you know the image's position"},
		{"code 9", func(h *Header) { h.SformCode = 9 }, "sform_code: 9 is not one of the standard's codes, 0 to 5"},
		{"qfac 7", func(h *Header) { h.QformCode, h.Pixdim[0] = 1, 7 }, "pixdim[0]: qfac 7 is neither 1 nor -1; 1 is assumed"},
		{"apart", func(h *Header) { h.QformCode, h.QOffset[1] = 1, 2 }, "sform, qform: they differ by up to 2 mm; the sform is used"},
		{"qform unusable", func(h *Header) { h.QformCode, h.Pixdim[1] = 1, -1 }, "qform: pixdim[1] is -1, but a qform needs positive voxel sizes; the sform is used"},
		{"no unit of length", func(h *Header) { h.XYZTUnits = 8 }, "xyzt_units: unit of length 0 is unknown; mm is assumed"},
		{"no unit of time", func(h *Header) { h.XYZTUnits = 2 }, "xyzt_units: unit of time 0 is unknown; s is assumed"},
		{"no TR", func(h *Header) { h.Pixdim[4] = 0 }, "pixdim[4]: 0: the file does not state the repetition time; set it as a parameter"},
		{"TR in ms", func(h *Header) { h.Pixdim[4] = 2000 }, "pixdim[4]: a repetition time of 2000 s; if it is in ms, set the unit of time, or set the repetition time in s as a parameter"},
	} {
		b := with(c.change)()
		r, err := NewReader(bytes.NewReader(b), "x.nii")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := lists.Map(r.Header.Check(), func(p Problem) string { return p.String() })
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// vox_offset is a place 8 bytes on, where there are 8 more bytes.
	b := with(func(h *Header) { h.VoxOffset = 360 })()
	b = slices.Insert(b, 352, make([]byte, 8)...)
	r := need.Value(NewReader(bytes.NewReader(b), "x.nii"))(t)
	if p := r.Header.Check(); len(p) != 1 || p[0].Field != "vox_offset" || p[0].Fatal {
		t.Errorf("problems %v", p)
	}
}

// Label images that are none.
func TestBadLabels(t *testing.T) {
	label := func(dtype DataType, slope float64, values ...float64) []byte {
		s := scan{dtype, false, slope, 0, [4]int{len(values), 1, 1, 1}, values}
		return s.file()
	}
	_, inf := nanInf()
	for _, c := range []struct {
		name string
		file []byte
		want string // "" for a good one
	}{
		{"int16", label(Int16, 1, 0, 1, 2035), ""},
		{"float32", label(Float32, 1, 0, 1, 2035), ""},
		{"float64, large", label(Float64, 1, 0, 1<<31-1), ""},
		{"scaled to integers", label(Int16, 0.5, 0, 2, 4), ""},
		{"int64", label(Int64, 1, 0, 14175), ""},
		{"fraction", label(Float32, 1, 0, 3, 3.5), "x.nii: voxel [2 0 0] holds 3.5, but labels are integers; if the image was interpolated, resample it with nearest-neighbor interpolation"},
		{"fraction by scaling", label(Int16, 0.5, 0, 3), "x.nii: voxel [1 0 0] holds 1.5, but labels are integers, and scl_slope and scl_inter (0.5, 0) make no integer of it; write the labels as integers without scaling, and if the image was interpolated, resample it with nearest-neighbor interpolation"},
		{"infinite", label(Float64, 1, inf), "x.nii: voxel [0 0 0] holds +Inf, but labels are integers; if the image was interpolated, resample it with nearest-neighbor interpolation"},
		{"too large", label(Float64, 1, 0, 1<<31), "x.nii: voxel [1 0 0] holds 2.147483648e+09, but the largest label allowed is 2147483647"},
		{"uint32 too large", label(Uint32, 1, 1<<32-1), "x.nii: voxel [0 0 0] holds 4.294967295e+09, but the largest label allowed is 2147483647"},
		{"a series", good().file(), "x.nii: shape [4 3 2 3] has 3 volumes, but a label image has one; give one volume (for a probabilistic atlas, its maximum-probability labels)"},
		{"truncated", label(Int16, 1, 0, 1, 2)[:355], "x.nii: volume 1 of 1: truncated at byte 355; fetch or write the file again (unexpected EOF)"},
	} {
		r, err := NewReader(bytes.NewReader(c.file), "x.nii")
		if err == nil {
			_, err = ReadLabels(r)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s: error %v\nwant %s", c.name, err, c.want)
		}
	}
}

// Labels and scans that cannot be brought together.
func TestBadOnto(t *testing.T) {
	on := func(origin float64, oriented bool, shape ...int) Grid {
		g := Grid{[3]int{4, 4, 4}, Identity, oriented}
		g.Affine[0][3] = origin
		copy(g.Shape[:], shape)
		return g
	}
	full := func(g Grid) *Labels {
		l := &Labels{g, make([]int32, g.Voxels())}
		for i := range l.Voxels {
			l.Voxels[i] = 1
		}
		return l
	}
	for _, c := range []struct {
		name         string
		labels, scan Grid
		want         string
	}{
		{"same", on(0, true), on(0, true), ""},
		{"both nowhere, same shape", on(0, false), on(7, false), ""},
		{"both nowhere, other shape", on(0, false), on(0, false, 4, 4, 5), "the position of the label image is unknown"},
		{"labels nowhere", on(0, false), on(0, true), "the position of the label image is unknown"},
		{"scan nowhere", on(0, true), on(0, false), "the position of the scan is unknown"},
		{"apart", on(0, true), on(100, true), "the labels do not overlap the scan"},
	} {
		_, err := full(c.labels).Onto(c.scan)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := (&Labels{on(0, true), make([]int32, 64)}).Onto(on(1, true)); err == nil {
		t.Error("labels of nothing but 0 were laid over a scan")
	}
}

// Pairs: both files are found from either, compressed or not.
func TestPairs(t *testing.T) {
	dir := t.TempDir()
	b := with(func(h *Header) { copy(h.Magic[:], "ni1\x00"); h.VoxOffset = 0 })()
	write := func(name string, data []byte) string {
		p := filepath.Join(dir, name)
		need.NoError(t, os.WriteFile(p, data, 0o644))
		return p
	}
	for _, c := range []struct{ hdr, img string }{{"a.hdr", "a.img"}, {"b.hdr.gz", "b.img.gz"}, {"c.hdr", "c.img.gz"},
		{"d.hdr.gz", "d.img"}} {
		content := [][]byte{b[:348], b[352:]}
		for i, name := range []string{c.hdr, c.img} {
			if strings.HasSuffix(name, ".gz") {
				content[i] = zipped(content[i])
			}
			write(name, content[i])
		}
		for _, name := range []string{c.hdr, c.img} {
			r := need.Value(Open(filepath.Join(dir, name)))(t)
			volume := make([]float64, 24)
			if err := r.Next(volume); err != nil || !slices.Equal(volume, good().values[:24]) {
				t.Errorf("%s: %v, error %v", name, volume, err)
			}
			r.Close()
		}
	}
	for _, c := range []struct {
		path, want string
	}{
		{write("alone.hdr", b[:348]), "the voxels are missing: neither"},
		{write("lone.img", b[352:]), "holds the voxels of a pair, and neither"},
		{write("single.hdr", good().file()), "its magic states that the voxels are in the same file; rename it to .nii"},
		{filepath.Join(dir, "absent.nii"), "no such file"},
	} {
		_, err := Open(c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.path) ||
			strings.Count(err.Error(), filepath.Base(c.path)) != 1 {
			t.Errorf("%s: error %v, want %s", filepath.Base(c.path), err, c.want)
		}
	}
	write("short.hdr", b[:348])
	write("short.img", b[352:490])
	if _, err := Open(filepath.Join(dir, "short.hdr")); err == nil || !strings.Contains(err.Error(), "short.img: truncated at byte 138: its header requires 144 bytes") {
		t.Errorf("a short .img: error %v", err)
	}
}

// Extensions are kept.
func TestExtensions(t *testing.T) {
	r, err := NewReader(bytes.NewReader(extended(32, 384)()), "x.nii")
	need.NoError(t, err)
	if len(r.Extensions) != 1 || len(r.Extensions[0].Data) != 24 {
		t.Errorf("extensions %v", r.Extensions)
	}
	r, err = Open(need.Shared(t, "data", "nifti_conformance", "nibabel", "example4d.nii.gz"))
	need.NoError(t, err)
	defer r.Close()
	// nibabel's test_nifti_extensions.
	if len(r.Extensions) != 2 || r.Extensions[0].Code != 6 || cString(r.Extensions[0].Data) != "extcomment1" {
		t.Errorf("extensions %v", r.Extensions)
	}
}

// FuzzReader: whatever the bytes, no panic and no more memory than they are worth,
// and what is read is what the header says.
func FuzzReader(f *testing.F) {
	f.Add(good().file())
	f.Add(zipped(good().file()))
	f.Add(second(func(*Header) {})())
	f.Add(extended(32, 384)())
	f.Add(mgh(func([]byte) {})())
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewReader(bytes.NewReader(b), "x.nii")
		if err != nil {
			return
		}
		h := r.Header
		if _, ok := func() (Affine, bool) { a := h.Affine(); return a.Inverse() }(); !ok && h.AffineSource() != "none" {
			t.Fatalf("affine %v passed the checks", h.Affine())
		}
		_ = h.Grid().String()
		var volumes int64
		for {
			raw, err := r.NextRaw()
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
			if int64(len(raw)) != r.volumeBytes() {
				t.Fatalf("volume of %d bytes, want %d", len(raw), r.volumeBytes())
			}
			volumes++
		}
		if volumes != r.Volumes() {
			t.Fatalf("%d volumes, want %d", volumes, r.Volumes())
		}
		if g := h.Grid(); g.Voxels() < math.MaxInt32 {
			if again, err := NewReader(bytes.NewReader(b), "x.nii"); err == nil {
				_, _ = ReadLabels(again)
			}
		}
	})
}
