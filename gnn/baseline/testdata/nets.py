#!/usr/bin/env python3
"""Writes nets.json: forward, gradient and optimiser steps of small networks in PyTorch, float64.

All parameters are one vector, laid out as package baseline does; here they are taken
apart into the weights of PyTorch's own convolutions, and of a matrix for each edge.

usage: python3 nets.py > nets.json      (made with torch 2.15.0, numpy 2.4.6)
"""
import json, math, sys
import numpy as np
import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
r = np.random.default_rng(3)
T = torch.tensor


class Taker:
    """Hands out the arrays of one vector, in order."""
    def __init__(self, theta): self.theta, self.at = theta, 0
    def __call__(self, *shape):
        n = math.prod(shape)
        v = self.theta[self.at:self.at + n].reshape(*shape)
        self.at += n
        return v


def mlp_head(take, z, widths):
    for i in range(len(widths) - 1):
        w, b = take(widths[i], widths[i + 1]), take(widths[i + 1])
        z = F.linear(z, w.T, b)
        if i < len(widths) - 2:
            z = F.relu(z)
    return z


def mlp(theta, case):
    take = Taker(theta)
    z = mlp_head(take, T(case["x"]), case["widths"])
    assert take.at == len(theta)
    return z


def brainnetcnn(theta, case):
    take, d, slope = Taker(theta), case["d"], case["slope"]
    n = len(case["x"])
    x = torch.zeros(n, 1, d, d)
    i, j = np.triu_indices(d, 1)
    x[:, 0, i, j] = T(case["x"])
    x = x + x.transpose(2, 3) + torch.eye(d)
    inside = 1
    for out in case["edges"]:
        row, rb = take(inside, d, out), take(out)
        col, cb = take(d, inside, out), take(out)
        a = F.conv2d(x, row.permute(2, 0, 1).unsqueeze(2), rb)  # kernel 1 × d: n, out, d, 1
        b = F.conv2d(x, col.permute(2, 1, 0).unsqueeze(3), cb)  # kernel d × 1: n, out, 1, d
        x = F.leaky_relu(a + b, slope)
        inside = out
    e2n, nb = take(inside, d, case["nodes"]), take(case["nodes"])
    x = F.leaky_relu(F.conv2d(x, e2n.permute(2, 0, 1).unsqueeze(2), nb), slope)
    widths = [d * case["nodes"]] + case["hidden"] + [2]
    n2g, gb = take(d, case["nodes"], widths[1]), take(widths[1])
    z = F.leaky_relu(F.conv2d(x, n2g.permute(2, 1, 0).unsqueeze(3), gb), slope).flatten(1)
    for k in range(1, len(widths) - 1):
        w, b = take(widths[k], widths[k + 1]), take(widths[k + 1])
        z = F.linear(z, w.T, b)
        if k < len(widths) - 2:
            z = F.leaky_relu(z, slope)
    assert take.at == len(theta)
    return z


def li2019(theta, case):
    take = Taker(theta)
    blocks, inside = [], case["features"]
    for out in case["widths"]:
        w, b, gate, p = take(inside, 3 * out), take(out), take(2), take(out)
        blocks.append((w[:, :out], w[:, out:2 * out], w[:, 2 * out:], b, gate, p))
        inside = out
    zs = []
    for g in case["graphs"]:
        x = T(g["x"]).reshape(g["nodes"], -1)
        edges = [(i, j, e) for i, j, e in g["edges"]] + [(j, i, e) for i, j, e in g["edges"]]
        z = []
        for w, b, root, bias, gate, p in blocks:
            rows = []
            for i in range(len(x)):
                h = x[i] @ root + bias
                for a, c, e in edges:
                    if c == i:
                        m = F.relu(gate[0] * e + gate[1]) * w + b  # the matrix of this edge
                        h = h + x[a] @ m
                rows.append(h)
            h = torch.stack(rows)
            score = torch.tanh(h @ p / p.norm())
            kept = torch.argsort(score, descending=True, stable=True)[:math.ceil(case["ratio"] * len(h) - 1e-9)].tolist()
            x = h[kept] * score[kept].unsqueeze(1)
            place = {k: i for i, k in enumerate(kept)}
            edges = [(place[a], place[c], e) for a, c, e in edges if a in place and c in place]
            z += [x.max(0).values, x.mean(0)]
        zs.append(torch.cat(z))
    widths = [2 * sum(case["widths"])] + case["hidden"] + [2]
    z = mlp_head(take, torch.stack(zs), widths)
    assert take.at == len(theta)
    return z


def trace(model, case, count, optimiser):
    theta = T(r.normal(size=count) * 0.4, requires_grad=True)
    y = T(case["y"])
    case["params"] = theta.tolist()
    z = model(theta, case)
    loss = F.cross_entropy(z, y)
    loss.backward()
    case["probability"] = torch.softmax(z, 1).flatten().tolist()
    case["loss"], case["grad"] = loss.item(), theta.grad.tolist()
    opt = optimiser([theta])
    for _ in range(4):
        opt.zero_grad()
        F.cross_entropy(model(theta, case), y).backward()
        opt.step()
    case["after"] = theta.tolist()
    return case


adam = lambda p: torch.optim.Adam(p, lr=0.01)
sgd = lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9, weight_decay=5e-4)
d, n = 7, 6
triangles = np.tanh(r.normal(size=(n, d * (d - 1) // 2)) * 0.5).round(6).tolist()
y = [0, 1, 1, 0, 1, 0]
graphs = []
for k in range(n):
    edges = [(int(i), int(j), float(r.uniform(0.05, 0.5).__round__(6))) for i, j in zip(*np.triu_indices(d, 1)) if r.random() < 0.4]
    graphs.append({"nodes": d, "x": np.tanh(r.normal(size=d * 5)).round(6).tolist(), "edges": edges})
out = {"made with": f"torch {torch.__version__}, numpy {np.__version__}"}
out["mlp"] = trace(mlp, {"x": triangles, "y": y, "widths": [21, 4, 2]}, 21 * 4 + 4 + 4 * 2 + 2, adam)
c = {"x": triangles, "y": y, "d": d, "edges": [3, 4], "nodes": 5, "hidden": [6, 5, 3], "slope": 0.33}
count = 2 * (7 * 3 + 3) + 2 * (3 * 7 * 4 + 4) + 4 * 7 * 5 + 5 + 35 * 6 + 6 + 6 * 5 + 5 + 5 * 3 + 3 + 3 * 2 + 2
out["brainnetcnn"] = trace(brainnetcnn, c, count, sgd)
c = {"graphs": graphs, "y": y, "features": 5, "widths": [4, 3], "hidden": [5, 3], "ratio": 0.5}
count = 5 * 12 + 4 + 2 + 4 + 4 * 9 + 3 + 2 + 3 + 14 * 5 + 5 + 5 * 3 + 3 + 3 * 2 + 2
out["li2019"] = trace(li2019, c, count, adam)
json.dump(out, sys.stdout)
