package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"prgnn/internal/version"
)

// image writes the OCI archive of each Linux binary: one layer with the static program, the
// licenses and a /tmp, and nothing else. apptainer, podman and skopeo read oci-archive:FILE.
func image(out string, bins []binary, src source, notices []byte) error {
	for _, b := range bins {
		if b.os != "linux" {
			continue
		}
		img, err := imageOf(b, src, notices)
		if err != nil {
			return err
		}
		dir, err := os.MkdirTemp("", "prgnn-image-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		p, err := layout.Write(dir, empty.Index)
		if err != nil {
			return err
		}
		if err := p.AppendImage(img, layout.WithPlatform(v1.Platform{OS: b.os, Architecture: b.arch}),
			layout.WithAnnotations(map[string]string{
				"org.opencontainers.image.ref.name": version.Number,
			})); err != nil {
			return err
		}
		if err := create(named(out, "oci-"+b.arch+".tar"),
			func(w io.Writer) error { return packLayout(w, dir, src) }); err != nil {
			return err
		}
	}
	return nil
}

func imageOf(b binary, src source, notices []byte) (v1.Image, error) {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return nil, err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return nil, err
	}
	var files bytes.Buffer
	// The program is run as any user, without a home: /tmp is all it may write.
	if err := writeTar(&files, src.time, []member{
		{"tmp/", os.ModeDir | os.ModeSticky | 0o777, nil},
		{"usr/bin/pipeline", 0o755, program},
		{"usr/share/doc/prgnn/LICENSE", 0o644, license},
		{"usr/share/doc/prgnn/THIRD-PARTY.txt", 0o644, notices},
	}); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(9))
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err = mutate.AppendLayers(img, layer)
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = b.os, b.arch, v1.Time{Time: src.time}
	config.Config.Entrypoint = []string{"/usr/bin/pipeline", "bids-app"}
	config.Config.Env = []string{"PATH=/usr/bin", "HOME=/tmp", "PRGNN_IMAGE=prgnn:" + version.Number}
	config.Config.Labels = map[string]string{
		"org.opencontainers.image.title":    "prgnn",
		"org.opencontainers.image.version":  version.Number,
		"org.opencontainers.image.revision": src.commit,
		"org.opencontainers.image.licenses": "Apache-2.0",
	}
	return mutate.ConfigFile(img, config)
}

// packLayout packs a directory in OCI's layout as an archive, in the order of names. Directories stand
// before what is in them: apptainer makes none of itself.
func packLayout(w io.Writer, dir string, src source) error {
	var members []member
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator)))
		if d.IsDir() {
			members = append(members, member{name + "/", os.ModeDir | 0o755, nil})
			return nil
		}
		data, err := os.ReadFile(path)
		members = append(members, member{name, 0o644, data})
		return err
	})
	if err != nil {
		return err
	}
	return writeTar(w, src.time, members)
}
