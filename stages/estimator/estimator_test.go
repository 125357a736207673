package estimator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/machine"
	"prgnn/internal/need"
	"prgnn/internal/sandbox"
	"prgnn/stages/assess/external"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/learn"
	"prgnn/stages/stagetest"
)

// fresh is a stage whose Python has numpy.
func fresh(t *testing.T, parameters ...any) *Estimator {
	t.Helper()
	python := need.Value(exec.LookPath(need.Python(t, "numpy")))(t)
	// A confined process looks for stores in the environment first, which of tests has 30,000 files.
	parameters = append([]any{"python", python, "time_limit", 60, "fold", 2, "sandbox", "none"}, parameters...)
	return stagetest.Fresh("estimator", parameters...).(*Estimator)
}

// coded adds a module model to inputs.
func coded(in map[string][]dag.Input, text string) map[string][]dag.Input {
	in["code"] = []dag.Input{dag.InputOf(artifacts.Bytes{Kind: "py", Data: []byte(text)})}
	return in
}

// run trains a model of a text on correlations of 16 participants.
func run(t *testing.T, s *Estimator, text string) (dag.Outputs, error) {
	t.Helper()
	in := stagetest.NewCorrStudy(t, 16).Inputs()
	delete(in, "features")
	delete(in, "edges")
	return s.Run(context.Background(), dag.NewTask(coded(in, text)))
}

const nearest = `
import numpy as np
class Nearest:
    def fit(self, X, y):
        assert list(np.unique(y)) == ["ASD", "HC"], y
        self.classes_ = np.unique(y)
        self.mean_ = np.stack([X[y == c].mean(0) for c in self.classes_])
        self.coef_ = self.mean_
        return self
    def predict_proba(self, X):
        d = np.stack([((X - m) ** 2).sum(1) for m in self.mean_], 1)
        return d[:, ::-1] / d.sum(1, keepdims=True)
make = Nearest
`

func rowsOf(t *testing.T, out dag.Outputs) []fold.PredictionRow {
	t.Helper()
	return need.Value(column.Rows[fold.PredictionRow](out["predictions"].(*encoding.Table)))(t)
}

// The predictions are those of the slow definition, for each participant, whatever order the process had.
func TestPredictsAsDefined(t *testing.T) {
	study := stagetest.NewCorrStudy(t, 16)
	out := need.Value(run(t, fresh(t), nearest))(t)
	member := need.Value(column.Rows[fold.Member](study.Folds))(t)
	vector := func(i, draw int) (v []float64) {
		m := study.Pearson[i].Float64s()[draw*25:][:25]
		for a := range 5 {
			v = append(v, m[a*5+a+1:a*5+5]...)
		}
		return v
	}
	place, n := map[string]int{}, map[string]float64{}
	mean := map[string][]float64{"ASD": make([]float64, 10), "HC": make([]float64, 10)}
	for i, m := range member {
		place[m.ID] = i
		for draw := 1; draw < 3 && m.Fold != 2; draw++ {
			n[m.Group]++
			for k, x := range vector(i, draw) {
				mean[m.Group][k] += x
			}
		}
	}
	rows := rowsOf(t, out)
	need.Equal(t, len(rows), 32)
	for _, r := range rows {
		var d [2]float64
		for g, group := range []string{"ASD", "HC"} {
			for k, x := range vector(place[r.ID], int(r.Draw)) {
				d[g] += (x - mean[group][k]/n[group]) * (x - mean[group][k]/n[group])
			}
		}
		if want := d[0] / (d[0] + d[1]); math.Abs(r.Probability-want) > 1e-12 {
			t.Errorf("%s, draw %d: %v, want %v", r.ID, r.Draw, r.Probability, want)
		}
		need.Equal(t, r.Set == "test", member[place[r.ID]].Fold == 2, r.ID)
	}
	scores := need.Value(column.Rows[column.ScoreRow[float64]](out["scores"].(*encoding.Table)))(t)
	need.Equal(t, len(scores), 32*5)
	var handed column.Handed
	need.NoError(t, json.Unmarshal([]byte(out["predictions"].(*encoding.Table).Meta[column.HandedMeta]), &handed))
	need.Equal(t, handed, column.Handed{Rows: 8})
}

