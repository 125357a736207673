#!/usr/bin/env python3
"""Times scikit-learn's and PyTorch's form of each baseline on the arrays of ../gnn/gen_timing_data.py.

usage: OMP_NUM_THREADS=T OPENBLAS_NUM_THREADS=T python3 peers.py DIR --threads T [--epochs 3] [--models svm,forest,…]

A line of JSON a model: seconds to fit (of an epoch for the networks), and to rate the test graphs.
"""
import argparse, json, os, resource, time, warnings
import numpy as np

ap = argparse.ArgumentParser()
ap.add_argument("data")
ap.add_argument("--threads", type=int, default=1)
ap.add_argument("--models", default="svm,linear-svm,ridge,logistic,logistic-optimum,forest,mlp,mlp-torch,brainnetcnn,brainnetcnn-products,li2019")
ap.add_argument("--epochs", type=int, default=3)
a = ap.parse_args()
warnings.simplefilter("ignore")
L = lambda n: np.load(os.path.join(a.data, n + ".npy"))
X, E, y, tr, te = L("features"), L("adjacency"), L("labels").astype(int), L("train"), L("test")
d = X.shape[1]
iu = np.triu_indices(d, 1)
V = X[:, iu[0], iu[1]].astype(np.float64)
cpu = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def tell(model, who, fit, fit_cpu, rate, acc):
    print(json.dumps({"who": who, "model": model, "threads": a.threads, "fit": fit, "fit_cpu": fit_cpu, "rate": rate, "test_acc": acc,
                      "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}), flush=True)


def sklearn_model(name):
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC
    return {"svm": lambda: SVC(), "linear-svm": lambda: SVC(kernel="linear"), "ridge": lambda: RidgeClassifier(), "logistic": lambda: LogisticRegression(max_iter=1000),
            "logistic-optimum": lambda: LogisticRegression(max_iter=100000, tol=1e-12),
            "forest": lambda: RandomForestClassifier(1000, n_jobs=a.threads, random_state=0),
            "mlp": lambda: MLPClassifier((20,), batch_size=100, max_iter=100, n_iter_no_change=1000, alpha=0, random_state=0)}[name]()


def time_sklearn(name):
    x = V.astype(np.float32) if name == "mlp" else V
    m = sklearn_model(name)
    w, c = time.perf_counter(), cpu()
    m.fit(x[tr], y[tr])
    w, c, at = time.perf_counter() - w, cpu() - c, time.perf_counter()
    acc = m.score(x[te], y[te])
    per = 100 if name == "mlp" else 1
    tell(name, "scikit-learn", w / per, c / per, time.perf_counter() - at, acc)


def torch_model(name):
    import torch
    from torch import nn
    import torch.nn.functional as F
    if name == "mlp-torch":
        return nn.Sequential(nn.Linear(V.shape[1], 20), nn.ReLU(), nn.Linear(20, 2))

    class E2E(nn.Module):
        def __init__(self, i, o):
            super().__init__()
            self.row, self.col = nn.Conv2d(i, o, (1, d)), nn.Conv2d(i, o, (d, 1))

        def forward(self, x): return self.row(x) + self.col(x)  # broadcast

    class Line(nn.Module):
        """A filter along rows or columns as one product of matrices: several times as fast as Conv2d's."""
        def __init__(self, i, o, shape):
            super().__init__()
            conv = nn.Conv2d(i, o, shape)
            self.form = "nkij,okj->noi" if shape[0] == 1 else "nkij,oki->noj"
            self.w, self.b = nn.Parameter(conv.weight.detach().reshape(o, i, d)), conv.bias

        def forward(self, x): return torch.einsum(self.form, x, self.w) + self.b[:, None]

    class E2EProducts(nn.Module):
        def __init__(self, i, o):
            super().__init__()
            self.row, self.col = Line(i, o, (1, d)), Line(i, o, (d, 1))

        def forward(self, x): return self.row(x).unsqueeze(3) + self.col(x).unsqueeze(2)

    class BrainNetCNNProducts(nn.Module):
        def __init__(self):
            super().__init__()
            self.e1, self.e2 = E2EProducts(1, 32), E2EProducts(32, 32)
            self.e2n, self.n2g = Line(32, 64, (1, d)), nn.Linear(64 * d, 256)
            self.f1, self.f2, self.f3 = nn.Linear(256, 128), nn.Linear(128, 30), nn.Linear(30, 2)

        def forward(self, x):
            f = lambda v: F.leaky_relu(v, 0.33)
            x = f(self.e2n(f(self.e2(f(self.e1(x.unsqueeze(1))))))).flatten(1)
            x = F.dropout(f(self.n2g(x)), 0.5, self.training)
            x = F.dropout(f(self.f1(x)), 0.5, self.training)
            return self.f3(F.dropout(f(self.f2(x)), 0.5, self.training))

    class BrainNetCNN(nn.Module):
        def __init__(self):
            super().__init__()
            self.e1, self.e2 = E2E(1, 32), E2E(32, 32)
            self.e2n, self.n2g = nn.Conv2d(32, 64, (1, d)), nn.Conv2d(64, 256, (d, 1))
            self.f1, self.f2, self.f3 = nn.Linear(256, 128), nn.Linear(128, 30), nn.Linear(30, 2)

        def forward(self, x):
            f = lambda v: F.leaky_relu(v, 0.33)
            x = f(self.e2n(f(self.e2(f(self.e1(x.unsqueeze(1)))))))
            x = F.dropout(f(self.n2g(x)).flatten(1), 0.5, self.training)
            x = F.dropout(f(self.f1(x)), 0.5, self.training)
            return self.f3(F.dropout(f(self.f2(x)), 0.5, self.training))

    class NNConv(nn.Module):
        """As PyTorch Geometric's: a matrix for each edge, by a batched product."""
        def __init__(self, i, o):
            super().__init__()
            self.i, self.o, self.nn, self.root = i, o, nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, i * o)), nn.Linear(i, o)

        def forward(self, x, edge, e):
            m = torch.bmm(x[edge[0]].unsqueeze(1), self.nn(e.unsqueeze(1)).view(-1, self.i, self.o)).squeeze(1)
            return self.root(x).index_add(0, edge[1], m)

    class Li(nn.Module):
        def __init__(self):
            super().__init__()
            self.c = nn.ModuleList([NNConv(d, 16), NNConv(16, 16)])
            self.p = nn.ParameterList([torch.randn(16) * 0.25, torch.randn(16) * 0.25])
            self.mlp = nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 2))

        def forward(self, batch):
            x, edge, e, g = batch
            n, zs = x.shape[1], []
            x = x.reshape(g * n, -1)
            for c, p in zip(self.c, self.p):
                h = c(x, edge, e)
                s = torch.tanh(h @ p / p.norm())
                k = (n + 1) // 2
                top = s.view(g, n).topk(k, 1).indices + (torch.arange(g) * n).unsqueeze(1)
                kept = top.flatten()
                place = torch.full((g * n,), -1)
                place[kept] = torch.arange(g * k)
                x = h[kept] * s[kept].unsqueeze(1)
                edge = place[edge]
                ok = (edge >= 0).all(0)
                edge, e, n = edge[:, ok], e[ok], k
                v = x.view(g, k, -1)
                zs += [v.max(1).values, v.mean(1)]
            return self.mlp(torch.cat(zs, 1))

    return {"brainnetcnn": BrainNetCNN, "brainnetcnn-products": BrainNetCNNProducts, "li2019": Li}[name]()


