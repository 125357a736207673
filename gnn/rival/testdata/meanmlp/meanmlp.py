#!/usr/bin/env python3
"""Reference numbers of meanMLP (Popov et al., NeuroImage 2024), float64, written out in torch ops.

usage: oracle.py [--out DIR] [--check]
"""
import argparse, hashlib, json, math, os, sys, tempfile
import numpy as np
import torch
torch.set_default_dtype(torch.float64); torch.set_num_threads(1)
T = torch.from_numpy
SZ = dict(B=6, T=20, F=13, H=16, C=2)
CASES = {"default": dict(layers=0), "two_blocks": dict(layers=2), "masked": dict(layers=0, mask=True)}


def layout(o):
    H, F, C = SZ["H"], SZ["F"], SZ["C"]; L = [("in_W", (H, F)), ("in_b", (H,)), ("in_g", (H,)), ("in_beta", (H,))]
    for l in range(1, o["layers"] + 1):
        L += [(f"r{l}_W", (H, H)), (f"r{l}_b", (H,)), (f"r{l}_g", (H,)), (f"r{l}_beta", (H,))]
    return L + [("out_W", (C, H)), ("out_b", (C,))]


def unpack(o, t):
    P, i = {}, 0
    for n, s in layout(o):
        m = int(np.prod(s)); P[n] = t[i:i + m].reshape(s); i += m
    return P


def ln(x, g, b):
    m = x.mean(-1, keepdim=True); v = ((x - m) ** 2).mean(-1, keepdim=True)
    return (x - m) / torch.sqrt(v + 1e-5) * g + b


def forward(o, P, X, keep_in=None, n=None):
    """X [B,T,F]; keep_in [B,T,H]: dropout multipliers after the first ReLU (0 or 1/(1-p)); n [B]: valid volumes."""
    h = torch.relu(ln(X @ P["in_W"].T + P["in_b"], P["in_g"], P["in_beta"]))
    if keep_in is not None:
        h = h * keep_in
    for l in range(1, o["layers"] + 1):
        h = torch.relu(ln(h @ P[f"r{l}_W"].T + P[f"r{l}_b"], P[f"r{l}_g"], P[f"r{l}_beta"]) + h)
    t = h @ P["out_W"].T + P["out_b"]                                  # [B,T,C]
    if o.get("mask"):
        m = (torch.arange(X.shape[1])[None] < n[:, None]).double(); return t, (t * m.unsqueeze(2)).sum(1) / n[:, None]
    return t, t.mean(1)


