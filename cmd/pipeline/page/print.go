package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/workdir"
)

// browsers are the programs that print a page, by their names on the systems that have them.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge",
	"microsoft-edge", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium", `C:\Program Files\Google\Chrome\Application\chrome.exe`,
	`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`}

// Browser is the one that prints: that of the variable CHROMIUM, or the first that is installed.
func Browser() (string, error) {
	if own := os.Getenv("CHROMIUM"); own != "" {
		path, err := exec.LookPath(own)
		if err != nil {
			return "", exit.Wrongf("CHROMIUM=%s is not a program: %v\n  set it to the program of Chromium, Chrome or Edge", own, err)
		}
		return path, nil
	}
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", exit.Wrongf("a PDF needs Chromium, Chrome or Edge, and none is installed\n  install one (Debian and " +
		"Ubuntu: apt-get install chromium), or set the variable CHROMIUM to its program; or write -o NAME.html, open it, " +
		"and print it")
}

// printTime is how long a browser may take: a page has some megabytes of pictures.
const printTime = 5 * time.Minute

// PDF prints a page.
func PDF(ctx context.Context, page []byte) ([]byte, error) {
	program, err := Browser()
	if err != nil {
		return nil, err
	}
	dir, err := workdir.Make("", "pipeline-print-")
	if err != nil {
		return nil, err
	}
	defer dir.Remove()
	from, to := filepath.Join(dir.Path, "page.html"), filepath.Join(dir.Path, "page.pdf")
	if err := os.WriteFile(from, page, 0o600); err != nil {
		return nil, err
	}
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer", "--user-data-dir=" +
		filepath.Join(dir.Path, "profile"), "--print-to-pdf=" + to}
	if runtime.GOOS == "linux" && os.Getuid() == 0 { // where Chromium refuses its sandbox; the page is our own
		args = append(args, "--no-sandbox")
	}
	ctx, cancel := context.WithTimeout(ctx, printTime)
	defer cancel()
	run := exec.CommandContext(ctx, program, append(args, from)...)
	said, err := run.CombinedOutput()
	pdf, unread := os.ReadFile(to)
	if unread == nil && bytes.HasPrefix(pdf, []byte("%PDF-")) {
		return pdf, nil
	}
	if err = errors.Join(ctx.Err(), err); err == nil {
		err = errors.New("it wrote no file")
	}
	last := strings.Split(strings.TrimSpace(string(said)), "\n")
	return nil, fmt.Errorf("%s printed no PDF: %w: %s\n  write -o NAME.html, open it, and print it; or set the variable "+
		"CHROMIUM to another browser", program, err, last[len(last)-1])
}
