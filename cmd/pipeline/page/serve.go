package page

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/progress"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag/engine"
	"prgnn/internal/markup"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/stages/report"
)

// A server shows the page of a pipeline file on this machine, as far as its results go, and keeps the ratings of scans
// in a table beside it. Only who knows its token, and no page of another origin, may read or write.
type server struct {
	*console.Console
	path string // of the page that a run leaves
	host string
	base string // the path of an address, with the token
	look func() (*results.Current, error)
	sync.Mutex
}

// Serve serves the page of a report until ctx ends. look finds the results of now, with a report stage.
func Serve(ctx context.Context, a *console.Console, look func() (*results.Current, error)) error {
	c, err := look()
	if err != nil {
		return err
	}
	c.Store.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("the report cannot be served: %w", err)
	}
	s := &server{Console: a, path: filepath.Join(c.Pipeline.Dir, fileName(c.Pipeline)), host: listener.Addr().String(),
		base: "/" + rand.Text() + "/", look: look}
	address := "http://" + s.host + s.base + url.PathEscape(filepath.Base(s.path))
	if a.JSON {
		a.Object("serve", map[string]string{"address": address, "ratings": s.ratings()})
	} else {
		fmt.Fprintf(a.Out, "%s\n", address)
		a.Note("ratings of scans are kept in %s; Ctrl-C ends the server", s.ratings())
	}
	if err := a.Flush(); err != nil { // somebody waits for the address
		return err
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ratings is the table of ratings beside the page.
func (s *server) ratings() string { return strings.TrimSuffix(s.path, ".html") + "_ratings.tsv" }

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
		"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"} {
		w.Header().Set(name, value)
	}
	name, known := strings.CutPrefix(r.URL.Path, s.base)
	origin := r.Header.Get("Origin")
	if r.Host != s.host || !known || origin != "" && origin != "http://"+s.host {
		http.NotFound(w, r)
		return
	}
	s.Lock()
	defer s.Unlock()
	dir, scan := filepath.Split(name)
	ratings := url.PathEscape(filepath.Base(s.ratings()))
	switch {
	case r.Method == http.MethodPut && name == filepath.Base(s.ratings()):
		var of struct{ Participant, Rating string }
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&of)
		if err == nil {
			err = s.rate(of.Participant, of.Rating)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
		}
	case r.Method != http.MethodGet:
		http.Error(w, "only GET, and PUT of a rating", http.StatusMethodNotAllowed)
	case name == filepath.Base(s.ratings()):
		b, _ := regular.ReadFile(s.ratings())
		w.Header().Set("Content-Type", "text/tab-separated-values; charset=utf-8")
		_, _ = w.Write(b)
	case name == filepath.Base(s.path):
		s.current(r.Context(), w, ratings)
	case name == "state":
		s.state(w)
	case dir == filepath.Base(report.SheetDir(s.path))+"/" && strings.HasSuffix(scan, ".html"):
		b, err := regular.ReadFile(filepath.Join(report.SheetDir(s.path), scan))
		if err != nil || !report.IsReport(b) {
			http.NotFound(w, r)
			return
		}
		send(w, b, meta("ratings", "../"+ratings))
	default:
		http.NotFound(w, r)
	}
}

// current sends the page of the results of now. One without any has their state alone.
func (s *server) current(ctx context.Context, w http.ResponseWriter, ratings string) {
	c, err := s.look()
	var b []byte
	version := ""
	if err == nil {
		defer c.Store.Close()
		version, _ = howFar(c)
		task := Stage(c.Pipeline.Graph)
		if b, err = stored(c, task); err == nil && b == nil {
			b, _, err = partial(ctx, s.Console, c, task, nil)
		}
	}
	if err != nil {
		var page bytes.Buffer
		none := report.Page{Title: filepath.Base(s.path), Incomplete: []string{err.Error()}}
		if err := none.HTML(&page); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		b = page.Bytes()
	}
	send(w, b, meta("ratings", ratings)+meta("live", version))
}

func meta(name, content string) string {
	return fmt.Sprintf("<meta name=\"%s\" content=\"%s\">\n", name, markup.Shown(content))
}

// send sends a page that may ask its own server, and no other.
func send(w http.ResponseWriter, page []byte, head string) {
	const charset = "<meta charset=\"utf-8\">\n"
	page = bytes.Replace(page, []byte(charset), []byte(charset+head), 1)
	page = bytes.Replace(page, []byte("connect-src data:;"), []byte("connect-src data: 'self';"), 1)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page)
}

// state sends how far the results are.
func (s *server) state(w http.ResponseWriter) {
	var now struct {
		Version string `json:"version"`
		Text    string `json:"text"`
	}
	c, err := s.look()
	if err == nil {
		defer c.Store.Close()
		now.Version, now.Text = howFar(c)
	} else {
		now.Text = err.Error()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(now)
}

// howFar is how many tasks have results, in which stages some have none, and the time left, on all processors of
// this machine.
func howFar(c *results.Current) (version, text string) {
	done, all := 0, 0
	var partly []string
	var steps []engine.Step
	for _, stage := range c.Pipeline.Graph.Stages() {
		there := 0
		for _, n := range stage.Tasks() {
			if step := c.Steps[n]; step != nil {
				steps = append(steps, *step)
				if step.State == engine.Cached {
					there++
				}
			}
		}
		done, all = done+there, all+len(stage.Tasks())
		if there > 0 && there < len(stage.Tasks()) {
			partly = append(partly, fmt.Sprintf("%s %d of %d", stage.Name(), there, len(stage.Tasks())))
		}
	}
	version = fmt.Sprintf("%d/%d", done, all)
	if done == all {
		return version, ""
	}
	text = fmt.Sprintf("%d of %s done", done, words.Count(all, "task"))
	if partly != nil {
		text += "; in progress: " + words.Some(partly, 4)
	}
	if left := progress.Estimated(steps, progress.Remember(c.Pipeline.Graph, c.Store), 0).Left(); left != "" {
		text += "; " + left
	}
	return version, text
}

// rate writes a rating into the table beside the page.
func (s *server) rate(who, rating string) error {
	if !slices.Contains([]string{"pass", "maybe", "fail"}, rating) || who == "" || strings.ContainsAny(who, "\t\r\n") {
		return fmt.Errorf("a rating must be pass, maybe or fail, for a participant")
	}
	const head = "participant_id\trating"
	lines := []string{head}
	old, err := os.ReadFile(s.ratings())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		if lines = strings.Split(strings.TrimSuffix(string(old), "\n"), "\n"); lines[0] != head {
			return fmt.Errorf("%s is not a table with the columns participant_id and rating: rename it", s.ratings())
		}
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, who+"\t") })
	lines = append(lines, who+"\t"+rating)
	return s.WriteFile(s.ratings(), console.Content([]byte(strings.Join(lines, "\n")+"\n")))
}