def loss(lo, y):
    ce = -torch.log_softmax(lo, 1).gather(1, y[:, None]); return ce.sum(), ce.mean()


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("--out"); ap.add_argument("--check", action="store_true"); a = ap.parse_args()
    here = os.path.dirname(os.path.abspath(__file__)); dst = a.out or (tempfile.mkdtemp() if a.check else here); arrays = {}

    def put(name, x, meaning):
        x = np.ascontiguousarray(np.atleast_1d(np.asarray(x.detach() if torch.is_tensor(x) else x)), dtype="<f8")
        f = os.path.join(dst, name + ".npy"); os.makedirs(os.path.dirname(f), exist_ok=True); np.save(f, x)
        arrays[name + ".npy"] = dict(shape=list(x.shape), sha256=hashlib.sha256(open(f, "rb").read()).hexdigest(), meaning=meaning)

    r = np.random.RandomState(2024); X = r.randn(SZ["B"], SZ["T"], SZ["F"]).cumsum(1) * 0.3 + r.randn(SZ["B"], 1, SZ["F"]); y = np.array([0, 1, 1, 0, 1, 0])
    Z = (X - X.mean(1, keepdims=True)) / X.std(1, keepdims=True); n = np.array([20, 12, 17, 20, 5, 9]); p = 0.49
    K = (r.rand(SZ["B"], SZ["T"], SZ["H"]) >= p) / (1 - p)
    put("X", X, "time series [B,T,F], F regions"); put("Z", Z, "z-scored over time per region, population sd: the input of every case"); put("y", y, "classes"); put("n_volumes", n, "valid volumes of each participant (case masked)")
    put("dropout_keep", K, "multipliers of one dropout draw, p 0.49: 0 or 1/0.51 [B,T,H]")
    info = dict(model="meanMLP", sizes=SZ, torch=torch.__version__, numpy=np.__version__, cases={}, checks={}); tX, ty, tn, tK = T(Z), T(y), T(n), T(K)
    for name, o in CASES.items():
        q = np.random.RandomState(7); v = np.concatenate([(1 + 0.2 * q.randn(*s) if k.endswith("_g") else q.uniform(-1, 1, s) * 1.5 / math.sqrt(s[-1])).ravel() for k, s in layout(o)])

        def run(v, keep=None):
            t = T(v.copy()).requires_grad_(True); tt, lo = forward(o, unpack(o, t), tX, keep, tn); s, m = loss(lo, ty)
            return tt, lo, np.array([s.item(), m.item()]), torch.autograd.grad(s, t)[0].numpy()
        tt, lo, ls, g = run(v); h = 1e-6; num = np.zeros_like(v)
        with torch.inference_mode():
            f = lambda w: loss(forward(o, unpack(o, T(w)), tX, None, tn)[1], ty)[0].item()
            for i in range(v.size):
                b, c = v.copy(), v.copy(); b[i] += h; c[i] -= h; num[i] = (f(b) - f(c)) / (2 * h)
        # outside check: the same network built of torch modules
        P = unpack(o, T(v)); H = SZ["H"]; mods = [torch.nn.Linear(SZ["F"], H), torch.nn.LayerNorm(H)] + [q for _ in range(o["layers"]) for q in (torch.nn.Linear(H, H), torch.nn.LayerNorm(H))] + [torch.nn.Linear(H, SZ["C"])]
        with torch.no_grad():
            for (k, w), prm in zip(P.items(), [q for m in mods for q in (m.weight, m.bias)]):
                prm.copy_(w)
            u = torch.relu(mods[1](mods[0](tX)))
            for l in range(o["layers"]):
                u = torch.relu(mods[3 + 2 * l](mods[2 + 2 * l](u)) + u)
            u = mods[-1](u)
        chk = dict(finite_difference=float(np.abs(num - g).max() / np.abs(g).max()), modules=float((u - tt).detach().abs().max())); assert chk["finite_difference"] < 1e-7 and chk["modules"] < 1e-12, chk
        info["checks"][name] = chk; info["cases"][name] = dict(options=o, layout=[[k, list(s)] for k, s in layout(o)], parameters=int(v.size))
        put(f"{name}/init", v, "parameters, flat"); put(f"{name}/logits_t", tt, "logits of every volume [B,T,C]"); put(f"{name}/logits", lo, "their mean over time [B,C]")
        put(f"{name}/losses", ls, "cross-entropy summed over the batch (minimised), mean"); put(f"{name}/grad", g, "gradient of the sum")
        tx = tX.clone().requires_grad_(True); lo2 = forward(o, unpack(o, T(v)), tx, None, tn)[1]; d, = torch.autograd.grad((lo2[:, 1] - lo2[:, 0]).sum(), tx)
        put(f"{name}/input_grad", d, "d(logit1 - logit0)/dX [B,T,F]"); put(f"{name}/region_score", (d * tX).sum(1), "gradient x input summed over time [B,F]")
        if name == "default":
            t2, l2, s2, g2 = run(v, tK); put("default/dropout_logits", l2, "logits with dropout_keep"); put("default/dropout_losses", s2, "losses with dropout_keep"); put("default/dropout_grad", g2, "gradient with dropout_keep")
        prm = torch.nn.Parameter(T(v.copy())); op = torch.optim.Adam([prm], lr=0.005); A = []; m = s = 0.0; w = v.copy()
        for t in range(1, 4):
            gg = run(prm.detach().numpy())[3]; prm.grad = T(gg.copy()); op.step(); A.append(prm.detach().numpy().copy())
            m = 0.9 * m + 0.1 * gg; s = 0.999 * s + 0.001 * gg * gg; w = w - 0.005 * (m / (1 - 0.9 ** t)) / (np.sqrt(s / (1 - 0.999 ** t)) + 1e-8); assert np.abs(w - A[-1]).max() < 1e-13
        put(f"{name}/adam", np.array(A), "parameters after Adam steps 1, 2, 3, lr 0.005, no weight decay, no dropout")
    info["arrays"] = arrays; json.dump(info, open(os.path.join(dst, "manifest.json"), "w"), indent=1)
    if a.check:
        old = json.load(open(os.path.join(here, "manifest.json")))["arrays"]; d = max(float(np.abs(np.load(os.path.join(dst, k)) - np.load(os.path.join(here, k))).max()) for k in arrays)
        print(f"{len(arrays)} arrays, {sum(arrays[k]['sha256'] == old[k]['sha256'] for k in arrays)} byte-identical, largest difference {d:.3g}"); sys.exit(d > 1e-9)
    print(json.dumps(info["checks"], indent=1))


if __name__ == "__main__":
    main()
