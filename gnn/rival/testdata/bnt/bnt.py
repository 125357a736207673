#!/usr/bin/env python3
"""Reference numbers of the Brain Network Transformer (Kan et al., NeurIPS 2022), float64, written out in torch ops.

usage: bnt.py [--out DIR] [--check] [--cases NAME,NAME]
"""
import argparse, hashlib, json, math, os, sys, tempfile
import numpy as np
import torch
torch.set_default_dtype(torch.float64); torch.set_num_threads(1)
T = torch.from_numpy

SZ = dict(M=6, N=12, V=12, heads=4, ff=16, K=5, enc=6, red=4, h1=10, h2=6, C=2)
# readout: code = MLP on the flattened graph, then squared projections; paper = softmax of the plain inner products
CODE = dict(readout="code", sum_ce=True, bias=True)
CASES = {"code": CODE, "paper": dict(CODE, readout="paper"), "student_t": dict(CODE, readout="student_t"),
         "no_bias": dict(CODE, bias=False), "centers_free": dict(CODE, train_centers=True),
         # identity: learned columns beside the matrix; dec: weight of the clustering loss
         "identity": dict(CODE, identity=3), "dec": dict(CODE, dec=0.7), "student_t_dec": dict(CODE, readout="student_t", dec=2.0),
         "both": dict(CODE, readout="paper", identity=2, dec=0.5)}
NEW = ("identity", "dec", "student_t_dec", "both")


def width(o):
    """Columns of x: matrix and identity, up to a multiple of the heads."""
    return -(-(SZ["N"] + o.get("identity", 0)) // SZ["heads"]) * SZ["heads"]


def layout(o):
    N, V, ff, K, e, r, h1, h2, C = (SZ[q] for q in ("N", "V", "ff", "K", "enc", "red", "h1", "h2", "C")); L = []; V = width(o)
    if "identity" in o:
        L = [("identity", (o["identity"], N))]
    for l in (1, 2):
        L += [(f"a{l}_in_W", (3 * V, V)), (f"a{l}_in_b", (3 * V,)), (f"a{l}_out_W", (V, V)), (f"a{l}_out_b", (V,)),
              (f"f{l}_1_W", (ff, V)), (f"f{l}_1_b", (ff,)), (f"f{l}_2_W", (V, ff)), (f"f{l}_2_b", (V,)),
              (f"n{l}_1_g", (V,)), (f"n{l}_1_b", (V,)), (f"n{l}_2_g", (V,)), (f"n{l}_2_b", (V,))]
    if not o["bias"]:
        L = [q for q in L if not q[0].endswith("_b")]
    if o["readout"] != "paper":
        for i, (a, b) in enumerate(((N * V, e), (e, e), (e, N * V)), 1):
            L += [(f"e{i}_W", (b, a)), (f"e{i}_b", (b,))]
    if o.get("train_centers"):
        L += [("centers", (K, V))]
    return L + [("red_W", (r, V)), ("red_b", (r,)), ("c1_W", (h1, r * K)), ("c1_b", (h1,)), ("c2_W", (h2, h1)), ("c2_b", (h2,)), ("c3_W", (C, h2)), ("c3_b", (C,))]


def gram_schmidt(c, first_unit):
    """Rows one after another; the released code leaves row 0 unnormalised (first_unit False)."""
    c = c.copy(); u = np.zeros_like(c)
    for i in range(len(c)):
        w = c[i] - sum((c[j] @ c[i]) / (c[j] @ c[j]) * c[j] for j in range(i)); c[i] = w
        u[i] = w if i == 0 and not first_unit else w / np.linalg.norm(w)
    return u


def ln(x, g, b):
    m = x.mean(-1, keepdim=True); v = ((x - m) ** 2).mean(-1, keepdim=True)
    y = (x - m) / torch.sqrt(v + 1e-5) * g
    return y if b is None else y + b


def lin(x, W, b):
    return x @ W.T if b is None else x @ W.T + b


def forward(o, P, X, centers):
    out = {}; M, N, V = X.shape[0], X.shape[1], width(o); h = SZ["heads"]; d = V // h; x = X; g = P.get
    if "identity" in o:
        x = torch.cat([x, P["identity"].T.expand(M, -1, -1), torch.zeros(M, N, V - N - o["identity"])], 2)
    leaky = lambda a: torch.where(a > 0, a, 0.01 * a)
    out["x"] = x
    for l in (1, 2):
        qkv = lin(x, P[f"a{l}_in_W"], g(f"a{l}_in_b")); q, k, v = (t.reshape(M, N, h, d).transpose(1, 2) for t in qkv.split(V, -1))
        A = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(d), -1)                  # [M,h,N,N]
        z = lin((A @ v).transpose(1, 2).reshape(M, N, V), P[f"a{l}_out_W"], g(f"a{l}_out_b"))
        x = ln(x + z, P[f"n{l}_1_g"], g(f"n{l}_1_b"))
        f = lin(torch.relu(lin(x, P[f"f{l}_1_W"], g(f"f{l}_1_b"))), P[f"f{l}_2_W"], g(f"f{l}_2_b"))
        x = ln(x + f, P[f"n{l}_2_g"], g(f"n{l}_2_b"))
        out[f"att{l}"] = A; out[f"att{l}_mean"] = A.mean(1); out[f"x{l}"] = x
    C = P.get("centers", centers)
    if o["readout"] == "paper":
        z = x; logit = z @ C.T; Q = torch.softmax(logit, -1)
    else:
        e = leaky(lin(x.reshape(M, -1), P["e1_W"], P["e1_b"])); e = leaky(lin(e, P["e2_W"], P["e2_b"]))
        z = lin(e, P["e3_W"], P["e3_b"]).reshape(M, N, V)
        if o["readout"] == "code":
            Q = torch.softmax((z @ C.T) ** 2 / torch.linalg.norm(C, dim=-1), -1)
        else:
            t = 1 / (1 + ((z.unsqueeze(2) - C) ** 2).sum(-1)); Q = t / t.sum(-1, keepdim=True)
    out["enc"], out["assign"] = z, Q
    G = Q.transpose(1, 2) @ z; out["pooled"] = G                                     # [M,K,V]
    r = leaky(lin(G, P["red_W"], P["red_b"])).reshape(M, -1); out["z"] = r
    c = leaky(lin(r, P["c1_W"], P["c1_b"])); c = leaky(lin(c, P["c2_W"], P["c2_b"])); out["logits"] = lin(c, P["c3_W"], P["c3_b"])
    return out


