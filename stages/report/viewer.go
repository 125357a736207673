package report

import (
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
	"sync"
)

// The viewer is NiiVue with our controls, one script that web/build.mjs makes (make
// web) of what web/package-lock.json pins. It is kept built, so that Go alone builds a
// program whose reports have it; web/built.json says what it was built from.
//
//go:embed viewer.js.gz
var viewerGzip string

// viewerCode is the program of the viewer.
var viewerCode = sync.OnceValues(func() (string, error) {
	r, err := gzip.NewReader(strings.NewReader(viewerGzip))
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(r)
	return string(b), err
})
