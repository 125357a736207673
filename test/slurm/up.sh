#!/usr/bin/env bash
# up.sh - bring up a throw-away, multi-node Slurm cluster on loopback, as root, without systemd.
#   usage: up.sh [NODES=3] ; env: SLURM_TEST_ROOT=${TMPDIR:-/tmp}/prgnn-slurm  CPUS=2  MEM=2000  DBD=0|1 (sacct)  NETNS=0|1 (a network
#   namespace per node, so that `ip link set` can partition one)
# Idempotent: a running cluster is torn down (by recorded pid) and started afresh.
set -euo pipefail
NODES=${1:-${NODES:-3}}
ROOT=${SLURM_TEST_ROOT:-${TMPDIR:-/tmp}/prgnn-slurm}
CPUS=${CPUS:-2}; MEM=${MEM:-2000}
HERE=$(cd "$(dirname "$0")" && pwd)
t0=$(date +%s.%N)
say() { printf '[slurm-up %6.2fs] %s\n' "$(echo "$(date +%s.%N) $t0" | awk '{print $1-$2}')" "$*"; }

# --- 1. packages (only when absent). policy-rc.d stops maintainer scripts from starting daemons.
need=0; for c in slurmctld slurmd munged $([ "${DBD:-0}" = 1 ] && echo slurmdbd mariadbd); do command -v $c >/dev/null || need=1; done
if [ $need = 1 ]; then
  say "apt-get install"
  made=0
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    made=1; trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d; chmod +x /usr/sbin/policy-rc.d
  fi
  export DEBIAN_FRONTEND=noninteractive
  A=(-o DPkg::Lock::Timeout=900 -y -qq --no-install-recommends)
  pk=(slurmctld slurmd slurm-client munge); [ "${DBD:-0}" = 1 ] && pk+=(slurmdbd mariadb-server)
  apt-get install "${A[@]}" "${pk[@]}" >${TMPDIR:-/tmp}/slurm-apt.log 2>&1 || {
    apt-get -o DPkg::Lock::Timeout=900 update -qq && apt-get install "${A[@]}" "${pk[@]}" >>${TMPDIR:-/tmp}/slurm-apt.log 2>&1; } || { tail ${TMPDIR:-/tmp}/slurm-apt.log; exit 1; }
  [ $made = 1 ] && rm -f /usr/sbin/policy-rc.d; trap - EXIT
  say "installed"
fi

# --- 2. stop a former instance
"$HERE/down.sh" --quiet || true

# --- 3. directories, key, config
mkdir -p "$ROOT"/{etc,state,log,run,spool,munge}
chmod 755 "$ROOT" "$ROOT"/{etc,state,log,run,spool}
chmod 700 "$ROOT/munge"
HOST=$(hostname -s)
# munge: private key and private socket; runs as root, so all its dirs are root-owned 0700/0755
if [ ! -s "$ROOT/munge/munge.key" ]; then (umask 077; head -c 1024 /dev/urandom >"$ROOT/munge/munge.key"); fi
CTLD_PORT=${CTLD_PORT:-16817}; D0=${SLURMD_PORT:-17000}
CTLD_ADDR=127.0.0.1; NODE_ADDR() { echo 127.0.0.1; }; IN_NODE() { shift; "$@"; }
if [ "${NETNS:-0}" = 1 ]; then
  CTLD_ADDR=10.231.0.1; NODE_ADDR() { echo 10.231.0.$((10+$1)); }; IN_NODE() { local i=$1; shift; ip netns exec prgnn-node$i "$@"; }
  ip link add prgnnbr type bridge; ip addr add 10.231.0.1/24 dev prgnnbr; ip link set prgnnbr up
  for i in $(seq 0 $((NODES-1))); do
    ip netns add prgnn-node$i; ip link add prgnnv$i type veth peer name eth0 netns prgnn-node$i; ip link set prgnnv$i master prgnnbr up
    ip -n prgnn-node$i addr add 10.231.0.$((10+i))/24 dev eth0; ip -n prgnn-node$i link set eth0 up; ip -n prgnn-node$i link set lo up
  done
