"""The Python side of the kind estimator: host.py TASK.json MESSAGE.json, for one of the tasks fit, predict, repeat.

Inputs lie beside TASK.json as npy files, outputs beside MESSAGE.json. What happened is the one object of MESSAGE.json;
stdout and stderr are the log. The model runs in a child process; if the child ends without a message, or at the time
limit, the parent writes the message, with the step and the line that the child had reached.
"""

import csv
import errno
import faulthandler
import inspect
import json
import linecache
import mmap
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import traceback

PID = os.getpid()
STEP = mmap.mmap(-1, 32)  # shared with the child
FAULT = tempfile.TemporaryFile()  # where the child was when a signal or os._exit ended it
EXIT = os._exit
INPUTS, OUTPUTS = os.path.dirname(sys.argv[1]), os.path.dirname(sys.argv[2])
INPUTS, OUTPUTS = os.path.abspath(INPUTS), os.path.abspath(OUTPUTS)
with open(sys.argv[1], encoding="utf-8") as f:
    TASK = json.load(f)
MESSAGE = os.path.abspath(sys.argv[2])
CODE = os.path.join(tempfile.mkdtemp(), "")


def end_copy():
    """End a copy of this process that the model made, so that one process writes the outputs."""
    if os.getpid() != PID:
        EXIT(0)


def finish(event, **of):
    """Write the message, and an empty file for each output that is not there, and end."""
    end_copy()
    for name in TASK["outputs"]:
        path = os.path.join(OUTPUTS, name)
        if not os.path.exists(path):
            with open(path, "wb") as out:
                if name.endswith(".npy"):
                    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }"
                    head += " " * ((-len(head) - 11) % 64) + "\n"
                    out.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
    sys.stdout.flush()
    sys.stderr.flush()
    with open(MESSAGE, "w", encoding="utf-8") as out:
        json.dump({"event": event, "step": STEP[:].rstrip(b"\0").decode(), **of}, out)
    EXIT(0)


WRITES = {"os.mkdir": 0, "os.rename": 1, "os.link": 1, "os.symlink": 1, "os.truncate": 0, "os.remove": 0, "os.rmdir": 0}
ENDING = []