// looks is a model that searches all that it sees for what it must not have.
const looks = `
import glob, os, sys
import numpy as np
ROOM = sys.modules["__main__"].INPUTS
def seen():
    for root in ("/work", os.getcwd(), os.environ["TMPDIR"], ROOM, "/proc/self"):
        for path in glob.glob(root + "/**", recursive=root != "/proc/self"):
            yield path.encode()
            if os.path.isfile(path) and not path.startswith(("/proc/self/pagemap", "/proc/self/kmsg")):
                try:
                    yield open(path, "rb").read(1 << 20)
                except OSError:
                    pass
    yield repr(sys.argv).encode() + repr(dict(os.environ)).encode()
class Looks:
    def look(self, of):
        for text in seen():
            if b"sub" + b"-0" in text:
                raise ValueError("an id: %r" % text[:200])
        here = set(os.listdir(ROOM))
        print(of, sorted(here))
        assert of == "fit" or not here & {"y.npy", "groups.npy"}, here
    def fit(self, X, y, groups):
        self.look("fit")
        assert len(groups) == len(y) == 24 and sorted(np.bincount(groups)) == [2] * 12
        assert not (groups[0::2] == groups[1::2]).all() and list(groups) != sorted(groups)
        self.classes_ = np.unique(y)
        self.region_scores_ = X[:5, 0] - X[:5, 0].min()
        return self
    def predict_proba(self, X):
        if len(X) == 8:
            print("rows", *("%.6f" % x for x in X[:, 0]))
            self.look("predict" if os.path.exists(ROOM + "/model.pkl") else "fit")
        return np.full((len(X), 2), 0.5)
make = Looks
`

// A process has no id, and the one that predicts no label.
func TestProcessesAreBlind(t *testing.T) {
	study := stagetest.NewCorrStudy(t, 16)
	in := study.Inputs()
	task := dag.NewTask(coded(map[string][]dag.Input{"pearson": in["pearson"], "folds": in["folds"]}, looks))
	_, err := fresh(t, "sandbox", "auto").Run(context.Background(), task)
	need.NoError(t, err)
	log := fmt.Sprint(task.Log())
	if !strings.Contains(log, "predict ['code', 'code.tsv', 'host.py', 'model.pkl', 'task.json', 'x.npy']") {
		t.Errorf("other files: %s", log)
	}
	sorted := "rows"
	for i, m := range need.Value(column.Rows[fold.Member](study.Folds))(t) {
		for draw := 1; draw < 3 && m.Fold == 2; draw++ {
			sorted += fmt.Sprintf(" %.6f", study.Pearson[i].Float64s()[draw*25+1])
		}
	}
	if strings.Contains(log, sorted) || !strings.Contains(log, "\nrows ") {
		t.Errorf("the test rows are in the order of the participants: %s", log)
	}
}

// Data among the code are a caution.
func TestDataInCode(t *testing.T) {
	as := func(name, format string, size int64) dag.Input {
		return dag.Input{Name: "model/" + name, Coords: []dag.Coord{{Axis: "file", Value: name}},
			Ref: artifacts.Ref{Format: format, Size: size}}
	}
	need.Equal(t, warned([]dag.Input{as("model.py", "py", 100)}, &result{}, &result{}), "")
	got := finding.Warned(warned([]dag.Input{as("model.py", "py", 100), as("a/y.csv", "csv", 9),
		as("b.py", "py", 2<<20)}, &result{}, &result{}))
	need.Equal(t, fmt.Sprintln(got[0].Code, got[0].Numbers), "estimator.data map[Files:[a/y.csv b.py]]\n")
}

