package export

import (
	"bufio"
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
)

// endings are those of the formats whose files other programs know by their names.
var endings = map[string][]string{
	"svg": {".svg"}, "png": {".png"}, "gif": {".gif"}, "pdf": {".pdf"}, "eps": {".eps", ".ps"},
	"jpg": {".jpg", ".jpeg"}, "jpeg": {".jpg", ".jpeg"}, "tif": {".tif", ".tiff"}, "tiff": {".tif", ".tiff"},
	"html": {".html", ".htm"}, "nifti": {".nii", ".nii.gz"}, "npz": {".npz"}, "npy": {".npy"}, "mat": {".mat"},
	"csv": {".csv"}, "tsv": {".tsv"}, "arrow": {".arrow", ".feather"}, "parquet": {".parquet"},
	"xlsx": {".xlsx", ".xls"}, "docx": {".docx", ".doc"},
}

func endsAs(path, format string) bool {
	path = strings.ToLower(path)
	return slices.ContainsFunc(endings[format], func(e string) bool { return strings.HasSuffix(path, e) })
}

// misnamed refuses a path that ends as files of another format than the stored one, which is written unchanged. A
// format without an ending of its own (text, and those that commands declare) takes any that is of no other format.
func (x *job) misnamed(sel *results.Selection, stored string) error {
	ext := filepath.Ext(x.Path)
	if x.Format != "" || ext == "" || endsAs(x.Path, stored) || strings.EqualFold(ext, "."+stored) {
		return nil
	}
	own := endings[stored]
	if own == nil {
		own = []string{Extension(stored)}
		other := false
		for format := range endings {
			other = other || endsAs(x.Path, format)
		}
		if !other {
			return nil
		}
	}
	also := ""
	for _, p := range sel.Tasks[0].Instance().Ports().Out {
		if f := p.Type.Format; p.Name != sel.Port.Name && (endsAs(x.Path, f) || stored == "svg" && f == "png") {
			also += "; " + sel.Stage.Name() + "." + p.Name + " is " + f
		}
	}
	if stored == "html" {
		also += "; a browser prints it as PDF"
	}
	return exit.Wrongf("it is %s, which is written unchanged: PATH must end in %s, not in %s%s", stored,
		strings.Join(own, " or "), ext, also)
}

// copyNamed writes a stored result; an image is compressed where the path ends in .nii.gz, and not where in .nii.
func (x *job) copyNamed(w io.Writer, ref artifacts.Ref) error {
	path := strings.ToLower(x.Path)
	if ref.Format != "nifti" || !endsAs(path, "nifti") {
		return x.Copy(w, ref)
	}
	from, err := x.Store.OpenBlob(ref)
	if err != nil {
		return err
	}
	defer from.Close()
	r := bufio.NewReader(from)
	start, _ := r.Peek(2) // a shorter file is no image, and copied as it is
	is, asked := bytes.Equal(start, []byte{0x1f, 0x8b}), strings.HasSuffix(path, ".gz")
	switch {
	case is && !asked:
		plain, err := gzip.NewReader(r)
		if err != nil {
			return err
		}
		_, err = io.Copy(w, plain)
		return err
	case asked && !is:
		z := gzip.NewWriter(w)
		if _, err := io.Copy(z, r); err != nil {
			return err
		}
		return z.Close()
	}
	_, err = io.Copy(w, r)
	return err
}