def guard(event, args):
    """End a confined model whose code writes outside its directories, where nothing would be kept."""
    if event == "open":
        at, writes = 0, (args[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    else:
        at, writes = WRITES.get(event), True
    if ENDING or at is None or not writes or not isinstance(args[at], (str, bytes, os.PathLike)):
        return
    path = os.path.realpath(os.fsdecode(args[at]))
    own = (CODE, os.path.join(os.path.realpath(tempfile.gettempdir()), ""), "/dev/", "/proc/")
    if (path + "/").startswith(own) or "/." in path or event == "os.mkdir" and os.path.isdir(path):
        return  # packages make their caches in hidden directories where they can
    frame = sys._getframe(1)
    while frame and not frame.f_code.co_filename.startswith(CODE):
        if "importlib._bootstrap" in frame.f_code.co_filename:
            return  # a package, while it is imported
        frame = frame.f_back
    if not frame:
        return
    if os.getpid() != PID:  # a copy of the process, which the model made
        raise PermissionError(errno.EACCES, "outside the directories of the model", path)
    ENDING.append(True)  # what follows opens files, too
    file, line = frame.f_code.co_filename, frame.f_lineno
    finish("outside", what=path, file=file[len(CODE) :], line=line,
           function=frame.f_code.co_name, source=linecache.getline(file, line).strip())  # fmt: skip


def step(name):
    """What runs from here on, for messages."""
    STEP[:] = name.encode().ljust(len(STEP), b"\0")


def refuse(what, model=None, name=""):
    """End because the model breaks the contract by its method or attribute of this name."""
    finish("contract", what=what, **written(model, name))


def written(model, name):
    """The line of the user's code that defines a method or, last, sets an attribute of the model; nothing where there is
    none."""
    for of in type(model).__mro__ if name else ():
        try:
            file, (lines, first) = inspect.getsourcefile(of) or "", inspect.getsourcelines(of)
        except (OSError, TypeError):
            continue
        for i, line in reversed(list(enumerate(lines if file.startswith(CODE) else ()))):
            if re.match(rf"\s*(async )?def {name}\b|[^#]*\.{name}\b[^=]*=[^=]", line):
                return {"file": file[len(CODE) :], "line": first + i, "source": line.strip()}
    return {}


def numbers(np, model, name, values):
    """The value of a method or attribute of the model, as an array of numbers."""
    if hasattr(values, "toarray"):  # sparse
        values = values.toarray()
    masked = int(np.ma.count_masked(values)) if isinstance(values, np.ma.MaskedArray) else 0
    if masked:
        refuse(f"{name} gives a masked array in which {masked} of {values.size} values are masked: give a number for each", model, name)
    values = np.asarray(values)
    if values.dtype.kind not in "fiub":
        refuse(f"{name} gives values of type {values.dtype}, not numbers", model, name)
    return values


class Graphs:
    """Graphs: graphs[i] has x (node × feature), edge_index (2 × entries, both directions) and edge_attr (entries)."""

    def __init__(self, x, edge_index, edge_attr, edge_ptr, order=None):
        self.x, self.edge_index, self.edge_attr, self.edge_ptr = x, edge_index, edge_attr, edge_ptr
        self.order = range(len(x)) if order is None else order

    def __len__(self):
        return len(self.order)

    def __getitem__(self, i):
        if not isinstance(i, int) and not hasattr(i, "__index__"):
            return take(self, range(len(self))[i] if isinstance(i, slice) else i)
        g = self.order[i]
        a, b = self.edge_ptr[g], self.edge_ptr[g + 1]
        return {"x": self.x[g], "edge_index": self.edge_index[:, a:b], "edge_attr": self.edge_attr[a:b]}


def take(X, order):
    """Some of the rows, in an order."""
    order = list(order)
    if isinstance(X, Graphs):
        return Graphs(X.x, X.edge_index, X.edge_attr, X.edge_ptr, [X.order[i] for i in order])
    return [X[i] for i in order] if isinstance(X, list) else X[order]


def load(np):
    """The inputs: an array (rows first), a list of arrays (series), or Graphs; files are mapped read-only."""

    def array(name):
        return np.load(os.path.join(INPUTS, name + ".npy"), mmap_mode="r")

    if TASK["input"] == "graphs":
        return Graphs(array("x"), array("edge_index"), array("edge_attr"), array("edge_ptr"))
    x = array("x")
    if TASK["input"] == "series":
        ptr = array("ptr")
        return [x[a:b] for a, b in zip(ptr[:-1], ptr[1:], strict=True)]
    return x


def make():
    """Import the user's module and call the factory."""
    import importlib

    sys.path.insert(0, CODE)
    module, _, name = TASK["factory"].partition(":")
    made = importlib.import_module(module)
    top = module.partition(".")[0]
    own = [path for path in (top + ".py", top) if os.path.exists(os.path.join(CODE, path))]
    from_code = [p for p in (getattr(made, "__file__", None), *getattr(made, "__path__", [])) if p and p.startswith(CODE)]
    if own and not from_code:
        refuse(f"{own[0]} has the name of a module of Python or of a package, which is imported instead: rename the file")
    if not callable(getattr(made, name, None)):
        import difflib

        near = difflib.get_close_matches(name, [key for key, value in vars(made).items() if callable(value)], 1)
        hint = f' (did you mean "{near[0]}"?)' if near else ""
        refuse(f"{module} has no function or class {name}{hint}")
    if TASK["do"] == "fit":
        model = getattr(made, name)(**TASK["parameters"])
    else:
        import pickle

        with open(os.path.join(INPUTS, "model.pkl"), "rb") as f:
            model = pickle.load(f)
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        torch.manual_seed(TASK["seed"])
        torch.use_deterministic_algorithms(True)
        torch.set_num_threads(1)
    return model


def fit(np, model, X):
    """Fit the model; returns what it took of the optional arguments."""
    groups = TASK["classes"]
    ways = ("predict_proba", "decision_function") if groups else ("predict",)
    if not callable(getattr(model, "fit", None)) or not any(callable(getattr(model, way, None)) for way in ways):
        refuse(f"{TASK['factory']} gives {type(model).__name__}, which lacks fit or {' and '.join(ways)}")
    y = np.load(os.path.join(INPUTS, "y.npy"))
    if groups:
        y = np.array(groups)[y]
    more = {}
    if "groups" in inspect.signature(model.fit).parameters:
        more["groups"] = np.load(os.path.join(INPUTS, "groups.npy"))
    step("fit")
    fitted = model.fit(X, y, **more)
    model = model if fitted is None else fitted
    if groups:
        classes = getattr(model, "classes_", None)
        if classes is None:
            refuse(f"{type(model).__name__} has no classes_ after fit: set it to numpy.unique(y)", model, "fit")
        if sorted(str(c) for c in classes) != sorted(groups):
            refuse(f"classes_ is {[str(c) for c in classes]}, but the labels are {sorted(groups)}", model, "classes_")
    return model, sorted(more)


def predictor(model):
    """The method that predicts."""
    if not TASK["classes"]:
        return "predict"
    return "predict_proba" if callable(getattr(model, "predict_proba", None)) else "decision_function"


def predict(np, model, X, n):
    """Probabilities of the groups in the program's order (rows × groups), or numbers (rows)."""
    groups, tolerance, what = TASK["classes"], 1e-9, predictor(model)
    step(what)
    p = numbers(np, model, what, getattr(model, what)(X))
    if not groups:
        if p.shape == (n, 1):
            p = p[:, 0]
        shape = (n,)
    else:
        shape = (n, len(groups))
        if what == "decision_function" and p.ndim == 1 and len(groups) == 2:
            p = np.stack([-p / 2, p / 2], 1)
    if p.dtype.itemsize < 8 and p.dtype.kind == "f":
        tolerance = 1e-4  # single precision, in which the order of sums depends on the number of rows
    if p.shape != shape:
        refuse(f"{what} gives the shape {p.shape}, expected {shape}: {n} rows" + (f", {len(groups)} groups" if groups else ""), model, what)
    p = p.astype("f8")
    if not np.isfinite(p).all():
        refuse(f"{what} gives values that are not finite for {int((~np.isfinite(p)).reshape(n, -1).any(1).sum())} of {n} rows", model, what)
    if groups:
        p = p[:, [[str(c) for c in model.classes_].index(c) for c in groups]]
        if what == "decision_function":
            p = np.exp(p - p.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
        elif p.min() < -1e-9 or np.abs(p.sum(1) - 1).max() > 1e-5:
            refuse("predict_proba gives probabilities that are negative or do not add up to 1", model, what)
    return p, tolerance


def linear(np, model, X, coef, p, tolerance):
    """Intercepts of a model whose predictions are those of X @ coef_.T + intercept_, or None and why there are none."""
    k, kind = len(TASK["classes"] or ()), type(model).__name__
    if coef is None or getattr(model, "intercept_", None) is None:
        return None, f"the fitted {kind} has no coef_ and intercept_ of a linear model"
    b = np.atleast_1d(numbers(np, model, "intercept_", model.intercept_).astype("f8"))
    if k == 2 and len(coef) == 2 or b.ndim != 1 or len(b) not in (1, len(coef)):
        return None, f"coef_ of the fitted {kind} has {len(coef)} rows and intercept_ the shape {b.shape}"
    b = ordered(model, np.broadcast_to(b, len(coef)))
    f = X @ coef.T + b
    if k == 2:
        f = np.c_[-f / 2, f / 2]
    if k:
        f = np.exp(f - f.max(1, keepdims=True))
        f /= f.sum(1, keepdims=True)
    apart = float(np.abs(f.reshape(p.shape) - p).max() / (1 if k else max(1, float(np.abs(p).max()))))
    if not apart <= (1e-9 if tolerance < 1e-5 else 1e-6):
        what = f"the {'logistic function' if k == 2 else 'softmax'} of " if k else ""
        return None, f"{predictor(model)} of the fitted {kind} differs by {apart:.2g} from {what}X @ coef_.T + intercept_"
    return b, ""


def contradictions(np, model, X, n, p):
    """Number of rows for which predict returns a group without the highest probability; 0 if it returns no groups."""
    if not TASK["classes"] or not callable(getattr(model, "predict", None)):
        return 0
    step("predict")
    try:
        labels = [str(c) for c in model.predict(X)]
    except Exception:  # it is no part of the contract for groups
        traceback.print_exc()
        return 0
    if len(labels) != n or not set(labels) <= set(TASK["classes"]):
        return 0
    of = p[np.arange(n), [TASK["classes"].index(c) for c in labels]]
    return int((of < p.max(1) - 1e-9).sum())


def weights(np, model, X):
    """The weights of the columns of X in the decision values (values × columns), and whether they are of the groups."""
    coef, k = getattr(model, "coef_", None), len(TASK["classes"] or ())
    if coef is None or TASK["input"] != "edges":
        return None, True
    step("coef_")
    coef = np.atleast_2d(numbers(np, model, "coef_", coef).astype("f8"))
    pairs = k * (k - 1) // 2
    if coef.ndim != 2 or coef.shape[1] != X.shape[1] or len(coef) not in ((1, 2) if k == 2 else (k or 1, pairs or 1)):
        refuse(f"coef_ has the shape {coef.shape}, expected ({k if k > 2 else 1}, {X.shape[1]}): a weight for each column of X. Set weights of 0 for columns that are not used, or rename the attribute if it is something else", model, "coef_")  # fmt: skip
    if not np.isfinite(coef).all():
        refuse(f"coef_ has {int((~np.isfinite(coef)).sum())} values that are not finite", model, "coef_")
    if k > 2 and len(coef) != k:
        return coef, False
    if k == 3 and callable(getattr(model, "decision_function", None)):  # as many pairs as groups
        f = np.asarray(model.decision_function(X))
        apart = f - X @ coef.T if f.shape == (len(X), k) else np.array([0, np.inf])
        if np.ptp(apart, axis=0).max() > 1e-6 * np.abs(f).max():
            return coef, False
    return ordered(model, coef), True


def ordered(model, rows):
    """Rows of the groups in the program's order instead of that of classes_; a single row is of the second of two groups."""
    groups, classes = TASK["classes"], [str(c) for c in getattr(model, "classes_", ())]
    if not groups or classes == list(groups):
        return rows
    return rows[[classes.index(c) for c in groups]] if len(rows) == len(groups) else -rows


def scores(np, model, X, n):
    """The scores of the regions (rows × regions), or None: of each row, or of the model."""
    of, what = getattr(model, "region_scores", None), "region_scores"
    if callable(of):
        step(what)
        s = numbers(np, model, what, of(X)).astype("f8")
    elif getattr(model, "region_scores_", None) is not None:
        s, what = model.region_scores_, "region_scores_"
        s = numbers(np, model, what, s).astype("f8")
        s = np.broadcast_to(s, (n, s.shape[-1])) if s.ndim == 1 else s
    else:
        return None
    if s.shape != (n, TASK["regions"]) or not np.isfinite(s).all():
        refuse(f"{what} has the shape {s.shape} or is not finite, expected {TASK['regions']} finite values, one for each region", model, what)
    return s


def independent(np, model, X, n, p, tolerance):
    """Refuse a model whose prediction of one row depends on the others of the same call, or on earlier calls."""
    for order in (list(range(n))[::-1], [n // 2]):
        again, _ = predict(np, model, take(X, order), len(order))
        apart = float(np.abs(again - p[order]).max())
        if not apart <= tolerance * float(np.abs(p).max()):
            finish("dependent", what=f"differ from call to call by {apart:.2g}", **defined(model))


def defined(model):
    """The method that predicts, with its line where it is the user's."""
    name = predictor(model)
    return {"type": type(model).__name__, "function": name, **written(model, name)}


def run(np):
    def save(name, values):
        np.save(os.path.join(OUTPUTS, name + ".npy"), np.ascontiguousarray(values, dtype="<f8"))

    model, X = make(), load(np)
    n, of, coef = len(X), {}, None
    if TASK["do"] == "fit":
        import pickle

        model, of["used"] = fit(np, model, X)
        end_copy()
        try:
            data = pickle.dumps(model, protocol=5)
        except (pickle.PicklingError, AttributeError, TypeError) as e:
            refuse(f"the fitted {type(model).__name__} cannot be pickled: {e}")
        with open(os.path.join(OUTPUTS, "model.pkl"), "wb") as f:
            f.write(data)
        coef, by_group = weights(np, model, X)
        if coef is not None and by_group:
            save("coef", coef)
        elif coef is not None:
            of["pairs"], coef = len(coef), None
    p, tolerance = predict(np, model, X, n)
    end_copy()
    save("prediction", p)
    if TASK["do"] == "repeat":
        independent(np, model, X, n, p, tolerance)
        finish("done", **defined(model))
    if TASK["do"] == "fit" and TASK["input"] == "edges":
        step("intercept_")
        offset, of["unlinear"] = linear(np, model, X, coef, p, tolerance)
        if offset is not None:
            save("offset", offset)
    s = scores(np, model, X, n)
    if s is not None:
        save("scores", s)
    if TASK["do"] == "predict":
        of["contradicted"] = contradictions(np, model, X, n, p)
    finish("done", **of, **defined(model))


def limit():
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if TASK["memory"]:
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        memory = TASK["memory"] if most == resource.RLIM_INFINITY else min(most, TASK["memory"])
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if TASK["processes"]:
        resource.setrlimit(resource.RLIMIT_NPROC, (TASK["processes"], TASK["processes"]))


def place(e):
    """The last line of the user's code that an exception passed."""
    frames = traceback.extract_tb(e.__traceback__)
    own = [f for f in frames if f.filename.startswith(CODE)]
    if isinstance(e, SyntaxError) and (e.filename or "").startswith(CODE):
        return {"file": e.filename[len(CODE) :], "line": e.lineno or 0, "source": (e.text or "").strip(), "function": ""}
    if not own:
        return {"file": "", "line": 0, "source": "", "function": ""}
    f = own[-1]
    return {"file": f.filename[len(CODE) :], "line": f.lineno, "source": f.line or "", "function": f.name}


def watch(child):
    """Wait for the child, stop it at the time limit, and write the message that it left out."""
    late = []

    def stop(*_):
        late.append(True)
        os.kill(child, signal.SIGABRT)  # so that faulthandler writes where it is, in C code too

    if TASK["time"]:
        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, TASK["time"])
    _, status = os.waitpid(child, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    if os.path.exists(MESSAGE) and status == 0:
        return
    FAULT.seek(0)
    text = FAULT.read().decode("utf-8", "replace")
    print(text.replace(CODE, ""), file=sys.stderr)
    if late:
        finish("slow", **reached(text))
    if os.WIFSIGNALED(status):
        finish("killed", what=signal.Signals(os.WTERMSIG(status)).name, **reached(text))
    finish("exit", what=str(os.WEXITSTATUS(status)), **reached(text))


def reached(text):
    """The line of the user's code in what faulthandler wrote, or nothing."""
    for line in text.splitlines():
        file, _, rest = line.strip().removeprefix('File "').partition('", line ')
        number, _, function = rest.partition(" in ")
        if file.startswith(CODE) and number.isdigit():
            source = linecache.getline(file, int(number)).strip()
            return {"file": file[len(CODE) :], "line": int(number), "source": source, "function": function}
    return {}


def leave(status):
    """os._exit for the model."""
    if os.getpid() == PID:
        faulthandler.dump_traceback(FAULT, all_threads=False)
    EXIT(status)


def main():
    global PID
    sys.path.pop(0)
    with open(os.path.join(INPUTS, "code.tsv"), encoding="utf-8") as f:
        for i, row in enumerate(csv.DictReader(f, delimiter="\t")):
            to = os.path.join(CODE, *(TASK["files"][i]).split("/"))
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copyfile(row["path"], to)
    os.chdir(CODE)
    step("start")
    if hasattr(os, "fork"):  # not on Windows
        child = os.fork()
        if child:
            watch(child)
            EXIT(0)
        PID, os._exit = os.getpid(), leave
        faulthandler.enable(FAULT, all_threads=False)
    random.seed(TASK["seed"])
    try:
        limit()
        try:
            import numpy as np
        except ImportError as e:
            finish("numpy", what=str(e))
        np.random.seed(TASK["seed"])
        if TASK["confined"]:
            sys.addaudithook(guard)
        run(np)
    except BaseException as e:  # SystemExit and KeyboardInterrupt too
        if isinstance(e, MemoryError) or getattr(e, "errno", None) == errno.ENOMEM or "can't allocate memory" in str(e):
            finish("memory", **place(e))  # the text is torch's
        text = "".join(traceback.format_exception(type(e), e, e.__traceback__))
        print(text.replace(CODE, ""), file=sys.stderr)
        what = getattr(e, "msg", None) if isinstance(e, SyntaxError) else str(e)
        finish("failed", error=type(e).__name__, what=(what or "")[:2000].replace(CODE, ""), **place(e),
               missing=(e.name or "") if isinstance(e, ModuleNotFoundError) else "")  # fmt: skip


main()
