package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"prgnn/internal/markup"
	"prgnn/internal/words"
)

var (
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
	//go:embed curve.css
	curveCSS string
	//go:embed curve.js
	curveJS string
)

// find is the first block for which is is true, or an empty one.
func (p *Page) find(is func(Block) bool) Block {
	for _, s := range p.Sections {
		if at := slices.IndexFunc(s.Blocks, is); at >= 0 {
			return s.Blocks[at]
		}
	}
	return Block{}
}

// policy forbids the page everything but these scripts and styles, in which every
// byte counts.
func policy(scripts []string, style string) string {
	digest := func(s string) string {
		d := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(d[:]) + "'"
	}
	p := "default-src 'none'; img-src data:; connect-src data:; base-uri 'none'; form-action 'none'; style-src " + digest(style) + "; script-src"
	for _, s := range scripts {
		p += " " + digest(s)
	}
	return p
}

// inOrder are regions whose texts cannot reorder what stands around them.
func inOrder(regions []Region) []Region {
	regions = slices.Clone(regions)
	for i := range regions {
		r := &regions[i]
		r.Name, r.Short, r.Text = words.InOrder(r.Name), words.InOrder(r.Short), words.InOrder(r.Text)
	}
	return regions
}

// volumesInOrder is inOrder for volumes.
func volumesInOrder(volumes []Volume) []Volume {
	volumes = slices.Clone(volumes)
	for i := range volumes {
		volumes[i].Name, volumes[i].Colormap = words.InOrder(volumes[i].Name), words.InOrder(volumes[i].Colormap)
	}
	return volumes
}

// HTML writes the page as one file. No control character of the data reaches it, and none that reorders text.
func (p *Page) HTML(w io.Writer) error {
	if err := p.Check(); err != nil {
		return err
	}
	scripts, style := []string{pageJS}, pageCSS
	if p.find(func(b Block) bool { return b.Curve != nil }).Curve != nil {
		scripts, style = append(scripts, curveJS), style+curveCSS
	}
	var data []byte
	if v := p.find(func(b Block) bool { return b.Viewer != nil }).Viewer; v != nil && len(v.Volumes) > 0 {
		code, err := viewerCode()
		if err != nil {
			return err
		}
		scripts = append(scripts, code)
		// json.Marshal writes <, > and & as \u003c …: nothing in it can end the element.
		if data, err = json.Marshal(struct {
			Volumes []Volume `json:"volumes"`
			Regions []Region `json:"regions"`
		}{volumesInOrder(v.Volumes), inOrder(v.Regions)}); err != nil {
			return err
		}
	}
	for i, s := range append([]string{style}, scripts...) {
		end := "</script"
		if i == 0 {
			end = "</style"
		}
		if lower := strings.ToLower(s); strings.Contains(lower, end) || strings.Contains(lower, "<!--") ||
			strings.ContainsAny(s, "\r\x00") {
			return fmt.Errorf("a script or style of the report would not reach the browser as it is")
		}
	}
	b := body{simulated: p.Simulated}
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	fmt.Fprintf(&b, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy(scripts, style))
	b.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n")
	b.WriteString(generatorLine + sealStart + strings.Repeat("0", sealLength) + sealEnd)
	b.put("<title>%s</title>\n", p.Title)
	fmt.Fprintf(&b, "<link rel=\"icon\" href=\"data:,\">\n<style>%s</style>\n</head>\n", style)
	b.page(p)
	if data != nil {
		fmt.Fprintf(&b, "<script type=\"application/json\" id=\"viewer-data\">%s</script>\n", markup.Characters(string(data)))
	}
	for _, s := range scripts {
		fmt.Fprintf(&b, "<script>%s</script>\n", s)
	}
	b.WriteString("</body>\n</html>\n")
	_, err := w.Write(seal(b.Bytes()))
	return err
}