// What the program ignores of a model is a caution: a rule of predict, and weights of pairs of groups.
func TestIgnoredOfModels(t *testing.T) {
	for _, c := range []struct{ predict, want string }{
		{"", ""},
		{"\n    def predict(self, X):\n        return np.array(['ASD'] * len(X))", "estimator.predict map[Function:predict_proba N:8 Of:8]"},
		{"\n    def predict(self, X):\n        return np.array(['HC'] * len(X))", ""},
		{"\n    def predict(self, X):\n        return np.zeros((len(X), 1))", ""},
		{"\n    def predict(self, X):\n        raise NotImplementedError", ""},
	} {
		out := need.Value(run(t, fresh(t, "repeat_check", false), `
import numpy as np
class M:
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self
    def predict_proba(self, X):
        return np.full((len(X), 2), [0.3, 0.7])`+c.predict+"\nmake = M\n"))(t)
		got := ""
		for _, f := range finding.Warned(need.Value(out["model"].(*encoding.Table).Strings("warning"))(t)[0]) {
			got += fmt.Sprint(f.Code, " ", f.Numbers)
		}
		need.Equal(t, got, c.want, c.predict)
	}
	need.Equal(t, finding.Warned(warned(nil, &result{message: message{Pairs: 6}}, &result{}))[0].Code,
		"estimator.pairs")
}

// A linear model has a file, which gives its predictions for new participants, whatever the order of its classes; that
// of another model states why it has none.
func TestLinearModelsHaveFiles(t *testing.T) {
	need.Python(t, "numpy", "sklearn")
	const backwards = `
class Backwards:
    def fit(self, X, y):
        m = LogisticRegression(C=0.3).fit(X, y)
        self.classes_, self.coef_, self.intercept_ = m.classes_[::-1], -m.coef_, -m.intercept_
        return self
    def decision_function(self, X):
        return X @ self.coef_[0] + self.intercept_
`
	for _, c := range []struct{ make, number, want string }{
		{"LogisticRegression(C=0.3)", "", ""},
		{"Backwards()", "", ""},
		{"Ridge()", "number", ""},
		{"SVC(kernel='linear', probability=True, random_state=1)", "", "predict_proba of the fitted SVC differs by 0."},
		{"make_pipeline(StandardScaler(), LogisticRegression())", "", "the fitted Pipeline has no coef_ and intercept_ of a linear model; a file holds linear models only"},
	} {
		s, in := fresh(t, "repeat_check", false), stagetest.NewCorrStudy(t, 16).Inputs()
		if c.number != "" {
			s, in = fresh(t, "repeat_check", false, "predicts", "number"), stagetest.Numbered(t, stagetest.Ramp(24))
		}
		in = map[string][]dag.Input{"pearson": in["pearson"], "folds": in["folds"]}
		out := need.Value(s.Run(context.Background(), dag.NewTask(coded(in, "from sklearn.svm import *\n"+
			"from sklearn.linear_model import *\nfrom sklearn.pipeline import make_pipeline\n"+
			"from sklearn.preprocessing import StandardScaler\n"+backwards+"def make(): return "+c.make+"\n"))))(t)
		apply := map[string][]dag.Input{"model": {dag.InputOf(out["file"])}, "matrices": in["pearson"]}
		predict := map[string]dag.Stage{"": &learn.Predict{}, "number": &external.PredictRegression{}}[c.number]
		got, err := stagetest.RunStage(t, predict, apply)
		if c.want != "" {
			need.Error(t, err, c.want, c.make)
			continue
		}
		need.NoError(t, err, c.make)
		column := map[string]string{"": "p_HC", "number": "predicted"}[c.number]
		p, want := stagetest.FloatsOf(t, got["predictions"], column), stagetest.FloatsOf(t, out["predictions"], column)
		for i := range want {
			if math.Abs(p[i]-want[i]) > 1e-9*max(1, math.Abs(want[i])) || len(p) != len(want) {
				t.Fatalf("%s: graph %d is %v, want %v", c.make, i, p[i], want[i])
			}
		}
	}
}

// What leaks is refused where it is handed over, too.
func TestHandOver(t *testing.T) {
	in := map[string][]dag.Input{"task": {dag.InputOf(artifacts.Text(`{"x": "sub-1"}`))}, "y": {{}}}
	rows := []fold.Row{{Id: "sub-1", Side: 1}, {Id: "sub-2"}}
	need.Equal(t, handedOver(in, rows, []int{0, 1}), column.Handed{Rows: 2, Labels: 2, IDs: 1})
	delete(in, "y")
	need.Equal(t, handedOver(in, rows, []int{1}), column.Handed{Rows: 1})
	if _, err := numbered(rows, []int{0}, nil); err == nil {
		t.Error("a test participant is fitted to")
	}
}

