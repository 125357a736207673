#!/usr/bin/env bash
# down.sh [--quiet|--purge] - stop the test cluster started by up.sh; only pids recorded in its own run dir.
set -uo pipefail
ROOT=${SLURM_TEST_ROOT:-${TMPDIR:-/tmp}/prgnn-slurm}
q=0; purge=0; for a in "$@"; do case $a in --quiet) q=1;; --purge) purge=1;; esac; done
[ -d "$ROOT/run" ] || exit 0
export SLURM_CONF="$ROOT/etc/slurm.conf"
alive() { [ -r "/proc/$1/comm" ] && [ "$(cat "/proc/$1/comm" 2>/dev/null)" = "$2" ]; }
pids_of() { local f p; for f in "$ROOT"/run/$1*.pid; do [ -s "$f" ] || continue; p=$(cat "$f"); alive "$p" "$2" && echo "$p"; done; }
halt() { # prefix comm : TERM all, wait 3 s, KILL the rest
  local ps p; ps=$(pids_of "$1" "$2"); [ -n "$ps" ] || return 0
  kill -TERM $ps 2>/dev/null
  for _ in $(seq 30); do for p in $ps; do alive "$p" "$2" && { sleep 0.1; continue 2; }; done; break; done
  for p in $ps; do alive "$p" "$2" && kill -KILL "$p" 2>/dev/null; done
  [ $q = 1 ] || echo "stopped $2:" $ps
}
# kill running jobs first, so that no slurmstepd is left behind
if [ -n "$(pids_of slurmctld slurmctld)" ]; then
  timeout 5 scancel -Q --me 2>/dev/null
  for _ in $(seq 30); do [ -z "$(timeout 2 squeue -h -t R,CG 2>/dev/null)" ] && break; sleep 0.1; done
fi
halt slurmctld slurmctld; halt slurmd- slurmd; halt slurmdbd slurmdbd; halt mariadbd mariadbd
# step daemons that outlived their slurmd carry a socket in our own spool: <spool>/<node>/<node>_<jobid>.<step>
for s in "$ROOT"/spool/*/*_[0-9]*.[0-9]*; do [ -S "$s" ] || continue
  j=${s##*_}; j=${j%%.*}; for p in $(pgrep -f "^slurmstepd: \[$j\."); do kill -KILL $(pgrep -P "$p") "$p" 2>/dev/null; done
done
halt munged munged
for n in $(ip netns list 2>/dev/null | awk '/^prgnn-node[0-9]/{print $1}'); do ip netns del "$n"; done; ip link del prgnnbr 2>/dev/null
rm -rf "$ROOT/state" "$ROOT/spool" "$ROOT/run"
[ $purge = 1 ] && rm -rf "$ROOT"
exit 0
