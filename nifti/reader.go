package nifti

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"prgnn/nifti/inflate"
)

// A Reader reads an image one volume after the other.
type Reader struct {
	Header     *Header
	Extensions []Extension

	name    string // for messages
	src     io.Reader
	file    io.Seeker // set when volumes can be sought: an uncompressed file
	closers []io.Closer
	start   int64  // where the voxels start in src
	at      int64  // bytes read of src
	volume  int64  // the next one
	raw     []byte // of the volume last read
}

// An Extension is a piece of data that another program keeps between header and
// voxels.
type Extension struct {
	Code int // 4 AFNI, 6 comment, 32 CIFTI …
	Data []byte
}

// NewReader reads the header of a NIfTI-1, NIfTI-2 or MGH image, gzipped or not:
// the first bytes tell, never the name, which serves messages only. The header of
// a pair (.hdr) is refused; Open reads pairs. The Reader takes r over: Close closes
// it, where it can be closed, and so does an error.
func NewReader(r io.Reader, name string) (*Reader, error) {
	rd := &Reader{name: name}
	if c, ok := r.(io.Closer); ok {
		rd.closers = append(rd.closers, c)
	}
	if err := rd.open(r, false); err != nil {
		rd.Close()
		return nil, rd.fail(err)
	}
	return rd, nil
}

// fail adds the name of the file to an error.
func (r *Reader) fail(err error) error { return &unreadable{r.name, r.Header, err} }

// An unreadable is why a file cannot be read, with the header, if it got so far.
type unreadable struct {
	name   string
	header *Header
	err    error
}

func (e *unreadable) Error() string { return e.name + ": " + e.err.Error() }
func (e *unreadable) Unwrap() error { return e.err }

// open reads all that stands before the voxels.
func (r *Reader) open(src io.Reader, pair bool) error {
	var err error
	if r.src, err = unzip(src); err != nil {
		return err
	}
	if err := r.readHeader(); err != nil {
		return err
	}
	if err := r.Header.fatal(); err != nil {
		return err
	}
	if !r.Header.single() {
		if !pair {
			return errors.New("this is the header of a pair of files, and the voxels are in an .img file beside it; write both into one .nii.gz file")
		}
		return r.readExtensions(-1)
	}
	if pair {
		return nil
	}
	r.start = int64(r.Header.VoxOffset)
	if err := r.readExtensions(r.start); err != nil {
		return err
	}
	return r.skipTo(r.start)
}

// unzip looks at the first bytes and decompresses gzip on the way.
func unzip(src io.Reader) (io.Reader, error) {
	if f, ok := src.(*os.File); ok {
		// No buffer between us and an uncompressed file.
		var b [2]byte
		n, err := f.ReadAt(b[:], 0)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if n < 2 || b != [2]byte{0x1f, 0x8b} {
			return f, nil
		}
		return inflate.NewReader(f), nil
	}
	b := bufio.NewReaderSize(src, 1<<16)
	if first, _ := b.Peek(2); bytes.Equal(first, []byte{0x1f, 0x8b}) {
		return inflate.NewReader(b), nil
	}
	return b, nil
}

// foreign names files that are often taken for NIfTI, by how they start.
var foreign = []struct{ magic, what string }{
	{"BZh", "it is compressed with bzip2; decompress it, or compress it with gzip"},
	{"\x28\xb5\x2f\xfd", "it is compressed with zstd; decompress it, or compress it with gzip"},
	{"\xfd7zXZ", "it is compressed with xz; decompress it, or compress it with gzip"},
	{"PK\x03\x04", "it is a zip archive; unpack it"},
	{"\ntype", "it is an AFNI header; convert the image with 3dAFNItoNIFTI"},
	{"mrtrix image", "it is an MRtrix image; convert it with mrconvert"},
	{"NRRD", "it is an NRRD image; convert it to NIfTI"},
	{"\x89HDF", "it is an HDF5 (MINC) file; convert it with mnc2nii"},
	{"version https://git-lfs", "it is a git-lfs pointer and not the file; fetch it with git lfs pull"},
	{"<", "it is a text (a web page?) and not an image; download it again"},
	{"../", "it is a git-annex pointer and not the file; fetch it with datalad get"},
	{"/annex/objects", "it is a git-annex pointer and not the file; fetch it with datalad get"},
}

