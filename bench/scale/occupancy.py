"""How busy the slots of a cluster are during a run, and how long nobody had a task.

    python3 bench/scale/occupancy.py SLOTS OUT COMMAND...

COMMAND is a run of the pipeline; --json is added to it. Prints a table, and writes OUT.tsv (busy
slots in each second) and OUT.svg (the same as a picture). A task ends when its line arrives, and
began as many seconds earlier as it says that it took: with --pilots, where it was carried out.
"""

import json
import subprocess
import sys
import time


def run(command):
    """Spans (stage, begin, end) of tasks that ran, the wall time, and the exit code."""
    start = time.time()
    spans = []
    process = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "task" and event["state"] == "ran":
            end = time.time() - start
            spans.append((event["stage"], max(0.0, end - event.get("seconds", 0)), end))
    return spans, time.time() - start, process.wait()


def series(spans, wall, step):
    """The mean number of busy slots in each step, in seconds."""
    busy = [0.0] * (int(wall / step) + 1)
    for _, begin, end in spans:
        for i in range(int(begin / step), int(end / step) + 1):
            busy[i] += max(0.0, min(end, (i + 1) * step) - max(begin, i * step)) / step
    return busy


def picture(busy, slots, step):
    """The series as SVG: one bar a step, below a line at all slots."""
    width, height = 720, 180
    most = max(slots, *busy)
    x = [40 + i * width / len(busy) for i in range(len(busy) + 1)]
    y = [10 + height * (1 - b / most) for b in busy]
    path = f"M{x[0]:.1f} {10 + height}" + "".join(f"H{a:.1f}V{b:.1f}H{c:.1f}" for a, b, c in zip(x, y, x[1:]))
    top = 10 + height * (1 - slots / most)
    seconds = len(busy) * step
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="780" height="230" viewBox="0 0 780 230" \
font-family="Liberation Sans,Arial,Helvetica,sans-serif" font-size="11" fill="#22262B">
<rect width="780" height="230" fill="#FFFFFF"/>
<path d="{path}V{10 + height}Z" fill="#7A9CC6"/>
<path d="M40 {top:.1f}H760M40 {10 + height}H760" stroke="#8A9099"/>
<text x="34" y="{top + 4:.1f}" text-anchor="end">{slots}</text><text x="34" y="194" text-anchor="end">0</text>
<text x="40" y="206">0</text><text x="760" y="206" text-anchor="end">{seconds:.0f} s</text>
<text x="400" y="222" text-anchor="middle">busy slots over the time of the run</text>
</svg>
"""


def main():
    slots, out, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    spans, wall, code = run(command)
    if code or not spans:
        sys.exit(f"the run ended with exit code {code}, {len(spans)} tasks ran")
    total = sum(end - begin for _, begin, end in spans)
    step = 1.0 if wall > 60 else 0.1
    busy = series(spans, wall, step)
    with open(out + ".tsv", "w") as f:
        f.write("second\tbusy\n")
        f.writelines(f"{i * step:.1f}\t{b:.2f}\n" for i, b in enumerate(busy))
    with open(out + ".svg", "w") as f:
        f.write(picture(busy, slots, step))
    first, last = min(b for _, b, _ in spans), max(e for _, _, e in spans)
    print("| stage | tasks | s, all tasks | s, longest | from | to |")
    print("| --- | --- | --- | --- | --- | --- |")
    for stage in dict.fromkeys(s for s, _, _ in sorted(spans, key=lambda s: s[1])):
        own = [(b, e) for s, b, e in spans if s == stage]
        print(f"| {stage} | {len(own)} | {sum(e - b for b, e in own):.1f} | {max(e - b for b, e in own):.2f} "
              f"| {min(b for b, _ in own):.1f} | {max(e for _, e in own):.1f} |")
    print()
    print(f"{len(spans)} tasks of {total:.1f} s together on {slots} slots in {wall:.1f} s: {100 * total / slots / wall:.1f}% busy")
    idle, until = 0.0, first
    for begin, end in sorted((b, e) for _, b, e in spans):
        idle, until = idle + max(0.0, begin - until), max(until, end)
    print(f"nobody had a task for {idle:.1f} s between the first and the last")
    print(f"before the first task {first:.1f} s, after the last {wall - last:.1f} s; "
          f"between them {100 * total / slots / (last - first):.1f}% busy")


main()
