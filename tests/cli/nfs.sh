#!/bin/bash
# nfs.sh - a campaign on a real NFS server (4.2, knfsd), whose two clients keep what they read as two hosts do (close-to-open): one
# host works and the other is told so, then goes on at once with what the first has just written. In the midst of a run its directory
# is put back from a copy, which makes what is open stale, or removed; the server lets nobody write; a host falls silent. Each time
# the next start goes on, to the bits of an undisturbed run, and the other host sees so at once. In a virtual machine, because only
# the kernel has NFS (tests/machine/boot, tests/machine/nfs).
# long: four minutes, ten where KVM is missing.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"
bits() { /usr/bin/python3 "$SLUICE_TOP/tests/slurm/bits.py" "$1"; }
cat >c.yaml <<END
campaign: c
problem: sod
mesh: {cells: [256], block: 64, boundary: outflow}
time: {end: 0.5}
output: {snapshot: 0.1, history: 0.01, checkpoint: 1 s}
statistics: {spectra: [], structure: [], pdf: [density]}
resources: {retries: 1}
END
expect 0 sluice run c.yaml --dir quiet --cores 1
"$SLUICE_TOP/tests/machine/boot" "$SLUICE_TOP/tests/machine/nfs" .
code=$?
[ $code = 77 ] && exit 0
[ $code = 0 ] || { bad "the machine: exit code $code"; exit 1; }
for campaign in both back gone still silent; do
    [ "$(bits $campaign)" = "$(bits quiet)" ] || bad "$campaign: other bits"
    expect 0 sluice verify $campaign
done
exit $failed
