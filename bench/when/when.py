"""The tables and the figure of docs/when-prgnn.md: python3 when.py DIR FIGURE.svg

DIR/STUDY/NAME.csv are predictions, as run.sh exports them. Of test participants only; a participant counts once in a
repeat, with the mean probability over draws. AUC: mean over folds and repeats. Intervals, 95%: participants resampled
within their groups (percentiles of 2,000 resamples, the same for all settings), and for differences the corrected
resampled t of the folds (Nadeau and Bengio 2003, test/train = 1/4). Needs numpy.
"""
import csv, pathlib, sys

import numpy as np

T = {4: 2.776, 9: 2.262, 14: 2.145}  # 97.5% quantiles of Student's t
USUAL = {"participant_id", "group", "draw", "fold", "repeat", "set", "label", "predicted", "probability", "stage"}


def read(path, group="ASD"):
    """Predictions by setting: (participant, repeat, fold) to group and mean probability."""
    settings = {}
    with open(path) as f:
        for r in csv.DictReader(f):
            if r["set"] != "test":
                continue
            name = ", ".join(f"{k} {v}" for k, v in r.items() if k not in USUAL and not k.startswith("p_"))
            rows = settings.setdefault(name, {})
            rows.setdefault((r["participant_id"], int(r["repeat"]), int(r["fold"])),
                            (r["group"] == group, []))[1].append(float(r["p_" + group]))
    return {name: {k: (g, np.mean(p)) for k, (g, p) in rows.items()} for name, rows in settings.items()}


class Study:
    def __init__(self, resamples=2000):
        self.rng, self.resamples, self.ids, self.curves = np.random.default_rng(2020), resamples, None, {}

    def add(self, name, rows):
        """Fold measures of a setting, of the participants as they are (row 0) and of every resample."""
        if self.ids is None:
            of = {i: g for (i, _, _), (g, _) in rows.items()}
            self.ids = sorted(of)
            is_case = np.array([of[i] for i in self.ids])
            self.weight = np.ones((self.resamples + 1, len(self.ids)))
            for g in (True, False):
                n = int((is_case == g).sum())
                self.weight[1:, is_case == g] = self.rng.multinomial(n, np.full(n, 1 / n), self.resamples)
        assert {i for i, _, _ in rows} == set(self.ids), f"{name}: other participants"
        place = {id: n for n, id in enumerate(self.ids)}
        auc, hit, folds = [], 0.0, sorted({k[1:] for k in rows})
        for fold in folds:
            some = [(place[k[0]], g, p) for k, (g, p) in sorted(rows.items()) if k[1:] == fold]
            at, g, p = (np.array(x) for x in zip(*some))
            w = self.weight[:, at]
            above = (p[g][:, None] > p[~g][None]) + 0.5 * (p[g][:, None] == p[~g][None])
            auc.append(np.einsum("rc,cd,rd->r", w[:, g], above, w[:, ~g], optimize=True) /
                       np.maximum(w[:, g].sum(1) * w[:, ~g].sum(1), 1e-9))
            hit = hit + w @ ((p > 0.5) == g)
        self.curves[name] = np.array(auc), hit / len(self.ids) / len({r for _, r, _ in rows})

    def both(self, name):
        auc, accuracy = self.curves[name]
        return interval(accuracy), interval(auc.mean(0))

    def difference(self, plus, minus):
        """Mean AUC of some settings less that of others: value, interval over participants, interval over folds."""
        d = np.mean([self.curves[n][0] for n in plus], 0) - np.mean([self.curves[n][0] for n in minus], 0)
        j, by_fold = len(d), d[:, 0]
        half = T[j - 1] * np.sqrt(by_fold.var(ddof=1) * (1 / j + 1 / 4))
        return interval(d.mean(0)), (by_fold.mean() - half, by_fold.mean() + half)


def interval(v):
    return v[0], *np.percentile(v[1:], [2.5, 97.5])


def text(value, low, high, sign=False):
    f = (lambda x: f"{x:+.3f}".replace("-", "−")) if sign else (lambda x: f"{x:.3f}")
    return f"{f(value)} ({f(low)} to {f(high)})" if sign else f"{f(value)} ({f(low)}–{f(high)})"


PAPER = "standardize none, readout mean, lambda 0.1-0.1"


CHOSEN = {"chosen": "PR-GNN, setting chosen inside", "linear": "linear, chosen inside",
          "linear_strength": "ridge on strengths, penalty chosen inside"}


def mean(predictions):
    """The mean probability of several settings: an ensemble."""
    return {k: (g, np.mean([p[k][1] for p in predictions])) for k, (g, _) in predictions[0].items()}


