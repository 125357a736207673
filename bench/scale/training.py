#!/usr/bin/env python3
"""Training on more graphs than memory holds, beside training in memory, in turn.

    bench/scale/training.py [GRAPHS=400000] [EPOCHS=4] [HELD=300000]

One of the two processes is stopped while the other runs an epoch: a machine changes its speed with
what its neighbors do, but hardly within some seconds. At the end the file is read without computing.

As root, what reads the file gets a memory cgroup of 2 GiB, so that the system's cache cannot hold
the file either. Needs 14.3 kB of disk under TMPDIR for each of GRAPHS, and 50 kB of memory for each
of HELD, which train in memory.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time

GRAPHS, EPOCHS, HELD = [int(x) for x in sys.argv[1:]] + [400000, 4, 300000][len(sys.argv) - 1:]
CGROUPS = [("/sys/fs/cgroup/memory/prgnn-training", "memory.limit_in_bytes"),
           ("/sys/fs/cgroup/prgnn-training", "memory.max")]


def limit():
    """Bounds the memory of this process, and of what it starts."""
    for directory, name in CGROUPS:
        try:
            os.makedirs(directory, exist_ok=True)
            with open(os.path.join(directory, name), "w") as f:
                f.write(str(2 << 30))
            with open(os.path.join(directory, "cgroup.procs"), "w") as f:
                f.write(str(os.getpid()))
            return
        except OSError:
            continue
    print("no memory cgroup here: the system's cache may hold the file", file=sys.stderr)


class Training:
    """A training that is stopped but for its turns."""

    def __init__(self, name, graphs, command, **how):
        self.name, self.graphs = name, graphs
        self.process = subprocess.Popen([*command, "-graphs", str(graphs), "-epochs", str(EPOCHS)],
                                        stdout=subprocess.PIPE, text=True, **how)
        print(f"{name}: {self.process.stdout.readline().strip()}", flush=True)
        self.stop()

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)
        self.stopped = time.time()

    def epoch(self):
        stopped = time.time() - self.stopped  # which the line counts as time of the epoch
        self.process.send_signal(signal.SIGCONT)
        # epoch 1, loss 0.6: 2.8 s, 5.5 s of processor; a graph 9.3 µs, 18.3 µs of processor; …
        word = self.process.stdout.readline().split()
        self.stop()
        wall, processor = float(word[12]) - 1e6 * stopped / self.graphs, float(word[14])
        print(f"{self.name}: epoch {word[1]} {wall:.1f} µs a graph, {processor:.1f} of processor", flush=True)
        return wall

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()


with tempfile.TemporaryDirectory() as work:
    program = os.path.join(work, "training")
    subprocess.run(["go", "build", "-o", program, "./bench/scale/training"], check=True)
    started = []
    try:
        started.append(Training("memory", HELD, [program, "-dir", work, "-memory", str(10**12)],
                                env={**os.environ, "GOGC": "10"}))
        started.append(Training("file", GRAPHS, [program, "-dir", work], preexec_fn=limit))
        for _ in range(EPOCHS):
            memory, file = [t.epoch() for t in started]
            print(f"memory / file: {memory / file:.2f}", flush=True)
    finally:
        for t in started:
            t.end()
    subprocess.run([program, "-dir", work, "-model", "none", "-graphs", str(GRAPHS), "-epochs", "3"],
                   preexec_fn=limit, check=True)
