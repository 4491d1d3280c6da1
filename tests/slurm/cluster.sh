#!/bin/bash
# cluster.sh - a private Slurm of four nodes for the tests that source it: own munged, own slurmctld, four slurmd on one
# machine; nothing of a Slurm that is installed or running here is touched. Everything it starts it also stops, by its
# process id, when the test ends.
#
#   cluster_start [KEY=VALUE...]   lines of slurm.conf that differ, e.g. MinJobAge=30 MaxArraySize=11; SlurmdTimeout=10 where
#                                  a node that died is to be missed soon, else it is long for a machine that is busy
#   CLUSTER_GPUS=2                 before it: GPUs of each node: devices that compute nothing
#   CLUSTER_PARTITIONS='...'       before it: lines of further partitions
#   CLUSTER_ACCOUNTS=1             before it: with slurmdbd on a private MariaDB, which has no port; accounts_down ends slurmdbd
#   cluster_stop
#   node_kill n2                   the node dies: its slurmd and all that runs on it
#   node_up n2                     and comes back
#   controller_kill, controller_up
#   queue_empty, node_is n2 idle, wait_for SECONDS COMMAND
#   drain                          waits until the queue is empty
#   all_done CAMPAIGN              whether it is
#   $fake                          directory of programs that stand in for the real ones (SLUICE_PROGRAMS)
#
# Directory: $SLURM_TEST (made here). Needs root, because slurmd starts jobs.
set -u
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fake=$tests/cli/fake
. "$tests/check.sh"

cluster_conf() { # KEY=VALUE...
    cat <<END
ClusterName=sluice
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$SLURM_TEST/munge/socket,cred_expire=5
SlurmctldPort=$CLUSTER_PORT
StateSaveLocation=$SLURM_TEST/state
SlurmdSpoolDir=$SLURM_TEST/spool/%n
SlurmctldPidFile=$SLURM_TEST/slurmctld.pid
SlurmdPidFile=$SLURM_TEST/slurmd.%n.pid
SlurmctldLogFile=$SLURM_TEST/slurmctld.log
SlurmdLogFile=$SLURM_TEST/slurmd.%n.log
SelectType=select/cons_tres
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MpiDefault=none
ReturnToService=2
SlurmctldTimeout=10
InactiveLimit=0
KillWait=10
MessageTimeout=10
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=0
SchedulerType=sched/backfill
PartitionName=short Nodes=n[1-4] Default=YES MaxTime=INFINITE State=UP
${CLUSTER_PARTITIONS:-}
END
    local n gres=
    if [ "${CLUSTER_GPUS:-0}" -gt 0 ]; then
        echo GresTypes=gpu
        gres="Gres=gpu:$CLUSTER_GPUS"
    fi
    for n in 1 2 3 4; do
        echo "NodeName=n$n NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((CLUSTER_PORT + n)) CPUs=2 Boards=1 SocketsPerBoard=1 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=1000 $gres State=UNKNOWN"
    done
    local set
    for set in SelectTypeParameters=CR_Core MinJobAge=60 MaxArraySize=1001 MaxJobCount=50000 SlurmdTimeout=30 AccountingStorageType=accounting_storage/none "$@"; do echo "$set"; done | awk -F= '{v[$1]=$0} END {for (k in v) print v[k]}'
}

