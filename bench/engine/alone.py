#!/usr/bin/env python3
"""Our engine alone on tasks of no work: alone.py PROGRAM DIR N…

For each N, a pipeline of N echo tasks: the first run (every blob and record synced before
the next thing rests on it), then runs that find everything. Least of the repeats: wall
time (process start included), CPU time (user + system), peak resident memory.

Up to SYNCED tasks, with the store on the disk of DIR and once more in memory (/dev/shm),
where a sync costs nothing: the difference is what the disk costs. Above that in memory
only, where there is such a place: the no-op is what is of interest.
"""
import os, shutil, subprocess, sys, time

SYNCED, REPEATS = 10000, 9
program, root, sizes = os.path.abspath(sys.argv[1]), sys.argv[2], [int(n) for n in sys.argv[3:]]


def run(dir):
    """One run: wall s, CPU s, resident MB, the last line."""
    t = time.perf_counter()
    p = subprocess.Popen([program, "run", "-q", "echo.yaml"], cwd=dir, stdout=subprocess.PIPE, text=True)
    text = p.stdout.read()
    _, status, used = os.wait4(p.pid, 0)
    wall = time.perf_counter() - t
    if status:
        sys.exit(f"run ended with {status}: {text}")
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, text.split("\n")[-2]


print("| tasks | store on | first run: wall s | CPU s | MB | no-op: least wall s | median wall s | least CPU s | MB |")
print("|---|---|---|---|---|---|---|---|---|")
shm = "/dev/shm" if os.path.isdir("/dev/shm") else None
for n, synced in [(n, synced) for n in sizes for synced in (True, False)]:
    if synced and n > SYNCED and shm or not synced and not shm:
        continue
    dir = os.path.join(root if synced else shm, f"prgnn-echo-{n}-{os.getpid()}")
    os.makedirs(dir)
    try:
        with open(os.path.join(dir, "echo.yaml"), "w") as f:
            f.write(f"stages:\n  numbers: {{ use: echo, matrix: {{ value: [1..{n}] }} }}\n")
        first = run(dir)
        assert f"{n} tasks: {n} ran" in first[3], first[3]
        time.sleep(2.1)  # what is younger than 2 s is not trusted without reading it
        again = [run(dir) for _ in range(REPEATS)]
        assert all(f"{n} tasks: 0 ran, {n} cached" in r[3] for r in again), again[0][3]
        walls = sorted(r[0] for r in again)
        print(f"| {n:,} | {'disk' if synced else 'memory'} | {first[0]:.2f} | {first[1]:.2f} | {first[2]:.0f} "
              f"| {walls[0]:.3f} | {walls[REPEATS // 2]:.3f} | {min(r[1] for r in again):.3f} | {max(r[2] for r in again):.0f} |", flush=True)
        print(f"figure tasks.{n}.wall {1000 * walls[0]:.0f} ms\nfigure tasks.{n}.memory {max(r[2] for r in again):.0f} MB", file=sys.stderr)
    finally:
        shutil.rmtree(dir)
