package nifti

import (
	"errors"
	"fmt"
	"io"

	"prgnn/internal/budget"
	"prgnn/internal/lists"
)

// A Reader reads an image one volume after the other.
type Reader struct {
	Header     *Header
	Extensions []Extension

	name    string // for messages
	mem     *budget.Budget
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
	r.mem = budget.Of(src)
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
			return errors.New("this is the header of a pair of files; the voxels are in an .img file beside it; write both into one .nii.gz file")
		}
		return r.readExtensions(-1)
	}
	if pair {
		return nil
	}
	if err := r.claimVolume(); err != nil {
		return err
	}
	r.start = int64(r.Header.VoxOffset)
	if err := r.readExtensions(r.start); err != nil {
		return err
	}
	return r.skipTo(r.start)
}

// claimVolume takes the memory of a volume, as stored and as labels are kept.
func (r *Reader) claimVolume() error {
	h := r.Header
	size := max(int64(DataType(h.Datatype).Size()), 4)
	return r.mem.Take(h.axis(1)*h.axis(2)*h.axis(3), size, "voxels in a volume")
}

// Budget is what may still be made of the file.
func (r *Reader) Budget() *budget.Budget { return r.mem }

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
	all := lists.Map(r.closers, func(c io.Closer) error { return c.Close() })
	return errors.Join(all...)
}

// CheckSeries refuses an image that is not a series of volumes over time.
func (r *Reader) CheckSeries() error {
	if err := r.Header.series(); err != nil {
		return r.fail(err)
	}
	return nil
}

// CheckSize refuses an image that promises more voxels than a file of this many
// bytes can hold, so that its grid may be worked with before its voxels are read.
func (r *Reader) CheckSize(bytes int64) error {
	const most = 1032 // bytes that DEFLATE makes of one, at the very most
	if want := r.Volumes() * r.volumeBytes(); want/most > bytes {
		return r.fail(fmt.Errorf("its header requires %d bytes of voxels, which a file of %d bytes cannot hold; fetch or write the file again", want, bytes))
	}
	return nil
}

// NextRow reads the next row of a CIFTI matrix, scaled, into dst, which has room for as many values
// as axis 5 is long. After the last row it returns io.EOF.
func (r *Reader) NextRow(dst []float64) error {
	if r.volume == r.Volumes() {
		if err := r.finish(); err != nil {
			return r.fail(err)
		}
		return io.EOF
	}
	t := DataType(r.Header.Datatype)
	raw, err := r.readGrowing(r.raw, int64(len(dst)*t.Size()))
	if err != nil {
		return r.fail(fmt.Errorf("row %d: %w", r.volume/int64(len(dst))+1, err))
	}
	r.raw = raw
	r.volume += int64(len(dst)) // a volume of a CIFTI file is one value
	if r.Header.BigEndian {
		swap(raw, t.Size())
	}
	slope, inter, err := r.Header.Scaling()
	if err != nil {
		return r.fail(err)
	}
	decode(dst, raw, t)
	scale(dst, slope, inter)
	return nil
}