def dec_target(Q):
    q = Q.detach().reshape(-1, Q.shape[-1]); w = q ** 2 / q.sum(0)
    return w / w.sum(1, keepdim=True)


def dec_kl(Q, p):
    """The clustering loss that the released program defines and never calls (Xie et al. 2016, eq. 2, 3)."""
    q = Q.reshape(-1, Q.shape[-1])
    return torch.nn.functional.kl_div(torch.log(q), p, reduction="sum") / q.shape[0]


def losses(o, out, Y, target=None):
    ce = -(Y * torch.log_softmax(out["logits"], 1)).sum(1); kl = dec_kl(out["assign"], dec_target(out["assign"]) if target is None else target)
    return ce.sum() + o.get("dec", 0) * kl, torch.stack([ce.sum(), ce.mean(), kl])


def unpack(o, t):
    P, i = {}, 0
    for n, s in layout(o):
        m = int(np.prod(s)); P[n] = t[i:i + m].reshape(s); i += m
    return P


def run(o, v, X, Y, C):
    t = T(v.copy()).requires_grad_(True); out = forward(o, unpack(o, t), X, C); tot, terms = losses(o, out, Y)
    return out, terms.detach().numpy(), torch.autograd.grad(tot, t)[0].numpy()


def init(o, seed, C):
    r = np.random.RandomState(seed); a = []
    for n, s in layout(dict(o, bias=True)):
        x = C.copy() if n == "centers" else (1 + 0.2 * r.randn(*s) if n.endswith("_g") else r.uniform(-1, 1, s) * (1.6 if n.endswith("_W") else 0.6) / math.sqrt(s[-1]))
        if n[0] == "e" and n != "e3_b":
            x = x * (2.5 if n.endswith("_W") else 0.5)
        if n[0] == "c" and n.endswith("_W"):
            x = x * 1.5
        if o["bias"] or not (n.endswith("_b") and n[0] in "afn" ):
            a.append(x.ravel())
    return np.concatenate(a)


