"""Writes golden.json: the first numbers of some streams, by a definition of its own.

ChaCha8Rand as in the specification at c2sp.org/chacha8rand: the key is the seed; a refill
runs four ChaCha blocks of 8 rounds with counters c..c+3, zero nonce, without adding the
initial state except to the key words, and interleaves their words by fours; the last 32
bytes of every 1024 are not given out but become the next key, so that 992 bytes, 124
numbers of 64 bits, come from each. Python 3.11, no packages.
"""
import hashlib, json, math, struct

M = 0xFFFFFFFF
rot = lambda x, n: ((x << n) | (x >> (32 - n))) & M


def block(key, counter):
    const = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574]
    s = const + list(key) + [counter, 0, 0, 0]
    x = list(s)

    def quarter(a, b, c, d):
        x[a] = (x[a] + x[b]) & M; x[d] = rot(x[d] ^ x[a], 16)
        x[c] = (x[c] + x[d]) & M; x[b] = rot(x[b] ^ x[c], 12)
        x[a] = (x[a] + x[b]) & M; x[d] = rot(x[d] ^ x[a], 8)
        x[c] = (x[c] + x[d]) & M; x[b] = rot(x[b] ^ x[c], 7)

    for _ in range(4):
        quarter(0, 4, 8, 12); quarter(1, 5, 9, 13); quarter(2, 6, 10, 14); quarter(3, 7, 11, 15)
        quarter(0, 5, 10, 15); quarter(1, 6, 11, 12); quarter(2, 7, 8, 13); quarter(3, 4, 9, 14)
    return [(v + s[i]) & M if 4 <= i < 12 else v for i, v in enumerate(x)]


def chacha8rand(seed):
    key = struct.unpack("<8I", seed)
    while True:
        words = []
        for counter in range(0, 16, 4):
            four = [block(key, counter + j) for j in range(4)]
            words += [four[j][i] for i in range(16) for j in range(4)]
        raw = struct.pack("<256I", *words)
        for (v,) in struct.iter_unpack("<Q", raw[:992]):
            yield v
        key = struct.unpack("<8I", raw[992:])


def stream(seed, *name):
    b = struct.pack("<Q", seed)
    for w in name:
        w = str(w).encode()
        b += struct.pack("<Q", len(w)) + w
    return chacha8rand(hashlib.sha256(b).digest())


def normals(bits, n):
    uniform = lambda: (next(bits) & (1 << 53) - 1) / (1 << 53)
    out = []
    while len(out) < n:
        u, v = 2 * uniform() - 1, 2 * uniform() - 1
        q = u * u + v * v
        if 0 < q < 1:
            f = math.sqrt(-2 * math.log(q) / q)
            out += [u * f, v * f]
    return out[:n]


cases = [(0, []), (2020, ["simulate", "sub-sim001"]), (2020, ["bootstrap", "sub-003", 17, 4]), (2**64 - 1, ["", "größe"])]
golden = []
for seed, name in cases:
    s = stream(seed, *name)
    first = [next(s) for _ in range(300)]
    golden.append({"seed": str(seed), "name": name, "first": [str(v) for v in first[:4]], "last": str(first[299]),
                   "normals": normals(stream(seed, *name), 6)})
json.dump(golden, open("golden.json", "w"), indent=1, ensure_ascii=False)
