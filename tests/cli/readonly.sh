#!/bin/bash
# readonly.sh - the file system of a campaign becomes read-only while it runs, as ext4 does when its disk fails (errors=remount-ro):
# the run ends with a message, status can still be read, and once the file system can be written again the next run ends with the
# bits of an undisturbed one. Real programs, on an image in a loop device; needs root.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
mkdir "$work/disk"
up() { mount -o loop,errors=remount-ro "$work/image" "$work/disk" 2>/dev/null; }
down() { umount "$work/disk" 2>/dev/null; }
trap 'down; rm -rf "$work"' EXIT
truncate -s 64M "$work/image"
mkfs.ext4 -q "$work/image" 2>/dev/null && up || { echo "SKIP: cannot mount an image of a disk here"; exit 0; }
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"
fault=/sys/fs/ext4/$(basename "$(findmnt -n -o SOURCE "$work/disk")")/trigger_fs_error
[ -w "$fault" ] || { echo "SKIP: the kernel lets no error be triggered ($fault)"; exit 0; }
bits() { /usr/bin/python3 "$SLUICE_TOP/tests/slurm/bits.py" "$1"; }
cat >c.yaml <<END
campaign: c
problem: sod
mesh: {cells: [256, 64], box: [[0, 1], [0, 0.25]], block: 32, boundary: outflow}
time: {end: 0.4}
sweep: {seed: 1..2}
output: {snapshot: 0.1, history: 0.01, checkpoint: 0.1 s}
resources: {retries: 1}
ensemble: {min: 2}
END
expect 0 sluice run c.yaml --dir quiet --cores 1
sluice run c.yaml --dir disk/c --cores 1 >out 2>err & run=$!
for _ in $(seq 2400); do ls disk/c/members/0000/checkpoints/*/MANIFEST >/dev/null 2>&1 && break; sleep 0.05; done
echo readonly >"$fault"
touch disk/x 2>/dev/null && bad "the file system can still be written"
for _ in $(seq 2400); do kill -0 $run 2>/dev/null || break; sleep 0.1; done
kill -0 $run 2>/dev/null && { bad "it hangs"; kill -KILL $run; }
wait $run
code=$?
[ $code = 73 ] || { bad "exit code $code, not 73"; cat out err; }
says 'Read-only file system'
expect 0 sluice status disk/c; shows 'c: 0/2 done'
expect 73 sluice run disk/c; says 'Read-only file system'
down || bad "somebody still uses the disk: $(fuser -vm "$work/disk" 2>&1)"
e2fsck -p "$work/image" >/dev/null 2>&1
up || { bad "the image cannot be mounted again"; exit 1; }
expect 0 sluice run disk/c --cores 1
expect 0 sluice verify disk/c
[ "$(bits disk/c)" = "$(bits quiet)" ] || bad "other bits"
[ $failed = 0 ] && echo ok
exit $failed