// readHeader reads the fixed part of the header, whatever its format.
func (r *Reader) readHeader() error {
	b := make([]byte, headerSize[2]+4)
	n, err := r.read(b[:headerSize[1]])
	if ended(n, err) {
		return errors.New("the file is empty")
	}
	version, big := versionOf(b[:n])
	for _, f := range foreign {
		if version == 0 && bytes.HasPrefix(b[:n], []byte(f.magic)) {
			return errors.New(f.what)
		}
	}
	if _, short := err.(*truncation); err != nil && !short {
		return err
	}
	switch {
	case version == 1:
		if n == headerSize[1] {
			r.Header = decodeHeader(b, version, big)
			return nil
		}
	case version == 2:
		if n == headerSize[1] {
			if _, err := r.read(b[n:headerSize[2]]); err != nil {
				return fmt.Errorf("the header: %w", err)
			}
			r.Header = decodeHeader(b, version, big)
			return nil
		}
	case isMGH(b[:n]):
		// An MGH file may end before a NIfTI header would.
		if n >= mghHeaderSize {
			h, err := decodeMGH(b)
			if err != nil {
				return err
			}
			r.Header = h
			r.src = io.MultiReader(bytes.NewReader(b[mghHeaderSize:n]), r.src)
			r.at = mghHeaderSize
			return nil
		}
	default:
		return fmt.Errorf("no NIfTI or MGH image: it starts with the bytes % x", b[:min(n, 8)])
	}
	return fmt.Errorf("the header: %w", r.truncated(int64(n)))
}

// A truncation says that a file ended too early: sound, as far as decompression is
// concerned, but shorter than its header says.
type truncation struct {
	at           int64
	decompressed bool
}

func (t *truncation) Error() string {
	what := ""
	if t.decompressed {
		what = " (decompressed)"
	}
	return fmt.Sprintf("truncated at byte %d%s; fetch or write the file again (%v)", t.at, what, io.ErrUnexpectedEOF)
}

func (t *truncation) Unwrap() error { return io.ErrUnexpectedEOF }

// truncated says that src ended after n bytes.
func (r *Reader) truncated(n int64) error {
	_, ok := r.src.(*inflate.Reader)
	return &truncation{n, ok}
}

// ended tells whether an error of read is that src ended at once.
func ended(n int, err error) bool {
	_, ok := err.(*truncation)
	return ok && n == 0
}

// read fills b and counts; a src that ends too early is an error that names the place.
func (r *Reader) read(b []byte) (int, error) {
	n, err := io.ReadFull(r.src, b)
	r.at += int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = r.truncated(r.at)
	}
	return n, err
}