def fdcheck(o, v, X, Y, C, g, step, h=1e-6):
    at = np.arange(0, v.size, step); n = np.zeros(at.size)
    with torch.inference_mode():
        target = dec_target(forward(o, unpack(o, T(v)), X, C)["assign"])  # fixed
        f = lambda w: losses(o, forward(o, unpack(o, T(w)), X, C), Y, target)[0].item()
        for k, i in enumerate(at):
            a = v.copy(); a[i] += h; b = v.copy(); b[i] -= h; n[k] = (f(a) - f(b)) / (2 * h)
    return float(np.abs(n - g[at]).max() / np.abs(g).max())


def module_check(o, v, X, out):
    """The two encoder blocks against torch.nn.TransformerEncoderLayer."""
    P = unpack(o, T(v)); x = out["x"]; worst = 0.0
    for l in (1, 2):
        m = torch.nn.TransformerEncoderLayer(width(o), SZ["heads"], SZ["ff"], dropout=0.0, batch_first=True, bias=o["bias"])
        S = dict(m.named_parameters()); get = {"self_attn.in_proj_weight": "a{}_in_W", "self_attn.in_proj_bias": "a{}_in_b", "self_attn.out_proj.weight": "a{}_out_W",
             "self_attn.out_proj.bias": "a{}_out_b", "linear1.weight": "f{}_1_W", "linear1.bias": "f{}_1_b", "linear2.weight": "f{}_2_W", "linear2.bias": "f{}_2_b",
             "norm1.weight": "n{}_1_g", "norm1.bias": "n{}_1_b", "norm2.weight": "n{}_2_g", "norm2.bias": "n{}_2_b"}
        assert set(S) == {k for k in get if get[k].format(l) in P}
        with torch.no_grad():
            for k, p in S.items():
                p.copy_(P[get[k].format(l)])
            w = m.self_attn(x, x, x, need_weights=True)[1]; x = m(x)
        worst = max(worst, (x - out[f"x{l}"]).abs().max().item(), (w - out[f"att{l}_mean"]).abs().max().item())
    return worst


