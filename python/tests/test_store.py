"""Stages, runs, plans, reasons and reports: the oracle is what the program prints."""

from __future__ import annotations

import html
import json
import subprocess
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

import prgnn
from prgnn import _program

from .conftest import Quick

Write = Callable[[str, str], None]
NUMBERS = "stages:\n  n: { use: echo, matrix: { value: [1..3] } }\n  all: { use: echo, in: { inputs: 'n[*]' } }\n"


def printed(*arguments: str) -> str:
    done = subprocess.run([_program.find(), *arguments], capture_output=True, encoding="utf-8", check=True)
    return done.stdout


def test_stages(quick: Quick) -> None:
    lines = printed("show", "quick.yaml", *quick.store._where).splitlines()[1:]
    assert [(s.stage, s.kind, s.tasks, s.cached) for s in quick.store.stages] == [
        (w[0], w[1], int(w[2]), int(w[3])) for w in map(str.split, lines)
    ]
    assert "connectivity.pearson" in quick.store._ipython_key_completions_()
    assert repr(quick.store).startswith("<prgnn.Store quick.yaml")


def test_findings(quick: Quick) -> None:
    flags = ["--as-written", "--json", "--rows", "100", *quick.store._flags()]
    shown = json.loads(printed("show", "quick.yaml", "findings", *flags))
    found = quick.store.findings
    assert [[f["code"], f["weight"], f["text"]] for f in found] == [[r[0], r[1], r[4]] for r in shown["head"]]
    assert found and all(isinstance(f["numbers"], dict) and isinstance(f["subject"], dict) for f in found)


def test_runs_plan_and_why(write: Write) -> None:
    write("numbers.yaml", NUMBERS)
    write("other.yaml", NUMBERS)
    store = prgnn.open("numbers.yaml")
    assert store.runs == []
    assert not Path(".pipeline").exists()
    assert {s.state for s in store.plan()} == {"stale", "unknown"}
    first = prgnn.run("numbers.yaml", progress=False)
    prgnn.run("other.yaml", progress=False)
    second = prgnn.run("numbers.yaml", progress=False)
    runs = store.runs
    assert [r.id for r in runs] == [second.id, first.id]  # not the one of the other pipeline
    assert [(r.tasks, r.ran, r.cached) for r in runs] == [(4, 0, 4), (4, 4, 0)]
    assert runs[0].file == "numbers.yaml" and runs[0].finished is not None
    assert abs((datetime.now(timezone.utc) - runs[0].started).total_seconds()) < 3600
    events = [r for r in map(json.loads, printed("runs", "--json").splitlines()) if r["pipeline"] == "numbers"]
    assert [(r["id"], r.get("commit")) for r in events] == [(r.id, r.commit) for r in runs]  # None without a stamp

    assert {s.state for s in store.plan()} == {"cached"}
    assert [s.task for s in store.plan(until="n[value=2]")] == ["n[value=2]"]
    changed = prgnn.open("numbers.yaml", all__value=7)
    assert {s.task: s.state for s in changed.plan()}["all"] == "stale"
    why = changed.why("all")
    assert (why.task, why.stage, why.state) == ("all", "all", "stale")
    assert why.differences == (prgnn.Difference("parameter", "value", '""', '"7"'),)
    assert '+ parameter value: "7"' in str(why)
    assert '+ parameter value: "7"' in printed("why", "numbers.yaml", "all", "--set", "all.value=7")
    assert str(why).startswith("all is stale: ")
    assert str(store.why("all")) == "all has its result; there is no other to compare with"
    with pytest.raises(prgnn.Error, match="n is a stage, not a task"):
        changed.why("n")
    (cause,) = changed.causes("all")
    assert cause.tasks == ("all",) and cause.text in printed("why", "numbers.yaml", "--set", "all.value=7")
    assert changed.causes() == [cause] and store.causes() == []
    prgnn.run("numbers.yaml", all__value=7, progress=False)
    assert str(changed.why("all")).startswith(f"all has its result; what differs from run {second.id}:\n  - parameter ")
    assert "value" in why.recipe and "recipe" not in repr(why)


def test_a_store_stays_where_it_was_opened(write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write("numbers.yaml", NUMBERS)
    prgnn.run("numbers.yaml", progress=False)
    store = prgnn.open("numbers.yaml")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert len(store.members("n")) == 3


def test_report(quick: Quick, tmp_path: Path) -> None:
    report = quick.store.report()
    path = tmp_path / "want.html"
    command = [_program.find(), "report", "-q", "--as-written", *quick.store._where, "quick.yaml", "-o", str(path)]
    subprocess.run(command, cwd=quick.directory, check=True)
    want = path.read_bytes()
    assert report.save(tmp_path / "got.html").read_bytes() == want
    shown = report._repr_html_()
    assert shown.startswith('<iframe srcdoc="') and 'sandbox="allow-scripts ' in shown
    srcdoc = shown.split('srcdoc="', 1)[1].split('"', 1)[0]
    assert html.unescape(srcdoc).encode() == want


def test_no_result_yet(write: Write) -> None:
    write("numbers.yaml", NUMBERS)
    store = prgnn.open("numbers.yaml")
    with pytest.raises(prgnn.Error, match="numbers.yaml has not run") as caught:
        store["n"]
    assert "pipeline run numbers.yaml makes the results" in str(caught.value.remedy)