cluster_fail() { echo "cluster: $*" >&2; tail -n 5 "$SLURM_TEST"/*.log >&2; return 1; }

wait_for() { # SECONDS COMMAND...
    local left=$(($1 * 10))
    shift
    while ! "$@" >/dev/null 2>&1; do
        left=$((left - 1))
        [ $left -gt 0 ] || return 1
        sleep 0.1
    done
}

munge_up() {
    (umask 077 && head -c 1024 /dev/urandom >"$SLURM_TEST/munge/key")
    munged --force --key-file="$SLURM_TEST/munge/key" --socket="$SLURM_TEST/munge/socket" --pid-file="$SLURM_TEST/munge/pid" \
        --log-file="$SLURM_TEST/munge/log" --seed-file="$SLURM_TEST/munge/seed"
    wait_for 60 test -S "$SLURM_TEST/munge/socket"
}
# A database without a port, whose root is this one; slurmdbd finds its socket by the environment.
accounts_up() {
    export MYSQL_UNIX_PORT=$SLURM_TEST/db.socket
    mariadb-install-db --no-defaults --user=root --datadir="$SLURM_TEST/db" --skip-test-db >"$SLURM_TEST/db.log" 2>&1 || return 1
    mariadbd --no-defaults --user=root --datadir="$SLURM_TEST/db" --socket="$MYSQL_UNIX_PORT" --skip-networking \
        --pid-file="$SLURM_TEST/db.pid" --log-error="$SLURM_TEST/db.log" >/dev/null 2>&1 &
    disown
    wait_for 60 test -S "$MYSQL_UNIX_PORT" || return 1
    (umask 077 && cat >"$SLURM_TEST/slurmdbd.conf" <<END
AuthType=auth/munge
AuthInfo=socket=$SLURM_TEST/munge/socket
DbdHost=localhost
DbdPort=$((CLUSTER_PORT + 5))
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm
LogFile=$SLURM_TEST/slurmdbd.log
PidFile=$SLURM_TEST/slurmdbd.pid
END
    )
    cat >>"$SLURM_CONF" <<END
AccountingStorageHost=localhost
AccountingStoragePort=$((CLUSTER_PORT + 5))
AccountingStoragePass=$SLURM_TEST/munge/socket
AccountingStorageEnforce=associations,limits
END
    slurmdbd && wait_for 60 timeout 5 sacctmgr -n list cluster && sacctmgr -i add cluster sluice >/dev/null
}
accounts_down() { kill_by_file "$SLURM_TEST/slurmdbd.pid" TERM; }
controller_up() { slurmctld -f "$SLURM_CONF" && wait_for 60 scontrol ping; }
controller_kill() { kill_by_file "$SLURM_TEST/slurmctld.pid" KILL; }
node_up() { slurmd -f "$SLURM_CONF" -N "$1"; }

kill_by_file() { # PIDFILE SIGNAL
    local pid
    pid=$(cat "$1" 2>/dev/null) || return 0
    kill "-$2" "$pid" 2>/dev/null
    wait_for 10 not_alive "$pid"
    rm -f "$1"
}
not_alive() { ! kill -0 "$1" 2>/dev/null || grep -q "^State:.Z" "/proc/$1/status"; }

# Processes that a node started: they carry its name and this cluster's configuration.
node_processes() {
    local environ pid
    for environ in $(grep -slzFx "SLURMD_NODENAME=$1" /proc/[0-9]*/environ); do
        grep -sqzFx "SLURM_CONF=$SLURM_CONF" "$environ" || continue
        pid=${environ#/proc/}
        echo "${pid%/environ}"
    done
}
# slurmstepd of a node: it holds the node's log open
node_steps() {
    local pid
    for pid in $(pgrep -x slurmstepd); do
        find "/proc/$pid/fd" -lname "$SLURM_TEST/slurmd.$1.log" 2>/dev/null | grep -q . && echo "$pid"
    done
}
node_kill() {
    local round list
    kill_by_file "$SLURM_TEST/slurmd.$1.pid" KILL
    for round in 1 2 3 4 5; do # what is killed may just have started something
        list=$(node_steps "$1"; node_processes "$1")
        [ -z "$list" ] && return 0
        # shellcheck disable=SC2086
        kill -KILL $list 2>/dev/null
        sleep 0.05
    done
    echo "cluster: $1 still has processes after $round kills: $list" >&2
}
node_is() { [ "$(sinfo -h -n "$1" -o %t)" = "$2" ]; } # NODE idle|down*

