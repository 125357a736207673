package stages

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// A session is a page in a headless Chromium that a test types and clicks in, as it is: with its own
// Content-Security-Policy. It speaks the DevTools protocol over a pipe.
type session struct {
	t      *testing.T
	to     io.Writer
	from   *bufio.Reader
	id     string // of the page
	number int    // of the last command
	end    func() // closes the browser, and waits for it
	log    bytes.Buffer
	net    string // the file of its network's log, which is whole after its end
}

// browser finds a Chromium, or skips.
func browser(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes too long for -short")
	}
	return need.Program(t, "chromium", os.Getenv("CHROMIUM"), "chromium-browser", "google-chrome", "chromium")
}

// profile is a directory for what a browser keeps. Some of its processes write there for a moment after
// it has ended, on which t.TempDir would fail.
func profile(t *testing.T) string {
	t.Helper()
	dir := need.Value(os.MkdirTemp("", "prgnn-browser-"))(t)
	t.Cleanup(func() { testdir.Remove(t, dir) })
	return dir
}

// without3D is the flag of a browser without WebGL. Tests that look at no viewer use it: the viewer is drawn by the
// processor, and takes longer than all the rest.
const without3D = "--disable-3d-apis"

// startSession opens a page, with software WebGL and no name server. What it downloads goes to a directory.
func startSession(t *testing.T, page, downloads string, flags ...string) *session {
	t.Helper()
	if runtime.GOOS == "windows" {
		need.Missing(t, "no pipes to a browser on Windows")
	}
	commands, to, err := os.Pipe()
	need.NoError(t, err)
	from, answers, err := os.Pipe()
	need.NoError(t, err)
	dir := profile(t)
	s := &session{t: t, to: to, from: bufio.NewReader(from), net: filepath.Join(dir, "net.json")}
	cmd := exec.Command(browser(t), append([]string{
		"--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
		"--mute-audio", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-default-apps", "--disable-dev-shm-usage", "--disable-quic",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + dir, "--log-net-log=" + s.net,
		"--enable-logging=stderr", "--window-size=1280,900", "--remote-debugging-pipe",
	}, append(flags, "about:blank")...)...)
	cmd.ExtraFiles = []*os.File{commands, answers}
	cmd.Stderr = &s.log
	need.NoError(t, cmd.Start())
	// A browser that hangs ends here, and with it the pipe that the test reads.
	late := time.AfterFunc(5*time.Minute, func() { _ = cmd.Process.Kill() })
	s.end = sync.OnceFunc(func() {
		s.id = ""
		_ = s.send("Browser.close", nil, nil) // so that it ends its own processes
		kill := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		kill.Stop()
		late.Stop()
		to.Close()
		from.Close()
	})
	t.Cleanup(func() {
		s.end()
		if t.Failed() {
			t.Logf("%.2000s", s.log.String())
		}
	})
	commands.Close()
	answers.Close()
	var target struct{ TargetID, SessionID string }
	s.call("Target.createTarget", map[string]any{"url": "file://" + page}, &target)
	s.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	s.call("Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": downloads}, nil)
	s.id = target.SessionID
	s.arrive(filepath.Base(page)) // until then about:blank is there, which is complete as well
	return s
}

// quiet ends the session, and fails where the console said something, or the page asked the network for more
// than its own file and data in it.
func (s *session) quiet() {
	s.t.Helper()
	s.end()
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, ":CONSOLE") && !strings.Contains(line, "GL Driver Message") {
			s.t.Errorf("the console says: %s", strings.TrimSpace(line))
		}
	}
	// Chromium has errands of its own, which no page began.
	asked := regexp.MustCompile(`"url":"((?:https?|wss?|ftp):[^"]{0,60})`)
	began := regexp.MustCompile(`"initiator":"(?:file|null|data)`)
	for line := range strings.Lines(string(need.Value(os.ReadFile(s.net))(s.t))) {
		if m := asked.FindStringSubmatch(line); m != nil && began.MatchString(line) {
			s.t.Errorf("the page asks the network for %s", m[1])
		}
	}
}

// picture is what the window shows.
func (s *session) picture() image.Image {
	s.t.Helper()
	var shot struct{ Data []byte }
	s.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	return need.Value(png.Decode(bytes.NewReader(shot.Data)))(s.t)
}

// call sends a command and waits for its answer.
func (s *session) call(method string, params map[string]any, into any) {
	s.t.Helper()
	if err := s.send(method, params, into); err != nil {
		s.t.Fatalf("%s: %v", method, err)
	}
}

// send is call with an error; events are passed over.
func (s *session) send(method string, params map[string]any, into any) error {
	s.number++
	command := map[string]any{"id": s.number, "method": method, "params": params}
	if s.id != "" {
		command["sessionId"] = s.id
	}
	b, err := json.Marshal(command)
	if err == nil {
		_, err = s.to.Write(append(b, 0))
	}
	for err == nil {
		if b, err = s.from.ReadBytes(0); err != nil {
			break
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err = json.Unmarshal(bytes.TrimSuffix(b, []byte{0}), &answer); err != nil || answer.ID != s.number {
			continue
		}
		switch {
		case answer.Error != nil:
			return errors.New(answer.Error.Message)
		case into == nil:
			return nil
		}
		return json.Unmarshal(answer.Result, into)
	}
	return err
}

// arrive waits until a page with this file name is there, with its scripts run.
func (s *session) arrive(file string) {
	s.t.Helper()
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var answer struct{ Result struct{ Value bool } }
		expression := fmt.Sprintf(`document.readyState === "complete" && !window.left && location.pathname.endsWith(%q)`, "/"+file)
		if s.send("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true},
			&answer) == nil && answer.Result.Value {
			// Before its first frame, a page is not told of keys.
			s.leave(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))`)
			return
		}
	}
	s.t.Fatalf("the browser does not come to %s", file)
}

// leave evaluates an expression that may lead to another page, which then answers in the place of this one.
func (s *session) leave(expression string) {
	_ = s.send("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true}, nil)
}

// ask is the value of an expression in the page, as JSON; where it must be something, the test says so.
func (s *session) ask(want, expression string) string {
	s.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	s.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true},
		&answer)
	got := string(answer.Result.Value)
	if answer.ExceptionDetails != nil {
		s.t.Fatalf("%s: %s", expression, answer.ExceptionDetails)
	}
	if want != "" && got != want {
		s.t.Errorf("%s is %s, want %s", expression, got, want)
	}
	return got
}

// settle is ask where the answer depends on what another page has stored: a browser under load starts a page
// without it. As a reader would, it loads the page again.
func (s *session) settle(want, expression string) {
	s.t.Helper()
	for range 20 {
		if s.ask("", expression) == want {
			return
		}
		file := path.Base(strings.Trim(s.ask("", "location.pathname"), `"`))
		s.leave("window.left = true; location.reload()")
		s.arrive(file)
	}
	s.ask(want, expression)
}

// press is a key of the keyboard, with modifiers as the protocol numbers them (2 for Ctrl, 8 for Shift).
func (s *session) press(key string, modifiers int) {
	s.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		event := map[string]any{"type": kind, "key": key, "modifiers": modifiers}
		if key == "Enter" && kind == "keyDown" {
			event["text"] = "\r" // a link is followed on keypress, which only a text causes
		}
		s.call("Input.dispatchKeyEvent", event, nil)
	}
}