def adam(o, v, X, Y, C, lrs, wd=1e-4):
    p = torch.nn.Parameter(T(v.copy())); op = torch.optim.Adam([p], lr=0.0, weight_decay=wd); res = []; m = u = 0.0; q = v.copy()
    for t, lr in enumerate(lrs, 1):
        g = run(o, p.detach().numpy(), X, Y, C)[2]; op.param_groups[0]["lr"] = lr; p.grad = T(g.copy()); op.step(); res.append(p.detach().numpy().copy())
        gg = g + wd * q; m = 0.9 * m + 0.1 * gg; u = 0.999 * u + 0.001 * gg * gg; q = q - lr * (m / (1 - 0.9 ** t)) / (np.sqrt(u / (1 - 0.999 ** t)) + 1e-8)
        assert np.abs(q - res[-1]).max() < 1e-13
    return np.array(res)


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("--out"); ap.add_argument("--check", action="store_true"); ap.add_argument("--cases", default=",".join(CASES)); a = ap.parse_args()
    here = os.path.dirname(os.path.abspath(__file__)); dst = a.out or (tempfile.mkdtemp() if a.check else here); arrays = {}

    def put(name, x, meaning):
        x = np.ascontiguousarray(np.atleast_1d(np.asarray(x.detach() if torch.is_tensor(x) else x)), dtype="<f8")
        f = os.path.join(dst, name + ".npy"); os.makedirs(os.path.dirname(f), exist_ok=True); np.save(f, x)
        arrays[name + ".npy"] = dict(shape=list(x.shape), sha256=hashlib.sha256(open(f, "rb").read()).hexdigest(), meaning=meaning)

    r = np.random.RandomState(2022); M, N, V, K = (SZ[q] for q in "MNVK")
    X = np.array([np.corrcoef((0.6 * r.randn(30, N) + r.randn(30, 3) @ r.randn(3, N)).T) for _ in range(M)]); y = np.array([0, 1, 1, 0, 1, 0])
    lam, perm = 0.3, np.array([3, 0, 5, 1, 2, 4]); Y = np.eye(2)[y]; Xm, Ym = lam * X + (1 - lam) * X[perm], lam * Y + (1 - lam) * Y[perm]
    raw = r.uniform(-1, 1, (K, V)) * math.sqrt(6 / (K + V)); Cc, Cp = gram_schmidt(raw, False), gram_schmidt(raw, True)
    assert np.abs(Cp @ Cp.T - np.eye(K)).max() < 1e-14
    put("X", X, "node features = rows of the correlation matrix [M,N,V]"); put("y", y, "classes"); put("mix_perm", perm, "mixup partner"); put("mix_lam", lam, "mixup weight of the graph itself")
    put("X_mix", Xm, "mixed features"); put("Y_mix", Ym, "mixed one-hot labels"); put("centers_raw", raw, "cluster centres before Gram-Schmidt [K,V]")
    put("centers_code", Cc, "after the released Gram-Schmidt: row 0 keeps its length"); put("centers_paper", Cp, "orthonormal, all rows unit")
    tX, tY = T(Xm), T(Ym); info = dict(model="Brain Network Transformer", sizes=SZ, torch=torch.__version__, numpy=np.__version__, cases={}, checks={})
    total = 30; lrs = [1e-5 + (1e-4 - 1e-5) * (1 + math.cos(math.pi * t / total)) / 2 for t in (1, 2, 3)]; info["lr"] = lrs
    put("lr_cosine", np.array([1e-5 + 9e-5 * (1 + math.cos(math.pi * t / total)) / 2 for t in range(1, total + 1)]), "learning rate at steps 1..30 of 30, cosine from 1e-4 to 1e-5")
    wide = np.random.RandomState(2023).uniform(-1, 1, (K, 16)) * math.sqrt(6 / (K + 16)); wide_c, wide_p = gram_schmidt(wide, False), gram_schmidt(wide, True)
    put("centers_wide_code", wide_c, "centers of 16 columns"); put("centers_wide_paper", wide_p, "orthonormal, 16 columns")
    for name in a.cases.split(","):
        o = CASES[name]; C = Cp if o["readout"] == "paper" else Cc
        if "identity" in o:
            C = wide_p if o["readout"] == "paper" else wide_c
        v = init(o, 11, C); out, terms, g = run(o, v, tX, tY, T(C))
        chk = dict(module=module_check(o, v, tX, out), finite_difference=fdcheck(o, v, tX, tY, T(C), g, 29 if name in NEW else 1)); info["checks"][name] = chk
        assert chk["module"] < 1e-12 and chk["finite_difference"] < 1e-6, chk
        full = name in ("code", "paper")
        put(f"{name}/init", v, "parameters, flat, layout of the case"); put(f"{name}/losses", terms, "cross-entropy summed over the batch, its mean, DEC KL (mean over nodes; minimised with weight dec beside the summed cross-entropy)")
        put(f"{name}/grad", g, "gradient of the loss")
        for k, what in dict(att1="attention of block 1 [M,heads,N,N]", att1_mean="mean over heads, what the released program keeps [M,N,N]", x1="output of block 1", att2_mean="block 2, mean over heads", x2="output of block 2",
                            enc="node vectors that are pooled [M,N,V]", assign="soft assignment of nodes to clusters [M,N,K]", pooled="cluster vectors [M,K,V]", z="flattened input of the head", logits="logits").items():
            if full or k in ("assign", "pooled", "logits"):
                put(f"{name}/{k}", out[k], what)
        if full or name in NEW or name == "student_t":
            put(f"{name}/adam", adam(o, v, tX, tY, T(C), lrs), "parameters after Adam steps 1, 2, 3, L2 weight decay 1e-4, learning rates = lr_cosine[0:3]")
        if full:
            put(f"{name}/logits_unmixed", forward(o, unpack(o, T(v)), T(X), T(C))["logits"], "logits of the unmixed graphs X (evaluation: no dropout)")
        info["cases"][name] = dict(options=o, layout=[[n, list(s)] for n, s in layout(o)], parameters=int(v.size), centers="centers_paper" if o["readout"] == "paper" else "centers_code")
    info["arrays"] = arrays; json.dump(info, open(os.path.join(dst, "manifest.json"), "w"), indent=1)
    if a.check:
        old = json.load(open(os.path.join(here, "manifest.json")))["arrays"]
        d = max(float(np.abs(np.load(os.path.join(dst, n)) - np.load(os.path.join(here, n))).max()) for n in arrays)
        print(f"{len(arrays)} arrays, {sum(arrays[n]['sha256'] == old[n]['sha256'] for n in arrays)} byte-identical, largest difference {d:.3g}"); sys.exit(d > 1e-9)
    print(json.dumps(info["checks"], indent=1))


if __name__ == "__main__":
    main()