fi
{
cat <<CONF
ClusterName=prgnn
SlurmctldHost=$HOST($CTLD_ADDR)
SlurmctldPort=$CTLD_PORT
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$ROOT/run/munge.sock,cred_expire=5
CredType=cred/munge
StateSaveLocation=$ROOT/state
SlurmdSpoolDir=$ROOT/spool/%n
SlurmctldPidFile=$ROOT/run/slurmctld.pid
SlurmdPidFile=$ROOT/run/slurmd-%n.pid
SlurmctldLogFile=$ROOT/log/slurmctld.log
SlurmdLogFile=$ROOT/log/slurmd-%n.log
SlurmctldDebug=info
SlurmdDebug=info
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
JobCompType=jobcomp/filetxt
JobCompLoc=$ROOT/log/jobcomp.txt
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,bf_resolution=1,sched_min_interval=100000,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=500
MaxArraySize=10001
MaxJobCount=20000
MinJobAge=300
SlurmdTimeout=6
SlurmctldTimeout=10
KillWait=2
InactiveLimit=0
Waittime=0
JobRequeue=1
PropagateResourceLimits=NONE
SlurmdParameters=config_overrides
CONF
if [ "${DBD:-0}" = 1 ]; then cat <<CONF
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=16819
AccountingStoragePass=$ROOT/run/munge.sock
CONF
fi
for i in $(seq 0 $((NODES-1))); do
  echo "NodeName=node$i NodeHostname=$HOST NodeAddr=$(NODE_ADDR $i) Port=$((D0+i)) CPUs=$CPUS Sockets=1 CoresPerSocket=$CPUS ThreadsPerCore=1 RealMemory=$MEM State=UNKNOWN"
done
echo "PartitionName=main Nodes=node[0-$((NODES-1))] Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO"
} >"$ROOT/etc/slurm.conf"
printf 'CgroupPlugin=cgroup/v1\nConstrainCores=no\nConstrainRAMSpace=no\n' >"$ROOT/etc/cgroup.conf"
cat >"$ROOT/env.sh" <<ENV
export SLURM_CONF=$ROOT/etc/slurm.conf
export SLURM_TEST_ROOT=$ROOT
ENV
export SLURM_CONF="$ROOT/etc/slurm.conf"

# --- 4. daemons
munged --key-file="$ROOT/munge/munge.key" --socket="$ROOT/run/munge.sock" \
       --pid-file="$ROOT/run/munged.pid" --log-file="$ROOT/log/munged.log" --seed-file="$ROOT/munge/seed" --num-threads=2 --force
say "munged up (pid $(cat "$ROOT/run/munged.pid"))"
if [ "${DBD:-0}" = 1 ]; then             # accounting (sacct): private mariadb on a socket + slurmdbd
  DB=$ROOT/db; SOCK=$ROOT/run/mysql.sock; mkdir -p "$DB"
  [ -d "$DB/mysql" ] || mariadb-install-db --no-defaults --user=root --datadir="$DB" --auth-root-authentication-method=normal --skip-test-db >"$ROOT/log/mariadb-install.log" 2>&1
  mariadbd --no-defaults --user=root --datadir="$DB" --socket="$SOCK" --pid-file="$ROOT/run/mariadbd.pid" --bind-address=127.0.0.1 --port=16820 \
     --innodb-buffer-pool-size=64M --innodb-lock-wait-timeout=900 --log-error="$ROOT/log/mariadb.log" </dev/null >/dev/null 2>&1 &
  for _ in $(seq 100); do [ -S "$SOCK" ] && break; sleep 0.1; done
  mariadb --no-defaults --socket="$SOCK" -u root -e "CREATE DATABASE IF NOT EXISTS slurm_acct; CREATE USER IF NOT EXISTS slurm@'127.0.0.1' IDENTIFIED BY 'slurm'; GRANT ALL ON slurm_acct.* TO slurm@'127.0.0.1';"
  (umask 077; cat >"$ROOT/etc/slurmdbd.conf" <<CONF
AuthType=auth/munge
AuthInfo=socket=$ROOT/run/munge.sock
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=16819
SlurmUser=root
LogFile=$ROOT/log/slurmdbd.log
PidFile=$ROOT/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=16820
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct
CONF
  )
  slurmdbd; for _ in $(seq 100); do timeout 3 sacctmgr -n list cluster >/dev/null 2>&1 && break; sleep 0.1; done
  timeout 10 sacctmgr -i add cluster prgnn >/dev/null 2>&1 || true
  say "mariadb + slurmdbd up"
fi
slurmctld -c -f "$SLURM_CONF"            # -c: forget former state
for _ in $(seq 100); do timeout 3 scontrol ping 2>/dev/null | grep -q 'is UP' && break; sleep 0.1; done
say "slurmctld up"
for i in $(seq 0 $((NODES-1))); do mkdir -p "$ROOT/spool/node$i"; IN_NODE $i slurmd -N "node$i" -f "$SLURM_CONF"; done
ok=0
for _ in $(seq 150); do
  [ "$(timeout 3 sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l)" = "$NODES" ] && { ok=1; break; }; sleep 0.1
done
[ $ok = 1 ] || { echo "nodes not idle:"; sinfo -N -l; tail -n 20 "$ROOT"/log/*.log; exit 1; }
say "$NODES nodes idle; source $ROOT/env.sh"