queue_empty() { # an answer that is empty, not no answer
    local list
    list=$(squeue -h 2>/dev/null) && [ -z "$list" ]
}
drain() { wait_for 600 queue_empty || { bad "the queue does not get empty"; squeue; tail -n 4 ./*/logs/slurm/*; }; }
all_done() { sluice status "$1" --exit-code --offline >/dev/null 2>&1; }

# Ports of clusters that others start meanwhile are taken by a directory, which names who took it; nothing listens on the
# six that are chosen.
ports_dir() { echo "/tmp/sluice-slurm-ports-$(id -u)"; }
ports_free() { # FIRST
    local port
    for port in $(seq "$1" $(($1 + 5))); do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return 1
    done
    return 0
}
ports_take() {
    local try first owner
    mkdir -p "$(ports_dir)"
    for try in $(seq 1 50); do
        first=$((20000 + RANDOM % 1500 * 8))
        owner=$(cat "$(ports_dir)/$first/pid" 2>/dev/null)
        [ -n "$owner" ] && not_alive "$owner" && rm -rf "$(ports_dir)/$first"
        mkdir "$(ports_dir)/$first" 2>/dev/null || continue
        echo $$ >"$(ports_dir)/$first/pid"
        CLUSTER_PORT=$first
        ports_free "$first" && return 0
        ports_give
    done
    return 1
}
ports_give() { rm -rf "$(ports_dir)/$CLUSTER_PORT"; }

cluster_idle() { [ "$(sinfo -h -t idle -o %D)" = 4 ]; }

cluster_start() {
    SLURM_TEST=$(mktemp -d "${TMPDIR:-/tmp}/slurm.XXXXXX")
    ports_take || { echo "cluster: no free ports" >&2; return 1; }
    export SLURM_TEST SLURM_CONF=$SLURM_TEST/slurm.conf
    mkdir -p "$SLURM_TEST"/{munge,state,spool/n1,spool/n2,spool/n3,spool/n4,home}
    chmod 755 "$SLURM_TEST" "$SLURM_TEST/munge"
    export XDG_CONFIG_HOME=$SLURM_TEST/home
    # the nodes are one machine: daemons of mpirun on each would make and remove the same directory at the same moment
    export OMPI_MCA_orte_tmpdir_base=$SLURM_TEST/mpi
    mkdir -p "$SLURM_TEST/mpi/ompi.$(hostname).$(id -u)/stays"
    cluster_conf "$@" >"$SLURM_CONF"
    if [ "${CLUSTER_GPUS:-0}" -gt 0 ]; then
        # it wants devices; those of every machine do
        printf 'Name=gpu File=%s\n' /dev/null /dev/zero /dev/full /dev/random | head -n "$CLUSTER_GPUS" >"$SLURM_TEST/gres.conf"
    fi
    trap cluster_stop EXIT
    munge_up || cluster_fail "munged does not start" || return 1
    [ -z "${CLUSTER_ACCOUNTS:-}" ] || accounts_up || cluster_fail "slurmdbd does not start" || return 1
    controller_up || cluster_fail "slurmctld does not start" || return 1
    local n
    for n in n1 n2 n3 n4; do node_up $n || cluster_fail "slurmd $n does not start" || return 1; done
    wait_for 120 cluster_idle || cluster_fail "the nodes do not come up" || return 1
}

cluster_stop() {
    local n
    trap - EXIT
    [ -n "${SLURM_TEST:-}" ] || return 0
    scancel --user="$(id -un)" >/dev/null 2>&1
    for n in n1 n2 n3 n4; do node_kill $n; done
    kill_by_file "$SLURM_TEST/slurmctld.pid" KILL
    accounts_down
    kill_by_file "$SLURM_TEST/db.pid" KILL
    kill_by_file "$SLURM_TEST/munge/pid" TERM
    ports_give
    [ -n "${KEEP:-}" ] || rm -rf "$SLURM_TEST"
}