// Each mistake of a model is an error with the user's line.
func TestMistakesOfModels(t *testing.T) {
	class := func(fit, predict string) string {
		return "import numpy as np\nimport os, sys, time\nclass M:\n    def fit(self, X, y):\n        self.classes_ = np.unique(y)\n        " +
			fit + "\n        return self\n    def predict_proba(self, X):\n        " + predict + "\nmake = M\n"
	}
	half := "return np.full((len(X), 2), 0.5)"
	for name, c := range map[string]struct{ text, want string }{
		"exception":    {class("np.linalg.cholesky(-np.eye(3))", half), "model.py:6 in fit: np.linalg.cholesky(-np.eye(3)): LinAlgError: Matrix is not positive definite"},
		"syntax":       {"def make(:\n", "model.py:1: def make(: SyntaxError"},
		"package":      {"import no_such_package\n", "model.py:1: import no_such_package: ModuleNotFoundError: No module named 'no_such_package': add the package to requirements"},
		"no factory":   {"x = 1\n", "model has no function or class make"},
		"no fit":       {"def make(): return object()\n", "gives object, which lacks fit or predict_proba and decision_function"},
		"argument":     {"def make(keep): return object()\n", "TypeError: make() missing 1 required positional argument: 'keep'"},
		"no classes":   {class("del self.classes_", half), "model.py:4: def fit(self, X, y): model:make: M has no classes_ after fit"},
		"classes":      {class("self.classes_ = np.array(['x', 'y'])", half), "model.py:6: self.classes_ = np.array(['x', 'y']): model:make: classes_ is ['x', 'y'], but the labels are ['ASD', 'HC']"},
		"NaN":          {class("pass", "return np.full((len(X), 2), np.nan)"), "predict_proba gives values that are not finite for 24 of 24 rows"},
		"shape":        {class("pass", "return np.full(len(X), 0.5)"), "predict_proba gives the shape (24,), expected (24, 2)"},
		"type":         {class("pass", "return [['a', 'b']] * len(X)"), "values of type <U1, not numbers"},
		"sum":          {class("pass", "return np.full((len(X), 2), 0.7)"), "do not add up to 1"},
		"exit":         {class("sys.exit(0)", half), "model.py:6 in fit: sys.exit(0): SystemExit: 0"},
		"_exit":        {class("os._exit(0)", half), "model.py:6 in fit: os._exit(0): fit of model:make ended the process with exit status 0: raise an exception"},
		"_exit late":   {class("pass", "os._exit(3)"), "model.py:9 in predict_proba: os._exit(3): predict_proba of model:make ended the process with exit status 3"},
		"crash":        {class("import ctypes; ctypes.string_at(0)", half), "model.py:6 in fit: import ctypes; ctypes.string_at(0): the signal SIGSEGV ended fit of model:make: a library of the model crashed"},
		"killed":       {class("os.kill(os.getpid(), 9)", half), "the signal SIGKILL ended fit of model:make: the system ends processes so when memory runs out"},
		"hangs":        {class("time.sleep(99)", half), "model.py:6 in fit: time.sleep(99): fit of model:make was stopped after 2 s (time_limit)"},
		"hangs in C":   {class("import ctypes; ctypes.PyDLL(None).sleep(99)", half), "model.py:6 in fit: import ctypes; ctypes.PyDLL(None).sleep(99): fit of model:make was stopped after 2 s"},
		"hangs late":   {class("pass", "time.sleep(99)"), "model.py:9 in predict_proba: time.sleep(99): predict_proba of model:make was stopped after 2 s"},
		"memory":       {class("np.ones(1 << 40)", half), "model.py:6 in fit: np.ones(1 << 40): fit of model:make needs more memory than memory_limit"},
		"late memory":  {class("pass", "np.ones(1 << 40)"), "model.py:9 in predict_proba: np.ones(1 << 40): predict_proba of model:make needs more memory"},
		"input":        {class("X[0, 0] = 1", half), "model.py:6 in fit: X[0, 0] = 1: ValueError: assignment destination is read-only"},
		"pickle":       {class("self.f = lambda: 1", half), "the fitted M cannot be pickled"},
		"batch":        {class("pass", "p = X[:, :1] - X[:, :1].mean(); p = 1 / (1 + np.exp(p)); return np.c_[p, 1 - p]"), "model.py:8: leakage: predictions of M.predict_proba for the same test rows differ from call to call by"},
		"random":       {class("pass", "p = np.random.rand(len(X), 1); return np.c_[p, 1 - p]"), "differ from call to call by"},
		"kept":         {class("pass", "self.m = getattr(self, 'm', X.mean(0)); p = 1 / (1 + np.exp(X[:, :1] - self.m[0])); return np.c_[p, 1 - p]"), "if a new process predicts only 4 of the 8 rows"},
		"kept file":    {class("pass", "os.path.exists('m.npy') or np.save('m.npy', X.mean(0)); p = 1 / (1 + np.exp(X[:, :1] - np.load('m.npy')[0])); return np.c_[p, 1 - p]"), "if a new process predicts only 4 of the 8 rows"},
		"pairs":        {class("pass", "c = self.__dict__.setdefault('c', {x.tobytes(): y[0] for x, y in zip(X, np.roll(X, 1, 0))}); p = np.array([[1 / (1 + np.exp(c[x.tobytes()]))] for x in X]); return np.c_[p, 1 - p]"), "if a new process predicts only 4 of the 8 rows"},
		"scores":       {class("self.region_scores_ = [1, 2]", half), "region_scores_ has the shape (24, 2) or is not finite, expected 5 finite values"},
		"coef":         {class("self.coef_ = X[0, :4]", half), "model.py:6: self.coef_ = X[0, :4]: model:make: coef_ has the shape (1, 4), expected (1, 10): a weight for each column of X"},
		"coef rows":    {class("self.coef_ = X[:3]", half), "coef_ has the shape (3, 10), expected (1, 10)"},
		"coef NaN":     {class("self.coef_ = X[0] * np.nan", half), "model.py:6: self.coef_ = X[0] * np.nan: model:make: coef_ has 10 values that are not finite"},
		"coef masked":  {class("self.coef_ = np.ma.masked_greater(X[0] * 0 + [1, 0] * 5, 0)", half), "coef_ gives a masked array in which 5 of 10 values are masked"},
		"masked":       {class("pass", "return np.ma.masked_array(np.full((len(X), 2), 0.5), mask=np.arange(2 * len(X)).reshape(-1, 2) == 3)"), "model.py:8: def predict_proba(self, X): model:make: predict_proba gives a masked array in which 1 of 48 values are masked"},
		"near factory": {"def maker(): pass\n", `model has no function or class make (did you mean "maker"?)`},
		"protocol":     {class(`print('{"event": "done"}'); raise ValueError("not done")`, half), "ValueError: not done"},
	} {
		t.Run(name, func(t *testing.T) {
			s := fresh(t)
			if strings.HasPrefix(name, "hangs") {
				s.TimeLimit = 2
			}
			_, err := run(t, s, c.text)
			need.Error(t, err, c.want)
			var fault *machine.Fault
			machines := []string{"hangs", "hangs in C", "hangs late", "memory", "late memory", "killed", "crash"}
			if of := errors.As(err, &fault); of != slices.Contains(machines, name) {
				t.Errorf("a fault of the machine: %t, %v", of, err)
			}
			if strings.Contains(err.Error(), "{message}") {
				t.Errorf("a placeholder in %v", err)
			}
		})
	}
}

