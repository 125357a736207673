package page

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// Where no browser is installed, the error has the ways to get a PDF.
func TestPrintWithoutBrowser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere browsers are found outside PATH")
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CHROMIUM", "")
	_, err := PDF(t.Context(), nil)
	for _, want := range []string{"none is installed", "apt-get install chromium", "CHROMIUM", "write -o NAME.html"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

// A browser prints a page.
func TestPrint(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes too long for -short")
	}
	t.Setenv("CHROMIUM", need.Program(t, "chromium", os.Getenv("CHROMIUM"), "chromium-browser", "google-chrome",
		"chromium"))
	pdf := need.Value(PDF(t.Context(), []byte("<!DOCTYPE html><title>a</title><p>b</p>")))(t)
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Errorf("no PDF: %.40q", pdf)
	}
}