// readGrowing reads n bytes into dst's memory, which grows as they come: a header
// may promise any number, and only what is really there is worth memory.
func (r *Reader) readGrowing(dst []byte, n int64) ([]byte, error) {
	const first = 1 << 20
	dst = dst[:0]
	for int64(len(dst)) < n {
		have := len(dst)
		room := min(n, int64(max(first, 2*have, cap(dst))))
		if int64(cap(dst)) < room {
			grown := make([]byte, have, room)
			copy(grown, dst)
			dst = grown
		}
		dst = dst[:room]
		if _, err := r.read(dst[have:]); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// skipTo reads on to a place in src.
func (r *Reader) skipTo(place int64) error {
	n, err := io.CopyN(io.Discard, r.src, place-r.at)
	r.at += n
	if err == io.EOF {
		return fmt.Errorf("before the voxels, which start at byte %d: %w", place, r.truncated(r.at))
	}
	return err
}

// readExtensions reads the chain of extensions that ends at byte end, or with the
// file when end is negative. A file may end right after its header.
func (r *Reader) readExtensions(end int64) error {
	if r.Header.Version == 0 {
		return nil
	}
	var flag [4]byte
	if n, err := r.read(flag[:]); err != nil {
		if end < 0 && ended(n, err) {
			return nil
		}
		return fmt.Errorf("the header: %w", err)
	}
	for flag[0] != 0 && (end < 0 || r.at+8 <= end) {
		var head [8]byte
		at := r.at
		if n, err := r.read(head[:]); err != nil {
			if end < 0 && ended(n, err) {
				return nil
			}
			return fmt.Errorf("the extension at byte %d: %w", at, err)
		}
		size := int64(int32(r.Header.order().Uint32(head[:])))
		code := int(int32(r.Header.order().Uint32(head[4:])))
		if size < 8 || end >= 0 && at+size > end {
			return fmt.Errorf("the extension at byte %d has a size of %d bytes, want at least 8 and no more than fits before the voxels; %s", at, size, reexport)
		}
		data, err := r.readGrowing(nil, size-8)
		if err != nil {
			return fmt.Errorf("the extension at byte %d: %w", at, err)
		}
		r.Extensions = append(r.Extensions, Extension{code, data})
	}
	return nil
}

// Volumes is the number of 3-D volumes.
func (r *Reader) Volumes() int64 { return r.Header.volumes() }

// volumeBytes is the size of one volume as stored.
func (r *Reader) volumeBytes() int64 {
	h := r.Header
	return h.axis(1) * h.axis(2) * h.axis(3) * int64(DataType(h.Datatype).Size())
}

// NextRaw reads the next volume as it is stored, but little-endian: x fastest, not
// scaled. The bytes are good until the next call. After the last volume, and when
// the whole file has been found sound, it returns io.EOF.
func (r *Reader) NextRaw() ([]byte, error) {
	if r.volume == r.Volumes() {
		if err := r.finish(); err != nil {
			return nil, r.fail(err)
		}
		return nil, io.EOF
	}
	raw, err := r.readGrowing(r.raw, r.volumeBytes())
	if err != nil {
		return nil, r.fail(fmt.Errorf("volume %d of %d: %w", r.volume+1, r.Volumes(), err))
	}
	r.raw = raw
	r.volume++
	if r.Header.BigEndian {
		swap(raw, DataType(r.Header.Datatype).Size())
	}
	return raw, nil
}

// Next reads the next volume, scaled, into dst, which has room for Grid().Voxels()
// values, x fastest. After the last volume it returns io.EOF.
func (r *Reader) Next(dst []float64) error {
	raw, err := r.NextRaw()
	if err != nil {
		return err
	}
	slope, inter, err := r.Header.Scaling()
	if err != nil {
		return r.fail(err)
	}
	if n := decode(dst, raw, DataType(r.Header.Datatype)); n != len(dst) {
		panic(fmt.Sprintf("nifti: %d values for a volume of %d", len(dst), n))
	}
	scale(dst, slope, inter)
	return nil
}

// SeekVolume makes volume i (from 0) the next one to be read. It works in uncompressed
// files only.
func (r *Reader) SeekVolume(i int64) error {
	if r.file == nil {
		return r.fail(errors.New("volumes can be read in any order only from an uncompressed file; decompress it"))
	}
	if i < 0 || i >= r.Volumes() {
		return r.fail(fmt.Errorf("no volume %d, there are %d", i+1, r.Volumes()))
	}
	at := r.start + i*r.volumeBytes()
	if _, err := r.file.Seek(at, io.SeekStart); err != nil {
		return r.fail(err)
	}
	r.volume, r.at = i, at
	return nil
}

// finish reads to the end of src, so that its checksums are checked. What stands
// there after the voxels is ignored, as every tool does.
func (r *Reader) finish() error {
	if r.file != nil {
		return nil
	}
	n, err := io.Copy(io.Discard, r.src)
	r.at += n
	return err
}

// Close closes the files that are open.
func (r *Reader) Close() error {
	var all []error
	for _, c := range r.closers {
		all = append(all, c.Close())
	}
	return errors.Join(all...)
}

// CheckSeries refuses an image that is not a series of volumes over time.
func (r *Reader) CheckSeries() error {
	if _, err := r.Header.series(); err != nil {
		return r.fail(err)
	}
	return nil
}
