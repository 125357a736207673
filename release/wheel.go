package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"prgnn/internal/version"
)

// pythonDir holds the sources of the Python package.
const pythonDir = "python/src"

// wheel writes the Python wheel of a platform: the package, and the binary inside it.
//
// Source: packaging.python.org, "Binary distribution format" (PEP 427) and core metadata 2.4.
func wheel(out string, b binary, src source, notices []byte) error {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	members := []member{{"prgnn/_bin/" + b.program(), 0o755, program}}
	err = fs.WalkDir(os.DirFS(pythonDir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(name, "__pycache__") {
			return err
		}
		data, err := os.ReadFile(filepath.Join(pythonDir, name))
		members = append(members, member{name, 0o644, data})
		return err
	})
	if err != nil {
		return err
	}
	info := "prgnn-" + version.Number + ".dist-info/"
	metadata, err := wheelMetadata()
	if err != nil {
		return err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	var tags strings.Builder
	for tag := range strings.SplitSeq(b.wheel, ".") {
		fmt.Fprintf(&tags, "Tag: py3-none-%s\n", tag)
	}
	members = append(members,
		member{info + "METADATA", 0o644, metadata},
		member{info + "WHEEL", 0o644, fmt.Appendf(nil, "Wheel-Version: 1.0\nGenerator: prgnn-release (%s)\nRoot-Is-Purelib: false\n%s", version.Number, tags.String())},
		member{info + "entry_points.txt", 0o644, []byte("[console_scripts]\npipeline = prgnn._program:main\nprgnn = prgnn._program:main\n")},
		member{info + "licenses/LICENSE", 0o644, license},
		member{info + "licenses/THIRD-PARTY.txt", 0o644, notices},
	)
	members = append(members, record(info, members))
	return create(filepath.Join(out, "prgnn-"+version.Number+"-py3-none-"+b.wheel+".whl"), func(w io.Writer) error {
		return writeZip(w, src.time, members)
	})
}

// record is the wheel's list of files with digests.
func record(info string, members []member) member {
	var b bytes.Buffer
	for _, m := range members {
		sum := sha256.Sum256(m.data)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", m.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(m.data))
	}
	name := path.Join(info, "RECORD")
	fmt.Fprintf(&b, "%s,,\n", name)
	return member{name, 0o644, b.Bytes()}
}

// wheelMetadata is METADATA: the head of the fields and README.md of the Python package.
func wheelMetadata() ([]byte, error) {
	readme, err := os.ReadFile("python/README.md")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `Metadata-Version: 2.4
Name: prgnn
Version: %s
Summary: From fMRI scans to the brain regions that distinguish two groups: the PR-GNN pipeline, as one program
License-Expression: Apache-2.0
License-File: LICENSE
License-File: THIRD-PARTY.txt
Classifier: Development Status :: 5 - Production/Stable
Classifier: Environment :: Console
Classifier: Intended Audience :: Science/Research
Classifier: Programming Language :: Go
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Medical Science Apps.
Classifier: Typing :: Typed
Requires-Python: >=3.10
Requires-Dist: numpy>=1.24
Requires-Dist: pyarrow>=14
Requires-Dist: xarray>=2023.1; extra == "xarray"
Requires-Dist: pandas>=2; extra == "pandas"
Requires-Dist: polars>=1; extra == "polars"
Requires-Dist: scikit-learn>=1.6; extra == "sklearn"
Provides-Extra: xarray
Provides-Extra: pandas
Provides-Extra: polars
Provides-Extra: sklearn
Provides-Extra: all
Requires-Dist: prgnn[xarray,pandas,polars,sklearn]; extra == "all"
Description-Content-Type: text/markdown

%s`, version.Number, readme)
	return b.Bytes(), nil
}