def study(directory):
    s, eight, tried = Study(), {}, []
    for path in sorted(directory.glob("*.csv")):
        if path.stem.startswith("choice-") or path.stem.endswith("folds"):
            continue
        for name, rows in read(path).items():
            s.add(CHOSEN.get(path.stem, name), rows)
            if path.stem == "eight":
                eight[name] = rows
            if path.stem not in CHOSEN and path.stem != "tangent_ridge":
                tried.append(rows)
    s.add("mean of all settings of PR-GNN", mean(tried))
    for readout in ("mean", "maxmean_all"):
        some = [rows for name, rows in eight.items() if f"readout {readout}" in name]
        s.add(f"mean of {len(some)} of readout {readout}", mean(some)) if some else None
    print(f"\n## {directory.name}: {len(s.ids)} participants\n")
    print("| setting | accuracy | AUC | AUC less that of the paper's setting: over participants | over folds |\n|---|---|---|---|---|")
    for name in sorted(s.curves, key=lambda n: -s.curves[n][0][:, 0].mean()):
        accuracy, auc = s.both(name)
        d, t = s.difference([name], [PAPER])
        print(f"| {name} | {text(*accuracy)} | {text(*auc)} | {text(*d, sign=True)} | {text(d[0], *t, sign=True)} |")
    print("\n| AUC | difference | over participants | over folds |\n|---|---|---|---|")
    pairs = [("linear − PR-GNN", ["linear, chosen inside"], ["PR-GNN, setting chosen inside"]),
             ("linear − ridge on strengths", ["linear, chosen inside"], ["ridge on strengths, penalty chosen inside"]),
             ("mean of all settings − PR-GNN", ["mean of all settings of PR-GNN"], ["PR-GNN, setting chosen inside"]),
             ("linear − mean of all settings", ["linear, chosen inside"], ["mean of all settings of PR-GNN"]),
             ("ridge on strengths − PR-GNN", ["ridge on strengths, penalty chosen inside"], ["PR-GNN, setting chosen inside"])]
    for change, a, b in (("z-scored features", "standardize training", "standardize none"),
                         ("maximum and mean of both blocks", "readout maxmean_all", "readout mean"),
                         ("λ 0, 0", "lambda 0-0", "lambda 0.1-0.1")):
        plus, minus = [n for n in eight if a in n], [n for n in eight if b in n]
        if plus and minus:
            pairs.append((f"{change}, mean over {len(plus)} pairs", plus, minus))
    for label, plus, minus in pairs:
        d, t = s.difference(plus, minus)
        print(f"| {label} | {text(*d, sign=True)} | {text(d[0], *t, sign=True)} |")
    return s


ROWS = [("linear, chosen inside", "linear model", "#22262B"), ("ridge on strengths, penalty chosen inside", "ridge on node strengths", "#8A9099"),
        ("PR-GNN, setting chosen inside", "PR-GNN, setting chosen", "#0B62A4"), ("mean of all settings of PR-GNN", "PR-GNN, mean of settings", "#0B62A4"),
        (PAPER, "PR-GNN, the paper's setting", "#7FB2DA")]
TITLES = {"abide": "all of ABIDE (1,031 participants)", "nyu": "ABIDE's NYU site (175)", "simulated-0": "simulated, h = 0 (118)",
          "simulated-0.5": "simulated, h = 0.5 (118)", "simulated-0.7": "simulated, h = 0.7 (118)"}


def draw(studies, path):
    """AUC with its interval, in 368 px: readable on a phone."""
    x = lambda auc: 150 + (auc - 0.4) / 0.6 * 205
    out, y = [], 8
    for name, s in studies:
        y += 16
        out.append(f'<text x="8" y="{y}" font-weight="bold">{TITLES[name]}</text>')
        for key, label, color in ROWS:
            y += 15
            value, low, high = s.both(key)[1]
            out.append(f'<text x="14" y="{y}">{label}</text>'
                       f'<path d="M{x(low):.1f} {y - 3.5}H{x(high):.1f}" stroke="{color}" stroke-width="2"/>'
                       f'<circle cx="{x(value):.1f}" cy="{y - 3.5}" r="3.5" fill="{color}"/>')
        y += 6
    ticks = "".join(f'<path d="M{x(t):.1f} 8V{y}" stroke="{"#8A9099" if t == 0.5 else "#E3E6EA"}"/>'
                    f'<text x="{x(t):.1f}" y="{y + 13}" text-anchor="middle">{t:.1f}</text>' for t in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0))
    pathlib.Path(path).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="368" height="{y + 32}" viewBox="0 0 368 {y + 32}" '
        f'font-family="Liberation Sans,Arial,Helvetica,sans-serif" font-size="11" fill="#22262B">\n'
        f'<rect width="368" height="{y + 32}" fill="#FFFFFF"/>\n{ticks}\n' + "\n".join(out) +
        f'\n<text x="{x(0.7):.1f}" y="{y + 27}" text-anchor="middle">AUC, 95% interval over participants</text>\n</svg>\n')


def main(directory, figure):
    studies = [(d.name, study(d)) for d in sorted(pathlib.Path(directory).iterdir()) if d.is_dir()]
    draw(studies, figure)


if __name__ == "__main__":
    main(*sys.argv[1:])
