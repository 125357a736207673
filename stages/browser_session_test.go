package stages

import (
	"bufio"
	"bytes"
	"cmp"
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
	"testing"
	"time"

	"prgnn/internal/need"
)

// A chromium is a headless Chromium that a test types and clicks in. It speaks the DevTools protocol over a pipe, and
// all tests share it, one after the other.
type chromium struct {
	to     io.Writer
	from   *bufio.Reader
	number int    // of the last command
	end    func() // closes the browser, and waits for it
	kill   func()
	log    bytes.Buffer // whole after its end
}

// chromiums are those that run, with and without WebGL. TestMain ends them.
var chromiums = map[bool]*chromium{}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, c := range chromiums {
		c.end()
	}
	os.Exit(code)
}

// A session is a page, as it is: with its own Content-Security-Policy, and a profile of its own.
type session struct {
	*chromium
	t       *testing.T
	id      string   // of the page
	context string   // of its profile
	noise   []string // what the console said, and what the page asked the network for
}

// A view is how a page is looked at.
type view struct {
	width, height int
	dark, bare    bool // bare: without scroll bars
	// without3D is a browser without WebGL. Tests that look at no viewer use it: the viewer is drawn by the processor,
	// and takes longer than all the rest.
	without3D bool
}

// browser finds a Chromium, or skips.
func browser(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes too long for -short")
	}
	return need.Program(t, "chromium", os.Getenv("CHROMIUM"), "chromium-browser", "google-chrome", "chromium")
}

// launch is a Chromium, with software WebGL or none, and no name server.
func launch(t *testing.T, without3D bool) *chromium {
	t.Helper()
	if c := chromiums[without3D]; c != nil {
		return c
	}
	if runtime.GOOS == "windows" {
		need.Missing(t, "no pipes to a browser on Windows")
	}
	commands, to, err := os.Pipe()
	need.NoError(t, err)
	from, answers, err := os.Pipe()
	need.NoError(t, err)
	dir := need.Value(os.MkdirTemp("", "prgnn-browser-"))(t)
	flags := []string{
		"--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
		"--mute-audio", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-default-apps", "--disable-dev-shm-usage", "--disable-quic",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + dir, "--enable-logging=stderr",
		"--remote-debugging-pipe", "about:blank",
	}
	if without3D {
		flags = append(flags, "--disable-3d-apis")
	}
	c := &chromium{to: to, from: bufio.NewReader(from)}
	cmd := exec.Command(browser(t), flags...)
	cmd.ExtraFiles = []*os.File{commands, answers}
	cmd.Stderr = &c.log
	need.NoError(t, cmd.Start())
	c.kill = func() { _ = cmd.Process.Kill() }
	c.end = func() {
		_, _ = c.command("", "Browser.close", nil, nil) // so that it ends its own processes
		kill := time.AfterFunc(30*time.Second, c.kill)
		_ = cmd.Wait()
		kill.Stop()
		to.Close()
		from.Close()
		// Some of its processes write there for a moment after it has ended.
		for range 100 {
			if os.RemoveAll(dir) == nil {
				break
			}
		}
	}
	commands.Close()
	answers.Close()
	chromiums[without3D] = c
	return c
}

// startSession opens a page. What it downloads goes to a directory.
func startSession(t *testing.T, page, downloads string, v view) *session {
	t.Helper()
	s := &session{t: t, chromium: launch(t, v.without3D)}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%.2000s", strings.Join(s.noise, "\n"))
		}
		s.close()
	})
	var target struct{ TargetID, SessionID, BrowserContextID string }
	s.call("Target.createBrowserContext", nil, &target)
	s.context = target.BrowserContextID
	s.call("Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": s.context}, &target)
	s.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	s.call("Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": downloads,
		"browserContextId": s.context}, nil)
	s.id = target.SessionID
	for _, domain := range []string{"Log", "Runtime", "Network", "Page"} {
		s.call(domain+".enable", nil, nil)
	}
	s.call("Emulation.setScrollbarsHidden", map[string]any{"hidden": v.bare}, nil)
	s.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": cmp.Or(v.width, 1280),
		"height": cmp.Or(v.height, 900), "deviceScaleFactor": 1, "mobile": false}, nil)
	if v.dark {
		s.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{
			{"name": "prefers-color-scheme", "value": "dark"}}}, nil)
	}
	s.call("Page.navigate", map[string]any{"url": "file://" + page}, nil)
	s.arrive(filepath.Base(page)) // until then about:blank is there, which is complete as well
	return s
}

// close closes the page, and forgets its profile.
func (s *session) close() {
	if s.context != "" {
		s.id = ""
		_ = s.send("Target.disposeBrowserContext", map[string]any{"browserContextId": s.context}, nil)
		s.context = ""
	}
}

// quiet fails where the console said something, or the page asked the network for more than its own file and data in
// it.
func (s *session) quiet() {
	s.t.Helper()
	s.ask("", "0") // every event before it is here then
	for _, line := range s.noise {
		s.t.Error(line)
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

// send is call with an error.
func (s *session) send(method string, params map[string]any, into any) error {
	events, err := s.command(s.id, method, params, into)
	for _, e := range events {
		if e.SessionID == s.id && s.id != "" {
			s.hear(e)
		}
	}
	return err
}

// hear notes an event that a page should not cause.
func (s *session) hear(e event) {
	switch e.Method {
	case "Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown":
		if !bytes.Contains(e.Params, []byte("GL Driver Message")) {
			s.noise = append(s.noise, fmt.Sprintf("the console shows %.500s", e.Params))
		}
	case "Network.requestWillBeSent", "Network.webSocketCreated":
		var asked struct {
			URL     string
			Request struct{ URL string }
		}
		_ = json.Unmarshal(e.Params, &asked)
		if url := asked.URL + asked.Request.URL; regexp.MustCompile(`^(https?|wss?|ftp):`).MatchString(url) {
			s.noise = append(s.noise, "the page asks the network for "+url)
		}
	}
}

// An event is a message of the browser that answers no command.
type event struct {
	SessionID, Method string
	Params            json.RawMessage
}

// command sends a command to a page, "" for the browser, and waits for its answer. events came before it.
func (c *chromium) command(page, method string, params map[string]any, into any) (events []event, err error) {
	// A browser that hangs ends here, and with it the pipe that the test reads.
	late := time.AfterFunc(5*time.Minute, c.kill)
	defer late.Stop()
	c.number++
	command := map[string]any{"id": c.number, "method": method, "params": params}
	if page != "" {
		command["sessionId"] = page
	}
	b, err := json.Marshal(command)
	if err == nil {
		_, err = c.to.Write(append(b, 0))
	}
	for err == nil {
		if b, err = c.from.ReadBytes(0); err != nil {
			break
		}
		var answer struct {
			event
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err = json.Unmarshal(bytes.TrimSuffix(b, []byte{0}), &answer); err != nil {
			break
		}
		if answer.ID != c.number {
			events = append(events, answer.event)
			continue
		}
		switch {
		case answer.Error != nil:
			return events, errors.New(answer.Error.Message)
		case into == nil:
			return events, nil
		}
		return events, json.Unmarshal(answer.Result, into)
	}
	return events, err
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