// A module with the name of one that Python has imported is not the file of that name.
func TestModuleOfPython(t *testing.T) {
	path := filepath.Join(t.TempDir(), "json.py")
	need.NoError(t, os.WriteFile(path, []byte(nearest), 0o644))
	in := stagetest.NewCorrStudy(t, 16).Inputs()
	delete(in, "features")
	delete(in, "edges")
	in["code"] = []dag.Input{stagetest.FileInput(path)}
	_, err := fresh(t, "factory", "json:make").Run(context.Background(), dag.NewTask(in))
	need.Error(t, err, "json.py has the name of a module of Python or of a package, which is imported instead: rename the file")
}

// What is left behind ends with the process, and does not keep it.
func TestForksEnd(t *testing.T) {
	text := strings.Replace(nearest, "        self.coef_ = self.mean_\n", `        import __main__, os, time
        if os.fork() == 0:
            os.setsid()
            time.sleep(300)
        copy = os.fork()
        if copy == 0:
            return self
        os.waitpid(copy, 0)
        if os.listdir(__main__.OUTPUTS):
            raise ValueError("the copy wrote outputs")
`, 1)
	rowsOf(t, need.Value(run(t, fresh(t, "time_limit", 30, "sandbox", "auto"), text))(t))
}

// A confined process reaches no network of the host, and writes into its own directory alone.
func TestConfined(t *testing.T) {
	if err := sandbox.Available(); err != nil {
		need.Missing(t, "no sandbox: %v", err)
	}
	listener := need.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			c.Close()
			t.Error("the process reached the host")
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	fits := func(code string) string {
		return strings.Replace(nearest, "        self.coef_ = self.mean_\n", "        import os, tempfile\n"+code, 1)
	}
	rowsOf(t, need.Value(run(t, fresh(t, "sandbox", "require"), fits(fmt.Sprintf(`        import socket
        try:
            socket.create_connection(("127.0.0.1", %s), 5)
            raise ValueError("not confined")
        except OSError:
            pass
        open("here.txt", "w").write("x")
        tempfile.NamedTemporaryFile("w").write("x")
        with open("/dev/null", "w") as f:
            f.write("x")
        for hidden in (".cache", "."):
            os.makedirs(hidden, exist_ok=True)
`, port))))(t))

	// A write elsewhere is an error, whatever the code does with the exception; in a copy of the process, an exception.
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside")
	for code, path := range map[string]string{
		fmt.Sprintf("open(%q, 'w')", outside):                       outside,
		fmt.Sprintf("np.save(%q, X)", outside+".npy"):               outside + ".npy",
		"os.makedirs('/srv/a/b', exist_ok=True)":                    "/srv",
		"open('/tmp/outside', 'ab')":                                "/tmp/outside",
		"open('../../../outside', 'w')":                             "/outside",
		"os.rename('model.py', '/usr/x')":                           "/usr/x",
		"os.open(b'/usr/x', os.O_CREAT)":                            "/usr/x",
		"open(os.path.expanduser('~/outside'), 'w')":                "/nonexistent/outside",
		fmt.Sprintf("os.symlink(%q, 'l'); open('l', 'w')", outside): outside,
	} {
		_, err := run(t, fresh(t, "sandbox", "require"),
			fits("        try:\n            "+code+"\n        except OSError:\n            pass\n"))
		need.Error(t, err, "model.py:10 in fit: "+code+": fit of model:make writes to ")
		need.Error(t, err, path+", outside the directories of the process, where nothing is kept: set")
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("the process wrote a file outside")
	}
	_, err := run(t, fresh(t, "sandbox", "require"), fits(`        if (copy := os.fork()) == 0:
            try:
                open("/usr/x", "w")
            except PermissionError:
                os._exit(7)
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 7:
            raise ValueError("refused in the copy")
`))
	need.Error(t, err, "refused in the copy")
}

