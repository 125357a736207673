#!/usr/bin/env bash
# up.sh - bring up a throw-away Grid Engine of one machine on loopback, as root, without systemd.
#   env: GRIDENGINE_TEST_ROOT=${TMPDIR:-/tmp}/prgnn-gridengine  SLOTS=4  QMASTER_PORT=16444
# A running one is stopped (by recorded pid) and started afresh; down.sh stops it, and it stops by itself
# when LIFETIME=3600 seconds are over.
set -euo pipefail
ROOT=${GRIDENGINE_TEST_ROOT:-${TMPDIR:-/tmp}/prgnn-gridengine}
SLOTS=${SLOTS:-4}; PORT=${QMASTER_PORT:-16444}; LIFETIME=${LIFETIME:-3600}
HERE=$(cd "$(dirname "$0")" && pwd)

# --- 1. packages (only when absent). policy-rc.d stops maintainer scripts from starting daemons.
if ! command -v sge_qmaster >/dev/null || ! command -v sge_execd >/dev/null || ! command -v qsub >/dev/null; then
  made=0
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    made=1; trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d; chmod +x /usr/sbin/policy-rc.d
  fi
  export DEBIAN_FRONTEND=noninteractive
  A=(-o DPkg::Lock::Timeout=900 -y -qq --no-install-recommends); log=${TMPDIR:-/tmp}/gridengine-apt.log
  pk=(gridengine-master gridengine-exec gridengine-client)
  apt-get install "${A[@]}" "${pk[@]}" >"$log" 2>&1 || {
    apt-get -o DPkg::Lock::Timeout=900 update -qq && apt-get install "${A[@]}" "${pk[@]}" >>"$log" 2>&1; } || { tail "$log"; exit 1; }
  [ $made = 1 ] && rm -f /usr/sbin/policy-rc.d; trap - EXIT
fi

# --- 2. stop a former instance
bash "$HERE/down.sh" --purge

# --- 3. directories and configuration: a cell of our own, nothing in /var/lib/gridengine
C=$ROOT/default/common; L=/usr/lib/gridengine; S=/usr/share/gridengine
mkdir -p "$ROOT"/{spool/qmaster/job_scripts,spool/execd,spooldb,run} "$C"
ln -sfn $S/util "$ROOT/util"
arch=$($S/util/arch); for d in bin utilbin lib; do mkdir -p "$ROOT/$d"; ln -sfn $L "$ROOT/$d/$arch"; done
cat >"$C/bootstrap" <<CONF
admin_user              none
default_domain          none
ignore_fqdn             true
spooling_method         berkeleydb
spooling_lib            libspoolb
spooling_params         $ROOT/spooldb
binary_path             $L
qmaster_spool_dir       $ROOT/spool/qmaster
security_mode           none
listener_threads        2
worker_threads          2
scheduler_threads       1
jvm_threads             0
CONF
echo localhost >"$C/act_qmaster"
echo "localhost $(hostname)" >"$C/host_aliases" # without a name server, all names of this machine are one host
cat >"$ROOT/env.sh" <<ENV
export SGE_ROOT=$ROOT SGE_CELL=default SGE_QMASTER_PORT=$PORT SGE_EXECD_PORT=$((PORT+1)) SGE_CLUSTER_NAME=prgnn
export GRIDENGINE_TEST_ROOT=$ROOT
ENV
source "$ROOT/env.sh"
sed -e "s|^execd_spool_dir .*|execd_spool_dir $ROOT/spool/execd|" -e 's|^min_\([ug]\)id .*|min_\1id 0|' \
    -e 's|^load_report_time .*|load_report_time 00:00:02|' -e 's|^max_unheard .*|max_unheard 00:00:10|' \
    -e 's|^execd_params .*|execd_params KEEP_ACTIVE=false|' $S/default-configuration >"$ROOT/run/configuration"

# --- 4. daemons
{
  $L/spoolinit berkeleydb libspoolb "$ROOT/spooldb" init
  $L/spooldefaults configuration "$ROOT/run/configuration"
  $L/spooldefaults complexes $S/util/resources/centry
  $L/spooldefaults usersets $S/util/resources/usersets
  $L/spooldefaults managers root
  sge_qmaster
  for _ in $(seq 100); do timeout 5 qconf -sh >/dev/null 2>&1 && break; sleep 0.1; done
  qconf -as localhost
  qconf -ssconf | sed 's/^schedule_interval .*/schedule_interval 0:0:2/;s/^flush_\([a-z]*\)_sec .*/flush_\1_sec 1/' >"$ROOT/run/scheduler"
  qconf -Msconf "$ROOT/run/scheduler"
  sge_execd
  for _ in $(seq 100); do qconf -sel 2>/dev/null | grep -q . && break; sleep 0.1; done
  EDITOR=cat qconf -aq main.q 2>/dev/null | sed -n "s/^hostlist .*/hostlist localhost/;s/^slots .*/slots $SLOTS/;
    s/^load_thresholds .*/load_thresholds NONE/;s/^pe_list .*/pe_list NONE/;s/^shell  .*/shell \/bin\/sh/;/^qname/,/^h_vmem/p" >"$ROOT/run/queue"
  qconf -Aq "$ROOT/run/queue"
} >"$ROOT/run/up.log" 2>&1 || { cat "$ROOT/run/up.log"; exit 1; }
for _ in $(seq 100); do qstat -f -qs u 2>/dev/null | grep -q main.q || break; sleep 0.1; done
( sleep "$LIFETIME" & echo $! >"$ROOT/run/lifetime.pid"; wait $! && exec bash "$HERE/down.sh" ) </dev/null >/dev/null 2>&1 &
echo "Grid Engine up, $SLOTS slots; source $ROOT/env.sh"
