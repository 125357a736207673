package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"prgnn/internal/markup"
	"prgnn/internal/words"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

var body = template.Must(template.New("page").Funcs(template.FuncMap{
	"picture": func(f Figure) template.URL {
		kind := map[string]string{"svg": "image/svg+xml", "png": "image/png"}[f.Format]
		if kind == "" {
			panic("report: no picture has the format " + f.Format) // Check has refused it
		}
		return template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(f.Data))
	},
	"pack": func(block any, simulated bool) any {
		return struct {
			Block     any
			Simulated bool
		}{block, simulated}
	},
	"percent": func(x float64) string { return fmt.Sprintf("%.1f", 100*min(max(x, 0), 1)) },
	"rows":    func(t Table) string { return words.Count(len(t.Rows), "row") },
	"docs": func(t Table) (docs []Head) {
		for _, h := range t.Heads {
			if h.Doc != "" {
				docs = append(docs, h)
			}
		}
		return docs
	},
	"key": func(t Table, i int) bool { return i < t.Keys },
	"num": func(t Table, i int) bool { return i < len(t.Heads) && t.Heads[i].Number },
}).Parse(pageHTML))

func (p *Page) viewer() *Viewer {
	for _, s := range p.Sections {
		for _, b := range s.Blocks {
			if b.Viewer != nil {
				return b.Viewer
			}
		}
	}
	return nil
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

// unmarked replaces carriage returns as a browser does.
var unmarked = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// HTML writes the page as one file. No control character of the data reaches it.
func (p *Page) HTML(w io.Writer) error {
	if err := p.Check(); err != nil {
		return err
	}
	scripts := []string{pageJS}
	var data []byte
	if v := p.viewer(); v != nil && len(v.Volumes) > 0 {
		code, err := viewerCode()
		if err != nil {
			return err
		}
		scripts = append(scripts, code)
		// json.Marshal writes <, > and & as \u003c …: nothing in it can end the element.
		if data, err = json.Marshal(struct {
			Volumes []Volume `json:"volumes"`
			Regions []Region `json:"regions"`
		}{v.Volumes, v.Regions}); err != nil {
			return err
		}
	}
	for i, s := range append([]string{pageCSS}, scripts...) {
		end := "</script"
		if i == 0 {
			end = "</style"
		}
		if lower := strings.ToLower(s); strings.Contains(lower, end) || strings.Contains(lower, "<!--") || strings.ContainsAny(s, "\r\x00") {
			return fmt.Errorf("a script or style of the report would not reach the browser as it is")
		}
	}
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	fmt.Fprintf(&b, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy(scripts, pageCSS))
	b.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n")
	b.WriteString(generatorLine + sealStart + strings.Repeat("0", sealLength) + sealEnd)
	fmt.Fprintf(&b, "<title>%s</title>\n", markup.Text(p.Title))
	fmt.Fprintf(&b, "<link rel=\"icon\" href=\"data:,\">\n<style>%s</style>\n</head>\n", pageCSS)
	var shown strings.Builder
	if err := body.Execute(&shown, p); err != nil {
		return err
	}
	b.WriteString(unmarked.Replace(markup.Characters(shown.String())))
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