// The probabilities are the same in the sandbox and without.
func TestSandboxChangesNothing(t *testing.T) {
	a, b := need.Value(run(t, fresh(t, "sandbox", "auto"), nearest))(t), need.Value(run(t, fresh(t), nearest))(t)
	if !slices.Equal(stagetest.Encoded(t, a["predictions"]), stagetest.Encoded(t, b["predictions"])) {
		t.Error("other predictions")
	}
}

func TestNoPython(t *testing.T) {
	s := fresh(t)
	s.Python = "no-such-python"
	_, err := run(t, s, nearest)
	need.Error(t, err, "python: there is no program no-such-python")
	s.Python = filepath.Join(t.TempDir(), "python")
	need.NoError(t, os.WriteFile(s.Python, nil, 0o644)) // not executable
	_, err = run(t, s, nearest)
	need.Error(t, err, "cannot be read or run by you (permission denied)")
	s.Python = "python/bin"
	need.Equal(t, len(s.Validate()), 1)
}

// A script that stands for the Python, as of pyenv, is replaced by what it starts, which a confined process sees.
func TestShim(t *testing.T) {
	s := fresh(t, "sandbox", "auto")
	shim := filepath.Join(t.TempDir(), "python3")
	need.NoError(t, os.WriteFile(shim, []byte("#!/bin/sh\nexec "+s.Python+" \"$@\"\n"), 0o777))
	s.Python = shim
	rowsOf(t, need.Value(run(t, s, nearest))(t))
}