def time_torch(name):
    import torch
    import torch.nn.functional as F
    torch.set_num_threads(a.threads)
    torch.manual_seed(0)
    m = torch_model(name)
    y_ = torch.tensor(y)
    if name == "li2019":
        at = [np.nonzero(E[i]) for i in range(len(E))]
        ends = [torch.tensor(np.array(p)) for p in at]
        weight = [torch.tensor(E[i][p]).float() for i, p in enumerate(at)]
        x = torch.tensor(X).float()

        def inputs(ids):
            edge = torch.cat([ends[i] + k * d for k, i in enumerate(ids)], 1)
            return x[ids], edge, torch.cat([weight[i] for i in ids]), len(ids)
    else:
        full = torch.tensor(V if name == "mlp-torch" else X).float()
        inputs = lambda ids: full[ids]
    batch = 14 if name.startswith("brainnetcnn") else 100
    opt = torch.optim.SGD(m.parameters(), 0.001, momentum=0.9, weight_decay=5e-4) if name.startswith("brainnetcnn") else torch.optim.Adam(m.parameters(), 1e-3)
    epochs = 100 if name == "mlp-torch" else a.epochs
    r = np.random.default_rng(0)
    w, c = time.perf_counter(), cpu()
    for _ in range(epochs):
        order = r.permutation(tr)
        for i in range(0, len(order), batch):
            ids = order[i:i + batch]
            opt.zero_grad()
            F.cross_entropy(m(inputs(ids)), y_[ids]).backward()
            opt.step()
    w, c, at_ = (time.perf_counter() - w) / epochs, (cpu() - c) / epochs, time.perf_counter()
    m.eval()
    with torch.no_grad():
        z = torch.cat([m(inputs(te[i:i + batch])) for i in range(0, len(te), batch)])
    tell(name.split("-")[0], "PyTorch", w, c, time.perf_counter() - at_, (z.argmax(1).numpy() == y[te]).mean().item())


for model in a.models.split(","):
    (time_torch if model in ("mlp-torch", "brainnetcnn", "brainnetcnn-products", "li2019") else time_sklearn)(model)
