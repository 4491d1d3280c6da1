#!/bin/bash
# devices.sh - GPUs of one machine among members side by side: with resources.gpus each has its own, and waits for it; without,
# they are shared out evenly; what computes on the processor takes none; `sluice plan` reckons with them. The driver is a stand-in
# for its library (NVML), and nothing computes on a GPU: what is tested is CUDA_VISIBLE_DEVICES of programs that tell it.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"
unset CUDA_VISIBLE_DEVICES
cc -shared -fPIC -o libnvidia-ml.so.1 "$SLUICE_TOP/tests/cli/fake/nvml.c" || exit 1
export LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} FAKE_DEVICES=3

# programs that stay a while, and tell what they see: "stage member devices begin end"
export FAKE_STEPS=6 FAKE_NAP=0.1 FAKE_STATS=0.3 SLUICE_PROGRAMS=$work/programs BEGUN=$work/begun
mkdir programs
for stage in ic sim stats; do
    cat >programs/sluice-$stage <<END
#!/bin/bash
begin=\$(date +%s%N)
"$SLUICE_TOP/tests/cli/fake/sluice-$stage" "\$@" || exit
[ "\$1" = --ensemble ] ||
    echo "$stage \$(basename "\$(dirname "\$1")") \${CUDA_VISIBLE_DEVICES-all} \$begin \$(date +%s%N)" >>"\$BEGUN"
END
    chmod +x programs/sluice-$stage
done
cat >some.yaml <<'END'
campaign: some
problem: sod
sweep: {seed: 1..7}
mesh: {cells: [64], block: 16}
time: {end: 0.1}
statistics: {spectra: [density]}
resources: {members_per_process: 1} # a line for each
END
# campaign NAME KEY=VALUE...: runs it on eight cores, or CORES; leaves the lines in begun.NAME
campaign() {
    rm -f begun
    expect 0 sluice run some.yaml campaign="$1" --cores="${CORES:-8}" "${@:2}"
    mv begun "begun.$1"
}
# of STAGE in begun.NAME: the lists of devices seen, the most members at a time, those with one device at a time
seen() { awk -v s="$2" '$1 == s {print $3}' "begun.$1" | sort -u | tr '\n' ' '; }
most() {
    awk -v d="${3:-}" -v s="$2" '$1 ~ s && (d == "" || index("," $3 ",", "," d ",")) {print $4, 1; print $5, -1}' "begun.$1" | sort -n |
        awk '{n += $2; if (n > m) m = n} END {print m + 0}'
}
least() { [ "$3" -ge "$2" ] || { bad "$1: no more than $3 at a time"; cat begun.*; }; }
is() { [ "$2" = "$3" ] || { bad "$1: '$2', not '$3'"; cat begun.*; }; }

campaign own resources.gpus=1 resources.backend=cuda
is 'own devices of runs' "$(seen own sim)" '0 1 2 '
seen own stats | grep -qE '^([012] )+$' || bad "own devices of statistics: $(seen own stats)"
for d in 0 1 2; do is "members on device $d" "$(most own . $d)" 1; done
least 'members side by side' 2 "$(most own sim)"
grep -q 'local, 8 cores, 3 GPUs' own/journal.jsonl || bad 'the journal does not tell of GPUs'

campaign two resources.gpus=2 resources.backend=cuda sweep.seed=1..2
is 'two of three, so one at a time' "$(most two sim)" 1

FAKE_NAP=0.4 campaign shared resources.backend=cuda
is 'devices of those that share' "$(seen shared sim)" '0 1 2 '
least 'members that share' 4 "$(most shared sim)"
for d in 0 1 2; do [ "$(most shared sim $d)" -le 3 ] || bad "device $d is shared by $(most shared sim $d) of 7"; done

# where initial fields are made first, no more members begin than wait for a device
CORES=3 FAKE_DEVICES=1 campaign fields problem=turbulence turbulence.kmax=4 mesh.cells=[16,16,16] resources.gpus=1 resources.backend=cuda
begun=$(awk '/"start"/ {if (/"ic"/) n++; if (/"sim"/ && !first) first = n} END {print first}' fields/journal.jsonl)
[ "$begun" -le 3 ] || bad "$begun of 7 had begun when the first ran"
is 'runs with fields' "$(most fields sim)" 1
last=$(awk '/"start"/ && /"ic"/ {n++} /"end"/ && /"sim"/ {m++; if (n > m + 3) bad = n " begun, " m " had run"} END {print bad}' fields/journal.jsonl)
is 'members that begin while others wait' "$last" ''

# members 0000 and 0002 want one for themselves, 0001 and 0003 do not mind
FAKE_DEVICES=1 campaign mixed 'sweep.resources.gpus=[1,0]' sweep.seed=1..2 resources.backend=cuda
grep -E ' 000[02] ' begun.mixed >begun.alone
while read -r stage member _ begin end; do
    awk -v b="$begin" -v e="$end" -v m="$member" '$1 != "ic" && $2 != m && $4 < e && $5 > b' begun.mixed >clash
    [ "$stage" = ic ] || [ ! -s clash ] || bad "$stage of $member has company on its device: $(cat clash)"
done <begun.alone
[ "$(wc -l <begun.alone)" -ge 4 ] || bad 'not all members of mixed'

CUDA_VISIBLE_DEVICES=GPU-b,2,5,1 campaign named resources.gpus=1
is 'devices that were named' "$(seen named sim)" '2 GPU-b '
is 'small grids measured on the processor' "$(seen named stats)" 'GPU-b,2,5,1 '
campaign many resources.gpus=8 resources.backend=cuda sweep.seed=1..2
is 'no more than there are' "$(seen many sim)" '0,1,2 '
FAKE_NAP=0.4 campaign cpu resources.gpus=1 resources.backend=cpu
is 'runs on the processor' "$(seen cpu sim)" 'all '
least 'members on the processor' 4 "$(most cpu sim)"
FAKE_NAP=0.4 CUDA_VISIBLE_DEVICES='' campaign none resources.gpus=1
least 'members without devices' 4 "$(most none sim)"

expect 0 sluice plan some.yaml --cores=8 resources.gpus=2
shows '8 cores and 3 GPUs here: 1 side by side'
expect 0 sluice plan some.yaml --cores=8 --json resources.gpus=1
shows '"gpus": 3'
shows '"side_by_side": 3'
expect 0 sluice plan some.yaml --cores=8 resources.gpus=1 resources.backend=cpu
shows '8 cores here: 7 side by side'
[ $failed = 0 ] && echo ok
exit $failed