// The other inputs have the shapes of the contract, in the order of the rows.
func TestInputsOfModels(t *testing.T) {
	study := stagetest.NewCorrStudy(t, 16)
	in := study.Inputs()
	var series []dag.Input
	for i := range 16 {
		x := slices.Repeat([]float64{1, float64(i), 2, 0, 3, 0}, 3)
		series = append(series, dag.InputOf(encoding.NewArray(x, 3, 3, 2),
			dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%03d", i+1)}))
	}
	const model = `
import numpy as np
class M:
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.see(X)
        return self
    def see(self, X):
        assert len(X) in (24, 8, 4, 1), len(X)
    def predict_proba(self, X):
        self.see(X)
        p = np.array([self.value(X[i]) for i in range(len(X))])
        return np.c_[1 - p, p]
def make(**kw): return M()
`
	for name, c := range map[string]struct {
		more string
		in   map[string][]dag.Input
		want func(participant, draw int) float64
	}{
		"matrices": {"M.value = lambda self, x: abs(x[0, 1]) / 2 if x.shape == (5, 5) and x[2, 2] == 1 and x[1, 0] == x[0, 1] else 9\n",
			map[string][]dag.Input{"pearson": in["pearson"]},
			func(i, d int) float64 { return math.Abs(study.Pearson[i].Float64s()[d*25+1]) / 2 }},
		"graphs": {"M.value = lambda self, x: abs(x['edge_attr'][0]) / 2 if x['x'].shape == (5, 5) and x['edge_index'].tolist() == " +
			"[[0, 1, 2, 3, 1, 2, 3, 4], [1, 2, 3, 4, 0, 1, 2, 3]] and len(x['edge_attr']) == 8 else 9\n",
			map[string][]dag.Input{"edges": in["edges"], "features": in["features"]},
			func(i, d int) float64 { return math.Abs(study.Pearson[i].Float64s()[d*25+1]) / 2 }},
		"series": {"M.value = lambda self, x: x[0, 1] / 100 if x.shape == (3, 2) else 9\n",
			map[string][]dag.Input{"series": series}, func(i, _ int) float64 { return float64(i) / 100 }},
	} {
		t.Run(name, func(t *testing.T) {
			c.in["folds"] = in["folds"]
			s := fresh(t, "input", name, "regions", "all", "parameters", []any{"keep=20", "how=[1, 2]", "text=a b"})
			out := need.Value(s.Run(context.Background(), dag.NewTask(coded(c.in, model+c.more))))(t)
			for _, r := range rowsOf(t, out) {
				var i int
				need.Value(fmt.Sscanf(r.ID, "sub-%d", &i))(t)
				if want := c.want(i-1, int(r.Draw)); math.Abs(r.Probability-want) > 1e-12 {
					t.Errorf("%s, draw %d: %v, want %v", r.ID, r.Draw, r.Probability, want)
				}
			}
		})
	}
}

// A number is predicted in its own units.
func TestNumbers(t *testing.T) {
	in := stagetest.Numbered(t, stagetest.Ramp(24))
	in = map[string][]dag.Input{"pearson": in["pearson"], "folds": in["folds"]}
	s := fresh(t, "predicts", "number")
	out := need.Value(s.Run(context.Background(), dag.NewTask(coded(in, `
class Mean:
    def fit(self, X, y):
        self.mean_ = y.mean()
        return self
    def predict(self, X):
        return [self.mean_] * len(X)
make = Mean
`))))(t)
	var sum, n float64
	rows := stagetest.PredictedNumbers(t, out)
	for _, r := range rows {
		if r.Set == "train" {
			sum, n = sum+r.Target, n+1
		}
	}
	for _, r := range rows {
		if math.Abs(r.Predicted-sum/n) > 1e-12 {
			t.Errorf("%s: %v, want %v", r.ID, r.Predicted, sum/n)
		}
	}
	s.Predicts = "groups"
	_, err := s.Run(context.Background(), dag.NewTask(in))
	need.Error(t, err, "set predicts: number")
}

// TestOracle compares a graph network with its own fit by the script drive.py, for which another program made the data.
func TestOracle(t *testing.T) {
	fixture := need.Shared(t, "fixtures", "doors", "model")
	var want struct {
		GNN struct {
			P       []float64 `json:"probability_of_B_by_test_participant"`
			Regions []float64 `json:"region_scores"`
		} `json:"numpy_gnn"`
	}
	need.NoError(t, json.Unmarshal(need.Value(os.ReadFile(filepath.Join(fixture, "expected.json")))(t), &want))
	dir := t.TempDir()
	script := "import numpy as np\n" + between(t, filepath.Join(fixture, "drive.py"), "rng = ", "train = ") +
		"iu = np.triu_indices(N, 1)\nk = np.argsort(-R[:, iu[0], iu[1]], axis=1, kind='stable')[:, :13]\n" +
		"np.save('R.npy', R)\nnp.save('edges.npy', np.stack([iu[0][k], iu[1][k]]).astype('i8'))\n"
	s := fresh(t, "input", "graphs", "parameters", []any{"seed=3"}, "regions", "all", "draw_zero", true)
	cmd := exec.Command(s.Python, "-c", script)
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	need.NoError(t, err, string(text))
	read := func(name string) *encoding.Array {
		return need.Value(encoding.DecodeArray(need.Value(os.ReadFile(filepath.Join(dir, name)))(t)))(t)
	}
	r, e := read("R.npy").Float64s(), read("edges.npy").Float64s()
	in := map[string][]dag.Input{"code": {stagetest.FileInput(filepath.Join(fixture, "numpy_gnn", "model.py"))}}
	var members []fold.Member
	for p := range 40 {
		id := fmt.Sprintf("sub-%02d", p)
		subject := dag.Coord{Axis: "subject", Value: id}
		member := fold.Member{ID: id, Group: []string{"A", "B"}[p%2], Repeat: 1, Fold: 1}
		if p%5 == 0 {
			member.Fold = 2
		}
		members = append(members, member)
		var edges []column.EdgeRow
		for d := range 2 {
			for k := range 13 {
				i, j := e[(2*p+d)*13+k], e[(80+2*p+d)*13+k]
				edges = append(edges, column.EdgeRow{Draw: int32(d), Source: int32(i) + 1, Target: int32(j) + 1,
					Weight: r[(2*p+d)*144+int(i)*12+int(j)]})
			}
		}
		in["edges"] = append(in["edges"], dag.InputOf(column.Table(edges), subject))
		in["features"] = append(in["features"], dag.InputOf(encoding.NewArray(r[p*288:][:288], 2, 12, 12), subject))
	}
	in["folds"] = []dag.Input{dag.InputOf(column.Table(members))}
	out := need.Value(s.Run(context.Background(), dag.NewTask(in)))(t)
	mean := map[string]float64{}
	for _, row := range rowsOf(t, out) {
		if row.Set == "test" {
			mean[row.ID] += row.Probability / 2
		}
	}
	need.Equal(t, len(mean), len(want.GNN.P))
	for k, p := range want.GNN.P {
		if got := mean[fmt.Sprintf("sub-%02d", 5*k)]; math.Abs(got-p) > 1e-6 {
			t.Errorf("participant %d: %v, want %v", 5*k, got, p)
		}
	}
	scores := need.Value(column.Rows[column.ScoreRow[float64]](out["scores"].(*encoding.Table)))(t)
	for k, s := range want.GNN.Regions {
		if math.Abs(scores[k].Score-s) > 1e-5 {
			t.Errorf("region %d: %v, want %v", k+1, scores[k].Score, s)
		}
	}
}

// between are the lines of a file from one that begins so to one that begins otherwise.
func between(t *testing.T, path, from, to string) string {
	text := string(need.Value(os.ReadFile(path))(t))
	_, text, _ = strings.Cut(text, "\n"+from)
	text, _, _ = strings.Cut(text, "\n"+to)
	return from + text + "\n"
}
