#!/usr/bin/env bash
# down.sh [--purge] - stop the Grid Engine that up.sh started; only pids recorded in its own directory.
set -uo pipefail
ROOT=${GRIDENGINE_TEST_ROOT:-${TMPDIR:-/tmp}/prgnn-gridengine}
[ -d "$ROOT/run" ] || exit 0
running() { [ -s "$1" ] && [ "$(cat "/proc/$(cat "$1")/comm" 2>/dev/null)" = "$2" ]; }
if [ -s "$ROOT/env.sh" ] && running "$ROOT/spool/qmaster/qmaster.pid" sge_qmaster; then
  source "$ROOT/env.sh"
  timeout 10 qdel -f -u '*' >/dev/null 2>&1
fi
for f in execd:"$ROOT"/spool/execd/localhost/execd.pid qmaster:"$ROOT"/spool/qmaster/qmaster.pid; do
  name=sge_${f%%:*}; f=${f#*:}
  running "$f" "$name" || continue
  p=$(cat "$f"); kill -TERM "$p"
  for _ in $(seq 50); do running "$f" "$name" || break; sleep 0.1; done
  running "$f" "$name" && kill -KILL "$p"
done
running "$ROOT/run/lifetime.pid" sleep && kill "$(cat "$ROOT/run/lifetime.pid")"
[ "${1:-}" = --purge ] && rm -rf "$ROOT"
exit 0
