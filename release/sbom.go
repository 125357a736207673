package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"prgnn/internal/version"
)

// sbom writes what is inside the binaries as CycloneDX 1.6, in JSON.
func sbom(out string, mods []module, src source) error {
	self := component("prgnn", version.Number, "pkg:generic/prgnn@"+version.Number, "Apache-2.0")
	self.Type = cdx.ComponentTypeApplication
	b := cdx.NewBOM()
	b.Metadata = &cdx.Metadata{Timestamp: src.time.Format("2006-01-02T15:04:05Z"), Component: &self}
	var all []cdx.Component
	var refs []string
	for _, m := range mods {
		c := component(m.path, m.version, m.purl, m.spdx)
		if m.sum != "" { // go.sum's h1: the SHA-256 of the list of its files, not of an archive
			sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.sum, "h1:"))
			if err != nil {
				return fmt.Errorf("go.sum's digest of %s: %w", m.path, err)
			}
			c.Properties = &[]cdx.Property{{Name: "go:module:h1", Value: hex.EncodeToString(sum)}}
		}
		all, refs = append(all, c), append(refs, c.BOMRef)
	}
	b.Components = &all
	b.Dependencies = &[]cdx.Dependency{{Ref: self.BOMRef, Dependencies: &refs}}
	return create(named(out, "sbom.cdx.json"), func(w io.Writer) error {
		return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(b, cdx.SpecVersion1_6)
	})
}

func component(name, number, purl, spdx string) cdx.Component {
	c := cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: name, Version: number, PackageURL: purl}
	if strings.Contains(spdx, " ") {
		c.Licenses = &cdx.Licenses{{Expression: spdx}}
	} else {
		c.Licenses = &cdx.Licenses{{License: &cdx.License{ID: spdx}}}
	}
	return c
}
